import ArgumentParser
import Descriptors
import Gateway
import NIOCore
import NIOPosix
import RelayBase
import SMP
import SMPRelay
import XFTPRelay

/// The options of the relays that `serve` starts in the same process as the gateway.
struct EmbeddedRelayOptions: ParsableArguments {
    @Option(
        help:
            "Port of the embedded relay; 0 chooses a free one at each start, for tests: links and connections keep the port of their time. (default: 5223)"
    )
    var relayPort: Int?
    @Option(help: "Address that the embedded relays listen on. (default: 127.0.0.1)")
    var relayHost: String?
    @Option(help: "Name or address at which others reach the embedded relays; links name it. (default: --relay-host)")
    var relayPublicHost: String?
    @Option(
        help:
            "File with the password, without spaces, @, : and /, that clients need to create queues or files on the embedded relays: smp://FINGERPRINT:PASSWORD@HOST. (default: no password)"
    )
    var relayPasswordFile: String?
    @Option(help: "Maximal number of messages in a queue of the embedded relay. (default: 128)")
    var relayQuota: Int?
    @Option(help: "Maximal number of queues of the embedded relay. (default: 1000000)")
    var relayMaxQueues: Int?
    @Option(help: "Maximal size in MiB of all data behind short links on the embedded relay. (default: 256)")
    var relayMaxLinkData: Int?
    @Option(
        help:
            "JSON file with names that the embedded relay resolves: {\"alice.simplex\": {\"simplexContact\": [\"<short link>\"]}}; read at the start. (default: no names)"
    )
    var relayNames: String?
    @OptionGroup var nameResolver: NameResolverOptions
    @Flag(help: "Start without the embedded relays. Then --smp-server or --servers network is needed.")
    var noRelay = false
    @Option(help: "Port of the embedded file relay; 0 chooses a free one. (default: 5443, or 0 with --relay-port 0)")
    var fileRelayPort: Int?
    @Flag(help: "Start without the embedded file relay.")
    var noFileRelay = false
    @Option(
        help:
            "TLS certificate chain (PEM) of a public authority, which the embedded file relay shows to browsers, so that web pages can send and receive files. The certificate and its key are read again when the files change, and at SIGHUP. (default: none)"
    )
    var fileRelayWebCertificate: String?
    @Option(help: "Private key (PEM, RSA or ECDSA) of that certificate.")
    var fileRelayWebKey: String?
    @OptionGroup var fileLimits: FileRelayOptions

    func hasRelay(_ settings: Settings) throws -> Bool { try !settings.isSet("no-relay", noRelay) }

    func hasFileRelay(_ settings: Settings) throws -> Bool {
        try hasRelay(settings) && !settings.isSet("no-file-relay", noFileRelay)
    }

    /// Returns whether the embedded relays are configured. If an option is wrong, the relay counts as configured, since
    /// another check reports the wrong option.
    func areRelaysConfigured(_ settings: Settings) -> (relay: Bool, fileRelay: Bool) {
        ((try? hasRelay(settings)) ?? true, (try? hasFileRelay(settings)) ?? true)
    }

    /// Returns the addresses on which the embedded relays listen.
    func readListeningAddresses(_ settings: Settings) throws -> [(name: String, host: String, port: Int)] {
        var ports: [(name: String, host: String, port: Int)] = []
        if try hasRelay(settings) { ports.append(("the relay", try readHost(settings), try readRelayPort(settings))) }
        if try hasFileRelay(settings) {
            ports.append(("the file relay", try readHost(settings), try readFileRelayPort(settings)))
        }
        return ports
    }

    private func readRelayPort(_ settings: Settings) throws -> Int {
        try settings.readPort("relay-port", relayPort, default: 5223)
    }

    /// Returns the port of the embedded file relay. Without the option, any free port is used if the SMP relay also
    /// uses any free port.
    private func readFileRelayPort(_ settings: Settings) throws -> Int {
        try settings.readPort("file-relay-port", fileRelayPort, default: readRelayPort(settings) == 0 ? 0 : 5443)
    }

    /// Returns the address that the embedded SMP relay will have when it runs; nil when no SMP relay is configured, and
    /// when the options name no host that an address can contain. The port is 0 if a free port is chosen at the start.
    /// - Parameter keyHash: the fingerprint of the relay's certificate; nil for a relay without a certificate yet.
    func readExpectedRelayAddress(_ settings: Settings, keyHash: [UInt8]?) throws -> ProtocolServer? {
        let (port, publicHost) = (
            try readRelayPort(settings), try settings.readText("relay-public-host", relayPublicHost)
        )
        guard try hasRelay(settings),
            let host = try? RelayAddress.chooseHost(publicHost: publicHost, host: readHost(settings))
        else { return nil }
        return ProtocolServer(
            scheme: .smp,
            hosts: [host],
            port: String(port),
            keyHash: keyHash ?? [UInt8](repeating: 0, count: 32)
        )
    }

    /// Starts the embedded SMP relay.
    /// - Parameter reach: decides to which relays clients may send through this relay. It applies only if the public
    ///   network can reach this relay.
    func startRelay(
        _ settings: Settings,
        _ folder: String,
        _ budget: DescriptorBudget,
        _ reach: RelayAddressPolicy,
        _ group: MultiThreadedEventLoopGroup
    ) async throws -> Relay {
        var configuration = try makeRelayConfiguration(settings, folder, budget)
        configuration.restrictForwarding(within: reach)
        let resolver = try nameResolver.applyResolver(settings, to: &configuration, group)
        let relay = try await runRelay(configuration, group, publicHostOption: "--relay-public-host")
        await warnIfResolverFails(resolver)
        return relay
    }

