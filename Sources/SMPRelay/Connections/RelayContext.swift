import Descriptors
import Logging
import NIOCore
import SMP
import SimpleXCrypto

/// What all sessions of a relay share.
final class RelayContext: Sendable {
    let configuration: RelayConfiguration
    let credentials: ServerCredentials
    let tls: TLSServerConfiguration
    let store: QueueStore
    let logger: Logger
    let loops: [ObjectIdentifier: LoopConnections]
    let connections: ConnectionCount
    let notifications = Notifications()
    let counters = RelayCounters()
    let proxy: ProxySessions

    init(
        configuration: RelayConfiguration, credentials: ServerCredentials, tls: TLSServerConfiguration, store: QueueStore,
        logger: Logger, loops: [LoopConnections], group: any EventLoopGroup
    ) {
        proxy = ProxySessions(configuration: configuration, group: group)
        connections = ConnectionCount(limit: configuration.maxConnections, perAddress: configuration.maxConnectionsPerAddress)
        self.configuration = configuration
        self.credentials = credentials
        self.tls = tls
        self.store = store
        self.logger = logger
        self.loops = Dictionary(uniqueKeysWithValues: loops.map { (ObjectIdentifier($0.eventLoop), $0) })
    }

    /// Whether a client that gave this password may create queues. The time taken does not tell where the two differ.
    func mayCreate(password: String?) -> Bool {
        guard let required = configuration.createPassword else { return true }
        return constantTimeEquals(Digest.sha256(Array(required.utf8)), Digest.sha256(Array((password ?? "").utf8))) && password != nil
    }
}
