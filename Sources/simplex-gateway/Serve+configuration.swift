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

/// Makes the configurations of the gateway and its core from the options.
extension Serve {
    /// Returns each host of the servers, with its port.
    static func collectHostsAndPorts(of servers: [ProtocolServer]) -> [(host: String, port: Int)] {
        servers.flatMap { server in server.hosts.map { ($0.description, server.portNumber.map(Int.init) ?? 0) } }
    }

    /// Reads and checks options before files are made or services are started, including options that are used later.
    /// The callers read the options of the log, of Redis, of the bucket of files and of the collector of spans.
    /// - Parameters:
    ///   - path: the data folder, which may not exist yet.
    ///   - given: the listening socket from the service manager; nil without such a socket.
    func readOptions(
        _ settings: Settings,
        _ path: String,
        _ given: InheritedSocket?,
        _ group: any EventLoopGroup
    ) throws -> (configuration: GatewayConfiguration, budget: DescriptorBudget) {
        let budget = try connections.makeBudget(
            settings,
            hasRelay: embedded.hasRelay(settings),
            hasFileRelay: embedded.hasFileRelay(settings)
        )
        var configuration = try makeGatewayConfiguration(settings, path, budget)
        if let given {
            (configuration.http.listeningDescriptor, configuration.http.host, configuration.http.port) = (
                given.descriptor, given.host, given.port
            )
        }
        do throws(GatewayError) { try GatewayServer.checkConfiguration(configuration, group) } catch {
            throw Failure.configurationFailure(error.description)
        }
        _ = try makeCoreConfiguration(settings, path, nil, nil)
        try embedded.checkOptions(settings, path, budget, group)
        _ = try nodes.readIdleTime(settings)
        if let node = try nodes.readNode(settings, path) { _ = try nodes.readConnectionString(node) }
        // If the data folder exists, the key is not checked here. The later start checks the key, and reports a more
        // exact error.
        if let file = try settings.readPath("database-key-file", databaseKeyFile), !DiskFiles.isFolder(path) {
            do throws(FirstStoreError) { try FirstStore.checkKeyFile(keyFile: file) } catch {
                throw Failure.configurationFailure(error.description)
            }
        }
        return (configuration, budget)
    }

    /// Returns the addresses on which the program listens, each with the name of its use.
    /// - Parameter http: the address for HTTP; nil if the service manager has passed a listening socket.
    func readListeningAddresses(
        _ settings: Settings,
        http: (host: String, port: Int)?
    ) throws -> [(name: String, host: String, port: Int)] {
        var places = try (http.map { [("HTTP", $0.host, $0.port)] } ?? []) + embedded.readListeningAddresses(settings)
        if let port = try settings.readOptionalPort("terminal-port", terminalPort) {
            places.append(("the terminal's socket", "127.0.0.1", port))
        }
        for (name, host, port) in places
        where host != "localhost" && (try? SocketAddress(ipAddress: host, port: port)) == nil {
            // The host of a relay may be a host name of this machine. HTTP needs an IP address.
            guard name != "HTTP", (try? SocketAddress.makeAddressResolvingHost(host, port: port)) != nil else {
                throw Failure.configurationFailure("\(host) is not an IP address to listen on, for \(name)")
            }
        }
        for (index, one) in places.enumerated() where one.port != 0 {
            if let other = places[..<index].first(where: {
                $0.port == one.port
                    && ($0.host == one.host || [$0.host, one.host].contains { ["0.0.0.0", "::"].contains($0) })
            }) {
                throw Failure.configurationFailure("\(other.name) and \(one.name) have the same port, \(one.port)")
            }
        }
        return places
    }

    /// Throws an error if another process uses a configured port. It is called before services are started, and before
    /// a new data folder is made.
    func checkPorts(_ configuration: GatewayConfiguration, _ settings: Settings) throws {
        let http = configuration.http
        for (name, host, port) in try readListeningAddresses(
            settings,
            http: http.listeningDescriptor == nil ? (http.host, http.port) : nil
        )
        where port != 0 && ListenSocket.isAddressInUse(host: host, port: port) {
            throw Failure(exitCode: 4, message: "\(host):\(port), the port of \(name), is in use by another process")
        }
    }

