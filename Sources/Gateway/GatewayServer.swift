internal import ChatCore
internal import Concurrency
package import Logging
package import NIOCore

/// A running gateway.
package final class GatewayServer: Sendable {
    package let port: Int
    /// The port for clients that cannot send a key; nil without such a port.
    package let terminalPort: Int?
    private let httpServer: HTTPServer
    /// The memory that answers use until clients have read them, for all stores and ports together.
    var unreadAnswers: UnreadAnswers { httpServer.limits.answers }
    private let terminalServer: HTTPServer?
    private let hub: EventHub
    private let models: ModelHost
    private let deliveries: DeliveryEngine?
    private let operations: LongOperations
    let stores: StoreHost?
    private let keys: KeyRing
    private let keyFolderWatcher: KeyFolderWatcher?
    private let log: Logger

    /// Starts a gateway whose first store is already open.
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
        let start = StartContext(configuration: configuration, core: core, group: group, log: log)
        return try await self.start(start, first: nil, stores: stores, routes: routes)
    }

    /// Starts a gateway, and opens the first store. A first store that is locked or needs a password stays closed.
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
        let start = StartContext(configuration: configuration, core: StoreCore(log: log), group: group, log: log)
        return try await self.start(start, first: first, stores: stores, routes: RouteTable.all)
    }

    /// Checks a configuration. Throws the error that ``start(_:core:stores:group:log:)`` would throw, but starts and
    /// changes nothing.
    package static func checkConfiguration(
        _ configuration: GatewayConfiguration,
        _ group: any EventLoopGroup
    ) throws(GatewayError) {
        _ = try makeOutgoingClients(configuration, group)
    }

    init(
        http: HTTPServer,
        terminal: HTTPServer?,
        services: GatewayServices,
        watch: KeyFolderWatcher?,
        log: Logger
    ) {
        self.httpServer = http
        self.terminalServer = terminal
        self.terminalPort = terminal?.port
        self.port = http.port
        self.hub = services.eventHub
        self.models = services.modelHost
        self.deliveries = services.deliveries
        self.operations = services.operations
        self.stores = services.storeHost
        self.keys = services.keys
        self.keyFolderWatcher = watch
        self.log = log
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

    /// Reads changed key files of all stores again, for systems that do not report changes of files.
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
        await hub.terminalPositions.stop()
        await models.stop()
        await deliveries?.stop()
        await stores?.beginStopping()
        await keyFolderWatcher?.stop()
        let terminalEnded = await terminalServer?.stop() ?? true
        if await !httpServer.stop() || !terminalEnded { log.warning("some connections did not end in time") }
        await operations.waitForEnd(until: limit)
        await deliveries?.waitForHandoutReturns(until: limit)
        await keys.saveUses()
        await stores?.closeAllStores()
    }
}
