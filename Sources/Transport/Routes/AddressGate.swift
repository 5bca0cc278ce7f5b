package import NIOCore

/// The first handler of a connection. If the address is not permitted, the handler refuses to connect before any byte
/// is sent. So an attempt has the same result for all refused addresses.
package final class AddressGate: ChannelOutboundHandler {
    package typealias OutboundIn = Never

    /// The error for an address to which connections are not permitted.
    package struct AddressRefused: Error, CustomStringConvertible {
        package let description = "its address belongs to an inner network"
    }

    private let permitsAddress: (SocketAddress) -> Bool

    package init(_ permits: @escaping (SocketAddress) -> Bool) { self.permitsAddress = permits }

    package func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
        guard permitsAddress(address) else {
            promise?.fail(AddressRefused())
            return
        }
        context.connect(to: address, promise: promise)
    }
}
