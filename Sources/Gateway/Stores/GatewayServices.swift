internal import ChatAPI
internal import ChatCore
internal import Concurrency
internal import Files
internal import Logging
internal import NIOCore
internal import OutgoingHTTP

/// The services that handlers use. Some services belong to the store of a request's key. All stores share the other
/// services.
struct GatewayServices: Sendable {
    let configuration: GatewayConfiguration
    let core: any GatewayCore
    let keys: KeyRing
    let tickets: TicketStore
    let eventHub: EventHub
    let modelHost: ModelHost
    /// Sends events to webhooks and push services; nil for the services of a connected phone.
    var deliveries: DeliveryEngine?
    /// Counts of the attempts of all stores to send events to webhooks and push services.
    var deliveryTotals = DeliveryCounts()
    /// Appends events to the stream of the broker; nil without a broker.
    var brokerFeed: BrokerFeed?
    /// Client for outgoing requests, shared by all stores.
    let outgoingHTTP: OutgoingHTTP
    /// Reader of link previews, shared by all stores; nil when the gateway reads no web pages.
    var previewReader: LinkPreviewReader?
    let metrics: Metrics
    var readCache = ReadCache()
    var idempotentRequests = IdempotentRequests()
    var patchLocks = PatchLocks()
    let storeAmountsReader = StoreAmountsReader()
    let disks: GatewayDisks
    let counterTotals = CounterTotals()
    /// The long operations of all stores.
    var operations = LongOperations()
    /// Lock for commands of the store that only read. Each of these commands needs memory for its whole answer, first
    /// as values and then as text, so that only a few may run at the same time.
    var readLock = AsyncLock(places: 4)
    let eventLoopGroup: any EventLoopGroup
    /// The memory of unread answers, shared by all stores and ports.
    let unreadAnswers: UnreadAnswers
    /// The limits on request rates, shared by all stores and ports.
    let clientRates: ClientRates
    /// The services of the phones that are connected to the store.
    var remoteHosts = RemoteHostServices()
    /// The core of a store that can be locked at any time; nil for other cores.
    var storeCore: StoreCore?
    /// All stores; `nil` if the gateway has only the first store, and for requests of other stores.
    var storeHost: StoreHost?
    /// A function that a request calls before it plans messages. It records that the next start of the gateway, or
    /// another node, has to open the store. The store stays open until the result is released. Nil for a store that
    /// every start opens.
    var planOpening: (@Sendable () async -> Store.PlanningHold?)?

    /// Whether these are the services of the first store, or of the whole gateway.
    var isForFirstStore: Bool { storeCore == nil || storeHost != nil }

    /// Runs the work of a request when the store's share of the processor allows it.
    func runInProcessorShare(_ work: () async -> Void) async {
        guard let share = storeCore?.share else { return await work() }
        await share.runCall(work)
    }

    /// Makes the answer to a command, unless its client has too many unread answers.
    /// - Parameter make: runs the command, and counts the answer.
    /// - Returns: nil when the client has too many unread answers.
    func makeAnswer<T: Sendable>(
        _ command: ChatCommand,
        for client: String,
        _ make: @Sendable () async -> T
    ) async -> T? {
        guard command.isReadOnly else { return unreadAnswers.isFull(client) ? nil : await make() }
        return await readLock.runLocked { unreadAnswers.isFull(client) ? nil : await make() }
    }

    /// Returns the services for a store that was just opened. Each store counts its own requests, and the metrics of
    /// the first store count all requests.
    /// - Parameters:
    ///   - id: the id of the store; nil for the first store.
    ///   - fence: prevents writes after another node has taken over the store; nil for a store that nodes do not share.
    func makeServices(_ store: StoreCore, id: String?, fence: WriteFence?, log: Logger) -> GatewayServices {
        store.setPlannedRightsLookup(keys.makeRightsLookup(of: id))
        return GatewayServices(
            configuration: configuration,
            core: store,
            keys: keys,
            tickets: tickets,
            eventHub: EventHub(
                source: store.eventSource,
                heartbeatSeconds: configuration.heartbeatSeconds,
                places: keys.terminalPositionsFile(of: id, fence),
                clock: configuration.clock
            ),
            modelHost: ModelHost(core: store, configuration: configuration),
            deliveries: DeliveryEngine(
                source: store.eventSource,
                subscriptions: { store.controller?.subscriptions },
                keys: keys,
                store: id,
                settings: configuration.deliverySettings,
                http: outgoingHTTP,
                totals: deliveryTotals,
                log: log
            ),
            deliveryTotals: deliveryTotals,
            outgoingHTTP: outgoingHTTP,
            previewReader: previewReader,
            metrics: id == nil ? metrics : Metrics(),
            disks: disks,
            operations: operations,
            eventLoopGroup: eventLoopGroup,
            unreadAnswers: unreadAnswers,
            clientRates: clientRates,
            storeCore: store
        )
    }

    /// Returns the services for a phone that is connected to this store.
    func makeServices(_ host: RemoteHostCore) -> GatewayServices {
        GatewayServices(
            configuration: configuration,
            core: host,
            keys: keys,
            tickets: tickets,
            eventHub: EventHub(source: host.eventSource, heartbeatSeconds: configuration.heartbeatSeconds),
            modelHost: ModelHost(core: host, configuration: configuration),
            outgoingHTTP: outgoingHTTP,
            previewReader: previewReader,
            metrics: metrics,
            disks: disks,
            operations: operations,
            eventLoopGroup: eventLoopGroup,
            unreadAnswers: unreadAnswers,
            clientRates: clientRates,
            storeCore: storeCore,
            storeHost: storeHost
        )
    }

    /// Returns the services for the store of a key.
    /// - Parameter store: the id of the store; nil for the first store.
    func requireServices(of store: String?) throws(ProblemDetails) -> GatewayServices {
        guard let storeHost else { return self }
        if let store { return try storeHost.requireServices(of: store) }
        guard let first = storeHost.firstStore else { return self }
        return try first.requireServices()
    }

    /// Ends the streams and long polls whose credential is not in `valid`.
    func endReaders(except valid: Set<Credential>) {
        eventHub.endReaders(except: valid)
        modelHost.endReaders(except: valid)
        deliveries?.wakeAfterKeyChange()
        for services in remoteHosts.allServices { services.endReaders(except: valid) }
    }

    /// Ends all streams and long polls, including the streams of phones.
    func endStreams(_ reason: StreamEnd = .endedNormally) async {
        eventHub.stop(reason)
        await eventHub.terminalPositions.stop()
        await modelHost.stop(reason)
        await deliveries?.stop()
        await brokerFeed?.stop()
        for services in remoteHosts.allServices { await services.endStreams(reason) }
    }

    /// Returns the services for a port on which the socket of the terminal client needs no key.
    func withKeylessSocket() -> GatewayServices {
        var configuration = configuration
        configuration.allowsKeylessSocket = true
        return GatewayServices(
            configuration: configuration,
            core: core,
            keys: keys,
            tickets: tickets,
            eventHub: eventHub,
            modelHost: modelHost,
            deliveries: deliveries,
            brokerFeed: brokerFeed,
            outgoingHTTP: outgoingHTTP,
            previewReader: previewReader,
            metrics: metrics,
            readCache: readCache,
            idempotentRequests: idempotentRequests,
            disks: disks,
            operations: operations,
            readLock: readLock,
            eventLoopGroup: eventLoopGroup,
            unreadAnswers: unreadAnswers,
            clientRates: clientRates,
            remoteHosts: remoteHosts,
            storeHost: storeHost
        )
    }
}
