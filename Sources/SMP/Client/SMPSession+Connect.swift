public import NIOCore
import NIOPosix

extension SMPSession {
    /// Connects to `server` (to the first of its hosts that answers), with TLS and handshake, within the configured time.
    ///
    /// - Parameter onEvent: is called on the session's event loop, in order, and must not block. The first event can come before this
    ///   function returns; none comes when it throws.
    public static func connect(
        to server: ProtocolServer, configuration: SMPClientConfiguration = SMPClientConfiguration(),
        group: any EventLoopGroup, onEvent: @escaping @Sendable (SMPSessionEvent) -> Void
    ) async throws(SMPClientError) -> SMPSession {
        guard let port = server.portNumber else { throw .network(.connect("no port")) }
        let deadline = NIODeadline.now() + configuration.connectTimeout
        var failure = SMPClientError.network(.connect("no host that can be reached without a proxy"))
        for host in server.hosts {
            if case .onion = host { continue }
            do throws(SMPClientError) {
                return try await connect(
                    host: host.str, port: Int(port), server, configuration, deadline: deadline, group, onEvent)
            } catch {
                failure = error
                // Another host of the same server would have the same identity and versions.
                guard case .network = error, NIODeadline.now() < deadline else { throw error }
            }
        }
        throw failure
    }

    private static func connect(
        host: String, port: Int, _ server: ProtocolServer, _ configuration: SMPClientConfiguration, deadline: NIODeadline,
        _ group: any EventLoopGroup, _ onEvent: @escaping @Sendable (SMPSessionEvent) -> Void
    ) async throws(SMPClientError) -> SMPSession {
        do {
            let bootstrap = ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connectTimeout(max(deadline - .now(), .milliseconds(1)))
            let (channel, handler, ready) = try await bootstrap.connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let ready = channel.eventLoop.makePromise(of: SMPSessionHandler.Agreed.self)
                    let handler = SMPSessionHandler(
                        server: server, configuration: configuration, ready: ready, onEvent: onEvent)
                    let tls = try TLSHandler.client(
                        expectedFingerprint: server.keyHash, offersProtocol: configuration.offersProtocol, service: configuration.service)
                    try channel.pipeline.syncOperations.addHandlers(tls, BlockCodec(), handler)
                    return (channel, NIOLoopBound(handler, eventLoop: channel.eventLoop), ready.futureResult)
                }
            }
            let timeout = channel.eventLoop.scheduleTask(deadline: deadline) { handler.value.close(.timeout) }
            defer { timeout.cancel() }
            let agreed = try await ready.get()
            return SMPSession(
                result: agreed.result, service: agreed.service, server: server, configuration: configuration, channel: channel,
                handler: handler)
        } catch {
            throw SMPClientError(transportFailure: error)
        }
    }
}

extension SMPClientError {
    /// What an error of the layers below means for those who sent commands.
    init(transportFailure error: any Error) {
        switch error {
        case let error as SMPClientError: self = error
        case let error as TransportError: self = .transport(error)
        case let error as TLSError: self = error.clientError
        case let error as ChannelError:
            if case .connectTimeout = error { self = .timeout } else { self = .network(.failed) }
        default: self = .network(.connect(String(describing: type(of: error))))
        }
    }
}

extension TLSError {
    fileprivate var clientError: SMPClientError {
        switch self {
        case .identityMismatch: .transport(.handshake(.identity))
        case .invalidChain: .transport(.handshake(.badAuth))
        case .noApplicationProtocol: .transport(.version)
        case .handshakeTimeout: .timeout
        case .handshakeFailed(let reason), .protocolViolation(let reason), .configuration(let reason): .network(.tls(reason))
        case .truncated, .closed: .network(.failed)
        }
    }
}
