internal import NIOCore
internal import NIOWebSocket

/// Makes messages from frames: joins fragments, answers control frames, performs the closing handshake, and sends close
/// frames for violations (RFC 6455, sections 5 and 7).
///
/// Reading stops while the client does not read its output, or while the owner of the connection is busy.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = ClientFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Requests that the owner of the connection sends to this handler.
    enum OwnerRequest: Sendable {
        case close(WebSocketErrorCode, reason: String)
        /// Asks the owner again whether the connection may read more.
        case read
    }

    /// Time to wait for the answer to a close frame. After this time, the peer is disconnected.
    private static let closeTimeout = TimeAmount.seconds(5)
    private let delegate: any WebSocketDelegate
    private let connection: WebSocketConnection
    private let onClose: @Sendable () -> Void
    private var partialMessage = WebSocketMessage()
    /// The payload of the newest unanswered ping. One pong answers all earlier pings too (RFC 6455, section 5.5.3).
    private var unansweredPing: ByteBuffer?
    private var isReadHeldBack = false
    private var hasSentClose = false
    private var disconnectTimer: Scheduled<Void>?

    /// - Parameter onClose: called when the connection has ended, before `didClose` of the delegate.
    init(delegate: any WebSocketDelegate, connection: WebSocketConnection, onClose: @escaping @Sendable () -> Void) {
        self.delegate = delegate
        self.connection = connection
        self.onClose = onClose
    }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !hasSentClose || frame.opcode == .connectionClose else { return }
        switch frame.opcode {
        case .text, .continuation:
            do throws(WebSocketViolation) {
                if let text = try partialMessage.addFrame(frame, keep: delegate.reserveMemory) {
                    delegate.didReceive(text, on: connection)
                }
            } catch {
                close(context, error.code)
            }
        case .ping: unansweredPing = ByteBuffer(bytes: frame.payload.readableBytesView)
        case .pong: delegate.didAnswer(Array(frame.payload.readableBytesView))
        case .connectionClose:
            if !hasSentClose { sendClose(context, WebSocketClosePayload.chooseAnswerCode(to: frame.payload)) }
            context.close(promise: nil)
        default: close(context, .unacceptableData)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        answerPing(context)
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let violation = error as? WebSocketViolation else { return context.close(promise: nil) }
        close(context, violation.code)
    }

    func channelInactive(context: ChannelHandlerContext) {
        partialMessage.discardParts()
        disconnectTimer?.cancel()
        onClose()
        delegate.didClose()
        context.fireChannelInactive()
    }

    // MARK: Backpressure

    func read(context: ChannelHandlerContext) {
        // After a close frame was sent, reading continues until the peer's close frame.
        guard hasSentClose || (context.channel.isWritable && delegate.canReadMore()) else {
            isReadHeldBack = true
            return
        }
        isReadHeldBack = false
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            answerPing(context)
            delegate.didBecomeWritable()
            if isReadHeldBack { read(context: context) }
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Output

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasSentClose else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        context.write(data, promise: promise)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let request = event as? OwnerRequest else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        switch request {
        case .close(let code, let reason): close(context, code, reason)
        case .read: if isReadHeldBack { read(context: context) }
        }
        promise?.succeed()
    }

    private func answerPing(_ context: ChannelHandlerContext) {
        guard let payload = unansweredPing, context.channel.isWritable, !hasSentClose else { return }
        unansweredPing = nil
        send(context, WebSocketFrame(fin: true, opcode: .pong, data: payload))
    }

    private func close(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode, _ reason: String = "") {
        guard !hasSentClose else { return }
        sendClose(context, code, reason)
        let channel = context.channel
        disconnectTimer = context.eventLoop.scheduleTask(in: WebSocketHandler.closeTimeout) {
            channel.close(promise: nil)
        }
        if isReadHeldBack { read(context: context) }
    }

    private func sendClose(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode, _ reason: String = "") {
        hasSentClose = true
        partialMessage.discardParts()
        unansweredPing = nil
        var data = context.channel.allocator.buffer(capacity: 2 + reason.utf8.count)
        data.write(webSocketErrorCode: code)
        data.writeString(reason)
        send(context, WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
    }

    private func send(_ context: ChannelHandlerContext, _ frame: WebSocketFrame) {
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
}
