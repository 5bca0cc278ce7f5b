package import NIOCore

/// Closes a connection that sends no byte in time. The handler removes itself after the first byte, because other
/// handlers limit the time of the later steps.
package final class FirstByteDeadline: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer

    private let timeLimit: TimeAmount
    private var deadline: Scheduled<Void>?

    package init(_ time: TimeAmount) { self.timeLimit = time }

    package func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: timeLimit) { channel.close(promise: nil) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
