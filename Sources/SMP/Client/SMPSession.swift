package import NIOCore
package import SimpleXCrypto
package import Transport

/// Events of a session other than the answers to its commands.
package enum SMPSessionEvent: Sendable {
    /// A message that the relay sends without a command, such as MSG, END or DELD. This event also reports a MSG that
    /// answers SUB or ACK.
    case received(entityID: [UInt8], BrokerMessage)
    /// The last event of a session.
    case closed(SMPClientError)
}

/// One connected session with a relay after the handshake. The session ends when the connection breaks or is closed.
///
/// The relay answers commands in any order. The correlation id assigns each answer to its command. Commands that wait
/// to be written at the same time share a block.
package final class SMPSession: Sendable {
    package let parameters: SessionParameters
    package let server: ProtocolServer
    /// The host of the server to which the session is connected.
    package let host: TransportHost
    /// The versions that the relay offers. A proxy passes these versions to its clients.
    package let serverVersions: ProtocolVersionRange
    /// The certificates of the relay, and its session key, which is signed with the key of the first certificate. A
    /// proxy passes these values to its clients.
    package let certificateKey: CertificateChainKey?
    /// The Diffie-Hellman secret from the session keys of client and relay. With this secret, a proxy encrypts the
    /// commands that it forwards.
    package let sessionSecret: X25519.SharedSecret?
    /// The identity of this client at the relay, if the client is a service.
    package let serviceSession: ServiceSession?
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
        self.serviceSession = service
        self.server = server
        self.host = host
        self.configuration = configuration
        self.channel = channel
        self.handler = handler
    }

    deinit {
        channel.close(mode: .all, promise: nil)
    }

    /// Sends all `requests`, in as few blocks as possible, and returns their answers in the same order. An error answer
    /// (ERR) is returned as a failure.
    ///
    /// - Parameters:
    ///   - patience: whether a user waits; selects the time limit for the answers.
    ///   - timeout: the time limit for the answers; nil for the configured time.
    package func sendRequests(
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
                        service: serviceSession,
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
                channel.eventLoop.execute { [handler] in
                    handler.value.enqueueRequests(prepared, timeout: timeout, continuation)
                }
            }
            for (position, answer) in zip(positions, answers) { results[position] = answer }
        }
        return results.map { $0 ?? .failure(.closed) }
    }

    /// Sends one request and returns its answer.
    package func sendRequest(
        _ request: SMPRequest,
        patience: Patience = .background,
        timeout: TimeAmount? = nil
    ) async throws(SMPClientError) -> BrokerMessage {
        guard let result = await sendRequests([request], patience: patience, timeout: timeout).first else {
            throw .closed
        }
        return try result.get()
    }

    /// The address and port to which the session is connected. Behind a SOCKS proxy, the address is the host name of
    /// the relay.
    var peerAddress: (host: String, port: Int) {
        let isBehindSOCKS = configuration.transport.socks?.isUsedFor(host) ?? false
        let address = isBehindSOCKS ? nil : channel.remoteAddress?.ipAddress
        return (address ?? host.description, server.portNumber.map(Int.init) ?? 0)
    }

    /// Closes the connection, and does not wait until it is closed.
    func closeWithoutWaiting() {
        channel.eventLoop.execute { [handler] in handler.value.close(.closed) }
    }

    /// Closes the connection, and waits until it is closed. Waiting commands fail with ``SMPClientError/closed``.
    package func close() async {
        channel.eventLoop.execute { [handler] in handler.value.close(.closed) }
        try? await channel.closeFuture.get()
    }
}
