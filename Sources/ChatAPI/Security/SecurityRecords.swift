/// A step in the renegotiation of a connection's ratchet, and the state of its queues.
public struct RatchetSyncProgress: Codable, Hashable, Sendable {
    public var ratchetSyncStatus: RatchetSyncState
    public var connectionStats: ConnectionStats

    public init(ratchetSyncStatus: RatchetSyncState, connectionStats: ConnectionStats) {
        self.ratchetSyncStatus = ratchetSyncStatus
        self.connectionStats = connectionStats
    }
}

/// A code that both sides have compared, and the time of the comparison.
public struct SecurityCode: Codable, Hashable, Sendable {
    public var securityCode: String
    public var verifiedAt: UTCTime

    public init(securityCode: String, verifiedAt: UTCTime) {
        self.securityCode = securityCode
        self.verifiedAt = verifiedAt
    }
}

/// A step in the change of a connection to another queue, and the direction of this queue.
public struct SwitchProgress: Codable, Hashable, Sendable {
    public var queueDirection: QueueDirection
    public var switchPhase: SwitchPhase
    public var connectionStats: ConnectionStats

    public init(queueDirection: QueueDirection, switchPhase: SwitchPhase, connectionStats: ConnectionStats) {
        self.queueDirection = queueDirection
        self.switchPhase = switchPhase
        self.connectionStats = connectionStats
    }
}
