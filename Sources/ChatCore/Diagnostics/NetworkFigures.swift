internal import Agent

/// The state of the core's connections to relays, and of its waiting messages, for metrics.
package struct NetworkFigures: Sendable, Hashable {
    /// Numbers of sessions with relays, by the state of the session.
    package var connectedRelays = 0, connectingRelays = 0, failedRelays = 0
    /// Number of subscribed queues, and number of queues that wait for their subscription.
    package var subscribedQueues = 0, pendingQueues = 0
    /// Number of connections with messages to send, and number of connections whose messages wait for more than a
    /// minute.
    package var sendingConnections = 0, lateSendingConnections = 0
    /// Number of messages that no relay has accepted yet.
    package var waitingMessages = 0
    /// Number of connections whose incoming messages wait because the store is full.
    package var blockedConnections = 0
    /// Number of seconds for which the oldest message has waited for its relay.
    package var oldestWaitSeconds: Int64 = 0

    package init() {}

    /// Whether sessions are needed and none is established. An attempt to reach a silent relay takes long, so it counts
    /// like a failure.
    package var reachesNoRelay: Bool { failedRelays + connectingRelays > 0 && connectedRelays == 0 }

    /// Adds the figures of another store.
    package static func += (left: inout NetworkFigures, right: NetworkFigures) {
        left.connectedRelays += right.connectedRelays
        left.connectingRelays += right.connectingRelays
        left.failedRelays += right.failedRelays
        left.subscribedQueues += right.subscribedQueues
        left.pendingQueues += right.pendingQueues
        left.sendingConnections += right.sendingConnections
        left.lateSendingConnections += right.lateSendingConnections
        left.waitingMessages += right.waitingMessages
        left.blockedConnections += right.blockedConnections
        left.oldestWaitSeconds = max(left.oldestWaitSeconds, right.oldestWaitSeconds)
    }
}
