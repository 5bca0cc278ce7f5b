package import NIOCore
import NIOPosix
import Transport

extension SMPSession {
    /// Connects to the first host of `server` that answers, and performs the handshakes of TLS and SMP. The connection
    /// and the handshakes together must end within the configured time.
    ///
    /// - Parameter onEvent: a function that is called on the session's event loop, in order, and must not block. The
    ///   first event can come before this function returns. No event comes when this function throws.
    package static func connect(
        to server: ProtocolServer,
        configuration: SMPClientConfiguration = SMPClientConfiguration(),
        patience: Patience = .background,
        group: any EventLoopGroup,
        onEvent: @escaping @Sendable (SMPSessionEvent) -> Void
    ) async throws(SMPClientError) -> SMPSession {
        let deadline = NIODeadline.now() + configuration.connectTimeout(patience)
        return try await configuration.transport.tryRoutes(to: server, deadline: deadline) {
            route throws(SMPClientError) in
            try await connect(route, server, configuration, deadline: deadline, group, onEvent)
        }
    }

    private static func connect(
        _ route: ServerRoute,
        _ server: ProtocolServer,
        _ configuration: SMPClientConfiguration,
        deadline: NIODeadline,
        _ group: any EventLoopGroup,
        _ onEvent: @escaping @Sendable (SMPSessionEvent) -> Void
    ) async throws(SMPClientError) -> SMPSession {
        let protocolName =
            route.usesWebPort
            ? TLSSession.webProtocol : configuration.offersApplicationProtocol ? TLSSession.smpProtocol : nil
        do {
            let (channel, handler, agreed) = try await route.openChannel(
                deadline: deadline,
                group: group
            ) { (channel: any Channel, ready: EventLoopPromise<SMPSessionHandler.AgreedSession>) in
                let handler = SMPSessionHandler(
                    server: server,
                    configuration: configuration,
                    ready: ready,
                    onEvent: onEvent
                )
                let tls = try TLSHandler.makeClient(
                    expectedFingerprint: server.keyHash,
                    protocolName: protocolName,
                    identity: configuration.serviceCredentials?.identity
                )
                try channel.pipeline.syncOperations.addHandlers(tls, BlockCodec(), handler)
                return NIOLoopBound(handler, eventLoop: channel.eventLoop)
            }
            return SMPSession(
                result: agreed.result,
                service: agreed.service,
                server: server,
                host: route.host,
                configuration: configuration,
                channel: channel,
                handler: handler
            )
        } catch {
            throw SMPClientError(transportFailure: error)
        }
    }
}

extension SMPClientError {
    /// Converts an error of the connection, such as an error of TCP or TLS, into the error with which waiting commands
    /// fail.
    package init(transportFailure error: any Error) {
        switch error {
        case let error as SMPClientError: self = error
        case let error as SMPTransportError: self = .transport(error)
        case let error as TLSError: self = error.clientError
        case let error as SOCKSError: self = .network(.connect(error.text))
        case let error as ChannelError:
            if case .connectTimeout = error { self = .timeout } else { self = .network(.failed) }
        case let error as NIOConnectionError:
            // The reason why no address of the host answers, or why the host has no address.
            let reason = error.connectionErrors.last?.error ?? error.dnsAError ?? error.dnsAAAAError
            self = .network(.connect(reason.map(Self.makeSystemErrorText) ?? "no address"))
        case let error as NoConnectionLeft: self = .network(.connect(error.description))
        case let error as IOError: self = .network(.connect(Self.makeSystemErrorText(of: error)))
        default: self = .network(.connect(String(describing: type(of: error))))
        }
    }

    /// Returns the system's text for an error.
    private static func makeSystemErrorText(of error: any Error) -> String {
        switch error {
        case let error as IOError: error.reason
        case is SocketAddressError.UnknownHost: "its name cannot be resolved"
        default: "\(error)"
        }
    }
}

extension TLSError {
    fileprivate var clientError: SMPClientError {
        switch self {
        case .identityMismatch: .network(.unknownCA)
        case .handshakeTimeout: .timeout
        case .handshakeFailed(let reason), .invalidChain(let reason), .protocolViolation(let reason),
            .configuration(let reason):
            .network(.tls(reason))
        case .connectionTruncated, .alreadyClosed, .tooManyUnsentBytes: .network(.failed)
        }
    }
}
