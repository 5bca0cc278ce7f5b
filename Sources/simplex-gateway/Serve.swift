import ArgumentParser
import Concurrency
import Descriptors
import Files
import Gateway
import Logging

/// `simplex-gateway serve`: runs the gateway, its core (the chats of all stores) and its relays in one process.
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
        // A SIGHUP that arrives during the start takes effect after it: the configuration is then read again.
        StopSignal.keepHangupUntilHandled()
        let settings = try Settings(file: config)
        try startLogging(
            settings.readText("log-level", logLevel) ?? "notice",
            format: settings.readText("log-format", logFormat)
        )
        let path = try settings.readText("data", data) ?? DataFolder.findStandardPath()
        var start = try prepareStart(settings, path)
        // If the folder exists, another process may use it, and the program reports this before it checks the ports. A
        // new folder is made only after the check of the ports.
        let isNew = !DiskFiles.isFolder(path)
        if FolderCopies.isStoreCopy(path) { throw Failure.storeCopyFailure(path) }
        if isNew { try checkPorts(start.configuration, settings) }
        let web = try embedded.hasFileRelay(settings) ? embedded.readBrowserCertificate(settings) : nil
        let folder = try Self.openDataFolder(path)
        start.folder = folder.path
        if !isNew { try checkPorts(start.configuration, settings) }
        start.configuration.backupSchedule?.gatewayID = try Self.readGatewayID(of: folder.path)
        let openStores = Allowance(start.budget.openStores)
        let closesAfter = try nodes.readIdleTime(settings)
        let node = try nodes.makePlacementSettings(settings, folder.path, openStores)
        start.parts.broker = try broker.makeBroker(settings) { try nodes.readOrMakeGatewayName(settings, folder.path) }
        let first = try folder.openStore(keyFile: settings.readPath("database-key-file", databaseKeyFile))
        // The program may have to wait for the lease of this node, so it waits before it serves anything.
        if let node { start.parts.placement = try await .registerNode(node.1) }
        try await startRelays(web, &start)
        start.parts.register(in: &start.configuration)
        var stores = try makeStoreSettings(start)
        if let node { stores.folder = node.folder }
        (stores.openStoreLimit, stores.idleLimit) = (openStores, closesAfter)
        let gateway: GatewayServer
        do { gateway = try await startGateway(start.configuration, first, stores, start.group) } catch {
            await start.parts.stopAfterFailure()
            throw error
        }
        start.parts.spanExporter?.start()
        // A folder that a gateway uses is no longer a copy, so its list of contents is removed.
        CopyChecksums.removeListFiles(from: folder.path)
        try warnIfRelayIsUnreachable(start, stores.chatConfiguration)
        let tls = (
            certificate: try settings.readPath("tls-certificate", tlsCertificate),
            key: try settings.readPath("tls-key", tlsKey)
        )
        let watches = watchFiles(tls, web, gateway)
        StopSignal.expectStop()
        printAddresses(gateway, start, scheme: tls.certificate == nil ? "http" : "https")
        let manager = ServiceManager()
        manager?.notifyStarted()
        let signs = manager?.startWatchdogMessages(start.group)
        await StopSignal.waitForStop()
        manager?.notifyStopping()
        await gateway.stop()
        await start.parts.stop()
        let tasks = (watches + [signs]).compactMap(\.self)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        try? await start.group.shutdownGracefully()
    }
}
