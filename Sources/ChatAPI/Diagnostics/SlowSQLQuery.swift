/// A slow SQL statement, with its measurements.
public struct SlowSQLQuery: Codable, Hashable, Sendable {
    public var query: String
    public var queryStats: SlowQueryStats

    public init(query: String, queryStats: SlowQueryStats) {
        self.query = query
        self.queryStats = queryStats
    }
}
