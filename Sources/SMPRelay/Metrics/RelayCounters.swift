import RelayBase
import Synchronization

/// The counters of the SMP relay since its start. They say nothing about a single queue or client.
final class RelayCounters: Sendable {
    let sessionsCompleted = Atomic(0)
    let handshakesFailed = Atomic(0)
    let queuesCreated = Atomic(0)
    let queuesDeleted = Atomic(0)
    let queuesSecured = Atomic(0)
    let subscriptionsMade = Atomic(0)
    let messagesSent = Atomic(0)
    let messagesReceived = Atomic(0)
    let messagesRefusedAuth = Atomic(0)
    let messagesRefusedQuota = Atomic(0)
    let notificationsSent = Atomic(0)
    let linksFollowed = Atomic(0)
    let namesRequested = Atomic(0)
    let namesResolved = Atomic(0)
    let namesFailed = Atomic(0)
    let proxyConnections = Atomic(0)
    let proxyConnectionsFailed = Atomic(0)
    let commandsForwarded = Atomic(0)
    let forwardingsFailed = Atomic(0)
    let forwardedCommandsReceived = Atomic(0)

    /// The counters with their names in Prometheus: `name` becomes `smp_relay_<name>_total`.
    var values: [(name: String, help: String, value: Int)] {
        [
            ("sessions", "Sessions that completed the handshake.", sessionsCompleted.currentTotal),
            (
                "handshakes_failed", "Sessions that ended before the handshake was complete.",
                handshakesFailed.currentTotal
            ),
            ("queues_created", "Queues created.", queuesCreated.currentTotal),
            ("queues_deleted", "Queues deleted by their owners.", queuesDeleted.currentTotal),
            ("queues_secured", "Commands that secured a queue, repeated ones included.", queuesSecured.currentTotal),
            ("subscriptions", "Subscriptions of recipients.", subscriptionsMade.currentTotal),
            ("messages_sent", "Messages accepted.", messagesSent.currentTotal),
            ("messages_received", "Messages acknowledged by their recipients.", messagesReceived.currentTotal),
            (
                "messages_refused_auth", "Messages refused because the queue does not exist or is not for the sender.",
                messagesRefusedAuth.currentTotal
            ),
            (
                "messages_refused_quota", "Messages refused because the queue was full.",
                messagesRefusedQuota.currentTotal
            ),
            ("notifications", "Notifications created.", notificationsSent.currentTotal),
            ("links_followed", "Short links followed.", linksFollowed.currentTotal),
            ("names_requested", "Requests for the record of a name.", namesRequested.currentTotal),
            ("names_resolved", "Requests for the record of a known name.", namesResolved.currentTotal),
            (
                "names_failed", "Requests for the record of a name that the resolver did not answer as it must.",
                namesFailed.currentTotal
            ),
            ("proxy_connections", "Clients that were connected to another relay.", proxyConnections.currentTotal),
            (
                "proxy_connections_failed", "Clients that could not be connected to another relay.",
                proxyConnectionsFailed.currentTotal
            ),
            ("forwarded", "Commands forwarded to other relays.", commandsForwarded.currentTotal),
            ("forwarded_failed", "Commands that could not be forwarded.", forwardingsFailed.currentTotal),
            ("forwarded_received", "Commands forwarded by other relays.", forwardedCommandsReceived.currentTotal),
        ]
    }
}
