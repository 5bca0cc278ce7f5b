/// State of the queues and of the ratchet of a connection. Each queue names its relay.
package struct ConnectionQueueStates: Hashable, Sendable {
    package struct RcvQueueState: Hashable, Sendable {
        /// Address of the relay.
        package var server: String
        /// Step of the queue in the connection procedure: `new`, `secured`, `confirmed` or `active`.
        package var status: String
        package var switchStatus: QueueSwitch.RcvStatus?
        let rcvID: [UInt8]
    }
    package struct SndQueueState: Hashable, Sendable {
        package var server: String
        package var status: String
        package var switchStatus: QueueSwitch.SndStatus?
    }

    /// State of the subscription to a queue: subscribed, waiting to be subscribed, or not subscribed.
    package enum SubscriptionState: Int, Sendable { case active, pending, none }

    /// The version of the agent protocol in this connection.
    package var agentVersion: Int
    /// The queues from which this side receives. Usually there is one queue. During a rotation, the list contains two
    /// queues: first the old queue, then the new queue.
    package var rcvQueues: [RcvQueueState]
    /// The queues to which this side sends. Usually there is one queue. During a rotation, the list contains two
    /// queues: first the old queue, then the new queue.
    package var sndQueues: [SndQueueState]
    package var ratchetSync: RatchetSync
    /// Whether the peer's program can renegotiate the ratchet.
    package var supportsRatchetSync: Bool { agentVersion >= Int(AgentVersions.firstWithRatchetSync) }
}
