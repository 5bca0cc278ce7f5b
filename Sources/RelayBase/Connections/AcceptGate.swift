public import NIOCore

/// A handler of the listening socket, which stops accepting while many connections wait for their event loop.
///
/// The loop of a connection counts the connection, and possibly refuses it. Without this handler, the listening loop
/// would accept without limit while that loop is busy.
public final class AcceptGate: ChannelDuplexHandler {
    public typealias InboundIn = any Channel
    public typealias OutboundIn = Never

    /// Maximal number of accepted connections that no loop has handled yet.
    static let limit = 32
    private var waiting = 0
    private var isReadHeld = false

    public init() {}

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        context.fireChannelRead(data)
        waiting += 1
        // Runs after the tasks that the bootstrap has already queued on the loop.
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let own = context.eventLoop
        channel.eventLoop.execute {
            own.execute {
                let (gate, context) = bound.value
                gate.looked(context)
            }
        }
    }

    public func read(context: ChannelHandlerContext) {
        guard waiting < Self.limit else {
            isReadHeld = true
            return
        }
        context.read()
    }

    private func looked(_ context: ChannelHandlerContext) {
        waiting -= 1
        guard isReadHeld, waiting < Self.limit else { return }
        isReadHeld = false
        context.read()
    }
}
