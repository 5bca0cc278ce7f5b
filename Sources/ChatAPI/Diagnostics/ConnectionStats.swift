/// The queues of a connection, and the states of queue rotation and ratchet synchronization.
public struct ConnectionStats: Codable, Hashable, Sendable {
    public var connAgentVersion: Int
    public var rcvQueuesInfo: [RcvQueueInfo]
    public var sndQueuesInfo: [SndQueueInfo]
    public var ratchetSyncState: RatchetSyncState
    public var ratchetSyncSupported: Bool
    public var subStatus: SubscriptionStatus?

    public init(
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
