package import ChatCore
internal import Concurrency
internal import Descriptors
internal import Files
package import Logging
package import NIOCore
internal import OutgoingHTTP
internal import Synchronization

/// Reasons why a gateway does not start.
package enum GatewayError: Error, Sendable, CustomStringConvertible {
    case http(HTTPServerError)
    case keyFile(KeyFileError)
    /// The first store cannot be opened.
    case coreNotOpened(ChatOpenError)
    case databaseKey(FirstStoreError)
    /// The folder of the stores cannot be read, or remains of the last run cannot be removed.
    case unreadableStores(String)
    /// The address is not loopback, and TLS is not used.
    case unsafeAddress(String)
    /// A WebSocket needs no key, although other machines can connect to the address.
    case unsafeOpenSocket(String)
    /// The settings for deliveries or link previews are invalid.
    case invalidSettings(String)

    package var description: String {
        switch self {
        case .http(.addressInUse(let host, let port)): "\(host):\(port) is in use by another process"
        case .http(.invalidAddress(let host)): "\(host) is not an IP address to listen on"
        case .http(.cannotBind(let host, let port, let reason)): "cannot listen on \(host):\(port): \(reason)"
        case .http(.unusableCertificate(let reason)): "the TLS certificate and key cannot be used: \(reason)"
        case .http(.cannotStart): "the HTTP server does not start"
        case .keyFile(let error): error.description
        case .coreNotOpened(let error): "the first store does not open: \(error)"
        case .databaseKey(let error): error.description
        case .unreadableStores(let reason): "the stores cannot be read: \(reason)"
        case .unsafeAddress(let host):
            "other machines can reach \(host): set --tls-certificate and --tls-key, or --insecure-remote"
        case .invalidSettings(let reason): reason
        case .unsafeOpenSocket(let host):
            "other machines can reach \(host): --open-socket is allowed only on a loopback address"
        }
    }
}

