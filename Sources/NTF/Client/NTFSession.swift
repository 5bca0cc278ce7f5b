package import NIOCore
import NIOPosix
package import SMP
package import SimpleXCrypto
import Transport

/// One connected session with a notification server after the handshake. The session ends when the connection breaks,
/// when no command was sent for a while, or when it is closed. The server answers commands in any order. Commands that
/// wait to be written at the same time share blocks.
///
/// Methods throw errors of the type that clients of relays also throw. ``SMP/SMPClientError/smp(_:)`` is an answer ERR
/// of the notification server.
package final class NTFSession: Sendable {
    private let parameters: SessionParameters
    private let configuration: SMPClientConfiguration
    private let channel: any Channel
    private let handler: NIOLoopBound<NTFSessionHandler>

    private init(
        _ parameters: SessionParameters,
        _ configuration: SMPClientConfiguration,
        _ channel: any Channel,
        _ handler: NIOLoopBound<NTFSessionHandler>
    ) {
        self.parameters = parameters
        self.configuration = configuration
        self.channel = channel
        self.handler = handler
    }

    deinit { channel.close(mode: .all, promise: nil) }

    /// Connects to the first host of `server` that answers, and performs the handshakes of TLS and of the protocol. The
    /// connection and the handshakes together must end within the configured time.
    /// - Parameter idleTime: the time without a command after which the session is closed.
    package static func openSession(
        to server: ProtocolServer,
        configuration: SMPClientConfiguration = SMPClientConfiguration(),
        patience: Patience = .background,
        idleTime: TimeAmount = .seconds(120),
        group: any EventLoopGroup
    ) async throws(SMPClientError) -> NTFSession {
        let deadline = NIODeadline.now() + configuration.connectTimeout(patience)
        return try await configuration.transport.tryRoutes(to: server, deadline: deadline) {
            route throws(SMPClientError) in
            do {
                let (channel, handler, parameters) = try await route.openChannel(
                    deadline: deadline,
                    group: group
                ) { (channel: any Channel, ready: EventLoopPromise<SessionParameters>) in
                    let handler = NTFSessionHandler(server: server, idleTime: idleTime, ready: ready)
                    let tls = try TLSHandler.makeClient(
                        expectedFingerprint: server.keyHash,
                        protocolName: TLSSession.notificationProtocol
                    )
                    try channel.pipeline.syncOperations.addHandlers(
                        tls,
                        BlockCodec(blockSize: NTFVersion.blockSize),
                        handler
                    )
                    return NIOLoopBound(handler, eventLoop: channel.eventLoop)
                }
                return NTFSession(parameters, configuration, channel, handler)
            } catch {
                throw SMPClientError(transportFailure: error)
            }
        }
    }

    /// Whether the session can still send commands.
    package var isOpen: Bool { channel.isActive }

    /// Sends a command, and returns the server's answer. Throws if the answer is ERR.
    package func sendCommand(
        _ command: NTFCommand,
        entityID: [UInt8] = [],
        key: AuthorizationPrivateKey? = nil,
        patience: Patience = .background
    ) async throws(SMPClientError) -> NTFResponse {
        let corrID = RandomBytes.make(count: BoxNonce.size)
        let transmission: [UInt8]
        do {
            let content = try TransmissionContent(corrID, entityID, parameters) { command.encode(to: &$0) }
            let authorization = try key.map { try content.makeAuthorization(by: $0, corrID: corrID, serverKey: nil) }
            transmission = content.encodeTransmission(authorization: authorization ?? [])
        } catch is SMPEncodingError {
            throw .transport(.largeMsg)
        } catch {
            throw .smp(.crypto)
        }
        let request = NTFSessionHandler.Request(corrID: corrID, entityID: entityID, transmission: transmission)
        let timeout = configuration.responseTimeout(patience)
        let answer = await withCheckedContinuation { continuation in
            channel.eventLoop.execute { [handler] in handler.value.queueRequest(request, timeout: timeout, continuation)
            }
        }
        return try answer.get()
    }

    /// Closes the connection. Waiting commands fail with ``SMP/SMPClientError/closed``.
    package func closeAndWait() async {
        channel.eventLoop.execute { [handler] in handler.value.close(.closed) }
        try? await channel.closeFuture.get()
    }
}
