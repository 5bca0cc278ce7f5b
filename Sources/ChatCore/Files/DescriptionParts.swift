internal import JSON

/// The parts of a file description. Each part is small enough for one message.
enum DescriptionParts {
    /// Maximum number of characters in one part.
    private static let maxPartLength = 14_000

    static func split(_ text: String) -> [JSONValue] {
        let characters = Array(text.unicodeScalars)
        let count = max(1, (characters.count + maxPartLength - 1) / maxPartLength)
        return (0..<count).map { index in
            var part = String.UnicodeScalarView()
            part.append(
                contentsOf: characters[(index * maxPartLength)..<min(characters.count, (index + 1) * maxPartLength)]
            )
            return [
                "fileDescrText": .string(String(part)), "fileDescrPartNo": .integer(Int64(index + 1)),
                "fileDescrComplete": .bool(index == count - 1),
            ]
        }
    }
}
