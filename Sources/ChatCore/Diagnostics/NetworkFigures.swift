internal import Agent

/// The state of the core's connections to relays, and of its waiting messages, for metrics.
package struct NetworkFigures: Sendable, Hashable {
    /// Numbers of sessions with relays, by the state of the session.
    package var connectedRelayCount = 0, connectingRelayCount = 0, failedRelayCount = 0
    /// Number of subscribed queues, and number of queues that wait for their subscription.
    package var subscribedQueueCount = 0, pendingQueueCount = 0
    /// Number of connections with messages to send, and number of connections whose messages wait for more than a
    /// minute.
    package var sendingConnectionCount = 0, lateSendingConnectionCount = 0
    /// Number of messages that no relay has accepted yet.
    package var waitingMessageCount = 0
    /// Number of connections whose incoming messages wait because the store is full.
    package var blockedConnectionCount = 0
    /// Number of seconds for which the oldest message has waited for its relay.
    package var oldestWaitSeconds: Int64 = 0

    package init() {}

    /// Whether sessions with relays are needed, but no session is established. A running attempt to connect counts as a
    /// failure, because an attempt to reach a silent relay takes long.
    package var reachesNoRelay: Bool { failedRelayCount + connectingRelayCount > 0 && connectedRelayCount == 0 }

    /// Adds the figures of another store.
    package static func += (left: inout NetworkFigures, right: NetworkFigures) {
        left.connectedRelayCount += right.connectedRelayCount
        left.connectingRelayCount += right.connectingRelayCount
        left.failedRelayCount += right.failedRelayCount
        left.subscribedQueueCount += right.subscribedQueueCount
        left.pendingQueueCount += right.pendingQueueCount
        left.sendingConnectionCount += right.sendingConnectionCount
        left.lateSendingConnectionCount += right.lateSendingConnectionCount
        left.waitingMessageCount += right.waitingMessageCount
        left.blockedConnectionCount += right.blockedConnectionCount
        left.oldestWaitSeconds = max(left.oldestWaitSeconds, right.oldestWaitSeconds)
    }
}