/// A running gateway.
package final class GatewayServer: Sendable {
    package let port: Int
    /// The port for clients that cannot send a key; nil without such a port.
    package let terminalPort: Int?
    private let httpServer: HTTPServer
    /// The memory of unread answers, for all stores and ports together.
    var unreadAnswers: UnreadAnswers { httpServer.limits.answers }
    private let terminalServer: HTTPServer?
    private let hub: EventHub
    private let models: ModelHost
    private let deliveries: DeliveryEngine
    private let operations: LongOperations
    let stores: StoreHost?
    private let keys: KeyRing
    private let keyFolderWatcher: KeyFolderWatcher?
    private let log: Logger

    /// Starts a gateway with an open core.
    /// - Parameters:
    ///   - core: the core of the first store.
    ///   - stores: settings of the other stores; nil for a gateway with only the first store.
    static func start(
        _ configuration: GatewayConfiguration,
        core: any GatewayCore,
        stores: StoreSettings? = nil,
        routes: [Route] = RouteTable.all,
        group: any EventLoopGroup,
        log: Logger
    ) async throws(GatewayError) -> GatewayServer {
        try await start(configuration, core, nil, stores, routes, group, log)
    }

    /// Starts a gateway and opens the first store, unless that store was locked or needs a password. Like other stores,
    /// the first store can be locked.
    /// - Parameter stores: settings of all stores, including the first store.
    package static func start(
        _ configuration: GatewayConfiguration,
        first: FirstStore,
        stores: StoreSettings,
        group: any EventLoopGroup,
        log: Logger
    ) async throws(GatewayError) -> GatewayServer {
        var stores = stores
        if let exporter = configuration.spanExporter {
            stores.chatConfiguration.onMessageSteps = { exporter.addMessageSteps($0, $1, $2) }
        }
        return try await start(configuration, StoreCore(log: log), first, stores, RouteTable.all, group, log)
    }

    /// Checks a configuration. Throws the error that ``start(_:core:stores:group:log:)`` would throw, but starts and
    /// changes nothing.
    package static func checkConfiguration(
        _ configuration: GatewayConfiguration,
        _ group: any EventLoopGroup
    ) throws(GatewayError) {
        _ = try makeOutgoingClients(configuration, group)
    }

    /// Checks the configuration, and returns the clients for outgoing requests.
    private static func makeOutgoingClients(
        _ configuration: GatewayConfiguration,
        _ group: any EventLoopGroup
    ) throws(GatewayError) -> (OutgoingHTTP, LinkPreviewReader?) {
        guard configuration.bindsLoopback || configuration.http.tls != nil || configuration.allowsPlainRemote else {
            throw .unsafeAddress(configuration.http.host)
        }
        guard configuration.bindsLoopback || !configuration.allowsKeylessSocket else {
            throw .unsafeOpenSocket(configuration.http.host)
        }
        return (try makeOutgoingClient(configuration, group), try makePreviewReader(configuration, group))
    }

    private static func start(
        _ configuration: GatewayConfiguration,
        _ core: any GatewayCore,
        _ first: FirstStore?,
        _ stores: StoreSettings?,
        _ routes: [Route],
        _ group: any EventLoopGroup,
        _ log: Logger
    ) async throws(GatewayError) -> GatewayServer {
        let (outgoing, previews) = try makeOutgoingClients(configuration, group)
        let keys = try openKeys(configuration, log)
        let hub = EventHub(
            source: core.eventSource,
            heartbeatSeconds: configuration.heartbeatSeconds,
            places: keys.terminalPlacesFile(of: nil),
            clock: configuration.clock
        )
        let models = ModelHost(core: core, configuration: configuration)
        let deliveryTotals = DeliveryCounts()
        let deliveries = DeliveryEngine(
            source: core.eventSource,
            subscriptions: { core.controller?.subscriptions },
            keys: keys,
            store: nil,
            settings: configuration.deliverySettings,
            http: outgoing,
            totals: deliveryTotals,
            log: log
        )
        keys.onCredentialsChange { [weak hub, weak models, weak deliveries] store, valid in
            guard store == nil else { return }
            hub?.endReaders(except: valid)
            models?.endReaders(except: valid)
            deliveries?.wakeAfterKeyChange()
        }
        let operations = await LongOperations.readOperations(
            in: configuration.dataFolder,
            clock: configuration.clock,
            log: log
        )
        core.setPlannedRights(keys.makeRightsLookup(of: nil))
        var services = GatewayServices(
            configuration: configuration,
            core: core,
            keys: keys,
            tickets: TicketStore(),
            eventHub: hub,
            modelHost: models,
            deliveries: deliveries,
            deliveryTotals: deliveryTotals,
            outgoingHTTP: outgoing,
            previewReader: previews,
            metrics: Metrics(),
            disks: GatewayDisks(configuration, stores),
            operations: operations,
            eventLoopGroup: group,
            unreadAnswers: UnreadAnswers(),
            clientRates: ClientRates(
                perKey: configuration.keyRequestsPerSecond,
                perAddress: configuration.addressRequestsPerSecond
            )
        )
        let watch = try? await KeyFolderWatcher.start(folder: configuration.dataFolder, ring: keys, group: group)
        if watch == nil {
            log.warning("changes of keys by other processes are seen only at SIGHUP, and after a restart")
        }
        let shared = services
        if let stores {
            await runCleanup { FolderBackup.removeStaging(in: configuration.dataFolder) }
            services.storeHost = try await openStores(stores, first, keys, watch, group, log) {
                shared.makeServices($0, id: $1, fence: $2, log: log)
            }
        }
        let service = GatewayService(
            router: Router(routes),
            hostPolicy: HostPolicy(
                bound: configuration.http.host,
                hosts: configuration.allowedHosts,
                origins: configuration.allowedOrigins
            ),
            services: services,
            log: log
        )
        do throws(HTTPServerError) {
            // The main port and the port of the terminal have these limits together.
            let limits = configuration.http.makeLimits(services.unreadAnswers)
            let http = try HTTPServer.start(configuration.http, service: service, limits: limits, group: group)
            do throws(HTTPServerError) {
                let terminal = try configuration.terminalPort.map { port throws(HTTPServerError) in
                    try startTerminal(port, services, limits, log)
                }
                deliveries.start()
                if let stores = services.storeHost {
                    Task { await stores.openPasswordlessStores() }
                    if let schedule = configuration.backupSchedule, stores.firstStore != nil {
                        stores.startBackups(ScheduledBackups(schedule, of: stores, configuration, log))
                    }
                }
                return GatewayServer(
                    http: http,
                    terminal: terminal,
                    hub: hub,
                    models: models,
                    deliveries: deliveries,
                    operations: operations,
                    stores: services.storeHost,
                    keys: keys,
                    watch: watch,
                    log: log
                )
            } catch {
                _ = await http.stop()
                throw error
            }
        } catch {
            await watch?.stop()
            // The databases must be closed before the process ends.
            await services.storeHost?.closeAllStores()
            throw .http(error)
        }
    }

    private static func openStores(
        _ settings: StoreSettings,
        _ first: FirstStore?,
        _ keys: KeyRing,
        _ watch: KeyFolderWatcher?,
        _ group: any EventLoopGroup,
        _ log: Logger,
        _ makeServices: @escaping StoreHost.MakeServices
    ) async throws(GatewayError) -> StoreHost {
        do {
            let host = try await StoreHost(
                settings,
                first: first,
                keys: keys,
                watch: watch,
                group: group,
                log: log,
                makeServices: makeServices
            )
            try await host.openFirstStore()
            return host
        } catch {
            await watch?.stop()
            switch error {
            case let error as ChatOpenError: throw .coreNotOpened(error)
            case let error as FileKeyringError: throw .databaseKey(.keyFileError(error))
            case let error as FirstStoreError: throw .databaseKey(error)
            default: throw .unreadableStores("\(error)")
            }
        }
    }

    /// Serves the socket at `/` on a separate port. The port accepts only loopback names, and no web pages.
    private static func startTerminal(
        _ port: Int,
        _ services: GatewayServices,
        _ limits: HTTPLimits,
        _ log: Logger
    ) throws(HTTPServerError) -> HTTPServer {
        var http = HTTPServerConfiguration()
        http.port = port
        http.threadCount = 1
        let service = GatewayService(
            router: Router(RouteTable.all.filter { $0.policy.acceptedCredentials == .terminal }),
            hostPolicy: HostPolicy(bound: http.host),
            services: services.withKeylessSocket(),
            log: log
        )
        return try HTTPServer.start(http, service: service, limits: limits, group: services.eventLoopGroup)
    }

    private init(
        http: HTTPServer,
        terminal: HTTPServer?,
        hub: EventHub,
        models: ModelHost,
        deliveries: DeliveryEngine,
        operations: LongOperations,
        stores: StoreHost?,
        keys: KeyRing,
        watch: KeyFolderWatcher?,
        log: Logger
    ) {
        self.httpServer = http
        self.terminalServer = terminal
        self.terminalPort = terminal?.port
        self.port = http.port
        self.hub = hub
        self.models = models
        self.deliveries = deliveries
        self.operations = operations
        self.stores = stores
        self.keys = keys
        self.keyFolderWatcher = watch
        self.log = log
    }

    private static func makeOutgoingClient(
        _ configuration: GatewayConfiguration,
        _ group: any EventLoopGroup
    ) throws(GatewayError) -> OutgoingHTTP {
        let settings = configuration.deliverySettings
        if let contact = settings.pushContact, !PushSender.isContact(contact) {
            throw .invalidSettings("--push-contact \(contact) is not a mailto: or https:// URL")
        }
        let policy = try parseAddressPolicy(settings.allowedAddresses, "webhook-allow")
        var limits = OutgoingHTTP.Limits()
        limits.maxTotalTime = .seconds(settings.timeoutSeconds)
        do throws(OutgoingHTTP.BadAuthorities) {
            return try OutgoingHTTP(
                group: group,
                policy: policy,
                authorities: settings.authoritiesFile,
                connections: Allowance(settings.maxConnections),
                limits: limits,
                userAgent: "simplex-gateway",
                lookUp: settings.nameLookup
            )
        } catch {
            throw .invalidSettings("--webhook-ca-file: \(error)")
        }
    }

    /// Reads ranges of addresses.
    /// - Parameter option: the name of the option with these ranges.
    private static func parseAddressPolicy(_ ranges: [String], _ option: String) throws(GatewayError) -> AddressPolicy {
        var policy = AddressPolicy()
        for text in ranges {
            guard let range = AddressRange(text) else {
                throw .invalidSettings(
                    "--\(option) \(text) is not an address or range of addresses, such as 10.0.0.0/8 or ::1"
                )
            }
            policy.allowedRanges.append(range)
        }
        return policy
    }

    private static func makePreviewReader(
        _ configuration: GatewayConfiguration,
        _ group: any EventLoopGroup
    ) throws(GatewayError) -> LinkPreviewReader? {
        guard let settings = configuration.linkPreviews else { return nil }
        let policy = try parseAddressPolicy(settings.allowedAddresses, "link-preview-allow")
        do throws(OutgoingHTTP.BadAuthorities) { return try LinkPreviewReader(settings, policy, group) } catch {
            throw .invalidSettings("\(error)")
        }
    }

    /// Reads the keys. If no keys exist, makes the key of the administrator.
    private static func openKeys(
        _ configuration: GatewayConfiguration,
        _ log: Logger
    ) throws(GatewayError) -> KeyRing {
        let folder = configuration.dataFolder
        let file = KeyFile(folder: folder, clock: configuration.clock)
        do throws(KeyFileError) {
            let isEmpty: Bool
            do throws(KeyFileError) { isEmpty = try file.loadKeys().isEmpty } catch {
                guard case .missing = error else { throw error }
                log.warning(
                    "the file of the keys is missing: a new admin key is made",
                    metadata: ["reason": "\(error)"]
                )
                try file.createIfMissing()
                isEmpty = true
            }
            if isEmpty {
                let (path, key) = ("\(folder)/admin.key", APIKey.random())
                // The key's file is written before the key is added. If the gateway ends between both steps, the next
                // start writes another key.
                do throws(FileSystemError) {
                    try DiskFiles.replaceFile(path, with: Array((key.text + "\n").utf8))
                } catch {
                    throw .file(error)
                }
                _ = try file.addKey(name: "admin", scopes: [.admin, .stores], key: key)
                if StoreFolder(path: folder).hasDatabases {
                    log.warning("there was no key left: a new admin key was made", metadata: ["file": "\(path)"])
                }
            }
            return try KeyRing(file: file, log: log)
        } catch {
            throw .keyFile(error)
        }
    }

    /// Uses another TLS certificate for new connections. Open connections keep their certificate.
    /// - Parameter tls: the key and the certificate as PEM.
    /// - Throws: `unusableCertificate`; then the former certificate stays in use.
    package func reload(tls: (key: String, certificate: String)) throws(GatewayError) {
        do throws(TLSCredentials.UnusableError) {
            try httpServer.replaceCertificate(key: tls.key, certificate: tls.certificate)
        } catch {
            throw .http(.unusableCertificate(error.description))
        }
    }

    /// Reads the API keys of all stores again. Needed on systems that do not report changes of files.
    package func reloadKeys() {
        let keys = keys
        BlockingThread.runOnThread { keys.reloadChangedFiles() }
    }

    /// Stops the gateway: stops accepting connections, answers waiting requests, ends the streams, waits for running
    /// requests and operations, and closes the stores.
    package func stop() async {
        let limit = ContinuousClock.now + .seconds(10)
        httpServer.stopAccepting()
        terminalServer?.stopAccepting()
        hub.stop()
        await hub.terminalPlaces.stop()
        await models.stop()
        await deliveries.stop()
        await stores?.beginStopping()
        await keyFolderWatcher?.stop()
        let terminalEnded = await terminalServer?.stop() ?? true
        if await !httpServer.stop() || !terminalEnded { log.warning("some connections did not end in time") }
        await operations.waitForEnd(until: limit)
        await deliveries.finishReturns(until: limit)
        await keys.saveUses()
        await stores?.closeAllStores()
    }
}
