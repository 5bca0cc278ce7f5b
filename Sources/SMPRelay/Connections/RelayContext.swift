import Clocks
import Descriptors
import Logging
import NIOCore
import RelayBase
import SMP
import Transport

/// The state that all sessions of a relay share.
final class RelayContext: Sendable {
    let configuration: RelayConfiguration
    let credentials: ServerCredentials
    let tlsConfiguration: TLSServerConfiguration
    let store: QueueStore
    let logger: Logger
    let loops: [ObjectIdentifier: LoopConnections]
    let connectionLimiter: ConnectionLimiter
    let notifications = Notifications()
    let counters = RelayCounters()
    let proxySessions: ProxySessions
    /// The requests to the operator's name resolver; nil without a resolver.
    let nameRequests: NameRequests?
    let password: CreationPassword

    init(
        configuration: RelayConfiguration,
        credentials: ServerCredentials,
        tls: TLSServerConfiguration,
        store: QueueStore,
        logger: Logger,
        loops: [LoopConnections],
        group: any EventLoopGroup
    ) {
        proxySessions = ProxySessions(configuration: configuration, group: group)
        nameRequests = configuration.nameResolver.map { NameRequests($0, limit: configuration.maxNameRequests) }
        connectionLimiter = configuration.makeConnectionLimiter()
        password = CreationPassword(configuration.createPassword)
        self.configuration = configuration
        self.credentials = credentials
        self.tlsConfiguration = tls
        self.store = store
        self.logger = logger
        self.loops = Dictionary(uniqueKeysWithValues: loops.map { (ObjectIdentifier($0.eventLoop), $0) })
    }
    /// Drops expired messages of all queues, in steps of a thousand queues. Commands wait at most one step for the
    /// lock.
    func expireMessages(from slot: Int = 0, on eventLoop: any EventLoop) {
        guard let next = store.expireMessages(from: slot, count: 1000, now: WallClock.seconds()) else { return }
        eventLoop.execute { self.expireMessages(from: next, on: eventLoop) }
    }
}
