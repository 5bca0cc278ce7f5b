/// Counts of operations at a notification server since the statistics began.
public struct AgentNtfServerStatsData: Codable, Hashable, Sendable {
    public var _ntfCreated: Int
    public var _ntfCreateAttempts: Int
    public var _ntfChecked: Int
    public var _ntfCheckAttempts: Int
    public var _ntfDeleted: Int
    public var _ntfDelAttempts: Int

    public init(
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
