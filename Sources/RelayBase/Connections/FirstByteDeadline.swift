public import NIOCore

/// Closes a connection that sends no byte in time. The handler removes itself after the first byte; later steps have
/// separate timeouts.
public final class FirstByteDeadline: ChannelInboundHandler, RemovableChannelHandler {
    public typealias InboundIn = ByteBuffer

    private let time: TimeAmount
    private var deadline: Scheduled<Void>?

    public init(_ time: TimeAmount) { self.time = time }

    public func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    public func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
