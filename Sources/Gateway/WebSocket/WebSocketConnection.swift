internal import NIOCore
internal import NIOPosix
internal import NIOWebSocket

/// The owner of a WebSocket. Its functions are called in order on the event loop of the connection.
protocol WebSocketDelegate: AnyObject, Sendable {
    func didReceive(_ text: String, on connection: WebSocketConnection)
    /// Returns whether the connection may read more. After `false`, the delegate calls
    /// ``WebSocketConnection/resumeReading()`` later.
    func canReadMore() -> Bool
    /// Counts bytes of an incomplete message that were received or announced. The bytes are counted until the returned
    /// share is released.
    /// - Returns: nil when this client, or all clients together, have too many counted bytes.
    func reserveMemory(_ bytes: Int) -> UnreadAnswers.Share?
    /// Called when the client has answered a ping, after it has read all frames that were sent before the ping.
    func didAnswer(_ ping: [UInt8])
    /// Called when the output was sent, so that more can be written.
    func didBecomeWritable()
    func didClose()
}

/// A WebSocket on a socket that the HTTP library has passed on.
final class WebSocketConnection: Sendable {
    /// Limits in bytes for the waiting output. Above the high limit, the connection reads nothing and writes no events.
    /// Below the low limit, reading and writing continue.
    private static let outputLimits = ChannelOptions.Types.WriteBufferWaterMark(low: 32 * 1024, high: 256 * 1024)
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// Takes over a socket, and makes a connection that calls the delegate. The last call is always `didClose`.
    /// - Parameter stall: the time after which a client is disconnected if it reads nothing although output waits.
    static func adoptSocket(
        _ socket: UpgradedSocket,
        group: any EventLoopGroup,
        stall: TimeAmount,
        delegate: any WebSocketDelegate,
        ready: @escaping @Sendable (WebSocketConnection) -> Void
    ) {
        let received = socket.receivedBytes
        ClientBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            // Only one buffer is read at a time, so that `canReadMore` is checked after each buffer.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.writeBufferWaterMark, value: outputLimits)
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
                    delegate.didClose()
                }
            }
    }

    static func addHandlers(
        to channel: any Channel,
        stall: TimeAmount,
        delegate: any WebSocketDelegate,
        onClose: @escaping @Sendable () -> Void
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(StalledOutputHandler(limit: stall))
        try pipeline.addHandler(WebSocketFrameEncoder())
        try pipeline.addHandler(ByteToMessageHandler(WebSocketFrameReader(keep: delegate.reserveMemory)))
        try pipeline.addHandler(
            WebSocketHandler(delegate: delegate, connection: WebSocketConnection(channel), onClose: onClose)
        )
    }

    /// Sends a text message.
    /// - Parameter left: called when the whole frame was written to the socket, or the connection has failed.
    /// - Returns: `false` when too much output waits.
    @discardableResult
    func sendText(_ text: [UInt8], left: (@Sendable () -> Void)? = nil) -> Bool {
        let frame = WebSocketFrame(fin: true, opcode: .text, data: channel.allocator.buffer(bytes: text))
        let promise = left.map { left in
            let promise = channel.eventLoop.makePromise(of: Void.self)
            promise.futureResult.whenComplete { _ in left() }
            return promise
        }
        channel.writeAndFlush(frame, promise: promise)
        return channel.isWritable
    }

    /// Sends a ping, unless other output waits to be sent.
    func pingIfIdle() {
        guard channel.isWritable else { return }
        channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: .ping, data: channel.allocator.buffer(capacity: 0)),
            promise: nil
        )
    }

    /// Sends a ping with a payload of at most 125 bytes, behind the output that waits.
    func sendPing(_ payload: [UInt8]) {
        let frame = WebSocketFrame(fin: true, opcode: .ping, data: channel.allocator.buffer(bytes: payload))
        channel.writeAndFlush(frame, promise: nil)
    }

    /// Resumes reading after the delegate has returned `false` from `canReadMore`.
    func resumeReading() {
        channel.triggerUserOutboundEvent(WebSocketHandler.OwnerRequest.read, promise: nil)
    }

    /// Starts the closing handshake.
    /// - Parameter reason: a short text of at most 123 bytes.
    func beginClosing(_ code: WebSocketErrorCode, reason: String = "") {
        channel.triggerUserOutboundEvent(WebSocketHandler.OwnerRequest.close(code, reason: reason), promise: nil)
    }
}
