package import NIOCore
package import Transport

extension TransportConfiguration {
    /// Tries the hosts of a server in order, until one is connected or the time is over.
    package func tryRoutes<T>(
        to server: ProtocolServer,
        deadline: NIODeadline,
        _ attempt: (ServerRoute) async throws(SMPClientError) -> T
    ) async throws(SMPClientError) -> T {
        var failure = SMPClientError.network(.failed)
        for route in try routes(to: server) {
            do throws(SMPClientError) { return try await attempt(route) } catch {
                failure = error
                // Another host of the same server would have the same identity and versions.
                guard case .network = error, NIODeadline.now() < deadline else { throw error }
            }
        }
        throw failure
    }

    private func routes(to server: ProtocolServer) throws(SMPClientError) -> [ServerRoute] {
        guard let port = server.portNumber else { throw .network(.connect("no port")) }
        do throws(RouteError) {
            return try routes(hosts: server.hosts, port: port, isPortNamed: !server.port.isEmpty)
        } catch {
            switch error {
            case .incompatibleHosts: throw .incompatibleHost
            case .noReachableHost: throw .network(.connect("no host that can be reached without a proxy"))
            }
        }
    }
}
