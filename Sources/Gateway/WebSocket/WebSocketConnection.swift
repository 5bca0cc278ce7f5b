internal import NIOCore
internal import NIOPosix
internal import NIOWebSocket

/// What a WebSocket tells its owner. Called on the connection's event loop, in order.
protocol WebSocketDelegate: AnyObject, Sendable {
    func received(_ text: String, on connection: WebSocketConnection)
    /// What was written has left, and there is room for more.
    func writable()
    func closed()
}

/// A WebSocket on a socket that came from the HTTP library.
final class WebSocketConnection: Sendable {
    /// Bytes of a message, all its fragments together.
    static let messageLimit = 1024 * 1024
    private let channel: any Channel

    private init(_ channel: any Channel) { self.channel = channel }

    /// Takes over a socket. The delegate is told of everything that follows, `closed` last, whatever happens.
    static func adopt(
        _ socket: UpgradedSocket, group: any EventLoopGroup, delegate: any WebSocketDelegate,
        ready: @escaping @Sendable (WebSocketConnection) -> Void
    ) {
        let received = socket.received
        ClientBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .channelOption(.writeBufferWaterMark, value: .init(low: 32 * 1024, high: 256 * 1024))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(WebSocketFrameEncoder())
                    try pipeline.addHandler(ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: messageLimit)))
                    try pipeline.addHandler(WebSocketHandler(delegate: delegate, socket: socket, connection: WebSocketConnection(channel)))
                }
            }
            .withConnectedSocket(socket.descriptor)
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    ready(WebSocketConnection(channel))
                    if !received.isEmpty { channel.pipeline.fireChannelRead(channel.allocator.buffer(bytes: received)) }
                    channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
                    channel.read()
                case .failure:
                    socket.close()
                    delegate.closed()
                }
            }
    }

    /// - Returns: `false` when more is waiting to be sent than is good.
    @discardableResult
    func send(_ text: [UInt8]) -> Bool {
        let frame = WebSocketFrame(fin: true, opcode: .text, data: channel.allocator.buffer(bytes: text))
        channel.writeAndFlush(frame, promise: nil)
        return channel.isWritable
    }

    func ping() {
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .ping, data: channel.allocator.buffer(capacity: 0)), promise: nil)
    }

    /// - Parameter reason: a few words, at most 123 bytes.
    func close(_ code: WebSocketErrorCode, reason: String = "") {
        channel.triggerUserOutboundEvent(WebSocketHandler.Close(code: code, reason: reason), promise: nil)
    }
}
