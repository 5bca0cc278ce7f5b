import NIOCore
import NIOPosix
import SMP
import SMPRelay
import SimpleXCrypto
import Testing
import Transport

/// A client that sends any bytes over TLS, with or without a handshake, and with or without block encryption.
final class RawClient: Sendable {
    private let channel: any Channel
    private let inbox: RelayInbox
    private let cipher: NIOLoopBoundBox<BlockCipher>
    let parameters: SessionParameters?
    /// The keys of the session: the relay's key, and the key of this client.
    let keys: (relay: X25519.PublicKey, own: X25519.PrivateKey)?

    /// Connects with the handshake of `version`, or without a handshake if it is nil.
    /// - Parameter receiveBuffer: bytes that the socket buffers while the client does not read; nil is the default of
    ///   the system.
    init(
        _ address: ProtocolServer,
        version: UInt16? = 11,
        protocolName: String = TLSSession.smpProtocol,
        receiveBuffer: Int? = nil
    ) async throws {
        let inbox = RelayInbox()
        self.inbox = inbox
        let port = Int(try #require(address.portNumber))
        var bootstrap = ClientBootstrap(group: TestRelay.group)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer))
        }
        channel =
            try await bootstrap
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        try TLSHandler.makeClient(expectedFingerprint: address.keyHash, protocolName: protocolName),
                        InboxHandler(inbox),
                    ])
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        cipher = .makeBoxSendingValue(BlockCipher(), eventLoop: channel.eventLoop)
        guard let version else {
            parameters = nil
            keys = nil
            return
        }
        guard case .session(let tls) = try await inbox.nextItem() else { throw SMPClientError.closed }
        let key = try X25519.PrivateKey()
        let handshake = ClientHandshake(
            sessionID: tls.channelBinding,
            keyHash: address.keyHash,
            leafCertificate: nil,
            versions: ProtocolVersionRange(version),
            key: key
        )
        let (hello, result) = try handshake.makeClientHello(
            serverHello: try BlockCipher.openUnencrypted(try await inbox.nextBlock())
        )
        parameters = result.session
        keys = (try #require(result.serverKey), key)
        try await send(try BlockCipher.sealUnencrypted(try hello.smpEncoded()))
        let cipher = cipher
        try await channel.eventLoop.submit { cipher.value = result.blockCipher }.get()
    }

    /// Sends bytes unchanged.
    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Sends a block of the session with any content.
    func sendBlock(_ content: [UInt8]) async throws {
        let cipher = cipher
        try await send(try await channel.eventLoop.submit { try cipher.value.seal(content) }.get())
    }

    func sendTransmission(_ bytes: [UInt8]) async throws {
        try await sendBlock([1, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes)
    }

    typealias Answer = (corrID: [UInt8], message: BrokerMessage)

    /// Returns the transmissions of the next block.
    func receiveAnswers() async throws -> [Answer] {
        let block = try await inbox.nextBlock()
        let cipher = cipher
        let content = try await channel.eventLoop.submit { try cipher.value.open(block) }.get()
        let parameters = try #require(parameters)
        return try TransmissionBatch.parseTransmissions(content).map { bytes in
            let transmission = try ReceivedTransmission(parsing: bytes, session: parameters)
            return (transmission.corrID, try transmission.parseBrokerMessage())
        }
    }

    /// Returns the transmission of the next block, which must have exactly one.
    func receiveAnswer() async throws -> Answer {
        let answers = try await receiveAnswers()
        #expect(answers.count == 1)
        return answers[0]
    }

    /// Starts or stops reading from the connection.
    func setReads(_ reads: Bool) async throws { try await channel.setOption(.autoRead, value: reads).get() }

    func close() async { try? await channel.close() }

    /// Returns when the relay has ended the connection.
    func waitUntilClosed() async throws { try await channel.closeFuture.get() }
}

extension BlockCipher {
    static func sealUnencrypted(_ content: [UInt8]) throws -> [UInt8] {
        var cipher = BlockCipher()
        return try cipher.seal(content)
    }

    static func openUnencrypted(_ block: [UInt8]) throws -> [UInt8] {
        var cipher = BlockCipher()
        return try cipher.open(block)
    }
}

/// Sessions and blocks from the relay, in order, for one reader.
final class RelayInbox: Sendable {
    enum Item: Sendable {
        case session(TLSSession)
        case block([UInt8])
    }
    private let stream: AsyncStream<Item>
    fileprivate let continuation: AsyncStream<Item>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func nextItem() async throws -> Item {
        var iterator = stream.makeAsyncIterator()
        guard let item = await iterator.next() else { throw SMPClientError.closed }
        return item
    }

    func nextBlock() async throws -> [UInt8] {
        while true {
            if case .block(let block) = try await nextItem() { return block }
        }
    }
}

private final class InboxHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let inbox: RelayInbox
    private var receivedBytes = ByteBuffer()

    init(_ inbox: RelayInbox) { self.inbox = inbox }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        receivedBytes.writeImmutableBuffer(unwrapInboundIn(data))
        while let block = receivedBytes.readBytes(length: BlockCipher.blockSize) {
            inbox.continuation.yield(.block(block))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSEvent.handshakeCompleted(let session) = event { inbox.continuation.yield(.session(session)) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) { inbox.continuation.finish() }
}
