@testable import Gateway
import NIOCore
import NIOEmbedded
import NIOWebSocket
import Synchronization

/// The gateway's end of a WebSocket without a network. Its client reads written bytes only while `reads` is true.
final class EmbeddedSocket {
    static let stallTime = TimeAmount.seconds(60)
    let channel = EmbeddedChannel()
    let client = SlowClient()
    let owner = SocketOwner()

    init() throws {
        try channel.pipeline.syncOperations.addHandler(client)
        try WebSocketConnection.addHandlers(to: channel, stall: EmbeddedSocket.stallTime, delegate: owner) {}
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
        channel.pipeline.read()
    }

    var connection: WebSocketConnection { WebSocketConnection(channel) }

    /// Delivers bytes as one read, and then requests another read as a socket does.
    func deliverBytes(_ bytes: [UInt8]) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        channel.pipeline.read()
    }

    /// The number of bytes that wait for the client.
    var waitingBytes: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Returns the frames that the client has read since the last call, each with its header.
    func takeFrames() throws -> [[UInt8]] {
        var bytes: [UInt8] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += Array(buffer.readableBytesView) }
        var frames: [[UInt8]] = []
        while bytes.count > 1, bytes[1] < 126 {
            frames.append(Array(bytes.prefix(2 + Int(bytes[1]))))
            bytes.removeFirst(min(bytes.count, 2 + Int(bytes[1])))
        }
        return frames
    }

    func setReading(_ reads: Bool) {
        client.isReading = reads
        guard reads else { return }
        channel.pipeline.syncOperations.flush()
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
    }
}

/// Accepts flushed bytes only while `reads` is true. Otherwise more than `highWaterMark` bytes make the channel
/// unwritable, as with a socket.
final class SlowClient: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    var highWaterMark = 4096
    var isReading = true
    /// The number of reads that the gateway has requested from the client.
    private(set) var readCount = 0

    func read(context: ChannelHandlerContext) { readCount += 1 }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        guard !isReading, let channel = context.channel as? EmbeddedChannel, channel.isWritable,
            (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 > highWaterMark
        else { return }
        channel.isWritable = false
        context.fireChannelWritabilityChanged()
    }

    func flush(context: ChannelHandlerContext) {
        if isReading { context.flush() }
    }
}

/// The owner of a WebSocket, which records the received texts and the end.
final class SocketOwner: WebSocketDelegate {
    struct State {
        var texts: [String] = []
        var acceptsMore = true
        var closedCount = 0
    }
    let state = Mutex(State())

    func didReceive(_ text: String, on connection: WebSocketConnection) { state.withLock { $0.texts.append(text) } }
    func canReadMore() -> Bool { state.withLock { $0.acceptsMore } }
    let unreadAnswers = UnreadAnswers()
    func reserveMemory(_ bytes: Int) -> UnreadAnswers.Share? {
        unreadAnswers.isFull("") ? nil : unreadAnswers.countBytes(bytes, of: "")
    }
    func didAnswer(_ ping: [UInt8]) {}
    func didBecomeWritable() {}
    func didClose() { state.withLock { $0.closedCount += 1 } }
}
