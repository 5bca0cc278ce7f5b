internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import SMP
internal import SimpleXCrypto
import Transport
internal import XFTP

/// Handles one connection: first the requests of the handshake, then the commands. The handler is above TLS, and only
/// the event loop uses it.
final class FileServerSession: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Answer {
        case body([UInt8])
        case silence
        /// The server sends a part of the answer, and then closes the connection.
        case cutOff
    }

    private enum State { case start, helloSent(XFTPServerHandshake), open(XFTPSessionParameters) }

    private let credentials: ServerCredentials
    private let store: ChunkStore
    private var state = State.start
    private var tls: TLSSession?
    private var fault: FileServer.Fault? { store.fault }

    init(_ credentials: ServerCredentials, _ store: ChunkStore) {
        self.credentials = credentials
        self.store = store
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let tls) = event as? TLSEvent {
            self.tls = tls
            if tls.applicationProtocol == nil {
                state = .open(XFTPSessionParameters(version: .initial, sessionID: tls.channelBinding))
            }
            switch fault {
            case .sendsBytes(let bytes): context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            case .floodsFrames(let frame):
                // The first frame is an empty SETTINGS frame, with which HTTP/2 begins.
                let bytes: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0] + (0..<20_000).flatMap { _ in frame }
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            default: break
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func answerRequest(_ body: [UInt8]) -> Answer {
        switch state {
        case .start:
            store.recordRequest("hello")
            return body.isEmpty ? makeHello() : .body([])
        case .helloSent(let handshake):
            store.recordRequest("hello")
            guard fault != .refusesHello, let session = try? handshake.acceptClientHello(clientHello: body) else {
                return .body((try? XFTPBlock.pad(Array("HANDSHAKE".utf8))) ?? [])
            }
            state = .open(session)
            return .body([])
        case .open(let session): return answerCommand(body, session)
        }
    }

    private func makeHello() -> Answer {
        guard let tls, let key = try? X25519.PrivateKey(), let stranger = try? Ed25519.PrivateKey(),
            let signed = try? SignedSessionKey(
                key.publicKey,
                signedWith: fault == .sendsForgedKey ? .ed25519(stranger) : credentials.leafKey
            )
        else { return .cutOff }
        let handshake = XFTPServerHandshake(
            sessionID: fault == .sendsOtherSession ? [1, 2, 3] : tls.channelBinding,
            keyHash: credentials.fingerprint,
            versions: store.configuration.versions,
            certificateKey: CertificateChainKey(certificates: credentials.certificates, signedKey: signed)
        )
        state = .helloSent(handshake)
        if fault == .sendsGarbageHello { return .body([UInt8](repeating: 0x41, count: 300)) }
        return .body((try? handshake.makeHello()) ?? [])
    }

    private func answerCommand(_ body: [UInt8], _ session: XFTPSessionParameters) -> Answer {
        let (block, rest) = (Array(body.prefix(XFTPBlock.size)), Array(body.dropFirst(XFTPBlock.size)))
        var (corrID, entityID): ([UInt8], [UInt8]) = ([], [])
        var (response, chunk): (FileResponse, [UInt8])
        do {
            let received = try session.parseTransmission(in: block)
            (corrID, entityID) = (received.corrID, received.entityID)
            let command = try received.parseFileCommand()
            let word = String(decoding: received.command.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            store.recordRequest(word)
            switch fault {
            case .closes(word): return .cutOff
            case .ignores(word): return .silence
            case .garbles(word): return .body([UInt8](repeating: 0x41, count: XFTPBlock.size))
            case .garblesOnce(word):
                store.fault = nil
                return .body([UInt8](repeating: 0x41, count: XFTPBlock.size))
            case .answers(word, let error): (response, chunk) = (.err(error), [])
            case .answersOK(word): (response, chunk, entityID) = (.ok, [], entityID.isEmpty ? [1] : entityID)
            default: (response, chunk) = store.execute(received, command, body: rest)
            }
        } catch let fault as XFTPSessionParameters.Fault {
            (response, chunk) = (.err(fault.error), [])
        } catch {
            (response, chunk) = (.err(error as? XFTPServerError ?? .internal), [])
        }
        if case .sids = response { entityID = [] }
        return .body(((try? session.encodeBlock(response, entityID: entityID, corrID: corrID)) ?? []) + chunk)
    }
}

final class FileServerStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let session: FileServerSession
    private var receivedBytes = ByteBuffer()
    private var isPost = false

    init(_ session: FileServerSession) { self.session = session }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isLast: Bool
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            isPost = frame.headers.first(name: ":method") == "POST" && frame.headers.first(name: ":path") == "/"
            isLast = frame.endStream
        case .data(let frame):
            if case .byteBuffer(var bytes) = frame.data { receivedBytes.writeBuffer(&bytes) }
            isLast = frame.endStream
        default: return
        }
        guard isLast else { return }
        guard isPost else { return context.close(promise: nil) }
        switch session.answerRequest(Array(receivedBytes.readableBytesView)) {
        case .silence: return
        case .body(let body): send(body, isWhole: true, context)
        case .cutOff:
            send([1, 2, 3], isWhole: false, context)
            context.channel.parent?.close(promise: nil)
        }
    }

    private func send(_ body: [UInt8], isWhole: Bool, _ context: ChannelHandlerContext) {
        context.write(
            wrapOutboundOut(.headers(.init(headers: [":status": "200"], endStream: body.isEmpty && isWhole))),
            promise: nil
        )
        if !body.isEmpty {
            context.write(
                wrapOutboundOut(.data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: isWhole))),
                promise: nil
            )
        }
        context.flush()
    }
}
