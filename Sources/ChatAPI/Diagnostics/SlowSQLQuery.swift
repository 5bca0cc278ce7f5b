/// A slow SQL statement, with the number and durations of its slow runs.
package struct SlowSQLQuery: Codable, Hashable, Sendable {
    package var query: String
    package var queryStats: SlowQueryStats

    package init(query: String, queryStats: SlowQueryStats) {
        self.query = query
        self.queryStats = queryStats
    }
}
