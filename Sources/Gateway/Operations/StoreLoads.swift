internal import ChatCore
internal import ChatStore
internal import Prometheus

/// Figures of an open store. All figures are in memory, so that reading them opens no database and waits for no
/// database. ``GatewayServices/refreshFigures()`` reads the figures of stores with new commits.
struct StoreLoad: Sendable {
    let id: String
    var networkFigures = NetworkFigures()
    /// Number of receive queues whose relay had another port or identity when the databases were opened. These queues
    /// deliver no messages.
    var unreachableQueueCount = 0
    /// Numbers of webhooks and push subscriptions, by state.
    var receiverCounts: [EventSubscription.State: Int] = [:]
    /// Number of events that wait to be sent to webhooks and push subscriptions.
    var waitingDeliveryCount = 0
    /// Number of events that wait for the broker; nil without a broker.
    var waitingBrokerEntryCount: UInt64?
    /// The figures of the store when they were last read; nil before the first reading.
    var figures: StoreFigures?
    /// The figures of the served channels when they were last read; nil before the first reading.
    var channelFigures: ChannelFigures?
    var counters = StoreCounters()
    /// The sizes of the databases when they were last read.
    var databaseBytes = DatabaseBytes()

    /// Whether the store needs the attention of the operator: messages wait for a long time, no relay can be reached, a
    /// webhook or push subscription has failed, or incoming messages have no room.
    var isInTrouble: Bool {
        networkFigures.lateSendingConnectionCount > 0 || networkFigures.reachesNoRelay
            || networkFigures.blockedConnectionCount > 0 || receiverCounts[.failed] ?? 0 > 0
    }
}

extension StoreFigures {
    /// The largest used share of a limit, among all limited resources of the store; nil without limits.
    var largestUsedLimitShare: Double? {
        StoreLimits.Resource.allCases.compactMap { resource in
            limits[resource].map { Double(resourceUse[resource]) / Double(max(1, $0)) }
        }.max()
    }
}

extension GatewayServices {
    /// Reads the amounts, the channel figures and the database sizes of all stores in ``storeLoads`` that have new
    /// commits.
    func refreshFigures() async {
        var controllers = [(id: StoreID.firstStore, controller: core.controller)]
        for store in isForFirstStore ? storeHost?.otherStores ?? [] : [] {
            controllers.append((store.id, store.openedStore?.core.controller))
        }
        let sources = controllers.compactMap { id, controller in
            controller.map { controller in
                StoreAmountsReader.Source(id: id) {
                    _ = try? await controller.readRecentFigures()
                    try? await controller.refreshChannelFigures()
                    await controller.refreshDatabaseBytes()
                }
            }
        }
        await storeAmountsReader.refreshAmounts(sources)
    }

    /// The figures of this store. For the first store, also the figures of all other open stores.
    var storeLoads: [StoreLoad] {
        let opened =
            isForFirstStore
            ? storeHost?.otherStores.compactMap { store in store.openedStore.map { (store.id, $0.services) } } : nil
        return [collectLoad(of: StoreID.firstStore)] + (opened ?? []).map { $1.collectLoad(of: $0) }
    }

    private func collectLoad(of id: String) -> StoreLoad {
        var load = StoreLoad(id: id)
        if let controller = core.controller {
            (load.networkFigures, load.unreachableQueueCount) = (
                controller.networkFigures, controller.unreachableQueueCount
            )
            (load.figures, load.databaseBytes) = (controller.lastFigures, controller.lastDatabaseBytes)
            load.channelFigures = controller.lastChannelFigures
            load.counters = StoreCounters(
                commits: controller.commitCounts,
                refusalCount: controller.refusalCount,
                channelDeliveryCount: controller.channelDeliveryCount
            )
        }
        if let deliveries { (load.receiverCounts, load.waitingDeliveryCount) = deliveries.receiverLoad }
        load.waitingBrokerEntryCount = brokerFeed?.waitingCount
        return load
    }

    /// Writes the metrics that are sums over the given stores.
    func writeSumMetrics(_ loads: [StoreLoad], to text: inout MetricsText) {
        var network = NetworkFigures()
        for load in loads { network += load.networkFigures }
        func sum(_ value: (StoreLoad) -> Int) -> Int { loads.reduce(0) { $0 + value($1) } }
        text.writeFamily("sxgw_event_receivers", .gauge, "Webhooks and push subscriptions, by state.")
        for state in EventSubscription.State.allCases {
            text.writeSample([("state", state.rawValue)], sum { $0.receiverCounts[state] ?? 0 })
        }
        text.writeValue(
            "sxgw_deliveries_waiting",
            .gauge,
            "Events that were read for webhooks and push subscriptions and wait to be sent.",
            sum(\.waitingDeliveryCount)
        )
        (isForFirstStore ? deliveryTotals : deliveries?.counts)?.writeMetrics(to: &text)
        let waiting = loads.compactMap(\.waitingBrokerEntryCount)
        if !waiting.isEmpty {
            text.writeValue(
                "sxgw_broker_waiting",
                .gauge,
                "Events in the journals of the open stores that wait for the broker.",
                waiting.reduce(0, &+)
            )
        }
        text.writeFamily("sxgw_relay_sessions", .gauge, "Sessions with relays, by state.")
        for (state, count) in network.relayCounts { text.writeSample([("state", state)], count) }
        text.writeFamily(
            "sxgw_queues",
            .gauge,
            "Queues from which messages are received, by state: subscribed, or still to be subscribed."
        )
        for (state, count) in network.queueCounts { text.writeSample([("state", state)], count) }
        text.writeValue(
            "sxgw_moved_queues",
            .gauge,
            "Queues whose relay had another port, or was replaced by another relay, when the databases were opened.",
            sum(\.unreachableQueueCount)
        )
        writeSendingMetrics(network, to: &text)
    }

