/// Progress in renegotiating the encryption (ratchet) of a connection, and the state of the connection's queues.
package struct RatchetSyncProgress: Codable, Hashable, Sendable {
    package var ratchetSyncStatus: RatchetSyncState
    package var connectionStats: ConnectionStats

    package init(ratchetSyncStatus: RatchetSyncState, connectionStats: ConnectionStats) {
        self.ratchetSyncStatus = ratchetSyncStatus
        self.connectionStats = connectionStats
    }
}

/// A security code that the two sides of a connection have compared, and the time of the comparison.
package struct SecurityCode: Codable, Hashable, Sendable {
    package var securityCode: String
    package var verifiedAt: UTCTime

    package init(securityCode: String, verifiedAt: UTCTime) {
        self.securityCode = securityCode
        self.verifiedAt = verifiedAt
    }
}

/// Progress in moving a connection to another queue, and whether the queue is for receiving or sending.
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
