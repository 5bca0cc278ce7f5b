internal import Agent
internal import ChatAPI

extension ConnectionStats {
    /// Converts the states of a connection's queues to the form of the API.
    /// - Parameter agent: the agent that knows the subscriptions of the queues.
    init(_ queueStates: ConnectionQueueStates, _ agent: Agent) {
        let rcvQueues = queueStates.rcvQueues.map { (queue: $0, subscription: agent.subscriptionState(of: $0)) }
        // The connection gets the state of the active queue with the best subscription. A queue that will replace
        // another queue is not active yet.
        let used = rcvQueues.filter { $0.queue.status == QueueStatus.active.rawValue }
        let best = (used.isEmpty ? rcvQueues : used).min { $0.subscription.rawValue < $1.subscription.rawValue }
        self.init(
            connAgentVersion: queueStates.agentVersion,
            rcvQueuesInfo: rcvQueues.map { queue, subscription in
                RcvQueueInfo(
                    rcvServer: queue.server,
                    status: QueueStatus(rawValue: queue.status),
                    rcvSwitchStatus: queue.switchStatus.map { RcvSwitchStatus(rawValue: $0.rawValue) },
                    canAbortSwitch: queue.switchStatus?.canAbort ?? false,
                    subStatus: subscription.api
                )
            },
            sndQueuesInfo: queueStates.sndQueues.map { queue in
                SndQueueInfo(
                    sndServer: queue.server,
                    status: QueueStatus(rawValue: queue.status),
                    sndSwitchStatus: queue.switchStatus.map { SndSwitchStatus(rawValue: $0.rawValue) }
                )
            },
            ratchetSyncState: RatchetSyncState(rawValue: queueStates.ratchetSync.rawValue),
            ratchetSyncSupported: queueStates.supportsRatchetSync,
            subStatus: best?.subscription.api
        )
    }
}

extension ConnectionQueueStates.SubscriptionState {
    fileprivate var api: SubscriptionStatus {
        switch self {
        case .active: .active
        case .pending: .pending
        case .none: .noSub
        }
    }
}
