public import JSON

/// Generic: ids are int64 for users and strings for connections
public struct DatabaseDiff: Codable, Hashable, Sendable {
    public var missingIds: [JSONValue]
    public var extraIds: [JSONValue]

    public init(missingIds: [JSONValue], extraIds: [JSONValue]) {
        self.missingIds = missingIds
        self.extraIds = extraIds
    }
}
