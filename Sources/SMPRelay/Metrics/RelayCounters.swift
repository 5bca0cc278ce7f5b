import RelayBase
import Synchronization

/// Totals since the start of the relay. They contain nothing about a single queue or client.
final class RelayCounters: Sendable {
    let sessions = Atomic(0)
    let handshakesFailed = Atomic(0)
    let queuesCreated = Atomic(0)
    let queuesDeleted = Atomic(0)
    let queuesSecured = Atomic(0)
    let subscriptions = Atomic(0)
    let messagesSent = Atomic(0)
    let messagesReceived = Atomic(0)
    let messagesRefusedAuth = Atomic(0)
    let messagesRefusedQuota = Atomic(0)
    let notifications = Atomic(0)
    let linksFollowed = Atomic(0)
    let namesRequested = Atomic(0)
    let namesResolved = Atomic(0)
    let namesFailed = Atomic(0)
    let proxyConnections = Atomic(0)
    let proxyConnectionsFailed = Atomic(0)
    let commandsForwarded = Atomic(0)
    let forwardingsFailed = Atomic(0)
    let forwardedCommandsReceived = Atomic(0)

    /// The counters with their names (`<name>` in `smp_relay_<name>_total`).
    var values: [(name: String, help: String, value: Int)] {
        [
            ("sessions", "Sessions that completed the handshake.", sessions.total),
            ("handshakes_failed", "Sessions that ended before the handshake was complete.", handshakesFailed.total),
            ("queues_created", "Queues created.", queuesCreated.total),
            ("queues_deleted", "Queues deleted by their owners.", queuesDeleted.total),
            ("queues_secured", "Commands that secured a queue, repeated ones included.", queuesSecured.total),
            ("subscriptions", "Subscriptions of recipients.", subscriptions.total),
            ("messages_sent", "Messages accepted.", messagesSent.total),
            ("messages_received", "Messages acknowledged by their recipients.", messagesReceived.total),
            (
                "messages_refused_auth", "Messages refused because the queue does not exist or is not for the sender.",
                messagesRefusedAuth.total
            ),
            ("messages_refused_quota", "Messages refused because the queue was full.", messagesRefusedQuota.total),
            ("notifications", "Notifications created.", notifications.total),
            ("links_followed", "Short links followed.", linksFollowed.total),
            ("names_requested", "Requests for the record of a name.", namesRequested.total),
            ("names_resolved", "Requests for the record of a known name.", namesResolved.total),
            (
                "names_failed", "Requests for the record of a name that the resolver did not answer as it must.",
                namesFailed.total
            ),
            ("proxy_connections", "Clients that were connected to another relay.", proxyConnections.total),
            (
                "proxy_connections_failed", "Clients that could not be connected to another relay.",
                proxyConnectionsFailed.total
            ),
            ("forwarded", "Commands forwarded to other relays.", commandsForwarded.total),
            ("forwarded_failed", "Commands that could not be forwarded.", forwardingsFailed.total),
            ("forwarded_received", "Commands forwarded by other relays.", forwardedCommandsReceived.total),
        ]
    }
}
