public import NIOCore
public import SimpleXCrypto
public import Transport

/// Events of a session besides the answers to its commands.
public enum SMPSessionEvent: Sendable {
    /// A message of the relay without a command: MSG, END, DELD and the like; also a MSG that is the answer to SUB or
    /// ACK.
    case received(entityID: [UInt8], BrokerMessage)
    /// The last event of a session.
    case closed(SMPClientError)
}

/// One connected and handshaken session with a relay. It lives until the connection breaks or it is closed.
///
/// Commands are answered in any order; each finds its answer by correlation id. Commands given while others wait to be
/// written share a block with them.
public final class SMPSession: Sendable {
    public let parameters: SessionParameters
    public let server: ProtocolServer
    /// The one of the server's hosts that was connected to.
    public let host: TransportHost
    /// The versions that the relay offers, and the proof of its session key. A proxy passes both to its clients.
    public let serverVersions: ProtocolVersionRange
    public let certificateKey: CertificateChainKey?
    /// The Diffie-Hellman secret of both session keys, with which a proxy encrypts what it forwards.
    public let sessionSecret: X25519.SharedSecret?
    /// The service as which the relay knows this client.
    public let service: ServiceSession?
    let configuration: SMPClientConfiguration
    private let serverKey: X25519.PublicKey?
    private let secrets = SessionSecrets()
    private let channel: any Channel
    private let handler: NIOLoopBound<SMPSessionHandler>

    init(
        result: HandshakeResult,
        service: ServiceSession?,
        server: ProtocolServer,
        host: TransportHost,
        configuration: SMPClientConfiguration,
        channel: any Channel,
        handler: NIOLoopBound<SMPSessionHandler>
    ) {
        parameters = result.session
        serverVersions = result.serverVersions ?? result.versions
        certificateKey = result.certificateKey
        sessionSecret = result.sessionSecret
        serverKey = result.serverKey
        self.service = service
        self.server = server
        self.host = host
        self.configuration = configuration
        self.channel = channel
        self.handler = handler
    }

    deinit {
        channel.close(mode: .all, promise: nil)
    }

    /// Sends all `requests`, in as few blocks as possible, and returns their answers in the same order. ERR is a
    /// failure here.
    ///
    /// - Parameters:
    ///   - patience: selects one of the configuration's times for the answers.
    ///   - timeout: time limit for the answers, in place of the configured one.
    public func send(
        _ requests: [SMPRequest],
        patience: Patience = .background,
        timeout: TimeAmount? = nil
    ) async -> [Result<BrokerMessage, SMPClientError>] {
        var results = [Result<BrokerMessage, SMPClientError>?](repeating: nil, count: requests.count)
        var prepared: [PreparedRequest] = []
        var positions: [Int] = []
        for (index, request) in requests.enumerated() {
            do throws(SMPClientError) {
                prepared.append(
                    try PreparedRequest(
                        request,
                        session: parameters,
                        serverKey: serverKey,
                        service: service,
                        secrets: secrets
                    )
                )
                positions.append(index)
            } catch {
                results[index] = .failure(error)
            }
        }
        if !prepared.isEmpty {
            let bytes = prepared.reduce(0) { $0 + $1.transmission.count }
            let timeout =
                (timeout ?? configuration.responseTimeout(patience)) + configuration.transport.timeoutPerKilobyte
                * (bytes / 1024)
            let answers = await withCheckedContinuation { continuation in
                let prepared = prepared
                channel.eventLoop.execute { [handler] in handler.value.send(prepared, timeout: timeout, continuation) }
            }
            for (position, answer) in zip(positions, answers) { results[position] = answer }
        }
        return results.map { $0 ?? .failure(.closed) }
    }

    /// Sends one request and returns its answer.
    public func send(
        _ request: SMPRequest,
        patience: Patience = .background,
        timeout: TimeAmount? = nil
    ) async throws(SMPClientError) -> BrokerMessage {
        guard let result = await send([request], patience: patience, timeout: timeout).first else { throw .closed }
        return try result.get()
    }

    /// Closes the connection without waiting for it.
    func discard() {
        channel.eventLoop.execute { [handler] in handler.value.close(.closed) }
    }

    /// Closes the connection. Commands that wait fail with ``SMPClientError/closed``.
    public func close() async {
        channel.eventLoop.execute { [handler] in handler.value.close(.closed) }
        try? await channel.closeFuture.get()
    }
}
