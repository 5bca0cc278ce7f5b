/// A step in the renegotiation of a connection's ratchet, and the state of its queues.
package struct RatchetSyncProgress: Codable, Hashable, Sendable {
    package var ratchetSyncStatus: RatchetSyncState
    package var connectionStats: ConnectionStats

    package init(ratchetSyncStatus: RatchetSyncState, connectionStats: ConnectionStats) {
        self.ratchetSyncStatus = ratchetSyncStatus
        self.connectionStats = connectionStats
    }
}

/// A code that both sides have compared, and the time of the comparison.
package struct SecurityCode: Codable, Hashable, Sendable {
    package var securityCode: String
    package var verifiedAt: UTCTime

    package init(securityCode: String, verifiedAt: UTCTime) {
        self.securityCode = securityCode
        self.verifiedAt = verifiedAt
    }
}

/// A step in the change of a connection to another queue, and the direction of this queue.
package struct SwitchProgress: Codable, Hashable, Sendable {
    package var queueDirection: QueueDirection
    package var switchPhase: SwitchPhase
    package var connectionStats: ConnectionStats

    package init(queueDirection: QueueDirection, switchPhase: SwitchPhase, connectionStats: ConnectionStats) {
        self.queueDirection = queueDirection
        self.switchPhase = switchPhase
        self.connectionStats = connectionStats
    }
}