    /// Checks the options of the embedded relays, and throws an error if an option is wrong.
    func checkOptions(
        _ settings: Settings,
        _ folder: String,
        _ budget: DescriptorBudget,
        _ group: any EventLoopGroup
    ) throws {
        if try hasRelay(settings) {
            var configuration = try makeRelayConfiguration(settings, folder, budget)
            _ = try nameResolver.applyResolver(settings, to: &configuration, group)
            do throws(RelayError) {
                _ = try RelayAddress.chooseHost(publicHost: configuration.publicHost, host: configuration.host)
            } catch {
                throw Failure("relay", configuration.host, configuration.port, error, "--relay-public-host")
            }
        }
        if try hasFileRelay(settings) {
            _ = try makeFileRelayConfiguration(settings, folder, budget, readBrowserCertificate(settings))
        }
    }

    private func makeRelayConfiguration(
        _ settings: Settings,
        _ folder: String,
        _ budget: DescriptorBudget
    ) throws -> RelayConfiguration {
        var configuration = RelayConfiguration(
            directory: folder + "/relay",
            host: try readHost(settings),
            port: try readRelayPort(settings)
        )
        configuration.publicHost = try settings.readText("relay-public-host", relayPublicHost)
        configuration.createPassword = try readCreatePassword(settings)
        try configuration.setLimits(
            quota: settings.readPositiveNumber("relay-quota", relayQuota),
            queues: settings.readPositiveNumber("relay-max-queues", relayMaxQueues),
            linkMebibytes: settings.readPositiveNumber("relay-max-link-data", relayMaxLinkData, upTo: 1 << 20)
        )
        configuration.nameRecords = try settings.readText("relay-names", relayNames).map {
            try readRelayNames($0, "relay-names")
        }
        configuration.limitConnections(to: budget)
        return configuration
    }

    func readBrowserCertificate(_ settings: Settings) throws -> BrowserCertificate? {
        try BrowserCertificate(
            settings,
            certificate: ("file-relay-web-certificate", fileRelayWebCertificate),
            key: ("file-relay-web-key", fileRelayWebKey)
        )
    }

    func startFileRelay(
        _ settings: Settings,
        _ folder: String,
        _ budget: DescriptorBudget,
        _ web: BrowserCertificate?,
        _ group: MultiThreadedEventLoopGroup
    ) async throws -> FileRelay {
        try await runFileRelay(
            makeFileRelayConfiguration(settings, folder, budget, web),
            group,
            publicHostOption: "--relay-public-host"
        )
    }

    private func makeFileRelayConfiguration(
        _ settings: Settings,
        _ folder: String,
        _ budget: DescriptorBudget,
        _ web: BrowserCertificate?
    ) throws -> FileRelayConfiguration {
        var configuration = FileRelayConfiguration(
            directory: folder + "/file-relay",
            host: try readHost(settings),
            port: try readFileRelayPort(settings)
        )
        configuration.publicHost = try settings.readText("relay-public-host", relayPublicHost)
        configuration.createPassword = try readCreatePassword(settings)
        configuration.webCertificate = web?.certificate
        try fileLimits.applyLimits(settings, to: &configuration)
        configuration.maxConnections = budget.fileRelayConnections
        configuration.maxConnectionsPerAddress = max(budget.fileRelayConnections / 4, 1)
        return configuration
    }

    /// Returns whether links contain a host that only this machine can use, such as `localhost`.
    func linksContainLoopbackHost(_ settings: Settings) throws -> Bool {
        try SourceAddress.isLoopbackHost(
            settings.readText("relay-public-host", relayPublicHost) ?? readHost(settings)
        )
    }

    private func readHost(_ settings: Settings) throws -> String {
        try settings.readText("relay-host", relayHost) ?? "127.0.0.1"
    }

    private func readCreatePassword(_ settings: Settings) throws -> String? {
        try settings.readPath("relay-password-file", relayPasswordFile).map { try readRelayPassword($0) }
    }
}

extension RelayConfiguration {
    /// Sets the limits that the operator has chosen. Nil leaves a limit unchanged.
    mutating func setLimits(quota: Int?, queues: Int?, linkMebibytes: Int?) {
        maxMessagesPerQueue = quota ?? maxMessagesPerQueue
        maxQueues = queues ?? maxQueues
        maxLinkBytes = linkMebibytes.map { $0 << 20 } ?? maxLinkBytes
    }

    /// Restricts the relays to which clients may send through this relay. A relay of an inner network gets no
    /// restriction, because its clients and the other relays are in this network too.
    mutating func restrictForwarding(within reach: RelayAddressPolicy) {
        guard !RelayAddressPolicy.isInInnerNetwork(host: publicHost ?? host) else { return }
        addressRule = { reach.permits($0, $1, $2) }
    }

    /// Limits the connections of the relay to its part of the file descriptors.
    mutating func limitConnections(to budget: DescriptorBudget) {
        maxConnections = budget.relayConnections
        maxConnectionsPerAddress = budget.relayConnectionsPerAddress
        maxProxiedRelays = budget.proxiedRelays
    }
}
