import ArgumentParser
import ChatCore
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
            "Maximal number of open stores whose figures are in /metrics one by one, with their ids as labels; with more stores, only the sums are. (default: 50)"
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
        // A SIGHUP during the start is kept. The configuration is read again when the start is complete.
        StopSignal.keepHangup()
        let settings = try Settings(file: config)
        try startLogging(
            settings.text("log-level", logLevel) ?? "notice",
            format: settings.text("log-format", logFormat)
        )
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let path = try settings.text("data", data) ?? DataFolder.standardPath()
        var (configuration, budget) = try readOptions(settings, path, GivenSocket.take(), group)
        let (hasRelay, hasFileRelay) = (try embedded.hasRelay(settings), try embedded.hasFileRelay(settings))
        _ = try self.broker.broker(settings) { "" }
        let files = try objects.settings(settings, group)
        // First the program reports whether the folder is in use, and then checks the ports. A new folder is only made
        // after the check of the ports.
        let isNew = !DiskFiles.isFolder(path)
        if FolderCopies.isOfStore(path) { throw Failure.copyOfStore(path) }
        if isNew { try checkPorts(configuration, settings) }
        let web = hasFileRelay ? try embedded.browserCertificate(settings) : nil
        let folder = try DataFolder(path)
        // The folder may be a copy that shares files with other copies, which must not change.
        do { try CopyList.release(folder.path) } catch {
            throw Failure(code: 1, message: "the copy \(folder.path) cannot get files of its own: \(error)")
        }
        if !isNew { try checkPorts(configuration, settings) }
        if configuration.backups != nil {
            do throws(FileSystemError) {
                configuration.backups?.owner = try BackupSchedule.owner(of: folder.path)
            } catch {
                throw Failure(code: 1, message: error.description)
            }
        }
        let openStores = Allowance(budget.openStores)
        let (closesAfter, node) = (
            try nodes.closesAfter(settings), try nodes.settings(settings, folder.path, openStores)
        )
        let broker = try self.broker.broker(settings) { try nodes.gatewayName(settings, folder.path) }
        let first = try folder.store(keyFile: settings.path("database-key-file", databaseKeyFile))
        // The wait for the lease comes before the program serves anything.
        let placement: PostgresPlacement? = if let node { try await .begin(node.1) } else { nil }
        let forwarding = RelayReach(
            allowed: configuration.deliveries.allowedAddresses,
            named: Self.places(of: try namedServers(settings).relays)
        )
        let relay = hasRelay ? try await embedded.startRelay(settings, folder.path, budget, forwarding, group) : nil
        let fileRelay: FileRelay?
        do {
            fileRelay =
                hasFileRelay ? try await embedded.startFileRelay(settings, folder.path, budget, web, group) : nil
        } catch {
            await relay?.stop()
            throw error
        }
        if let relay {
            configuration.growingFiles.append(GrowingFile(path: relay.logPath) { try await relay.logSnapshot().write })
            configuration.copyChecks.append { Relay.inspect($0 + "/relay").faults.map(\.description) }
            configuration.otherMetrics.append { relay.statistics.text }
        }
        if let fileRelay {
            configuration.growingFiles.append(
                GrowingFile(path: fileRelay.logPath) { try await fileRelay.logSnapshot().write }
            )
            configuration.copyChecks.append { FileRelay.inspect($0 + "/file-relay").faults.map(\.description) }
            configuration.otherMetrics.append { fileRelay.statistics.text }
        }
        if let end = configuration.http.tls.flatMap({ try? GatewayServer.inspect(tls: $0) }) {
            CertificateEnd.seconds = end
            configuration.otherMetrics.append { CertificateEnd.metric }
        }
        if let broker { configuration.otherMetrics.append { broker.metrics } }
        if let placement { configuration.otherMetrics.append { placement.metrics } }
        if let files { configuration.otherMetrics.append { files.service.metrics } }
        var core = try coreConfiguration(settings, folder.path, relay, fileRelay)
        core.network.transport.connections = Allowance(budget.relaySessions)
        core.objects = files
        var stores = StoreSettings(
            chat: core,
            folder: node?.folder ?? folder.path + "/stores",
            openStores: budget.openStores
        )
        (stores.openStores, stores.closesAfter, stores.placement, stores.broker) = (
            openStores, closesAfter, placement, broker
        )
        let named =
            core.servers + (core.notificationServers ?? []) + [relay?.address, fileRelay?.address].compactMap(\.self)
        stores.relayReach = RelayReach(
            allowed: configuration.deliveries.allowedAddresses,
            named: Self.places(of: named)
        )
        let gateway: GatewayServer
        do { gateway = try await startGateway(configuration, first, stores, group) } catch {
            await relay?.stop()
            await fileRelay?.stop()
            await placement?.stop()
            throw error
        }
        // A folder that is served is no longer a copy, so its list of contents is removed.
        CopyList.remove(from: folder.path)
        if !configuration.bindsLoopback, core.serverPresets == .relay,
            core.servers.contains(where: { $0 == relay?.address }), try embedded.namesLoopback(settings)
        {
            warn(
                "invitations name the embedded relay on loopback, which other machines cannot reach: set --relay-host and --relay-public-host, or --servers network"
            )
        }
        let tls = (
            certificate: try settings.path("tls-certificate", tlsCertificate), key: try settings.path("tls-key", tlsKey)
        )
        let scheme = tls.certificate == nil ? "http" : "https"
        let command = self
        let reload: @Sendable () -> Void = {
            Self.reload(tls, gateway)
            gateway.reloadKeys()
            command.reloadLogLevel()
        }
        StopSignal.onHangup {
            reload()
            web?.reload()
        }
        let webWatch = web?.watch()
        let watch = FileWatch.start(
            [tls.certificate, tls.key, config ?? Settings.configFile].compactMap(\.self),
            reload
        )
        StopSignal.expect()
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
        announce(facts.compactMap(\.self))
        let manager = ServiceManager()
        manager?.noteStarted()
        let signs = manager?.watch(group)
        await StopSignal.wait()
        manager?.noteStopping()
        await gateway.stop()
        await placement?.stop()
        broker?.close()
        await relay?.stop()
        await fileRelay?.stop()
        watch?.cancel()
        webWatch?.cancel()
        signs?.cancel()
        await watch?.value
        await webWatch?.value
        await signs?.value
        try? await group.shutdownGracefully()
    }

    /// Returns all hosts of servers, with their ports.
    private static func places(of servers: [ProtocolServer]) -> [(host: String, port: Int)] {
        servers.flatMap { server in server.hosts.map { ($0.description, server.portNumber.map(Int.init) ?? 0) } }
    }

    /// Reads all options before files are made or services started, even options that are used later.
    /// - Parameters:
    ///   - path: the data folder, which may not exist yet.
    ///   - given: the socket from the service manager; nil without such a socket.
    func readOptions(
        _ settings: Settings,
        _ path: String,
        _ given: GivenSocket?,
        _ group: any EventLoopGroup
    ) throws -> (configuration: GatewayConfiguration, budget: DescriptorBudget) {
        let budget = try connections.budget(
            settings,
            hasRelay: embedded.hasRelay(settings),
            hasFileRelay: embedded.hasFileRelay(settings)
        )
        var configuration = try gatewayConfiguration(settings, path, budget)
        if let given {
            (configuration.http.listening, configuration.http.host, configuration.http.port) = (
                given.descriptor, given.host, given.port
            )
        }
        do throws(GatewayError) { try GatewayServer.check(configuration, group) } catch {
            throw Failure.configuration(error.description)
        }
        _ = try coreConfiguration(settings, path, nil, nil)
        try embedded.check(settings, path, budget, group)
        _ = try nodes.closesAfter(settings)
        if let node = try nodes.configuredNode(settings, path) { _ = try nodes.connection(node) }
        // If the data folder exists, the key is not checked here: the later start checks the key, and reports a more
        // exact error.
        if let file = try settings.path("database-key-file", databaseKeyFile), !DiskFiles.isFolder(path) {
            do throws(FirstStoreError) { try FirstStore.check(keyFile: file) } catch {
                throw Failure.configuration(error.description)
            }
        }
        return (configuration, budget)
    }

    /// Returns the addresses on which the program listens.
    /// - Parameter http: the address for HTTP; nil for a socket from the service manager.
    func places(
        _ settings: Settings,
        http: (host: String, port: Int)?
    ) throws -> [(name: String, host: String, port: Int)] {
        var places = try (http.map { [("HTTP", $0.host, $0.port)] } ?? []) + embedded.ports(settings)
        if let port = try settings.portIfAny("terminal-port", terminalPort) {
            places.append(("the terminal's socket", "127.0.0.1", port))
        }
        for (name, host, port) in places
        where host != "localhost" && (try? SocketAddress(ipAddress: host, port: port)) == nil {
            // A relay may listen on a host name of this machine. HTTP needs an address.
            guard name != "HTTP", (try? SocketAddress.makeAddressResolvingHost(host, port: port)) != nil else {
                throw Failure.configuration("\(host) is not an IP address to listen on, for \(name)")
            }
        }
        for (index, one) in places.enumerated() where one.port != 0 {
            if let other = places[..<index].first(where: {
                $0.port == one.port
                    && ($0.host == one.host || [$0.host, one.host].contains { ["0.0.0.0", "::"].contains($0) })
            }) {
                throw Failure.configuration("\(other.name) and \(one.name) have the same port, \(one.port)")
            }
        }
        return places
    }

    /// Refuses ports that other processes use, before files are written or services started.
    private func checkPorts(_ configuration: GatewayConfiguration, _ settings: Settings) throws {
        let http = configuration.http
        for (name, host, port) in try places(settings, http: http.listening == nil ? (http.host, http.port) : nil)
        where port != 0 && ListenSocket.isTaken(host: host, port: port) {
            throw Failure(code: 4, message: "\(host):\(port), the port of \(name), is in use by another process")
        }
    }

    /// Reads the TLS certificate and its key again.
    private static func reload(_ files: (certificate: String?, key: String?), _ gateway: GatewayServer) {
        guard let certificate = files.certificate, let key = files.key else { return }
        let log = Logger(label: "gateway")
        do {
            let tls = try tlsFiles(certificate, key)
            try gateway.reload(tls: tls)
            CertificateEnd.seconds = try GatewayServer.inspect(tls: tls) ?? 0
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
            LogThreshold.change(to: try Logger.Level(named: settings.text("log-level", logLevel) ?? "notice"))
        } catch {
            log.error("the configuration cannot be read again", metadata: ["error": "\(error)"])
        }
    }

    /// The configured servers, and the presets for new profiles.
    struct NamedServers {
        var presets: ServerPresets
        var relays: [ProtocolServer]
        var fileServers: [ProtocolServer]
        var notificationServers: [ProtocolServer]
    }

    func namedServers(_ settings: Settings) throws -> NamedServers {
        let relays = try servers(settings, "smp-server", smpServer, .smp)
        let fileServers = try servers(settings, "xftp-server", xftpServer, .xftp)
        let name = try settings.text("servers", self.servers) ?? ServerPresets.relay.rawValue
        guard let presets = ServerPresets(rawValue: name) else {
            throw Failure.configuration("--servers must be relay or network, not \(name)")
        }
        guard presets == .relay || relays.isEmpty else {
            throw Failure.configuration("--smp-server cannot be given with --servers network")
        }
        guard presets == .relay || fileServers.isEmpty else {
            throw Failure.configuration("--xftp-server cannot be given with --servers network")
        }
        guard try !relays.isEmpty || presets == .network || embedded.hasRelay(settings) else {
            throw Failure.configuration("without the embedded relay, --smp-server or --servers network is needed")
        }
        return NamedServers(
            presets: presets,
            relays: relays,
            fileServers: fileServers,
            notificationServers: try servers(settings, "ntf-server", ntfServer, .ntf)
        )
    }

    private func servers(
        _ settings: Settings,
        _ name: String,
        _ flags: [String],
        _ scheme: ProtocolServer.Scheme
    ) throws -> [ProtocolServer] {
        try settings.list(name, flags).map { text in
            guard let server = try? ProtocolServer(parsing: text), server.scheme == scheme, server.portNumber != nil
            else {
                // The message leaves out the text before the host, which may be a password.
                let shown =
                    text.lastIndex(of: "@").map { "…" + text[$0...] }
                    ?? (text.split(separator: ":").count > 2 ? "the given text" : text)
                throw Failure.configuration(
                    "--\(name): \(shown) is not the address of an \(scheme.rawValue.uppercased()) server, \(scheme.rawValue)://<fingerprint>@<host>[:<port>]"
                )
            }
            return server
        }
    }

    func coreConfiguration(
        _ settings: Settings,
        _ folder: String,
        _ relay: Relay?,
        _ fileRelay: FileRelay?
    ) throws -> ChatConfiguration {
        let named = try namedServers(settings)
        var (servers, fileServers) = (named.relays, named.fileServers)
        if servers.isEmpty, let relay { servers = [relay.address] }
        if fileServers.isEmpty, let fileRelay { fileServers = [fileRelay.address] }
        var configuration = ChatConfiguration(dataDirectory: folder, databaseKey: .none, servers: servers + fileServers)
        configuration.serverPresets = named.presets
        configuration.addsContactCards = try settings.isSet("contact-cards", contactCards)
        switch try settings.text("migrations", migrations) ?? "up" {
        case "up": configuration.upgradesSchema = true
        case "ask": configuration.upgradesSchema = false
        case "down":
            throw Failure.configuration(
                "--migrations must be up or ask: no version undoes migrations; use the earlier version with a copy made before the upgrade"
            )
        case let other: throw Failure.configuration("--migrations must be up or ask, not \(other)")
        }
        configuration.remoteHostAddress = try settings.text("host", host) ?? "127.0.0.1"
        if !named.notificationServers.isEmpty { configuration.notificationServers = named.notificationServers }
        if let size = try settings.count("journal-size", journalSize, upTo: 1_048_576) {
            configuration.journalRetention.bytes = UInt64(size) << 20
        }
        configuration.maxContactRequests =
            try settings.count("max-contact-requests", maxContactRequests) ?? configuration.maxContactRequests
        configuration.channelRelay = try channels.limits(settings)
        configuration.limits = try storeLimits.limits(settings)
        configuration.reader = .itself
        configuration.hidesFileNames = true
        return configuration
    }

    func gatewayConfiguration(
        _ settings: Settings,
        _ folder: String,
        _ budget: DescriptorBudget
    ) throws -> GatewayConfiguration {
        var configuration = GatewayConfiguration(folder: folder)
        configuration.http.host = try settings.text("host", host) ?? "127.0.0.1"
        configuration.http.port = try settings.port("port", port, default: 5225)
        configuration.http.connectionLimit = budget.connections
        configuration.http.connectionsPerAddress = budget.connectionsPerAddress
        configuration.http.streamLimit = budget.streams
        configuration.requestsPerKey = try settings.count("requests-per-key", requestsPerKey, upTo: 1_000_000)
        configuration.metricsStores =
            try settings.count("metrics-stores", metricsStores, upTo: 10_000) ?? configuration.metricsStores
        configuration.requestsPerAddress = try settings.count(
            "requests-per-address",
            requestsPerAddress,
            upTo: 1_000_000
        )
        configuration.allowedHosts = try settings.list("allow-host", allowHost)
        for host in configuration.allowedHosts where !HostPolicy.isHost(host) {
            throw Failure.configuration(
                "--allow-host \(host) can never match: a host is a name or an address, such as chat.example.org"
            )
        }
        configuration.allowedOrigins = try settings.list("allow-origin", allowOrigin)
        for origin in configuration.allowedOrigins where !HostPolicy.isOrigin(origin) {
            throw Failure.configuration(
                "--allow-origin \(origin) can never match: an origin is scheme://host[:port], such as https://example.org"
            )
        }
        let named = try namedServers(settings)
        configuration.usualServers = named.presets.rawValue
        configuration.offeredServers =
            try !named.relays.isEmpty || embedded.hasRelay(settings) ? ["relay", "network"] : ["network"]
        configuration.allowsPlainRemote = try settings.isSet("insecure-remote", insecureRemote)
        configuration.backups = try backups.schedule(settings, data: folder)
        configuration.openSocket = try settings.isSet("open-socket", openSocket)
        configuration.deliveries.allowedAddresses = try settings.list("webhook-allow", webhookAllow)
        configuration.deliveries.authorities = try settings.text("webhook-ca-file", webhookCaFile)
        if let file = configuration.deliveries.authorities { try refusePipe(file, "webhook-ca-file") }
        if let file = configuration.deliveries.authorities { try pem(file) }
        let previewed = try settings.list("link-preview-allow", linkPreviewAllow)
        if try settings.isSet("link-previews", linkPreviews) {
            configuration.linkPreviews = LinkPreviewSettings(allowedAddresses: previewed)
        } else if !previewed.isEmpty {
            throw Failure.configuration("--link-preview-allow needs --link-previews")
        }
        configuration.deliveries.pushContact = try settings.text("push-contact", pushContact)
        configuration.deliveries.connections = budget.deliveries
        configuration.logLevel = LogLevelControl(level: { LogThreshold.level }, set: LogThreshold.change)
        configuration.terminalPort = try settings.portIfAny("terminal-port", terminalPort)
        switch (try settings.path("tls-certificate", tlsCertificate), try settings.path("tls-key", tlsKey)) {
        case (let certificate?, let key?): configuration.http.tls = try tlsFiles(certificate, key)
        case (nil, nil): break
        default: throw Failure.configuration("--tls-certificate and --tls-key must be given together")
        }
        return configuration
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
            case .core(.wrongKey(let database)):
                throw Failure(code: 3, message: "the key does not open \(database); nothing was changed")
            case .core(.database(.newerSchema(let migration))):
                throw Failure(
                    code: 1,
                    message:
                        "the databases were written by a later version of this program (\(migration)), and were not changed: use that version, or a copy made before the upgrade"
                )
            case .core(.database(.olderSchema(let migrations))):
                throw Failure(
                    code: 1,
                    message:
                        "the databases are of an earlier version of this program (without \(migrations.first ?? "")), and were not changed: make a backup, then start with --migrations up"
                )
            case .core(.database(.full)):
                throw Failure(code: 1, message: "a database cannot be opened: there is no room on the disk")
            case .core(.database(.inputOutput)):
                throw Failure(
                    code: 1,
                    message:
                        "a database cannot be read or written; simplex-gateway check shows which one, and the missing rights"
                )
            case .core(.database(let error)):
                throw Failure(
                    code: 1,
                    message: "a database cannot be opened: \(error); simplex-gateway check shows which one"
                )
            case .core(.lost(let path)):
                throw Failure(
                    code: 1,
                    message:
                        "the databases of \(path) are missing or empty, and are not made again: put them back, or restore a copy. For a new store, name another data folder"
                )
            case .core(.copy(let reason)), .core(.other(let reason)):
                throw Failure(code: 1, message: "the databases cannot be opened: \(reason)")
            case .databaseKey(let error): throw Failure(error)
            case .http(.addressInUse): throw Failure(code: 4, message: error.description)
            case .http, .unsafeAddress, .openSocket, .deliveries: throw Failure.configuration(error.description)
            case .keys, .stores: throw Failure(code: 1, message: error.description)
            }
        }
    }
}
