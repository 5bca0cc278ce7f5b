package import NIOCore
package import Transport

extension TransportConfiguration {
    /// Calls `attempt` for the hosts of a server in order, until a call succeeds or the time is over. Only a network
    /// error permits the next host. Any other error of a call is thrown.
    package func tryRoutes<T>(
        to server: ProtocolServer,
        deadline: NIODeadline,
        _ attempt: (ServerRoute) async throws(SMPClientError) -> T
    ) async throws(SMPClientError) -> T {
        var failure = SMPClientError.network(.failed)
        for route in try makeRoutes(to: server) {
            do throws(SMPClientError) { return try await attempt(route) } catch {
                failure = error
                // Only a network error permits another host. After any other error, another host of the same server
                // would fail too, because it has the same identity and versions.
                guard case .network = error, NIODeadline.now() < deadline else { throw error }
            }
        }
        throw failure
    }

    private func makeRoutes(to server: ProtocolServer) throws(SMPClientError) -> [ServerRoute] {
        guard let port = server.portNumber else { throw .network(.connect("no port")) }
        do throws(RouteError) {
            return try makeRoutes(hosts: server.hosts, port: port, isPortNamed: !server.port.isEmpty)
        } catch {
            switch error {
            case .incompatibleHosts: throw .incompatibleHost
            case .noReachableHost: throw .network(.connect("no host that can be reached without a proxy"))
            }
        }
    }
}

extension ServerRoute {
    /// Connects, and waits until the handshakes are complete. At the deadline, the handlers get
    /// ``SMPClientError/timeout``.
    /// - Parameter addHandlers: adds the handlers of the connection. One of the handlers has to complete the given
    ///   promise at the end of the handshakes.
    package func openChannel<Handlers: Sendable, Agreed: Sendable>(
        deadline: NIODeadline,
        group: any EventLoopGroup,
        addHandlers: @escaping @Sendable (any Channel, EventLoopPromise<Agreed>) throws -> Handlers
    ) async throws -> (channel: any Channel, handlers: Handlers, agreed: Agreed) {
        let (channel, handlers, ready) = try await openConnection(deadline: deadline, group: group) { channel in
            let ready = channel.eventLoop.makePromise(of: Agreed.self)
            return channel.eventLoop.makeCompletedFuture {
                (channel, try addHandlers(channel, ready), ready.futureResult)
            }.flatMapErrorThrowing { error in
                // The handlers could not be added, for example because the channel was closed. So no handler can
                // complete the promise.
                ready.fail(error)
                throw error
            }
        }
        let timer = channel.eventLoop.scheduleTask(deadline: deadline) {
            channel.pipeline.fireErrorCaught(SMPClientError.timeout)
        }
        defer { timer.cancel() }
        return (channel, handlers, try await ready.get())
    }
}
