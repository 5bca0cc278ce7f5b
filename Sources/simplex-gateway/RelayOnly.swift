import ArgumentParser
import Descriptors
import Gateway
import NIOPosix
import RelayBase
import SMP
import SMPRelay
import XFTPRelay

/// `simplex-gateway relay`: starts only an SMP relay or a file relay, for other machines to use.
struct RelayOnly: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Start only a relay: of messages (SMP), or of files (XFTP).",
        discussion: """
            For example, relays for other machines: simplex-gateway relay --host 0.0.0.0 --public-host smp.example.org \
            --password-file password, and simplex-gateway relay --files --host 0.0.0.0 --public-host xftp.example.org \
            --password-file password --file-quota 102400
            """
    )

    @Flag(help: "Start a relay of files instead of one of messages.")
    var files = false
    @Option(
        help:
            "Folder of the relay's certificates, queues or files. (default: ~/.local/share/simplex-gateway/relay, or file-relay)"
    )
    var data: String?
    @Option(help: "Address to listen on. (default: 127.0.0.1)")
    var host: String?
    @Option(help: "Name or address at which others reach the relay, if it differs from --host. (default: --host)")
    var publicHost: String?
    @Option(help: "Port to listen on; 0 chooses a free one. (default: 5223, for files 5443)")
    var port: Int?
    @Option(
        help:
            "File with the password, without spaces, @, : and /, that clients need to create queues or files: smp://FINGERPRINT:PASSWORD@HOST. (default: no password)"
    )
    var passwordFile: String?
    @Option(help: "Maximal number of messages in a queue. (default: 128)")
    var quota: Int?
    @Option(help: "Maximal number of queues. (default: 1000000)")
    var maxQueues: Int?
    @Option(help: "Maximal size in MiB of all data behind short links. (default: 256)")
    var maxLinkData: Int?
    @Option(
        help:
            "JSON file with names that the relay resolves: {\"alice.simplex\": {\"simplexContact\": [\"<short link>\"]}}; read at the start. (default: no names)"
    )
    var names: String?
    @OptionGroup var nameResolver: NameResolverOptions
    @Option(
        help:
            "Address or range of an inner network, such as 10.0.0.0/8, to which clients may send through a relay with a public name or address; may be repeated. (default: none)"
    )
    var forwardAllow: [String] = []
    @OptionGroup var fileRelay: FileRelayOptions
    @Option(
        help:
            "TLS certificate chain (PEM) of a public authority, which the relay of files shows to browsers, so that web pages can send and receive files. The certificate and its key are read again when the files change, and at SIGHUP. (default: none)"
    )
    var webCertificate: String?
    @Option(help: "Private key (PEM, RSA or ECDSA) of that certificate.")
    var webKey: String?
    @Option(help: "Port on 127.0.0.1 that serves statistics for Prometheus; 0 chooses a free one. (default: none)")
    var metricsPort: Int?
    @Option(help: "Maximal number of connections. (default: what the limit of open files allows)")
    var maxConnections: Int?
    @Option(
        help: "Maximal number of connections from one address (IPv6: one /64) other than loopback. (default: a quarter)"
    )
    var maxConnectionsPerAddress: Int?
    @Option(help: "JSON file with options, with the names shown here.")
    var config: String?
    @Option(help: "trace, debug, info, notice, warning, error or critical. (default: notice)")
    var logLevel: String?
    @Option(help: "Form of log lines, and of the addresses on standard output: text or json. (default: text)")
    var logFormat: String?

    func run() async throws {
        try await exitOnFailure {
            let settings = try Settings(file: config)
            try startLogging(
                settings.readText("log-level", logLevel) ?? "notice",
                format: settings.readText("log-format", logFormat)
            )
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
            if try settings.isSet("files", files) {
                try await runFilesRelay(settings, group)
            } else {
                try await runMessageRelay(settings, group)
            }
            try? await group.shutdownGracefully()
        }
    }

    private func runMessageRelay(_ settings: Settings, _ group: MultiThreadedEventLoopGroup) async throws {
        try refuseOptions(["file-quota", "file-hours"], [fileRelay.fileQuota, fileRelay.fileHours], "needs --files")
        try refuseOptions(["web-certificate", "web-key"], [webCertificate, webKey], "needs --files")
        let path = try settings.readText("data", data) ?? DataFolder.findStandardPath() + "/relay"
        var configuration = RelayConfiguration(
            directory: path,
            host: try settings.readText("host", host) ?? "127.0.0.1",
            port: try settings.readPort("port", port, default: 5223)
        )
        configuration.publicHost = try settings.readText("public-host", publicHost)
        if let file = try settings.readText("password-file", passwordFile) {
            configuration.createPassword = try readRelayPassword(file)
        }
        try configuration.setLimits(
            quota: settings.readPositiveNumber("quota", quota),
            queues: settings.readPositiveNumber("max-queues", maxQueues),
            linkMebibytes: settings.readPositiveNumber("max-link-data", maxLinkData, upTo: 1 << 20)
        )
        configuration.nameRecords = try settings.readText("names", names).map { try readRelayNames($0, "names") }
        configuration.limitConnections(to: try makeBudget(settings))
        configuration.metricsPort = try settings.readOptionalPort("metrics-port", metricsPort)
        let allowed = try settings.readList("forward-allow", forwardAllow)
        for text in allowed where !RelayAddressPolicy.isAddressRange(text) {
            throw Failure.configurationFailure(
                "--forward-allow \(text) is not an address or a range, such as 10.0.0.0/8"
            )
        }
        configuration.restrictForwarding(within: RelayAddressPolicy(allowed: allowed, named: []))
        let resolver = try nameResolver.applyResolver(settings, to: &configuration, group)
        let folder = try DataFolder(path)
        let relay = try await runRelay(configuration, group, publicHostOption: "--public-host")
        await warnIfResolverFails(resolver)
        await announceUntilStopped(("Relay", "\(relay.address)"), metrics: relay.metricsPort)
        await relay.stopAndWait()
        _ = consume folder
    }

    private func runFilesRelay(_ settings: Settings, _ group: MultiThreadedEventLoopGroup) async throws {
        try refuseOptions(
            ["quota", "max-queues", "max-link-data", "names", "name-resolver", "name-resolver-auth", "forward-allow"],
            [
                quota, maxQueues, maxLinkData, names, nameResolver.nameResolver, nameResolver.nameResolverAuth,
                forwardAllow.first,
            ],
            "cannot be given with --files"
        )
        let web = try BrowserCertificate(
            settings,
            certificate: ("web-certificate", webCertificate),
            key: ("web-key", webKey)
        )
        let path = try settings.readText("data", data) ?? DataFolder.findStandardPath() + "/file-relay"
        var configuration = FileRelayConfiguration(
            directory: path,
            host: try settings.readText("host", host) ?? "127.0.0.1",
            port: try settings.readPort("port", port, default: 5443)
        )
        configuration.publicHost = try settings.readText("public-host", publicHost)
        if let file = try settings.readText("password-file", passwordFile) {
            configuration.createPassword = try readRelayPassword(file)
        }
        try fileRelay.applyLimits(settings, to: &configuration)
        let budget = try makeBudget(settings)
        configuration.maxConnections = budget.relayConnections
        configuration.maxConnectionsPerAddress = budget.relayConnectionsPerAddress
        configuration.metricsPort = try settings.readOptionalPort("metrics-port", metricsPort)
        configuration.webCertificate = web?.certificate
        let folder = try DataFolder(path)
        let relay = try await runFileRelay(configuration, group, publicHostOption: "--public-host")
        let watch = web?.watchFiles()
        if let web { StopSignal.onHangup { web.reloadCertificate() } }
        await announceUntilStopped(("File relay", "\(relay.address)"), metrics: relay.metricsPort)
        watch?.cancel()
        await watch?.value
        await relay.stopAndWait()
        _ = consume folder
    }

    private func announceUntilStopped(_ relay: (title: String, value: String), metrics: Int?) async {
        StopSignal.expectStop()
        printFacts([relay] + (metrics.map { [("Metrics", "http://127.0.0.1:\($0)/metrics")] } ?? []))
        await StopSignal.waitForStop()
    }

    /// Throws an error if a flag is given that belongs to the other kind of relay. Values in the environment and the
    /// configuration file are not checked.
    private func refuseOptions(_ names: [String], _ flags: [(any Sendable)?], _ reason: String) throws {
        for (name, flag) in zip(names, flags) where flag != nil {
            throw Failure.configurationFailure("--\(name) \(reason)")
        }
    }
}

