public import JSON

/// Ids that only one of the two databases contains. Users have numbers as ids, connections have strings.
public struct DatabaseDiff: Codable, Hashable, Sendable {
    public var missingIds: [JSONValue]
    public var extraIds: [JSONValue]

    public init(missingIds: [JSONValue], extraIds: [JSONValue]) {
        self.missingIds = missingIds
        self.extraIds = extraIds
    }
}
