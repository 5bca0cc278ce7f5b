import ArgumentParser
import Descriptors

/// How many clients may be connected: what the limit of open files allows, or less.
struct ConnectionOptions: ParsableArguments {
    @Option(help: "HTTP connections at a time; a WebSocket counts twice, over TLS four times. (default: what the limit of open files allows)")
    var maxConnections: Int?
    @Option(help: "Of these, connections from one address (IPv6: one /64) that is not loopback. (default: a quarter)")
    var maxConnectionsPerAddress: Int?
    @Option(help: "Connections of the embedded relay's clients at a time. (default: what the limit of open files allows)")
    var maxRelayConnections: Int?
    @Option(help: "Of these, connections from one address (IPv6: one /64) that is not loopback. (default: a quarter)")
    var maxRelayConnectionsPerAddress: Int?

    /// How descriptors are shared out in this process, whose limit is raised as far as it may be.
    func budget(_ settings: Settings, hasRelay: Bool) throws -> DescriptorBudget {
        var wishes = DescriptorBudget.Wishes()
        wishes.connections = try settings.count("max-connections", maxConnections)
        wishes.connectionsPerAddress = try settings.count("max-connections-per-address", maxConnectionsPerAddress)
        wishes.relayConnections = try settings.count("max-relay-connections", maxRelayConnections)
        wishes.relayConnectionsPerAddress = try settings.count("max-relay-connections-per-address", maxRelayConnectionsPerAddress)
        do throws(DescriptorBudget.Shortage) {
            return try .gateway(limit: DescriptorLimit.raise(), hasRelay: hasRelay, wishes: wishes)
        } catch {
            throw Failure.configuration(error.description)
        }
    }
}
