public import NIOCore

/// Cuts the stream into blocks of 16384 bytes, and refuses to send anything else.
///
/// simplexmq `protocol/simplex-messaging.md`, "SMP transmission and transport block structure".
public final class BlockCodec: ChannelDuplexHandler {
    public typealias InboundIn = ByteBuffer
    /// A whole block.
    public typealias InboundOut = [UInt8]
    public typealias OutboundIn = [UInt8]
    public typealias OutboundOut = ByteBuffer

    private var partial = ByteBuffer()

    public init() {}

    /// Whether part of a block has arrived: at the end of the stream that means it was cut off.
    public var isInsideBlock: Bool { partial.readableBytes > 0 }

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if partial.readableBytes == 0 { swap(&partial, &bytes) } else { partial.writeBuffer(&bytes) }
        while let block = partial.readBytes(length: BlockCipher.blockSize) {
            context.fireChannelRead(wrapInboundOut(block))
        }
        // An idle connection keeps no buffer.
        if partial.readableBytes == 0 { partial = ByteBuffer() } else { partial.discardReadBytes() }
    }

    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let block = unwrapOutboundIn(data)
        guard block.count == BlockCipher.blockSize else {
            promise?.fail(TransportError.badBlock)
            return
        }
        context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: block)), promise: promise)
    }
}
