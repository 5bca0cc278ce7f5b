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
    let proxyConnections = Atomic(0)
    let proxyConnectionsFailed = Atomic(0)
    let forwarded = Atomic(0)
    let forwardedFailed = Atomic(0)
    let forwardedReceived = Atomic(0)

    static func count(_ counter: borrowing Atomic<Int>, _ amount: Int = 1) {
        counter.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The counters with their names (`<name>` in `smp_relay_<name>_total`).
    var values: [(name: String, help: String, value: Int)] {
        func value(_ counter: borrowing Atomic<Int>) -> Int { counter.load(ordering: .relaxed) }
        return [
            ("sessions", "Sessions that completed the handshake.", value(sessions)),
            ("handshakes_failed", "Sessions that ended before the handshake was complete.", value(handshakesFailed)),
            ("queues_created", "Queues created.", value(queuesCreated)),
            ("queues_deleted", "Queues deleted by their owners.", value(queuesDeleted)),
            ("queues_secured", "Commands that secured a queue, repeated ones included.", value(queuesSecured)),
            ("subscriptions", "Subscriptions of recipients.", value(subscriptions)),
            ("messages_sent", "Messages accepted.", value(messagesSent)),
            ("messages_received", "Messages acknowledged by their recipients.", value(messagesReceived)),
            (
                "messages_refused_auth", "Messages refused because the queue does not exist or is not for the sender.",
                value(messagesRefusedAuth)
            ),
            ("messages_refused_quota", "Messages refused because the queue was full.", value(messagesRefusedQuota)),
            ("notifications", "Notifications created.", value(notifications)),
            ("links_followed", "Short links followed.", value(linksFollowed)),
            ("proxy_connections", "Clients that were connected to another relay.", value(proxyConnections)),
            (
                "proxy_connections_failed", "Clients that could not be connected to another relay.",
                value(proxyConnectionsFailed)
            ),
            ("forwarded", "Commands forwarded to other relays.", value(forwarded)),
            ("forwarded_failed", "Commands that could not be forwarded.", value(forwardedFailed)),
            ("forwarded_received", "Commands forwarded by other relays.", value(forwardedReceived)),
        ]
    }
}
