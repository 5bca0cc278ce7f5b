import NIOCore

/// The first handler of a connection: refuses addresses before anything is sent to them, so that all look alike.
final class AddressGate: ChannelOutboundHandler {
    typealias OutboundIn = Never

    /// An address that a relay or proxy may not have.
    struct Refused: Error, CustomStringConvertible {
        let description = "its address is one of an inner network"
    }

    private let permits: (SocketAddress) -> Bool

    init(_ permits: @escaping (SocketAddress) -> Bool) { self.permits = permits }

    func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
        guard permits(address) else {
            promise?.fail(Refused())
            return
        }
        context.connect(to: address, promise: promise)
    }
}
