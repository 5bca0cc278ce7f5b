/// A slow SQL statement, with its measurements.
public struct SlowSQLQuery: Codable, Hashable, Sendable {
    public var query: String
    public var queryStats: SlowQueryStats
}
