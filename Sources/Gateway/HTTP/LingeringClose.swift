internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#endif

/// For a short time, reads the bytes that a client still sends after its body was refused.
///
/// If a socket is closed with unread data, the system sends a reset, which can destroy the answer before the client has
/// read it. So a duplicate of the socket is drained until the client stops, within limits.
struct LingeringClose: Sendable {
    /// Maximal number of bytes and seconds for reading a refused body.
    struct Bounds: Sendable {
        let maxBytes: Int
        let maxSeconds: Int64

        /// The limits for requests without a valid key.
        static let unauthenticated = Bounds(maxBytes: 1024 * 1024, maxSeconds: 2)
        /// The limits for requests with a valid key.
        static let authenticated = Bounds(maxBytes: 128 * 1024 * 1024, maxSeconds: 60)

        /// Returns the limits for a client.
        /// - Parameter client: the id of the client's key; empty without a key.
        static func forClient(_ client: String) -> Bounds { client.isEmpty ? unauthenticated : authenticated }
    }

    let eventLoopGroup: any EventLoopGroup
    let limits: HTTPLimits

    /// Reads the remaining bytes from a duplicate of a socket. The library reads nothing after it has sent the answer.
    /// So call this function after the answer was sent, and before the library closes the socket.
    func drainDuplicate(of socket: Int32, _ bounds: Bounds) {
        guard socket >= 0, limits.lingeringConnections.takeUnit() else { return }
        guard limits.connections.takeDescriptors(more: 1) else { return limits.lingeringConnections.returnUnit() }
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return returnLimitUnits() }
        ClientBootstrap(group: eventLoopGroup)
            .channelOption(.autoRead, value: true)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65536))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DrainHandler(limit: bounds.maxBytes))
                }
            }
            .withConnectedSocket(own)
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    let timeout = channel.eventLoop.scheduleTask(in: .seconds(bounds.maxSeconds)) {
                        channel.close(promise: nil)
                    }
                    channel.closeFuture.whenComplete { _ in
                        timeout.cancel()
                        returnLimitUnits()
                    }
                case .failure:
                    returnLimitUnits()
                }
            }
    }

    private func returnLimitUnits() {
        limits.connections.returnDescriptors(more: 1)
        limits.lingeringConnections.returnUnit()
    }

    private final class DrainHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var remainingBytes: Int

        init(limit: Int) { remainingBytes = limit }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            remainingBytes -= unwrapInboundIn(data).readableBytes
            if remainingBytes < 0 { context.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
