import RelayBase

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
            prefix: "smp_relay",
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
