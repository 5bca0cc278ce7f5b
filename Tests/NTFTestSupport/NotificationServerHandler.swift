import NIOCore
import NTF
import SMP
import SimpleXCrypto
import Transport

/// Handles the server's side of one session with a client.
final class NotificationServerHandler: ChannelInboundHandler {
    typealias InboundIn = [UInt8]
    typealias OutboundOut = [UInt8]

    private let store: TokenStore
    private let credentials: ServerCredentials
    private var sessionID: [UInt8] = []
    private var session: SessionParameters?

    init(_ store: TokenStore, _ credentials: ServerCredentials) {
        self.store = store
        self.credentials = credentials
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let tls) = event as? TLSEvent else { return }
        sessionID = tls.channelBinding
        let fault = store.fault
        switch fault {
        case .silent: return
        case .garbageHello: return sendBlock([UInt8](repeating: 0x41, count: NTFVersion.blockSize), context)
        default: break
        }
        guard let key = try? X25519.PrivateKey(), let other = try? Ed25519.PrivateKey(),
            let signed = try? SignedSessionKey(
                key.publicKey,
                signedWith: fault == .forgedKey ? .ed25519(other) : credentials.leafKey
            )
        else { return context.close(promise: nil) }
        let hello = NTFServerHello(
            versions: fault == .futureVersion ? ProtocolVersionRange(99) : NTFVersion.supported,
            sessionID: fault == .otherSession ? [UInt8](repeating: 7, count: sessionID.count) : sessionID,
            key: signed
        )
        guard let content = try? hello.smpEncoded() else { return }
        sendPadded(content, context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let content = try? Padding.unpadMessage(unwrapInboundIn(data)) else { return context.close(promise: nil) }
        guard let session else {
            guard let hello = try? NTFClientHello(smpEncoded: content), hello.keyHash == credentials.fingerprint,
                NTFVersion.supported.contains(hello.version)
            else { return context.close(promise: nil) }
            return session = SessionParameters(notificationSession: sessionID)
        }
        guard let parts = try? TransmissionBatch.parseTransmissions(content) else { return context.close(promise: nil) }
        for part in parts {
            guard let received = try? ReceivedTransmission(parsing: part, session: session) else { continue }
            guard let command = try? NTFCommand(smpEncoded: Array(received.command)) else { continue }
            store.recordCommand(command)
            executeWithFault(command, received, session, context)
        }
    }

    private func executeWithFault(
        _ command: NTFCommand,
        _ received: ReceivedTransmission,
        _ session: SessionParameters,
        _ context: ChannelHandlerContext
    ) {
        switch store.fault {
        case .ignores(command.tag): return
        case .closes(command.tag): return context.close(promise: nil)
        case .garbles(command.tag): return sendBlock([UInt8](repeating: 0x42, count: NTFVersion.blockSize), context)
        case .confuses(command.tag): return sendResponse(.pong, received, session, context)
        case .refuses(command.tag, let error): return sendResponse(.err(error), received, session, context)
        case .losesAnswer(command.tag):
            _ = store.execute(received, command)
            return context.close(promise: nil)
        default: sendResponse(store.execute(received, command), received, session, context)
        }
    }

    private func sendResponse(
        _ response: NTFResponse,
        _ received: ReceivedTransmission,
        _ session: SessionParameters,
        _ context: ChannelHandlerContext
    ) {
        let content = try? TransmissionContent(received.corrID, received.entityID, session) { response.encode(to: &$0) }
        let capacity = TransmissionBatch.capacity(blockSize: NTFVersion.blockSize)
        guard let content,
            case .block(let bytes, _) = TransmissionBatch.splitIntoBlocks(
                [content.encodeTransmission()],
                capacity: capacity
            )
            .first
        else { return }
        sendPadded(bytes, context)
    }

    private func sendPadded(_ content: [UInt8], _ context: ChannelHandlerContext) {
        guard let block = try? Padding.padMessage(content, to: NTFVersion.blockSize) else {
            return context.close(promise: nil)
        }
        sendBlock(block, context)
    }

    private func sendBlock(_ block: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(block), promise: nil)
    }
}
