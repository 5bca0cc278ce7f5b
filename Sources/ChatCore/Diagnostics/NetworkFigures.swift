internal import Agent

/// The state of the core's connections to relays, for metrics.
public struct NetworkFigures: Sendable, Hashable {
    /// Numbers of sessions with relays, by the state of the session.
    public var connectedRelays = 0, connectingRelays = 0, failedRelays = 0
    /// Number of subscribed queues, and number of queues that wait for their subscription.
    public var subscribedQueues = 0, pendingQueues = 0
    /// Number of connections with messages to send, and number of connections whose messages wait for more than a
    /// minute.
    public var outboxes = 0, lateOutboxes = 0
    /// Number of seconds for which the oldest message has waited for its relay.
    public var oldestWaiting: Int64 = 0

    public init() {}
}
