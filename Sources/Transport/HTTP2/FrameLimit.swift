package import NIOCore

/// A handler between TLS and HTTP/2 that closes a connection whose peer sends too many frames.
///
/// Each frame costs this side processor time, but control frames, small DATA and informational headers cost the peer
/// almost nothing. The allowed number of frames grows with the bytes and the age of the connection. RFC 9113, sections
/// 4.1 and 10.5.
package final class FrameLimit: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The error of a connection whose peer sent too many frames.
    package struct LimitExceeded: Error {}

    /// Number of frames that every connection may send, in addition to the number that its bytes and age allow. A web
    /// page may send thousands of small preflight requests (CORS) before its own requests.
    package static let baseFrameCount = 10_000
    /// For each portion of this number of bytes, sent or received, the peer may send one more frame. This is enough for
    /// clients that acknowledge each 4 KiB of received data with two frames.
    private static let bytesPerFrame = 1 << 10
    /// Number of additional frames that each second of the connection allows.
    private static let framesPerSecond: Int64 = 10

    private static let headerBytes = 9
    /// Number of bytes that a client sends before its first frame.
    private static let prefaceBytes = 24

    private var startTime = NIODeadline.now()
    private var frameCount = 0
    private var byteCount = 0
    /// The part of a frame's header that was received so far.
    private var partialHeader = ByteBuffer()
    /// Number of bytes until the next frame begins.
    private var remainingBytes: Int
    private var isLimitExceeded = false

    /// - Parameter isServer: whether this side is the server, and the peer is the client.
    package init(isServer: Bool) { remainingBytes = isServer ? Self.prefaceBytes : 0 }

    package func handlerAdded(context: ChannelHandlerContext) { startTime = context.eventLoop.now }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isLimitExceeded { return }
        let received = unwrapInboundIn(data)
        byteCount += received.readableBytes
        countFrames(received)
        let seconds = (context.eventLoop.now - startTime).nanoseconds / 1_000_000_000
        guard frameCount <= Self.baseFrameCount + byteCount / Self.bytesPerFrame + Int(seconds * Self.framesPerSecond)
        else {
            isLimitExceeded = true
            context.fireErrorCaught(LimitExceeded())
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }

    private func countFrames(_ received: ByteBuffer) {
        var rest = received
        while rest.readableBytes > 0 {
            let skipped = min(remainingBytes, rest.readableBytes)
            rest.moveReaderIndex(forwardBy: skipped)
            remainingBytes -= skipped
            let missing = min(rest.readableBytes, Self.headerBytes - partialHeader.readableBytes)
            guard remainingBytes == 0, var part = rest.readSlice(length: missing) else { return }
            partialHeader.writeBuffer(&part)
            guard partialHeader.readableBytes == Self.headerBytes,
                let (high, low) = partialHeader.readMultipleIntegers(as: (UInt16, UInt8).self)
            else { return }
            partialHeader.clear()
            frameCount += 1
            remainingBytes = Int(high) << 8 | Int(low)
        }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        byteCount += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }
}
