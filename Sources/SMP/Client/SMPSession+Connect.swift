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
        let isWeb = configuration.webPorts.serve(server)
        guard let port = isWeb ? 443 : server.portNumber else { throw .network(.connect("no port")) }
        let deadline = NIODeadline.now() + configuration.currentConnectTimeout
        var failure = SMPClientError.network(.connect("no host that can be reached without a proxy"))
        for host in try configuration.hostChoice.candidates(server.hosts, socks: configuration.socks) {
            let socks = configuration.socks.flatMap { $0.serves(host) ? $0 : nil }
            if host.isOnion, socks == nil { continue }
            do throws(SMPClientError) {
                return try await connect(Way(host: host, port: port, isWeb: isWeb, socks: socks), server, configuration, deadline: deadline, group, onEvent)
            } catch {
                failure = error
                // Another host of the same server would have the same identity and versions.
                guard case .network = error, NIODeadline.now() < deadline else { throw error }
            }
        }
        throw failure
    }

    /// How one host is reached.
    private struct Way {
        var host: TransportHost
        var port: UInt16
        var isWeb: Bool
        var socks: SOCKSProxy?

        /// What is connected to, by TCP.
        var peer: (host: String, port: Int) {
            socks.map { ($0.host, Int($0.port)) } ?? (host.str, Int(port))
        }

        func protocolName(_ configuration: SMPClientConfiguration) -> String? {
            if isWeb { return TLSSession.webProtocol }
            return configuration.offersProtocol ? TLSSession.smpProtocol : nil
        }
    }

    private static func connect(
        _ way: Way, _ server: ProtocolServer, _ configuration: SMPClientConfiguration, deadline: NIODeadline,
        _ group: any EventLoopGroup, _ onEvent: @escaping @Sendable (SMPSessionEvent) -> Void
    ) async throws(SMPClientError) -> SMPSession {
        do {
            var bootstrap = ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connectTimeout(max(deadline - .now(), .milliseconds(1)))
            for (option, value) in configuration.keepAlive?.options ?? [] { bootstrap = bootstrap.channelOption(option, value: value) }
            let (channel, handler, ready) = try await bootstrap.connect(host: way.peer.host, port: way.peer.port) { channel in
                let ready = channel.eventLoop.makePromise(of: SMPSessionHandler.Agreed.self)
                return channel.eventLoop.makeCompletedFuture {
                    let handler = SMPSessionHandler(
                        server: server, configuration: configuration, ready: ready, onEvent: onEvent)
                    let tls = try TLSHandler.client(
                        expectedFingerprint: server.keyHash, protocolName: way.protocolName(configuration), service: configuration.service)
                    if let socks = way.socks {
                        try channel.pipeline.syncOperations.addHandler(
                            SOCKSHandler(host: way.host, port: way.port, credentials: socks.credentials))
                    }
                    try channel.pipeline.syncOperations.addHandlers(tls, BlockCodec(), handler)
                    return (channel, NIOLoopBound(handler, eventLoop: channel.eventLoop), ready.futureResult)
                }.flatMapErrorThrowing { error in
                    // The channel was closed meanwhile: there is no handler that would keep the promise.
                    ready.fail(error)
                    throw error
                }
            }
            let timeout = channel.eventLoop.scheduleTask(deadline: deadline) { handler.value.close(.timeout) }
            defer { timeout.cancel() }
            let agreed = try await ready.get()
            return SMPSession(
                result: agreed.result, service: agreed.service, server: server, host: way.host, configuration: configuration, channel: channel,
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
        case let error as SOCKSError: self = .network(.connect(error.text))
        case let error as ChannelError:
            if case .connectTimeout = error { self = .timeout } else { self = .network(.failed) }
        case let error as NIOConnectionError:
            // Why none of the host's addresses answers, or that it has none.
            let reason = error.connectionErrors.last?.error ?? error.dnsAError ?? error.dnsAAAAError
            self = .network(.connect(reason.map { "\($0)" } ?? "no address"))
        case let error as IOError: self = .network(.connect("\(error)"))
        default: self = .network(.connect(String(describing: type(of: error))))
        }
    }
}

extension TLSError {
    fileprivate var clientError: SMPClientError {
        switch self {
        case .identityMismatch: .network(.unknownCA)
        case .noApplicationProtocol: .transport(.version)
        case .handshakeTimeout: .timeout
        case .handshakeFailed(let reason), .invalidChain(let reason), .protocolViolation(let reason), .configuration(let reason):
            .network(.tls(reason))
        case .truncated, .closed: .network(.failed)
        }
    }
}
