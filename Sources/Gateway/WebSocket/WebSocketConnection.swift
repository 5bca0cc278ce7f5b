internal import NIOCore
internal import NIOPosix
internal import NIOWebSocket

/// What a WebSocket reports to its owner. Called on the connection's event loop, in order.
protocol WebSocketDelegate: AnyObject, Sendable {
    func received(_ text: String, on connection: WebSocketConnection)
    /// Whether more is to be read. Who answers no calls `read` of the connection later.
    func takesMore() -> Bool
    /// What was written has left, and there is room for more.
    func writable()
    func closed()
}

/// A WebSocket on a socket that came from the HTTP library.
final class WebSocketConnection: Sendable {
    /// Bytes that wait for a client above which nothing is read from it and no events are written, and below which that goes on.
    private static let outputMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32 * 1024, high: 256 * 1024)
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// Takes over a socket. The delegate hears of everything that follows, of `closed` last, whatever happens.
    /// - Parameter stall: a client that takes nothing of what waits for it for so long is cut off.
    static func adopt(
        _ socket: UpgradedSocket, group: any EventLoopGroup, stall: TimeAmount, delegate: any WebSocketDelegate,
        ready: @escaping @Sendable (WebSocketConnection) -> Void
    ) {
        let received = socket.received
        ClientBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            // One buffer at a time: after each it is asked whether more is to be read.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.writeBufferWaterMark, value: outputMark)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try addHandlers(to: channel, stall: stall, delegate: delegate) { socket.close() }
                }
            }
            .withConnectedSocket(socket.descriptor)
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    ready(WebSocketConnection(channel))
                    if !received.isEmpty {
                        channel.pipeline.fireChannelRead(channel.allocator.buffer(bytes: received))
                        channel.pipeline.fireChannelReadComplete()
                    }
                    channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
                    channel.read()
                case .failure:
                    socket.close()
                    delegate.closed()
                }
            }
    }

    static func addHandlers(
        to channel: any Channel, stall: TimeAmount, delegate: any WebSocketDelegate, onClose: @escaping @Sendable () -> Void
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(StalledOutputHandler(limit: stall))
        try pipeline.addHandler(WebSocketFrameEncoder())
        try pipeline.addHandler(ByteToMessageHandler(WebSocketFrameReader()))
        try pipeline.addHandler(WebSocketHandler(delegate: delegate, connection: WebSocketConnection(channel), onClose: onClose))
    }

    /// - Parameter left: called when the socket has taken all of it, or will not.
    /// - Returns: `false` when more is waiting to be sent than is good.
    @discardableResult
    func send(_ text: [UInt8], left: (@Sendable () -> Void)? = nil) -> Bool {
        let frame = WebSocketFrame(fin: true, opcode: .text, data: channel.allocator.buffer(bytes: text))
        let promise = left.map { left in
            let promise = channel.eventLoop.makePromise(of: Void.self)
            promise.futureResult.whenComplete { _ in left() }
            return promise
        }
        channel.writeAndFlush(frame, promise: promise)
        return channel.isWritable
    }

    /// Asks for a sign of life, unless more than that waits to be sent.
    func ping() {
        guard channel.isWritable else { return }
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .ping, data: channel.allocator.buffer(capacity: 0)), promise: nil)
    }

    /// Goes on reading, after the delegate has refused more.
    func read() {
        channel.triggerUserOutboundEvent(WebSocketHandler.Request.read, promise: nil)
    }

    /// - Parameter reason: a few words, at most 123 bytes.
    func close(_ code: WebSocketErrorCode, reason: String = "") {
        channel.triggerUserOutboundEvent(WebSocketHandler.Request.close(code, reason: reason), promise: nil)
    }
}
