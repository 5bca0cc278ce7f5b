public import JSON

/// Identifiers that only one of the two databases contains: numbers for users, strings for connections.
public struct DatabaseDiff: Codable, Hashable, Sendable {
    public var missingIds: [JSONValue]
    public var extraIds: [JSONValue]

    public init(missingIds: [JSONValue], extraIds: [JSONValue]) {
        self.missingIds = missingIds
        self.extraIds = extraIds
    }
}
