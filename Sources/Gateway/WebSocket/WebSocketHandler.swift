internal import NIOCore
internal import NIOWebSocket

/// Frames to messages: fragments, control frames, the closing handshake, and what is said to those who break the rules (RFC 6455,
/// sections 5 and 7).
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    struct Close: Sendable {
        let code: WebSocketErrorCode
        let reason: String
    }

    /// Seconds after which a peer that does not answer a close is cut off.
    private static let closeTimeout = TimeAmount.seconds(5)
    private let delegate: any WebSocketDelegate
    private let socket: UpgradedSocket
    private let connection: WebSocketConnection
    private var message: [UInt8]?
    private var sentClose = false

    init(delegate: any WebSocketDelegate, socket: UpgradedSocket, connection: WebSocketConnection) {
        self.delegate = delegate
        self.socket = socket
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !sentClose || frame.opcode == .connectionClose else { return }
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return close(context, .protocolError) }
        let bytes = Array(frame.unmaskedData.readableBytesView)
        switch frame.opcode {
        case .text:
            guard message == nil else { return close(context, .protocolError) }
            collect(bytes, isLast: frame.fin, context)
        case .continuation:
            guard message != nil else { return close(context, .protocolError) }
            collect(bytes, isLast: frame.fin, context)
        case .binary:
            close(context, .unacceptableData)
        case .ping:
            guard frame.fin, bytes.count <= 125 else { return close(context, .protocolError) }
            send(context, WebSocketFrame(fin: true, opcode: .pong, data: ByteBuffer(bytes: bytes)))
        case .pong:
            break
        case .connectionClose:
            guard !sentClose else { return context.close(promise: nil) }
            let valid = bytes.count != 1 && bytes.count <= 125
            sendClose(context, valid ? .normalClosure : .protocolError)
            context.close(promise: nil)
        default:
            close(context, .protocolError)
        }
    }

    private func collect(_ bytes: [UInt8], isLast: Bool, _ context: ChannelHandlerContext) {
        var whole = message ?? []
        guard whole.count + bytes.count <= WebSocketConnection.messageLimit else { return close(context, .messageTooLarge) }
        whole.append(contentsOf: bytes)
        guard isLast else {
            message = whole
            return
        }
        message = nil
        guard let text = String(validating: whole, as: UTF8.self) else { return close(context, .dataInconsistentWithMessage) }
        delegate.received(text, on: connection)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let event = event as? Close else { return context.triggerUserOutboundEvent(event, promise: promise) }
        close(context, event.code, event.reason)
        promise?.succeed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? NIOWebSocketError {
        case .invalidFrameLength: close(context, .messageTooLarge)
        case .some: close(context, .protocolError)
        case nil: context.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { delegate.writable() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        socket.close()
        delegate.closed()
        context.fireChannelInactive()
    }

    private func close(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode, _ reason: String = "") {
        guard !sentClose else { return }
        sendClose(context, code, reason)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: WebSocketHandler.closeTimeout) { channel.close(promise: nil) }
    }

    private func sendClose(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode, _ reason: String = "") {
        sentClose = true
        var data = context.channel.allocator.buffer(capacity: 2 + reason.utf8.count)
        data.write(webSocketErrorCode: code)
        data.writeString(reason)
        send(context, WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
    }

    private func send(_ context: ChannelHandlerContext, _ frame: WebSocketFrame) {
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
}
