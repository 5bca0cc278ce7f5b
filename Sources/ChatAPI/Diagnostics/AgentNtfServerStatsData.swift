/// Counts of operations at notification servers since the statistics began.
package struct AgentNtfServerStatsData: Codable, Hashable, Sendable {
    package var _ntfCreated: Int
    package var _ntfCreateAttempts: Int
    package var _ntfChecked: Int
    package var _ntfCheckAttempts: Int
    package var _ntfDeleted: Int
    package var _ntfDelAttempts: Int

    package init(
        _ntfCreated: Int,
        _ntfCreateAttempts: Int,
        _ntfChecked: Int,
        _ntfCheckAttempts: Int,
        _ntfDeleted: Int,
        _ntfDelAttempts: Int
    ) {
        self._ntfCreated = _ntfCreated
        self._ntfCreateAttempts = _ntfCreateAttempts
        self._ntfChecked = _ntfChecked
        self._ntfCheckAttempts = _ntfCheckAttempts
        self._ntfDeleted = _ntfDeleted
        self._ntfDelAttempts = _ntfDelAttempts
    }
}
