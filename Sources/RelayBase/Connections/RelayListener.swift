import Descriptors
import NIOCore
import NIOPosix

/// Opens the listening socket of a relay.
enum RelayListener {
    /// Listens, and accepts connections: at most as many as `connections` allows, and no faster than the event loops
    /// handle them.
    /// - Parameters:
    ///   - firstByteTimeout: seconds that a client has to send the first byte of a new connection.
    ///   - unsent: number of unsent bytes above which a connection is no longer writable.
    ///   - addHandlers: adds the handlers of a new connection, on its event loop. An error closes the connection.
    static func bindAndAccept(
        host: String,
        port: Int,
        group: any EventLoopGroup,
        connections: ConnectionLimiter,
        firstByteTimeout: Int64,
        unsent: Int,
        addHandlers: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AcceptGate()) }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: unsent / 4, high: unsent))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let address = channel.remoteAddress?.withSockAddr { address, _ in SourceAddress(address) }
                    guard connections.admitAndCountConnection(address) else {
                        throw ChannelError.inappropriateOperationForState
                    }
                    channel.closeFuture.whenComplete { _ in connections.countClosedConnection(address) }
                    try channel.pipeline.syncOperations.addHandler(FirstByteDeadline(.seconds(firstByteTimeout)))
                    try addHandlers(channel)
                }
            }
            .bind(host: host, port: port).get()
    }
}
