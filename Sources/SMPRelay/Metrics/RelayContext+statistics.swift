import RelayBase

extension RelayContext {
    var statistics: RelayStatistics {
        let gauges = store.table.withLock { table in
            [
                ("queues", "Queues.", table.queueCount), ("links", "Queues with a short link.", table.linkCount),
                ("notifiers", "Queues with a notifier.", table.notifierCount),
                ("services", "Services: clients with a certificate.", table.services.count),
                ("messages", "Messages that wait for their recipients.", table.messageCount),
                ("message_bytes", "Bytes of the bodies of waiting messages.", table.messageBytes),
            ]
        }
        return RelayStatistics(
            prefix: "smp_relay",
            counters: counters.values + [
                (
                    "messages_expired", "Messages that expired before their recipients received them.",
                    store.expiredMessageCount.load(ordering: .relaxed)
                )
            ],
            gauges: gauges + [
                ("sessions_open", "Open sessions.", connectionLimiter.descriptorsInUse),
                ("notifier_subscriptions", "Subscriptions of notifiers.", notifications.subscriberCount),
                ("log_bytes", "Bytes of the log.", Int(clamping: store.log.sizeWithPendingRecords)),
            ]
        )
    }
}
