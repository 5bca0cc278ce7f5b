internal import JSON

/// A file description divided into parts, each of which fits a message.
enum DescriptionParts {
    /// Maximum number of characters in one part.
    private static let size = 14_000

    static func of(_ text: String) -> [JSONValue] {
        let characters = Array(text.unicodeScalars)
        let count = max(1, (characters.count + size - 1) / size)
        return (0..<count).map { index in
            var part = String.UnicodeScalarView()
            part.append(contentsOf: characters[(index * size)..<min(characters.count, (index + 1) * size)])
            return [
                "fileDescrText": .string(String(part)), "fileDescrPartNo": .integer(Int64(index + 1)),
                "fileDescrComplete": .bool(index == count - 1),
            ]
        }
    }
}
