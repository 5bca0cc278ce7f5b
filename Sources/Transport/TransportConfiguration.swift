package import Descriptors
package import NIOCore

/// The settings of connections to servers, for all protocols.
package struct TransportConfiguration: Sendable {
    /// The common time limit for name resolution, TCP, TLS and the handshake.
    package var connectTimeout: TimeAmount = .seconds(20)
    /// Time limit from the sending of a command to its answer.
    package var responseTimeout: TimeAmount = .seconds(15)
    /// The time limit of connecting for interactive requests; nil for ``connectTimeout``.
    package var interactiveConnectTimeout: TimeAmount?
    /// The time limit of answers for interactive requests; nil for ``responseTimeout``.
    package var interactiveResponseTimeout: TimeAmount?
    /// The time that is added to the timeout for each kilobyte that is sent.
    package var timeoutPerKilobyte: TimeAmount = .zero
    package var keepAlive: TCPKeepAlive?
    package var hostChoice = HostChoice()
    package var socks: SOCKSProxy?
    package var webPortUse = WebPortUse.noRelays
    /// The limit on the number of connections of all clients in the process; nil for no limit.
    package var connectionAllowance: Allowance?

    /// A function that returns whether a client may connect to a server or proxy with this name and port at this
    /// address.
    package typealias AddressRule = @Sendable (_ host: String, _ port: Int, _ address: SocketAddress) -> Bool

    /// The rule for the addresses of servers and proxies; nil allows any address.
    package var addressRule: AddressRule?

    /// A function that returns the permitted hosts of a relay, before a client asks a forwarding relay (`proxy`) to
    /// connect to one of them. Nil permits all hosts of the relay.
    package typealias ForwardingRule =
        @Sendable (
            _ relay: (host: String, port: Int), _ proxy: (host: String, port: Int)
        ) async -> [String]?

    /// The rule for relays to which another relay forwards commands; nil allows any relay.
    package var forwardingRule: ForwardingRule?

    package init() {}

    /// Returns the routes to a server, in the order in which they are tried.
    /// - Parameter isPortNamed: whether the address of the server contains the port. If not, the web port may be used
    ///   instead.
    package func makeRoutes(hosts: [TransportHost], port: UInt16, isPortNamed: Bool) throws(RouteError) -> [ServerRoute]
    {
        let isWeb = !isPortNamed && webPortUse.appliesTo(hosts)
        let routes = try hostChoice.selectHosts(hosts, socks: socks).compactMap { host -> ServerRoute? in
            let socks = socks.flatMap { $0.isUsedFor(host) ? $0 : nil }
            if host.isOnion, socks == nil { return nil }
            var route = ServerRoute(
                host: host,
                port: isWeb ? 443 : port,
                isWeb: isWeb,
                socks: socks,
                keepAlive: keepAlive,
                connections: connectionAllowance
            )
            route.addressRule = addressRule
            return route
        }
        guard !routes.isEmpty else { throw .noReachableHost }
        return routes
    }

    /// Returns whether the user's IP address is hidden from the server even without a forwarding server: by a SOCKS
    /// proxy, or because the server is used as an onion service.
    package func hidesUserAddress(_ hosts: [TransportHost]) -> Bool {
        socks != nil || hostChoice.mode == .onion && hosts.contains(where: \.isOnion)
    }

    /// The settings with time limits that are 1.5 times as long, for slow networks.
    package var withLongTimeouts: TransportConfiguration {
        var configuration = self
        for time in [\Self.connectTimeout, \.responseTimeout, \.timeoutPerKilobyte] {
            configuration[keyPath: time] = .nanoseconds(self[keyPath: time].nanoseconds / 2 * 3)
        }
        for time in [\Self.interactiveConnectTimeout, \.interactiveResponseTimeout] {
            configuration[keyPath: time] = self[keyPath: time].map { .nanoseconds($0.nanoseconds / 2 * 3) }
        }
        return configuration
    }
}

/// The reason why a server has no route.
package enum RouteError: Error, Hashable, Sendable {
    /// The server has no host of the kind that the settings require.
    case incompatibleHosts
    /// The server has only onion hosts, and there is no proxy for them.
    case noReachableHost
}
