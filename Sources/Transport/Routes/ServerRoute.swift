import Descriptors
package import NIOCore
import NIOPosix

/// The path of a connection to one host of a server: directly or through a SOCKS proxy.
package struct ServerRoute: Sendable {
    package var host: TransportHost
    private var port: UInt16
    /// Whether the web port is used. At this port, relays also accept ``TLSSession/webProtocol`` as their protocol.
    package var usesWebPort: Bool
    private var socks: SOCKSProxy?
    private var keepAlive: TCPKeepAlive?
    private var connectionAllowance: Allowance?
    /// The function that decides whether a connection to an address is permitted, from
    /// ``TransportConfiguration/addressRule``. Nil permits any address.
    var addressRule: TransportConfiguration.AddressRule?

    init(
        host: TransportHost,
        port: UInt16,
        isWeb: Bool,
        socks: SOCKSProxy?,
        keepAlive: TCPKeepAlive?,
        connections: Allowance?
    ) {
        self.host = host
        self.port = port
        self.usesWebPort = isWeb
        self.socks = socks
        self.keepAlive = keepAlive
        self.connectionAllowance = connections
    }

    /// Connects by TCP to the server or the proxy. `initialize` adds the handlers on the channel's event loop, after
    /// the handler for the proxy.
    package func openConnection<Output: Sendable>(
        deadline: NIODeadline,
        group: any EventLoopGroup,
        initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
    ) async throws -> Output {
        var bootstrap = ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connectTimeout(max(deadline - .now(), .milliseconds(1)))
        for (option, value) in keepAlive?.options ?? [] { bootstrap = bootstrap.channelOption(option, value: value) }
        let (peer, peerPort) = socks.map { ($0.host, Int($0.port)) } ?? (host.description, Int(port))
        return try await bootstrap.connect(host: peer, port: peerPort) { [addressRule] channel in
            do {
                if let addressRule {
                    try channel.pipeline.syncOperations.addHandler(AddressGate { addressRule(peer, peerPort, $0) })
                }
                // A host with several addresses has several channels at first. Each channel counts as a connection
                // until it is closed.
                if let connectionAllowance {
                    guard connectionAllowance.takeUnit() else {
                        throw NoConnectionLeft(limit: connectionAllowance.maxUnits)
                    }
                    channel.closeFuture.whenComplete { _ in connectionAllowance.returnUnit() }
                }
                if let socks {
                    try channel.pipeline.syncOperations.addHandler(
                        SOCKSHandler(host: host, port: port, credentials: socks.credentials)
                    )
                }
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return initialize(channel)
        }
    }
}

/// The error when all connections that the process may have are in use. A later attempt may succeed.
package struct NoConnectionLeft: Error, CustomStringConvertible {
    let limit: Int
    package var description: String {
        "all \(limit) connections to relays that the limit of open files allows are in use"
    }
}
