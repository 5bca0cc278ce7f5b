import ArgumentParser
import Descriptors
import NIOPosix
import RelayBase
import SMPRelay

/// `simplex-gateway relay`: the relay alone, for other machines to use.
struct RelayOnly: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "relay", abstract: "Start the SMP relay alone.",
        discussion: """
            For example, a relay for other machines: simplex-gateway relay --host 0.0.0.0 --public-host smp.example.org \
            --password-file password
            """)

    @Option(help: "Folder of the relay's certificates and queues. (default: ~/.local/share/simplex-gateway/relay)")
    var data: String?
    @Option(help: "Address to listen on. (default: 127.0.0.1)")
    var host: String?
    @Option(help: "Name or address at which others reach the relay, if it differs from --host. (default: --host)")
    var publicHost: String?
    @Option(help: "Port to listen on; 0 chooses a free one. (default: 5223)")
    var port: Int?
    @Option(help: "File with the password that clients need to create queues. (default: no password)")
    var passwordFile: String?
    @Option(help: "Maximal number of messages in a queue. (default: 128)")
    var quota: Int?
    @Option(help: "Maximal number of queues. (default: 1000000)")
    var maxQueues: Int?
    @Option(help: "Maximal size in MiB of all data behind short links. (default: 256)")
    var maxLinkData: Int?
    @Option(help: "Port on 127.0.0.1 that serves statistics for Prometheus; 0 chooses a free one. (default: none)")
    var metricsPort: Int?
    @Option(help: "Maximal number of connections. (default: what the limit of open files allows)")
    var maxConnections: Int?
    @Option(help: "Maximal number of connections from one address (IPv6: one /64) other than loopback. (default: a quarter)")
    var maxConnectionsPerAddress: Int?
    @Option(help: "JSON file with options, named as here.")
    var config: String?
    @Option(help: "trace, debug, info, notice, warning, error or critical. (default: notice)")
    var logLevel: String?

    func run() async throws {
        try await exiting {
            let settings = try Settings(file: config)
            try startLogging(settings.text("log-level", logLevel) ?? "notice")
            let folder = try DataFolder(settings.text("data", data) ?? DataFolder.standardPath() + "/relay")
            var configuration = RelayConfiguration(
                directory: folder.path, host: try settings.text("host", host) ?? "127.0.0.1",
                port: try settings.port("port", port, default: 5223))
            configuration.publicHost = try settings.text("public-host", publicHost)
            if let file = try settings.text("password-file", passwordFile) { configuration.createPassword = try password(file) }
            if let quota = try settings.count("quota", quota) { configuration.queueQuota = quota }
            if let maxQueues = try settings.count("max-queues", maxQueues) { configuration.maxQueues = maxQueues }
            if let mebibytes = try settings.count("max-link-data", maxLinkData, upTo: 1 << 20) { configuration.maxLinkBytes = mebibytes << 20 }
            configuration.take(try budget(settings))
            if try settings.text("metrics-port", metricsPort.map(String.init)) != nil {
                configuration.metricsPort = try settings.port("metrics-port", metricsPort, default: 0)
            }
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
            let relay = try await runRelay(configuration, group)
            StopSignal.expect()
            standardOutput("Relay:       \(relay.address)")
            if let port = relay.metricsPort { standardOutput("Metrics:     http://127.0.0.1:\(port)/metrics") }
            await StopSignal.wait()
            await relay.stop()
            try? await group.shutdownGracefully()
        }
    }
}

extension RelayOnly {
    private func budget(_ settings: Settings) throws -> DescriptorBudget {
        var wishes = DescriptorBudget.Wishes()
        wishes.relayConnections = try settings.count("max-connections", maxConnections)
        wishes.relayConnectionsPerAddress = try settings.count("max-connections-per-address", maxConnectionsPerAddress)
        do throws(DescriptorBudget.Shortage) { return try .relay(limit: DescriptorLimit.raise(), wishes: wishes) } catch {
            throw Failure.configuration(error.description)
        }
    }
}

extension RelayConfiguration {
    /// Takes the shares of a relay.
    mutating func take(_ budget: DescriptorBudget) {
        maxConnections = budget.relayConnections
        maxConnectionsPerAddress = budget.relayConnectionsPerAddress
        maxProxiedRelays = budget.proxiedRelays
    }
}

/// Starts a relay; its errors become the program's.
func runRelay(_ configuration: RelayConfiguration, _ group: MultiThreadedEventLoopGroup) async throws -> Relay {
    do throws(RelayError) {
        let relay = try await Relay.start(configuration: configuration, group: group)
        // Printed at any log level.
        for warning in relay.warnings { standardError("simplex-gateway: warning: \(warning)") }
        return relay
    } catch {
        if case .listen(let reason) = error {
            throw Failure(code: 4, message: "the relay cannot listen on \(configuration.host):\(configuration.port): \(reason)")
        }
        if case .store(let error) = error, error.isFull {
            throw Failure(code: 1, message: "the relay does not start: there is no room on the disk")
        }
        throw Failure(code: 1, message: "the relay does not start: \(error)")
    }
}
