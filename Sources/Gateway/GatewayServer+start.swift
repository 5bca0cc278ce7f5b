internal import ChatCore
internal import Concurrency
internal import Files
internal import Logging
internal import NIOCore
internal import OutgoingHTTP

/// The steps in which a gateway starts.
extension GatewayServer {
    /// The values that the steps of a start share.
    struct StartContext {
        let configuration: GatewayConfiguration
        let core: any GatewayCore
        let group: any EventLoopGroup
        let log: Logger
    }

    static func start(
        _ start: StartContext,
        first: FirstStore?,
        stores: StoreSettings?,
        routes: [Route]
    ) async throws(GatewayError) -> GatewayServer {
        let (configuration, log) = (start.configuration, start.log)
        let (outgoing, previews) = try makeOutgoingClients(configuration, start.group)
        let keys = try openKeys(configuration, log)
        var services = await makeServices(start, keys, outgoing, stores)
        services.previewReader = previews
        let watch = try? await KeyFolderWatcher.start(
            folder: configuration.dataFolder,
            ring: keys,
            group: start.group
        )
        if watch == nil {
            log.warning("changes of keys by other processes are seen only at SIGHUP, and after a restart")
        }
        let shared = services
        if let stores {
            await runCleanup { FolderBackup.removeStagingFolder(in: configuration.dataFolder) }
            services.storeHost = try await openStores(stores, first, keys, watch, start.group, log) {
                shared.makeServices($0, id: $1, fence: $2, log: log)
            }
        }
        let service = GatewayService(
            router: Router(routes),
            hostPolicy: HostPolicy(
                bound: configuration.http.host,
                hosts: configuration.allowedHosts,
                origins: configuration.allowedOrigins,
                probePaths: RouteTable.probePaths
            ),
            services: services,
            log: log,
            accessLog: AccessLog(log: log, privatePathParts: RouteTable.privatePathParts)
        )
        do throws(HTTPServerError) { return try await listen(service, watch) } catch {
            await watch?.stop()
            // The start has failed, but stores may be open. Their databases must be closed before the process ends.
            await services.storeHost?.closeAllStores()
            throw .http(error)
        }
    }

    /// Makes the services of the whole gateway and of the first store.
    private static func makeServices(
        _ start: StartContext,
        _ keys: KeyRing,
        _ outgoing: OutgoingHTTP,
        _ stores: StoreSettings?
    ) async -> GatewayServices {
        let (configuration, core) = (start.configuration, start.core)
        let hub = EventHub(
            source: core.eventSource,
            heartbeatSeconds: configuration.heartbeatSeconds,
            places: keys.terminalPositionsFile(of: nil),
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
            log: start.log
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
            log: start.log
        )
        core.setPlannedRightsLookup(keys.makeRightsLookup(of: nil))
        return GatewayServices(
            configuration: configuration,
            core: core,
            keys: keys,
            tickets: TicketStore(),
            eventHub: hub,
            modelHost: models,
            deliveries: deliveries,
            deliveryTotals: deliveryTotals,
            outgoingHTTP: outgoing,
            metrics: Metrics(),
            disks: GatewayDisks(configuration, stores),
            operations: operations,
            eventLoopGroup: start.group,
            unreadAnswers: UnreadAnswers(),
            clientRates: ClientRates(
                perKey: configuration.keyRequestsPerSecond,
                perAddress: configuration.addressRequestsPerSecond
            )
        )
    }

    /// Opens the ports, and starts the work in the background.
    private static func listen(
        _ service: GatewayService,
        _ watch: KeyFolderWatcher?
    ) async throws(HTTPServerError) -> GatewayServer {
        let (services, log) = (service.services, service.log)
        let configuration = services.configuration
        // The main port and the port of the terminal share these limits.
        let limits = configuration.http.makeLimits(services.unreadAnswers)
        let http = try HTTPServer.start(
            configuration.http,
            service: service,
            limits: limits,
            group: services.eventLoopGroup
        )
        do throws(HTTPServerError) {
            let terminal = try configuration.terminalPort.map { port throws(HTTPServerError) in
                try startTerminal(port, services, limits, log)
            }
            services.deliveries?.start()
            if let stores = services.storeHost {
                Task { await stores.openPasswordlessStores() }
                if let schedule = configuration.backupSchedule, stores.firstStore != nil {
                    stores.startBackups(ScheduledBackups(schedule, of: stores, configuration, log))
                }
            }
            return GatewayServer(http: http, terminal: terminal, services: services, watch: watch, log: log)
        } catch {
            _ = await http.stop()
            throw error
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

    /// Serves the WebSocket at `/` on a separate port, without keys. Accepts only loopback host names, and no requests
    /// of web pages.
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
            hostPolicy: HostPolicy(bound: http.host, probePaths: RouteTable.probePaths),
            services: services.withKeylessSocket(),
            log: log,
            accessLog: AccessLog(log: log, privatePathParts: RouteTable.privatePathParts)
        )
        return try HTTPServer.start(http, service: service, limits: limits, group: services.eventLoopGroup)
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
                // The file `admin.key` is written before the key is added to the list of keys. If the gateway ends
                // between both steps, the next start replaces `admin.key` by a file with another key.
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
}
