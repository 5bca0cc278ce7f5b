package import NIOCore

/// Cuts the received stream into blocks of one size, and refuses to send a block of another size.
///
/// simplexmq `protocol/simplex-messaging.md`, "SMP transmission and transport block structure".
package final class BlockCodec: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    /// A complete block.
    package typealias InboundOut = [UInt8]
    package typealias OutboundIn = [UInt8]
    package typealias OutboundOut = ByteBuffer

    private var partialBlock = ByteBuffer()

    private let blockSize: Int

    /// Makes the handler for one channel.
    /// - Parameter blockSize: bytes of a block on the wire; by default the size of an SMP block.
    package init(blockSize: Int = BlockCipher.blockSize) { self.blockSize = blockSize }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if partialBlock.readableBytes == 0 { swap(&partialBlock, &bytes) } else { partialBlock.writeBuffer(&bytes) }
        while let block = partialBlock.readBytes(length: blockSize) {
            context.fireChannelRead(wrapInboundOut(block))
        }
        // The buffer is released when it is empty, so that an idle connection has none.
        if partialBlock.readableBytes == 0 { partialBlock = ByteBuffer() } else { partialBlock.discardReadBytes() }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let block = unwrapOutboundIn(data)
        guard block.count == blockSize else {
            promise?.fail(SMPTransportError.badBlock)
            return
        }
        context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: block)), promise: promise)
    }
}
