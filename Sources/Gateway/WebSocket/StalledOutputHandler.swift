internal import NIOCore

/// Closes a connection whose peer reads nothing for some time while output waits. In the pipeline, this handler is next
/// to the socket.
final class StalledOutputHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let limit: TimeAmount
    /// Number of bytes that were written to the socket's buffer.
    private var written = 0
    /// Number of bytes that the socket had sent at the last check.
    private var taken = 0
    /// The next check; nil while no output waits.
    private var nextCheck: Scheduled<Void>?

    /// - Parameter limit: the longest time without progress. The end of the connection may take twice that time.
    init(limit: TimeAmount) { self.limit = limit }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if nextCheck == nil { scheduleCheck(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        nextCheck?.cancel()
        nextCheck = nil
    }

    private func scheduleCheck(_ context: ChannelHandlerContext) {
        let waiting = waiting(context)
        guard waiting > 0 else { return }
        taken = written - waiting
        nextCheck = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
            self.nextCheck = nil
            let waiting = self.waiting(context)
            if waiting > 0, self.written - waiting == self.taken {
                context.close(promise: nil)
            } else {
                self.scheduleCheck(context)
            }
        }
    }

    private func waiting(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
