import ArgumentParser
import ChatCore
import Concurrency
import Descriptors
import Files
import Gateway
import Logging
import NIOCore
import NIOPosix
import Placement
import SMP
import SMPRelay
import Transport
import XFTPRelay

/// `simplex-gateway serve`: the gateway with its core and its relays in one process.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start the gateway, its core and its relays.",
        discussion: """
            Without options it serves http://127.0.0.1:5225 with relays of messages and files for this machine only. To talk to the SimpleX apps: \
            simplex-gateway serve --servers network

            The running gateway has the web client at /app, the guide at /docs/guide, and the reference of the API at /docs.

            Options can also be set by the environment (--max-connections as SXGW_MAX_CONNECTIONS; a comma separates repeated values) or in \
            the file named by --config.
            """
    )

    @Option(help: "Data folder: databases, keys and the relays' data. (default: ~/.local/share/simplex-gateway)")
    var data: String?
    @Option(
        help:
            "Address to listen on for HTTP, and for phones that a profile controls. Any address but loopback needs TLS or --insecure-remote. (default: 127.0.0.1)"
    )
    var host: String?
    @Option(
        help:
            "Port for HTTP; 0 chooses a free one. A socket from the service manager (LISTEN_FDS) replaces --host and --port. (default: 5225)"
    )
    var port: Int?
    @OptionGroup var embedded: EmbeddedRelayOptions
    @Option(
        help: "Relay for new queues, smp://<fingerprint>@<host>[:<port>]; may be repeated. (default: the embedded one)"
    )
    var smpServer: [String] = []
    @Option(help: "Relay for files, xftp://<fingerprint>@<host>[:<port>]; may be repeated. (default: the embedded one)")
    var xftpServer: [String] = []
    @Option(
        help:
            "Notification server for the token of a device, ntf://<fingerprint>@<host>[:<port>]; may be repeated. (default: none; with --servers network those of the public network)"
    )
    var ntfServer: [String] = []
    @Option(
        help:
            "Servers of new profiles: relay (the embedded ones, or --smp-server and --xftp-server), or network (those of the public network's operators). (default: relay)"
    )
    var servers: String?
    @Option(
        help:
            "Maximal number of contact requests of an address that wait for an answer; more are dropped. (default: 1000)"
    )
    var maxContactRequests: Int?
    @OptionGroup var channels: ChannelOptions
    @OptionGroup var storeLimits: StoreLimitOptions
    @Option(
        help:
            "File with the database key: 64 hexadecimal digits, or a passphrase. (default: database.key in the data folder)"
    )
    var databaseKeyFile: String?
    @Option(
        help:
            "Databases of an earlier version of this program: up (they are migrated when they are opened), or ask (they are not opened, so that a backup can be made first). No version opens a later version's databases or undoes migrations. (default: up)"
    )
    var migrations: String?
    @Option(
        help:
            "TLS certificate chain (PEM) for HTTP. The certificate and its key are read again when the files change, and at SIGHUP."
    )
    var tlsCertificate: String?
    @Option(help: "Private key (PEM) of the TLS certificate.")
    var tlsKey: String?
    @Option(help: "Another name by which clients may call this server, such as chat.example.org; may be repeated.")
    var allowHost: [String] = []
    @Option(help: "Origin of web pages that may call this server, scheme://host[:port]; may be repeated.")
    var allowOrigin: [String] = []
    @Flag(
        help:
            "Accept clients of the WebSocket at / (the terminal client's protocol) without a key. They cannot run commands that need admin. Only on a loopback address."
    )
    var openSocket = false
    @Flag(
        help:
            "Give new profiles with the servers of the public network contact cards: the support and the status bot of SimpleX Chat. Nothing is sent before somebody connects to a card."
    )
    var contactCards = false
    @Option(
        help:
            "A second port, on loopback, with only the WebSocket at /, for clients that cannot send a key. They cannot run commands that need admin. 0 chooses a free port. (default: none)"
    )
    var terminalPort: Int?
    @Flag(help: "Allow --host to be an address that others can reach, without TLS.")
    var insecureRemote = false
    @Option(help: "Maximal size in MiB of the events that a store keeps; the oldest are deleted first. (default: 256)")
    var journalSize: Int?
    @Option(
        help:
            "Address or range of an inner network, such as 127.0.0.1 or 10.0.0.0/8, where webhooks and push services may be (also with http://), relays, proxies and desktops of stores other than the first, and relays to which the embedded relay forwards; may be repeated. (default: none)"
    )
    var webhookAllow: [String] = []
    @Option(help: "PEM file with certificate authorities of webhooks and push services, in addition to the system's.")
    var webhookCaFile: String?
    @Flag(
        help:
            "Read linked pages for previews, when a client asks for them. The servers of these pages learn the address of this gateway."
    )
    var linkPreviews = false
    @Option(
        help:
            "Address or range of an inner network whose pages may be read for previews, also with http://; may be repeated. (default: none)"
    )
    var linkPreviewAllow: [String] = []
    @Option(
        help:
            "A mailto: or https:// URL at which push services can reach the operator of this gateway. Some push services require it. (default: none)"
    )
    var pushContact: String?
    @OptionGroup var connections: ConnectionOptions
    @OptionGroup var backups: BackupOptions
    @OptionGroup var nodes: NodeOptions
    @OptionGroup var broker: BrokerOptions
    @OptionGroup var objects: ObjectOptions
    @OptionGroup var spans: SpanOptions
    @Option(
        help:
            "Maximal number of requests per second with one key. A burst can have the requests of ten seconds; further requests get 429. (default: no limit)"
    )
    var requestsPerKey: Int?
    @Option(
        help:
            "Maximal number of requests per second from one address (IPv6: one /64) other than loopback, with the same burst. (default: no limit)"
    )
    var requestsPerAddress: Int?
    @Option(
        help:
            "Maximal number of open stores whose figures are in /metrics one by one, with their ids as labels; with more stores, only the sums, and as many of the stores in trouble and of the busiest stores. (default: 50)"
    )
    var metricsStores: Int?
    @Option(
        help:
            "JSON file with options, with the names shown here. When the file changes, and at SIGHUP, log-level is read from it again."
    )
    var config: String?
    @Option(
        help: "trace, debug, info (with a line for each request), notice, warning, error or critical. (default: notice)"
    )
    var logLevel: String?
    @Option(help: "Form of log lines, and of the addresses on standard output: text or json. (default: text)")
    var logFormat: String?

    func run() async throws { try await exitOnFailure { try await serve() } }

    private func serve() async throws {
        // A SIGHUP that arrives during the start is kept: the configuration is read again when the start is complete.
        StopSignal.keepHangup()
        let settings = try Settings(file: config)
        try startLogging(
            settings.readText("log-level", logLevel) ?? "notice",
            format: settings.readText("log-format", logFormat)
        )
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let path = try settings.readText("data", data) ?? DataFolder.findStandardPath()
        var (configuration, budget) = try readOptions(settings, path, InheritedSocket.takeSocket(), group)
        let (hasRelay, hasFileRelay) = (try embedded.hasRelay(settings), try embedded.hasFileRelay(settings))
        _ = try self.broker.makeBroker(settings) { "" }
        let files = try objects.makeObjectSettings(settings, group)
        let spanExporter = try spans.makeExporter(settings, group)
        configuration.spanExporter = spanExporter
        // For an existing folder, the program first reports that the folder is in use, and checks the ports later. A
        // new folder is made only after the check of the ports.
        let isNew = !DiskFiles.isFolder(path)
        if FolderCopies.isStoreCopy(path) { throw Failure.storeCopyFailure(path) }
        if isNew { try checkPorts(configuration, settings) }
        let web = hasFileRelay ? try embedded.readBrowserCertificate(settings) : nil
        let folder = try DataFolder(path)
        // If the folder is a copy, it may share files with other copies, which must not change. So the folder gets its
        // own files.
        do { try CopyChecksums.prepareForChanges(folder.path) } catch {
            throw Failure(exitCode: 1, message: "the copy \(folder.path) cannot get files of its own: \(error)")
        }
        if !isNew { try checkPorts(configuration, settings) }
        if configuration.backupSchedule != nil {
            do throws(FileSystemError) {
                configuration.backupSchedule?.gatewayID = try BackupSchedule.readOrMakeGatewayID(of: folder.path)
            } catch {
                throw Failure(exitCode: 1, message: error.description)
            }
        }
        let openStores = Allowance(budget.openStores)
        let (closesAfter, node) = (
            try nodes.readIdleTime(settings), try nodes.makePlacementSettings(settings, folder.path, openStores)
        )
        let broker = try self.broker.makeBroker(settings) { try nodes.readOrMakeGatewayName(settings, folder.path) }
        let first = try folder.openStore(keyFile: settings.readPath("database-key-file", databaseKeyFile))
        // The program may have to wait for the lease, so it waits before it serves anything.
        let placement: PostgresPlacement? = if let node { try await .registerNode(node.1) } else { nil }
        let forwarding = RelayAddressPolicy(
            allowed: configuration.deliverySettings.allowedAddresses,
            named: Self.collectHostsAndPorts(of: try readConfiguredServers(settings).relays)
        )
        let relay = hasRelay ? try await embedded.startRelay(settings, folder.path, budget, forwarding, group) : nil
        let fileRelay: FileRelay?
        do {
            fileRelay =
                hasFileRelay ? try await embedded.startFileRelay(settings, folder.path, budget, web, group) : nil
        } catch {
            await relay?.stopAndWait()
            throw error
        }
        if let relay {
            configuration.growingFiles.append(
                GrowingFile(path: relay.logPath) { try await relay.takeLogSnapshot().writeFile }
            )
            configuration.copyChecks.append { Relay.inspectFolder($0 + "/relay").faults.map(\.description) }
            configuration.metricsSources.append { relay.statistics.text }
        }
        if let fileRelay {
            configuration.growingFiles.append(
                GrowingFile(path: fileRelay.logPath) { try await fileRelay.takeLogSnapshot().writeFile }
            )
            configuration.copyChecks.append { FileRelay.inspectFolder($0 + "/file-relay").faults.map(\.description) }
            configuration.metricsSources.append { fileRelay.statistics.text }
        }
        if let end = configuration.http.tls.flatMap({ try? GatewayServer.inspectCertificate(tls: $0) }) {
            CertificateEnd.endSecondsSinceEpoch = end
            configuration.metricsSources.append { CertificateEnd.metricText }
        }
        if let broker { configuration.metricsSources.append { broker.metricsText } }
        if let placement { configuration.metricsSources.append { placement.metricsText } }
        if let files { configuration.metricsSources.append { files.service.metricsText } }
        if let spanExporter { configuration.metricsSources.append { spanExporter.metricsText } }
        var core = try makeCoreConfiguration(settings, folder.path, relay, fileRelay)
        core.clientConfiguration.transport.connectionAllowance = Allowance(budget.relaySessions)
        core.openPool = OpenPool(.init(open: budget.storesWithDatabases))
        core.objectSettings = files
        var stores = StoreSettings(
            chat: core,
            folder: node?.folder ?? folder.path + "/stores",
            openStores: budget.openStores
        )
        (stores.openStoreLimit, stores.idleLimit, stores.placement, stores.broker) = (
            openStores, closesAfter, placement, broker
        )
        let named =
            core.defaultServers + (core.notificationServers ?? [])
            + [relay?.address, fileRelay?.address].compactMap(\.self)
        stores.relayAddressPolicy = RelayAddressPolicy(
            allowed: configuration.deliverySettings.allowedAddresses,
            named: Self.collectHostsAndPorts(of: named)
        )
        let gateway: GatewayServer
        do { gateway = try await startGateway(configuration, first, stores, group) } catch {
            await relay?.stopAndWait()
            await fileRelay?.stopAndWait()
            await placement?.endPlacement()
            throw error
        }
        spanExporter?.start()
        // A folder that is served is no longer a copy, so its list of contents is removed.
        CopyChecksums.removeListFiles(from: folder.path)
        if !configuration.bindsLoopback, core.serverPresets == .relay,
            core.defaultServers.contains(where: { $0 == relay?.address }), try embedded.linksNameLoopback(settings)
        {
            printWarning(
                "invitations name the embedded relay on loopback, which other machines cannot reach: set --relay-host and --relay-public-host, or --servers network"
            )
        }
        let tls = (
            certificate: try settings.readPath("tls-certificate", tlsCertificate),
            key: try settings.readPath("tls-key", tlsKey)
        )
        let scheme = tls.certificate == nil ? "http" : "https"
        let command = self
        let reload: @Sendable () -> Void = {
            Self.reloadCertificate(tls, gateway)
            gateway.reloadKeys()
            command.reloadLogLevel()
        }
        StopSignal.onHangup {
            reload()
            web?.reloadCertificate()
        }
        let webWatch = web?.watchFiles()
        let watch = FileWatch.startWatching(
            [tls.certificate, tls.key, config ?? Settings.configFile].compactMap(\.self),
            reload
        )
        StopSignal.expectStop()
        let name = configuration.http.host.contains(":") ? "[\(configuration.http.host)]" : configuration.http.host
        let facts: [(title: String, value: String)?] = [
            ("URL", "\(scheme)://\(name):\(gateway.port)"),
            gateway.terminalPort.map { ("Terminal", "ws://127.0.0.1:\($0)") },
            ("Admin key", folder.path + "/admin.key"),
            ("Data folder", folder.path),
            placement.map { ("Node", $0.node) },
            relay.map { ("Relay", "\($0.address)") },
            fileRelay.map { ("File relay", "\($0.address)") },
        ]
        printFacts(facts.compactMap(\.self))
        let manager = ServiceManager()
        manager?.notifyStarted()
        let signs = manager?.startWatchdogMessages(group)
        await StopSignal.waitForStop()
        manager?.notifyStopping()
        await gateway.stop()
        await spanExporter?.stop()
        await placement?.endPlacement()
        broker?.closeConnection()
        await relay?.stopAndWait()
        await fileRelay?.stopAndWait()
        watch?.cancel()
        webWatch?.cancel()
        signs?.cancel()
        await watch?.value
        await webWatch?.value
        await signs?.value
        try? await group.shutdownGracefully()
    }

    /// Reads the TLS certificate and its key again.
    private static func reloadCertificate(_ files: (certificate: String?, key: String?), _ gateway: GatewayServer) {
        guard let certificate = files.certificate, let key = files.key else { return }
        let log = Logger(label: "gateway")
        do {
            let tls = try readTLSFiles(certificate, key)
            try gateway.reload(tls: tls)
            CertificateEnd.endSecondsSinceEpoch = try GatewayServer.inspectCertificate(tls: tls) ?? 0
            log.notice(
                "the TLS certificate was read again: new connections use it",
                metadata: ["file": "\(certificate)"]
            )
        } catch {
            log.error(
                "the TLS certificate cannot be read again: the previous one stays in use",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Reads the log level from the configuration again. Other changes need a restart.
    private func reloadLogLevel() {
        let log = Logger(label: "gateway")
        do {
            let settings = try Settings(file: config)
            LogThreshold.changeLevel(to: try Logger.Level(named: settings.readText("log-level", logLevel) ?? "notice"))
        } catch {
            log.error("the configuration cannot be read again", metadata: ["error": "\(error)"])
        }
    }

    private func startGateway(
        _ configuration: GatewayConfiguration,
        _ first: FirstStore,
        _ stores: StoreSettings,
        _ group: MultiThreadedEventLoopGroup
    ) async throws -> GatewayServer {
        do throws(GatewayError) {
            return try await GatewayServer.start(
                configuration,
                first: first,
                stores: stores,
                group: group,
                log: Logger(label: "gateway")
            )
        } catch {
            switch error {
            case .coreNotOpened(.wrongKey(let database)):
                throw Failure(exitCode: 3, message: "the key does not open \(database); nothing was changed")
            case .coreNotOpened(.database(.newerSchema(let migration))):
                throw Failure(
                    exitCode: 1,
                    message:
                        "the databases were written by a later version of this program (\(migration)), and were not changed: use that version, or a copy made before the upgrade"
                )
            case .coreNotOpened(.database(.olderSchema(let migrations))):
                throw Failure(
                    exitCode: 1,
                    message:
                        "the databases are of an earlier version of this program (without \(migrations.first ?? "")), and were not changed: make a backup, then start with --migrations up"
                )
            case .coreNotOpened(.database(.diskFull)):
                throw Failure(exitCode: 1, message: "a database cannot be opened: there is no room on the disk")
            case .coreNotOpened(.database(.inputOutput)):
                throw Failure(
                    exitCode: 1,
                    message:
                        "a database cannot be read or written; simplex-gateway check shows which one, and the missing rights"
                )
            case .coreNotOpened(.database(let error)):
                throw Failure(
                    exitCode: 1,
                    message: "a database cannot be opened: \(error); simplex-gateway check shows which one"
                )
            case .coreNotOpened(.databaseLost(let path)):
                throw Failure(
                    exitCode: 1,
                    message:
                        "the databases of \(path) are missing or empty, and are not made again: put them back, or restore a copy. For a new store, name another data folder"
                )
            case .coreNotOpened(.unusableCopy(let reason)), .coreNotOpened(.otherError(let reason)):
                throw Failure(exitCode: 1, message: "the databases cannot be opened: \(reason)")
            case .databaseKey(let error): throw Failure(error)
            case .http(.addressInUse): throw Failure(exitCode: 4, message: error.description)
            case .http, .unsafeAddress, .unsafeOpenSocket, .invalidSettings:
                throw Failure.configurationFailure(error.description)
            case .keyFile, .unreadableStores: throw Failure(exitCode: 1, message: error.description)
            }
        }
    }
}
