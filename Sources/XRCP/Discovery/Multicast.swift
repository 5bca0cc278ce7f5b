import Glibc
package import NIOCore
import NIOPosix
import Synchronization
package import Transport

/// Announcements in the local network: one datagram each second to the multicast group of mDNS, at a port that mDNS
/// does not use.
package enum Multicast {
    package static let groupAddress = "224.0.0.251"
    package static let port = 5227

    /// Sends the datagrams, until the task is cancelled or the network refuses a datagram.
    /// - Parameters:
    ///   - address: the IPv4 address of the interface; nil for the interface that the system chooses.
    ///   - count: the number of datagrams, one each second.
    package static func sendAnnouncements(
        from address: String?,
        count: Int = 60,
        port: Int = port,
        group loops: any EventLoopGroup,
        _ datagram: @Sendable () throws -> [UInt8]
    ) async throws {
        let channel = try await DatagramBootstrap(group: loops).bind(host: address ?? "0.0.0.0", port: 0).get()
        defer { channel.close(promise: nil) }
        if let address { try await setInterface(address, channel) }
        let target = try SocketAddress(ipAddress: groupAddress, port: port)
        for _ in 0..<count {
            try await channel.writeAndFlush(
                AddressedEnvelope(remoteAddress: target, data: ByteBuffer(bytes: try datagram()))
            )
            try await Task.sleep(for: .seconds(1))
        }
    }

    private static func setInterface(_ address: String, _ channel: any Channel) async throws {
        var interface = in_addr()
        guard inet_pton(AF_INET, address, &interface) == 1, let provider = channel as? any SocketOptionProvider else {
            return
        }
        try await provider.setIPMulticastIF(interface).get()
    }

    /// Joins a multicast group on the interface of each address of this machine, and on the interface that the system
    /// chooses. NIO's own function refuses the loopback interface, at which a controller on this machine may announce
    /// itself.
    /// - Throws: the last error, if the group could be joined on no interface.
    private static func joinGroup(_ group: String, _ channel: any Channel) async throws {
        guard let provider = channel as? any SocketOptionProvider else { throw ChannelError.operationUnsupported }
        var failure: any Error = ChannelError.operationUnsupported
        var isMember = false
        for address in ["0.0.0.0"] + LocalAddress.findAll().map(\.address) {
            var membership = ip_mreq()
            guard inet_pton(AF_INET, group, &membership.imr_multiaddr) == 1,
                inet_pton(AF_INET, address, &membership.imr_interface) == 1
            else { continue }
            do {
                try await provider.unsafeSetSocketOption(level: .ip, name: .ip_add_membership, value: membership).get()
                isMember = true
            } catch {
                failure = error
            }
        }
        guard isMember else { throw failure }
    }

    /// Receives datagrams, until `take` returns a value for one of them.
    /// - Parameters:
    ///   - address: the address of the multicast group.
    ///   - take: gets the sender's address and the bytes.
    /// - Returns: the value of `take`; nil when `take` has returned no value in time.
    package static func receiveDatagrams<T: Sendable>(
        within timeout: TimeAmount,
        address: String = groupAddress,
        port: Int = port,
        group loops: any EventLoopGroup,
        _ take: @escaping @Sendable (TransportHost, [UInt8]) -> T?
    ) async throws -> T? {
        let promise = loops.next().makePromise(of: T?.self)
        let channel: any Channel
        do {
            let bound = try await DatagramBootstrap(group: loops)
                .channelOption(.socketOption(.so_reuseaddr), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(DatagramHandler(take: take, promise))
                    }
                }
                .bind(host: "0.0.0.0", port: port).get()
            do {
                try await joinGroup(address, bound)
            } catch {
                try? await bound.close()
                throw error
            }
            channel = bound
        } catch {
            promise.fail(error)
            _ = try? await promise.futureResult.get()
            throw error
        }
        let timer = channel.eventLoop.scheduleTask(in: timeout) { promise.succeed(nil) }
        defer {
            timer.cancel()
            channel.close(promise: nil)
        }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
        }
    }
}

private final class DatagramHandler<T: Sendable>: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    private let takeDatagram: @Sendable (TransportHost, [UInt8]) -> T?
    private let resultPromise: EventLoopPromise<T?>

    init(take: @escaping @Sendable (TransportHost, [UInt8]) -> T?, _ promise: EventLoopPromise<T?>) {
        self.takeDatagram = take
        self.resultPromise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard case .v4(let address) = envelope.remoteAddress else { return }
        let host = withUnsafeBytes(of: address.address.sin_addr) { TransportHost.ipv4(Array($0)) }
        if let found = takeDatagram(host, Array(envelope.data.readableBytesView)) { resultPromise.succeed(found) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { resultPromise.fail(error) }
}
