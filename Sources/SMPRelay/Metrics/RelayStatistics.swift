/// A relay at one moment, for its operator.
public struct RelayStatistics: Sendable {
    /// Totals since the start, by name.
    public let counters: [(name: String, help: String, value: Int)]
    /// Current values, by name.
    public let gauges: [(name: String, help: String, value: Int)]

    /// Nil when there is none of this name.
    public subscript(name: String) -> Int? {
        counters.first { $0.name == name }?.value ?? gauges.first { $0.name == name }?.value
    }

    /// The text form of Prometheus.
    public var text: String {
        var out = ""
        for (name, help, value) in counters {
            out += "# HELP smp_relay_\(name)_total \(help)\n# TYPE smp_relay_\(name)_total counter\nsmp_relay_\(name)_total \(value)\n"
        }
        for (name, help, value) in gauges {
            out += "# HELP smp_relay_\(name) \(help)\n# TYPE smp_relay_\(name) gauge\nsmp_relay_\(name) \(value)\n"
        }
        return out
    }
}

extension RelayContext {
    var statistics: RelayStatistics {
        let gauges = store.table.withLock { table in
            [
                ("queues", "Queues.", table.count), ("links", "Queues with a short link.", table.linkCount),
                ("notifiers", "Queues with a notifier.", table.notifierCount),
                ("services", "Clients with a certificate of their own.", table.services.count),
                ("messages", "Messages that wait.", table.messageCount), ("message_bytes", "Bytes of their bodies.", table.messageBytes),
            ]
        }
        return RelayStatistics(
            counters: counters.values + [
                ("messages_expired", "Messages dropped since nobody came for them.", store.expired.load(ordering: .relaxed))
            ],
            gauges: gauges + [
                ("sessions_open", "Sessions.", connections.inUse),
                ("notifier_subscriptions", "Subscriptions of notifiers.", notifications.subscriberCount),
                ("log_bytes", "Bytes of the log.", Int(clamping: store.log.size)),
            ])
    }
}
