internal import NIOCore

/// Closes a connection whose peer reads nothing for some time while output waits. In the pipeline, this handler is next
/// to the socket.
final class StalledOutputHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let checkInterval: TimeAmount
    /// Number of bytes that were written to the socket's buffer.
    private var writtenBytes = 0
    /// Number of bytes that the socket had sent at the last check.
    private var sentBytes = 0
    /// The next check; nil while no output waits.
    private var nextCheck: Scheduled<Void>?

    /// - Parameter limit: the time without progress after which the connection is closed. The connection may be closed
    ///   only after twice this time.
    init(limit: TimeAmount) { self.checkInterval = limit }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        writtenBytes += unwrapOutboundIn(data).readableBytes
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
        let waiting = readWaitingBytes(context)
        guard waiting > 0 else { return }
        sentBytes = writtenBytes - waiting
        nextCheck = context.eventLoop.assumeIsolated().scheduleTask(in: checkInterval) {
            self.nextCheck = nil
            let waiting = self.readWaitingBytes(context)
            if waiting > 0, self.writtenBytes - waiting == self.sentBytes {
                context.close(promise: nil)
            } else {
                self.scheduleCheck(context)
            }
        }
    }

    private func readWaitingBytes(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