    /// Writes the metrics of the messages that wait to be sent or received.
    private func writeSendingMetrics(_ network: NetworkFigures, to text: inout MetricsText) {
        text.writeValue(
            "sxgw_outboxes",
            .gauge,
            "Connections with messages that are being sent or wait to be sent.",
            network.sendingConnectionCount
        )
        text.writeValue(
            "sxgw_outboxes_late",
            .gauge,
            "Connections whose messages have waited for more than a minute.",
            network.lateSendingConnectionCount
        )
        text.writeValue(
            "sxgw_messages_waiting",
            .gauge,
            "Messages that no relay has taken yet.",
            network.waitingMessageCount
        )
        text.writeValue(
            "sxgw_outbox_oldest_seconds",
            .gauge,
            "Age of the oldest message that a relay has not taken; 0 when none waits.",
            network.oldestWaitSeconds
        )
        text.writeValue(
            "sxgw_store_full_waiting",
            .gauge,
            "Connections whose incoming messages wait because the store has no room.",
            network.blockedConnectionCount
        )
    }

    /// Writes the number of commits of each store. If there are more stores than the metrics may list, only the stores
    /// with the most commits since the last reading are written.
    func writeStoreCommits(_ loads: [StoreLoad], _ growth: [String: StoreCounters], to text: inout MetricsText) {
        let most = max(1, configuration.maxStoresInMetrics)
        func countRecentCommits(_ load: StoreLoad) -> Int { growth[load.id]?.commitSum ?? 0 }
        let shown =
            loads.count <= most
            ? loads
            : Array(loads.sorted { (countRecentCommits($0), $1.id) > (countRecentCommits($1), $0.id) }.prefix(most))
        text.writeFamily(
            "sxgw_store_commits_total",
            .counter,
            "Synced transactions of a store since its databases were opened; with many stores only of the busiest."
        )
        for load in shown { text.writeSample([("store", load.id)], load.counters.commitSum) }
    }

    /// Writes figures of each store. If there are more stores than the metrics may list, only stores in trouble are
    /// written, first the store with the oldest waiting message. The labels have the ids of stores, not their names.
    func writeStoreMetrics(_ loads: [StoreLoad], to text: inout MetricsText) {
        text.writeValue(
            "sxgw_stores_relays_away",
            .gauge,
            "Open stores that need a relay and have a session with none.",
            loads.count(where: \.networkFigures.reachesNoRelay)
        )
        writeLateStores(to: &text)
        let most = max(1, configuration.maxStoresInMetrics)
        let shown =
            loads.count <= most
            ? loads
            : Array(
                loads.filter(\.isInTrouble).sorted {
                    ($0.networkFigures.oldestWaitSeconds, $1.id) > ($1.networkFigures.oldestWaitSeconds, $0.id)
                }.prefix(most)
            )
        func writeFamily(_ name: String, _ help: String, _ value: (StoreLoad) -> Int64) {
            text.writeFamily(name, .gauge, help)
            for load in shown { text.writeSample([("store", load.id)], value(load)) }
        }
        writeFamily("sxgw_store_outboxes", "Connections of a store with messages to send.") {
            Int64($0.networkFigures.sendingConnectionCount)
        }
        writeFamily("sxgw_store_messages_waiting", "Messages of a store that no relay has taken yet.") {
            Int64($0.networkFigures.waitingMessageCount)
        }
        writeFamily("sxgw_store_outbox_oldest_seconds", "Age of the oldest message of a store that no relay has taken.")
        {
            $0.networkFigures.oldestWaitSeconds
        }
        writeFamily("sxgw_store_receivers_failed", "Webhooks and push subscriptions of a store that were given up.") {
            Int64($0.receiverCounts[.failed] ?? 0)
        }
        text.writeFamily("sxgw_store_relay_sessions", .gauge, "Sessions of a store with relays, by state.")
        for load in shown {
            for (state, count) in load.networkFigures.relayCounts {
                text.writeSample([("store", load.id), ("state", state)], count)
            }
        }
        text.writeFamily(
            "sxgw_store_queues",
            .gauge,
            "Queues of a store, by state: subscribed, or still to be subscribed."
        )
        for load in shown {
            for (state, count) in load.networkFigures.queueCounts {
                text.writeSample([("store", load.id), ("state", state)], count)
            }
        }
    }

    /// Writes metrics of the stores whose databases answer late when their amounts are read.
    private func writeLateStores(to text: inout MetricsText) {
        let late = storeAmountsReader.lateStores
        text.writeValue(
            "sxgw_stores_amounts_late",
            .gauge,
            "Open stores whose databases have not answered for more than a second when their amounts were read.",
            late.count
        )
        text.writeFamily(
            "sxgw_store_amounts_late_seconds",
            .gauge,
            "Seconds since the beginning of the reading, for the stores that do not answer longest."
        )
        for store in late.prefix(max(1, configuration.maxStoresInMetrics)) {
            text.writeSample([("store", store.id)], store.time.components.seconds)
        }
    }
}

extension NetworkFigures {
    fileprivate var relayCounts: [(state: String, count: Int)] {
        [("connected", connectedRelayCount), ("connecting", connectingRelayCount), ("failed", failedRelayCount)]
    }

    fileprivate var queueCounts: [(state: String, count: Int)] {
        [("subscribed", subscribedQueueCount), ("pending", pendingQueueCount)]
    }
}