extension RelayOnly {
    private func makeBudget(_ settings: Settings) throws -> DescriptorBudget {
        var wishes = DescriptorBudget.Wishes()
        wishes.relayConnections = try settings.readPositiveNumber("max-connections", maxConnections)
        wishes.relayConnectionsPerAddress = try settings.readPositiveNumber(
            "max-connections-per-address",
            maxConnectionsPerAddress
        )
        do throws(DescriptorBudget.Shortage) {
            return try .makeForRelay(limit: DescriptorLimit.raiseLimit(), wishes: wishes)
        } catch {
            throw Failure.configurationFailure(error.description)
        }
    }
}

/// Starts an SMP relay, and converts an error of the relay to a ``Failure`` of the program.
/// - Parameter publicHostOption: the option with the public name of the relay, which an error names.
func runRelay(
    _ configuration: RelayConfiguration,
    _ group: MultiThreadedEventLoopGroup,
    publicHostOption: String
) async throws -> Relay {
    do throws(RelayError) {
        let relay = try await Relay.start(configuration: configuration, group: group)
        // Warnings are printed directly, so that they appear at any log level.
        for warning in relay.warnings { printWarning("\(warning)") }
        return relay
    } catch {
        throw Failure("relay", configuration.host, configuration.port, error, publicHostOption)
    }
}

/// Starts a file relay, and converts an error of the relay to a ``Failure`` of the program.
func runFileRelay(
    _ configuration: FileRelayConfiguration,
    _ group: MultiThreadedEventLoopGroup,
    publicHostOption: String
) async throws -> FileRelay {
    do throws(RelayError) {
        let relay = try await FileRelay.start(configuration: configuration, group: group)
        for warning in relay.warnings { printWarning("\(warning)") }
        return relay
    } catch {
        throw Failure("file relay", configuration.host, configuration.port, error, publicHostOption)
    }
}

extension Failure {
    init(_ relay: String, _ host: String, _ port: Int, _ error: RelayError, _ publicHostOption: String) {
        switch error {
        case .cannotListen(let reason):
            self.init(exitCode: 4, message: "the \(relay) cannot listen on \(host):\(port): \(reason)")
        case .noPublicHost(let host):
            self = .configurationFailure(
                "a relay on \(host) needs \(publicHostOption): the name or address at which others reach it, which its links contain"
            )
        case .invalidHost(let host): self = .configurationFailure("\(host) is not a name or address of a relay")
        case _ where error.isStorageFull:
            self.init(exitCode: 1, message: "the \(relay) does not start: there is no room on the disk")
        default: self.init(exitCode: 1, message: "the \(relay) does not start: \(error)")
        }
    }
}
