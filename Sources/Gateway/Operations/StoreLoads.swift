internal import ChatCore
internal import Prometheus

/// Figures of an open store. All are in memory: reading them opens no database, and waits for none.
struct StoreLoad: Sendable {
    /// The id of the store.
    let id: String
    var network = NetworkFigures()
    /// Number of queues whose relay has another port, or was replaced.
    var unreachableQueues = 0
    /// Numbers of webhooks and push subscriptions, by state.
    var receivers: [EventSubscription.State: Int] = [:]
    /// Number of events that wait for these receivers.
    var deliveriesWaiting = 0
    /// Number of events that wait for the broker; nil without a broker.
    var brokerWaiting: UInt64?
}

extension GatewayServices {
    /// The figures of the store of these services, and with the first store also those of all other open stores.
    var loads: [StoreLoad] {
        let opened =
            isOfFirst ? stores?.others.compactMap { store in store.opened.map { (store.id, $0.services) } } : nil
        return [load(of: StoresResource.first)] + (opened ?? []).map { $1.load(of: $0) }
    }

    private func load(of id: String) -> StoreLoad {
        var load = StoreLoad(id: id)
        if let controller = core.controller {
            (load.network, load.unreachableQueues) = (controller.networkFigures, controller.unreachableQueues)
        }
        if let deliveries { (load.receivers, load.deliveriesWaiting) = deliveries.load }
        load.brokerWaiting = feed?.waiting
        return load
    }

    /// Writes the sums of all given stores.
    func writeSums(_ loads: [StoreLoad], to text: inout MetricsText) {
        var network = NetworkFigures()
        for load in loads { network += load.network }
        func sum(_ value: (StoreLoad) -> Int) -> Int { loads.reduce(0) { $0 + value($1) } }
        text.family("sxgw_event_receivers", .gauge, "Webhooks and push subscriptions, by state.")
        for state in EventSubscription.State.allCases {
            text.sample([("state", state.rawValue)], sum { $0.receivers[state] ?? 0 })
        }
        text.value(
            "sxgw_deliveries_waiting",
            .gauge,
            "Events that were read for webhooks and push subscriptions and wait to be sent.",
            sum(\.deliveriesWaiting)
        )
        (isOfFirst ? deliveryTotals : deliveries?.counts)?.write(to: &text)
        let waiting = loads.compactMap(\.brokerWaiting)
        if !waiting.isEmpty {
            text.value(
                "sxgw_broker_waiting",
                .gauge,
                "Events in the journals of the open stores that wait for the broker.",
                waiting.reduce(0, &+)
            )
        }
        text.family("sxgw_relay_sessions", .gauge, "Sessions with relays, by state.")
        for (state, count) in network.sessions { text.sample([("state", state)], count) }
        text.family(
            "sxgw_queues",
            .gauge,
            "Queues from which messages are received, by state: subscribed, or still to be subscribed."
        )
        for (state, count) in network.queues { text.sample([("state", state)], count) }
        text.value(
            "sxgw_moved_queues",
            .gauge,
            "Queues whose relay had another port, or was replaced by another relay, when the databases were opened.",
            sum(\.unreachableQueues)
        )
        text.value(
            "sxgw_outboxes",
            .gauge,
            "Connections with messages that are being sent or wait to be sent.",
            network.outboxes
        )
        text.value(
            "sxgw_outboxes_late",
            .gauge,
            "Connections whose messages have waited for more than a minute.",
            network.lateOutboxes
        )
        text.value(
            "sxgw_messages_waiting",
            .gauge,
            "Messages that no relay has taken yet.",
            network.waitingMessages
        )
        text.value(
            "sxgw_outbox_oldest_seconds",
            .gauge,
            "Age of the oldest message that a relay has not taken; 0 when none waits.",
            network.oldestWaiting
        )
        text.value(
            "sxgw_store_full_waiting",
            .gauge,
            "Connections whose incoming messages wait because the store has no room.",
            network.fullWaiting
        )
    }

    /// Writes figures of each store, if there are not too many stores. The labels have the ids of stores, and no names.
    func writeStores(_ loads: [StoreLoad], to text: inout MetricsText) {
        text.value(
            "sxgw_stores_relays_away",
            .gauge,
            "Open stores that need a relay and have a session with none.",
            loads.count(where: \.network.reachesNoRelay)
        )
        guard loads.count <= configuration.metricsStores else { return }
        func family(_ name: String, _ help: String, _ value: (StoreLoad) -> Int64) {
            text.family(name, .gauge, help)
            for load in loads { text.sample([("store", load.id)], value(load)) }
        }
        family("sxgw_store_outboxes", "Connections of a store with messages to send.") { Int64($0.network.outboxes) }
        family("sxgw_store_messages_waiting", "Messages of a store that no relay has taken yet.") {
            Int64($0.network.waitingMessages)
        }
        family("sxgw_store_outbox_oldest_seconds", "Age of the oldest message of a store that no relay has taken.") {
            $0.network.oldestWaiting
        }
        family("sxgw_store_receivers_failed", "Webhooks and push subscriptions of a store that were given up.") {
            Int64($0.receivers[.failed] ?? 0)
        }
        text.family("sxgw_store_relay_sessions", .gauge, "Sessions of a store with relays, by state.")
        for load in loads {
            for (state, count) in load.network.sessions {
                text.sample([("store", load.id), ("state", state)], count)
            }
        }
        text.family("sxgw_store_queues", .gauge, "Queues of a store, by state: subscribed, or still to be subscribed.")
        for load in loads {
            for (state, count) in load.network.queues { text.sample([("store", load.id), ("state", state)], count) }
        }
    }
}

extension NetworkFigures {
    fileprivate var sessions: [(state: String, count: Int)] {
        [("connected", connectedRelays), ("connecting", connectingRelays), ("failed", failedRelays)]
    }

    fileprivate var queues: [(state: String, count: Int)] {
        [("subscribed", subscribedQueues), ("pending", pendingQueues)]
    }
}
