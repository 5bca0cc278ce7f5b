public import JSON

/// Identifiers that one of the two databases has and the other has not: numbers for users, strings for connections.
public struct DatabaseDiff: Codable, Hashable, Sendable {
    public var missingIds: [JSONValue]
    public var extraIds: [JSONValue]

    public init(missingIds: [JSONValue], extraIds: [JSONValue]) {
        self.missingIds = missingIds
        self.extraIds = extraIds
    }
}