    /// The servers that the operator has configured, and the kind of servers that new profiles get.
    struct ConfiguredServers {
        var presets: ServerPresets
        var relays: [ProtocolServer]
        var fileServers: [ProtocolServer]
        var notificationServers: [ProtocolServer]
    }

    func readConfiguredServers(_ settings: Settings) throws -> ConfiguredServers {
        let relays = try parseServers(settings, "smp-server", smpServer, .smp)
        let fileServers = try parseServers(settings, "xftp-server", xftpServer, .xftp)
        let name = try settings.readText("servers", self.servers) ?? ServerPresets.relay.rawValue
        guard let presets = ServerPresets(rawValue: name) else {
            throw Failure.configurationFailure("--servers must be relay or network, not \(name)")
        }
        guard presets == .relay || relays.isEmpty else {
            throw Failure.configurationFailure("--smp-server cannot be given with --servers network")
        }
        guard presets == .relay || fileServers.isEmpty else {
            throw Failure.configurationFailure("--xftp-server cannot be given with --servers network")
        }
        guard try !relays.isEmpty || presets == .network || embedded.hasRelay(settings) else {
            throw Failure.configurationFailure(
                "without the embedded relay, --smp-server or --servers network is needed"
            )
        }
        return ConfiguredServers(
            presets: presets,
            relays: relays,
            fileServers: fileServers,
            notificationServers: try parseServers(settings, "ntf-server", ntfServer, .ntf)
        )
    }

    func makeCoreConfiguration(
        _ settings: Settings,
        _ folder: String,
        _ relay: Relay?,
        _ fileRelay: FileRelay?
    ) throws -> ChatConfiguration {
        let named = try readConfiguredServers(settings)
        var (servers, fileServers) = (named.relays, named.fileServers)
        if servers.isEmpty, let relay { servers = [relay.address] }
        if fileServers.isEmpty, let fileRelay { fileServers = [fileRelay.address] }
        var configuration = ChatConfiguration(dataDirectory: folder, databaseKey: .none, servers: servers + fileServers)
        configuration.serverPresets = named.presets
        configuration.addsContactCards = try settings.isSet("contact-cards", contactCards)
        switch try settings.readText("migrations", migrations) ?? "up" {
        case "up": configuration.upgradesSchema = true
        case "ask": configuration.upgradesSchema = false
        case "down":
            throw Failure.configurationFailure(
                "--migrations must be up or ask: no version undoes migrations; use the earlier version with a copy made before the upgrade"
            )
        case let other: throw Failure.configurationFailure("--migrations must be up or ask, not \(other)")
        }
        configuration.remoteHostAddress = try settings.readText("host", host) ?? "127.0.0.1"
        if !named.notificationServers.isEmpty { configuration.notificationServers = named.notificationServers }
        if let size = try settings.readPositiveNumber("journal-size", journalSize, upTo: 1_048_576) {
            configuration.journalRetention.maxBytes = UInt64(size) << 20
        }
        configuration.maxContactRequests =
            try settings.readPositiveNumber("max-contact-requests", maxContactRequests)
            ?? configuration.maxContactRequests
        configuration.channelRelayLimits = try channels.readLimits(settings)
        configuration.storeLimits = try storeLimits.readLimits(settings)
        configuration.readerProgram = .runningProgram
        configuration.hidesFileNames = true
        return configuration
    }

