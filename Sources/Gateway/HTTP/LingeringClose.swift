internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
internal import Glibc
#endif

/// Reads on, for a short while, what a client still sends after its body was refused.
///
/// A socket closed with unread data sends a reset, and a reset can take the answer away from the client before it has read
/// it. A duplicate of the socket is kept and drained until the client stops, within bounds.
struct LingeringClose: Sendable {
    let group: any EventLoopGroup
    /// Bytes and seconds after which a client has had its chance.
    let byteLimit = 512 * 1024 * 1024
    let secondLimit: Int64 = 10

    func keepReading(_ socket: Int32, isTLS: Bool) {
        guard socket >= 0, !isTLS else { return }
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return }
        let seconds = secondLimit
        let bytes = byteLimit
        // Not before the library has sent its answer and let go of the socket: both would read from it.
        ClientBootstrap(group: group)
            .channelOption(.autoRead, value: true)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65536))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Drain(limit: bytes)) }
            }
            .withConnectedSocket(own)
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    channel.eventLoop.scheduleTask(in: .seconds(seconds)) { channel.close(promise: nil) }
                case .failure:
                    break
                }
            }
    }

    private final class Drain: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var left: Int

        init(limit: Int) { left = limit }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            left -= unwrapInboundIn(data).readableBytes
            if left < 0 { context.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
