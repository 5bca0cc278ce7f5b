import ArgumentParser
import Descriptors

/// The options that limit connections and open stores. Their defaults depend on the limit of open files.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help:
            "Maximal number of HTTP connections; a WebSocket counts as two, over TLS as four. (default: what the limit of open files allows)"
    )
    var maxConnections: Int?
    @Option(
        help: "Maximal number of connections from one address (IPv6: one /64) other than loopback. (default: a quarter)"
    )
    var maxConnectionsPerAddress: Int?
    @Option(
        help:
            "Maximal number of connections of the embedded relay's clients. (default: what the limit of open files allows)"
    )
    var maxRelayConnections: Int?
    @Option(
        help: "Maximal number of connections from one address (IPv6: one /64) other than loopback. (default: a quarter)"
    )
    var maxRelayConnectionsPerAddress: Int?
    @Option(
        help:
            "Maximal number of stores, including the first, that are open at the same time. Each needs 3 open files; the databases of unused stores are closed meanwhile. (default: as many as a quarter of the limit of open files allows)"
    )
    var maxOpenStores: Int?

    /// Raises this process's limit of file descriptors as far as the system permits, and divides them among the
    /// connections and stores.
    func makeBudget(_ settings: Settings, hasRelay: Bool, hasFileRelay: Bool) throws -> DescriptorBudget {
        var wishes = DescriptorBudget.Wishes()
        wishes.connections = try settings.readPositiveNumber("max-connections", maxConnections)
        wishes.connectionsPerAddress = try settings.readPositiveNumber(
            "max-connections-per-address",
            maxConnectionsPerAddress
        )
        wishes.relayConnections = try settings.readPositiveNumber("max-relay-connections", maxRelayConnections)
        wishes.relayConnectionsPerAddress = try settings.readPositiveNumber(
            "max-relay-connections-per-address",
            maxRelayConnectionsPerAddress
        )
        wishes.openStores = try settings.readPositiveNumber("max-open-stores", maxOpenStores)
        do throws(DescriptorBudget.Shortage) {
            return try .makeForGateway(
                limit: DescriptorLimit.raiseLimit(),
                hasRelay: hasRelay,
                hasFileRelay: hasFileRelay,
                wishes: wishes
            )
        } catch {
            throw Failure.configurationFailure(error.description)
        }
    }
}
