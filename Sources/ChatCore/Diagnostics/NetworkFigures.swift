internal import Agent

/// How the core stands with its relays, for metrics.
public struct NetworkFigures: Sendable, Hashable {
    /// Sessions with relays.
    public var connectedRelays = 0, connectingRelays = 0, failedRelays = 0
    /// Queues that are subscribed to, and those that are to be.
    public var subscribedQueues = 0, pendingQueues = 0
    /// Connections with messages that have to be sent, and those whose messages wait for more than a minute.
    public var outboxes = 0, lateOutboxes = 0
    /// Seconds that the oldest message has waited for its relay.
    public var oldestWaiting: Int64 = 0

    public init() {}
}

extension ChatController {
    /// Where everything is in memory: this does not wait.
    public var networkFigures: NetworkFigures {
        var figures = NetworkFigures()
        for state in agent.serverStates().1 where state.server.scheme == .smp {
            figures.connectedRelays += state.connected
            figures.connectingRelays += state.connecting
            figures.failedRelays += state.failed
            figures.subscribedQueues += state.active
            figures.pendingQueues += state.pending
        }
        (figures.outboxes, figures.lateOutboxes, figures.oldestWaiting) = agent.outboxFigures
        return figures
    }
}