    func makeGatewayConfiguration(
        _ settings: Settings,
        _ folder: String,
        _ budget: DescriptorBudget
    ) throws -> GatewayConfiguration {
        var configuration = GatewayConfiguration(folder: folder)
        configuration.http.host = try settings.readText("host", host) ?? "127.0.0.1"
        configuration.http.port = try settings.readPort("port", port, default: 5225)
        configuration.http.maxClientDescriptors = budget.connections
        configuration.http.maxConnectionsPerAddress = budget.connectionsPerAddress
        configuration.http.maxStreams = budget.streams
        configuration.keyRequestsPerSecond = try settings.readPositiveNumber(
            "requests-per-key",
            requestsPerKey,
            upTo: 1_000_000
        )
        configuration.maxStoresInMetrics =
            try settings.readPositiveNumber("metrics-stores", metricsStores, upTo: 10_000)
            ?? configuration.maxStoresInMetrics
        configuration.addressRequestsPerSecond = try settings.readPositiveNumber(
            "requests-per-address",
            requestsPerAddress,
            upTo: 1_000_000
        )
        configuration.allowedHosts = try settings.readList("allow-host", allowHost)
        for host in configuration.allowedHosts where !HostPolicy.isHost(host) {
            throw Failure.configurationFailure(
                "--allow-host \(host) can never match: a host is a name or an address, such as chat.example.org"
            )
        }
        configuration.allowedOrigins = try settings.readList("allow-origin", allowOrigin)
        for origin in configuration.allowedOrigins where !HostPolicy.isOrigin(origin) {
            throw Failure.configurationFailure(
                "--allow-origin \(origin) can never match: an origin is scheme://host[:port], such as https://example.org"
            )
        }
        let named = try readConfiguredServers(settings)
        configuration.defaultServerPreset = named.presets.rawValue
        configuration.offeredServerPresets =
            try !named.relays.isEmpty || embedded.hasRelay(settings) ? ["relay", "network"] : ["network"]
        configuration.allowsRemoteWithoutTLS = try settings.isSet("insecure-remote", insecureRemote)
        configuration.backupSchedule = try backups.readSchedule(settings, data: folder)
        configuration.allowsKeylessSocket = try settings.isSet("open-socket", openSocket)
        configuration.deliverySettings.allowedAddresses = try settings.readList("webhook-allow", webhookAllow)
        configuration.deliverySettings.authorityFile = try settings.readText("webhook-ca-file", webhookCaFile)
        if let file = configuration.deliverySettings.authorityFile { try refusePipe(file, "webhook-ca-file") }
        if let file = configuration.deliverySettings.authorityFile { try readPEM(file) }
        configuration.linkPreviews = try readLinkPreviews(settings)
        configuration.deliverySettings.pushContact = try settings.readText("push-contact", pushContact)
        configuration.deliverySettings.maxConnections = budget.deliveryConnections
        configuration.logLevelControl = LogLevelControl(level: { LogThreshold.level }, set: LogThreshold.changeLevel)
        configuration.terminalPort = try settings.readOptionalPort("terminal-port", terminalPort)
        switch (try settings.readPath("tls-certificate", tlsCertificate), try settings.readPath("tls-key", tlsKey)) {
        case (let certificate?, let key?): configuration.http.tls = try readTLSFiles(certificate, key)
        case (nil, nil): break
        default: throw Failure.configurationFailure("--tls-certificate and --tls-key must be given together")
        }
        return configuration
    }

    private func readLinkPreviews(_ settings: Settings) throws -> LinkPreviewSettings? {
        let allowed = try settings.readList("link-preview-allow", linkPreviewAllow)
        if try settings.isSet("link-previews", linkPreviews) { return LinkPreviewSettings(allowedAddresses: allowed) }
        guard allowed.isEmpty else {
            throw Failure.configurationFailure("--link-preview-allow needs --link-previews")
        }
        return nil
    }

    private func parseServers(
        _ settings: Settings,
        _ name: String,
        _ flags: [String],
        _ scheme: ProtocolServer.Scheme
    ) throws -> [ProtocolServer] {
        try settings.readList(name, flags).map { text in
            guard let server = try? ProtocolServer(parsing: text), server.scheme == scheme, server.portNumber != nil
            else {
                // The message leaves out the text before the host, because this text may be a password.
                let shown =
                    text.lastIndex(of: "@").map { "…" + text[$0...] }
                    ?? (text.split(separator: ":").count > 2 ? "the given text" : text)
                throw Failure.configurationFailure(
                    "--\(name): \(shown) is not the address of an \(scheme.rawValue.uppercased()) server, \(scheme.rawValue)://<fingerprint>@<host>[:<port>]"
                )
            }
            return server
        }
    }
}
