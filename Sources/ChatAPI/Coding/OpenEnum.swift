/// A string from a list that later versions may extend. Unknown strings are kept unchanged, except in commands, where
/// they are errors (``JSON/JSONDecoder/forCommands``).
package protocol OpenEnum: RawRepresentable, Codable, Hashable, Sendable where RawValue == String {
    init(rawValue: String)
    /// The strings that this version knows.
    static var knownValues: Set<Self> { get }
}

extension OpenEnum {
    package init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
        if decoder.refusesUnknownValues, !Self.knownValues.contains(self) {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription:
                        "\(rawValue) is not one of \(Self.knownValues.map(\.rawValue).sorted().joined(separator: ", "))"
                )
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
