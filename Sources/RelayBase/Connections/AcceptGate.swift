package import NIOCore

/// A handler of the listening socket that accepts no further connection while many accepted connections wait for their
/// event loops.
///
/// The event loop of a connection counts the connection, and refuses it if there are too many. Without this handler,
/// the listening socket would accept connections without limit while those event loops are busy.
package final class AcceptGate: ChannelDuplexHandler {
    package typealias InboundIn = any Channel
    package typealias OutboundIn = Never

    /// Maximal number of accepted connections that wait for their event loops.
    static let maxUnhandledConnections = 32
    private var unhandledConnectionCount = 0
    private var isReadDelayed = false

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        context.fireChannelRead(data)
        unhandledConnectionCount += 1
        // The task below runs on the connection's loop after the tasks that the bootstrap has queued there. When the
        // task runs, the loop has handled the connection.
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let own = context.eventLoop
        channel.eventLoop.execute {
            own.execute {
                let (gate, context) = bound.value
                gate.didHandleConnection(context)
            }
        }
    }

    package func read(context: ChannelHandlerContext) {
        guard unhandledConnectionCount < Self.maxUnhandledConnections else {
            isReadDelayed = true
            return
        }
        context.read()
    }

    private func didHandleConnection(_ context: ChannelHandlerContext) {
        unhandledConnectionCount -= 1
        guard isReadDelayed, unhandledConnectionCount < Self.maxUnhandledConnections else { return }
        isReadDelayed = false
        context.read()
    }
}
