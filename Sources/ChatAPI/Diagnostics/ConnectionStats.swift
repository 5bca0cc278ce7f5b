/// The queues of a connection, with the states of their replacement and of the synchronization of the ratchet.
package struct ConnectionStats: Codable, Hashable, Sendable {
    package var connAgentVersion: Int
    package var rcvQueuesInfo: [RcvQueueInfo]
    package var sndQueuesInfo: [SndQueueInfo]
    package var ratchetSyncState: RatchetSyncState
    package var ratchetSyncSupported: Bool
    package var subStatus: SubscriptionStatus?

    package init(
        connAgentVersion: Int,
        rcvQueuesInfo: [RcvQueueInfo],
        sndQueuesInfo: [SndQueueInfo],
        ratchetSyncState: RatchetSyncState,
        ratchetSyncSupported: Bool,
        subStatus: SubscriptionStatus? = nil
    ) {
        self.connAgentVersion = connAgentVersion
        self.rcvQueuesInfo = rcvQueuesInfo
        self.sndQueuesInfo = sndQueuesInfo
        self.ratchetSyncState = ratchetSyncState
        self.ratchetSyncSupported = ratchetSyncSupported
        self.subStatus = subStatus
    }
}
