internal import NIOCore
package import NIOPosix
package import SMP
internal import SimpleXCrypto
internal import Synchronization
internal import Testing
package import Transport

/// A relay over real TLS on a port of this machine whose behaviour the test decides.
package final class WaywardRelay: Sendable {
    /// The behaviour of the relay towards a connected client.
    package enum Behaviour: Sendable {
        /// Sends nothing after TLS.
        case silent
        /// Sends a garbage block instead of its hello.
        case garbageHello
        /// Sends some bytes of a block, then closes the connection.
        case closesInsideHello
        /// Completes the handshake, then answers each transmission with the replies of the closure. The second argument
        /// of the closure is the number of the connection, from 1.
        case answers(@Sendable (ReceivedTransmission, Int) -> [Reply])
    }

    package enum Reply: Sendable {
        case answer(BrokerMessage)
        /// An event of an entity, or an answer with the id of another entity.
        case message(BrokerMessage, corrID: [UInt8], entityID: [UInt8])
        /// The content of an answer, which need not be a message of the protocol.
        case raw([UInt8])
        case garbageBlock
        case closeInsideBlock
        case close
    }

    package static let group = MultiThreadedEventLoopGroup.singleton
    package let server: ProtocolServer
    private let channel: any Channel

    package static func start(_ behaviour: Behaviour, port: Int = 0) async throws -> WaywardRelay {
        try await WaywardRelay(
            behaviour,
            credentials: ServerCredentials.generateCredentials(algorithm: .ed25519).credentials,
            port: port
        )
    }

    package init(_ behaviour: Behaviour, credentials: ServerCredentials, port: Int = 0) async throws {
        let tls = try TLSServerConfiguration(credentials)
        let connections = ConnectionCounter()
        channel = try await ServerBootstrap(group: Self.group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = WaywardRelayHandler(behaviour, credentials, connection: connections.nextNumber())
                    try channel.pipeline.syncOperations.addHandlers(TLSHandler.makeServer(tls), BlockCodec(), handler)
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        let bound = channel.localAddress?.port ?? 0
        server = try #require(
            ProtocolServer(
                hosts: [.ipv4([127, 0, 0, 1])],
                port: String(bound),
                keyHash: credentials.fingerprint
            )
        )
    }

    package func stop() async { try? await channel.close() }
}

/// Gives each connection a number, from 1.
private final class ConnectionCounter: Sendable {
    private let count = Atomic(0)
    func nextNumber() -> Int { count.add(1, ordering: .relaxed).newValue }
}

private final class WaywardRelayHandler: ChannelInboundHandler {
    typealias InboundIn = [UInt8]
    typealias OutboundOut = [UInt8]

    private let behaviour: WaywardRelay.Behaviour
    private let credentials: ServerCredentials
    private let connectionNumber: Int
    private var handshake: ServerHandshake?
    private var handshakeResult: HandshakeResult?

    init(_ behaviour: WaywardRelay.Behaviour, _ credentials: ServerCredentials, connection: Int) {
        self.behaviour = behaviour
        self.credentials = credentials
        self.connectionNumber = connection
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let tls) = event as? TLSEvent else { return }
        switch behaviour {
        case .silent: break
        case .garbageHello: send([UInt8](repeating: 0x41, count: BlockCipher.blockSize), context)
        case .closesInsideHello: sendPartialBlock(context)
        case .answers: sendHello(tls, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func sendHello(_ tls: TLSSession, _ context: ChannelHandlerContext) {
        guard let key = try? X25519.PrivateKey(),
            let signed = try? SignedSessionKey(key.publicKey, signedWith: credentials.leafKey)
        else { return context.close(promise: nil) }
        let handshake = ServerHandshake(
            sessionID: tls.channelBinding,
            keyHash: credentials.fingerprint,
            certificateKey: CertificateChainKey(certificates: credentials.certificates, signedKey: signed),
            key: key
        )
        self.handshake = handshake
        var blocks = BlockCipher()
        guard let hello = try? blocks.seal(handshake.hello.smpEncoded()) else { return }
        send(hello, context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let block = unwrapInboundIn(data)
        guard var session = handshakeResult else {
            var blocks = BlockCipher()
            guard let content = try? blocks.open(block) else { return }
            handshakeResult = try? handshake?.acceptClientHello(clientHello: content)
            return
        }
        guard case .answers(let answers) = behaviour, let content = try? session.blockCipher.open(block),
            let parts = try? TransmissionBatch.parseTransmissions(content)
        else { return context.close(promise: nil) }
        handshakeResult = session
        for part in parts {
            guard let received = try? ReceivedTransmission(parsing: part, session: session.session) else { continue }
            for reply in answers(received, connectionNumber) { sendReply(reply, to: received, context) }
        }
    }

    private func sendReply(
        _ reply: WaywardRelay.Reply,
        to received: ReceivedTransmission,
        _ context: ChannelHandlerContext
    ) {
        guard var session = handshakeResult else { return }
        let transmission: [UInt8]?
        switch reply {
        case .answer(let message):
            transmission = try? TransmissionContent(
                message,
                corrID: received.corrID,
                entityID: received.entityID,
                session: session.session
            ).encodeTransmission()
        case .message(let message, let corrID, let entityID):
            transmission = try? TransmissionContent(
                message,
                corrID: corrID,
                entityID: entityID,
                session: session.session
            ).encodeTransmission()
        case .raw(let command):
            var writer = ByteWriter()
            writer.writeShortBytes([])
            writer.writeShortBytes(received.corrID)
            writer.writeShortBytes(received.entityID)
            writer.writeRaw(command)
            transmission = writer.bytes
        case .garbageBlock:
            return send([UInt8](repeating: 0x42, count: BlockCipher.blockSize), context)
        case .closeInsideBlock: return sendPartialBlock(context)
        case .close: return context.close(promise: nil)
        }
        guard let transmission, case .block(let content, _) = TransmissionBatch.splitIntoBlocks([transmission]).first,
            let block = try? session.blockCipher.seal(content)
        else { return }
        handshakeResult = session
        send(block, context)
    }

    private func send(_ block: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(block), promise: nil)
    }

    /// Sends part of a block past the codec, directly to TLS, then closes the connection.
    private func sendPartialBlock(_ context: ChannelHandlerContext) {
        guard let codec = try? context.pipeline.syncOperations.context(handlerType: BlockCodec.self) else { return }
        codec.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: [1, 2, 3])), promise: nil)
        context.close(promise: nil)
    }
}
