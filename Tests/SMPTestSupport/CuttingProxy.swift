internal import NIOCore
package import NIOPosix
package import SMP
internal import Synchronization

/// A TCP proxy in front of a relay. It cuts each of the first connections after a number of bytes, counted in both
/// directions, and passes later connections unchanged.
package final class CuttingProxy: Sendable {
    /// Address of the relay with the port of the proxy.
    package let server: ProtocolServer
    private let channel: any Channel

    /// Starts a proxy in front of `relay`.
    /// - Parameter cuts: number of bytes after which each of the first connections is cut.
    package init(to relay: ProtocolServer, cuts: [Int], group: MultiThreadedEventLoopGroup = .singleton) async throws {
        let target = Int(relay.portNumber ?? 0)
        let opened = CutQueue(cuts)
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { inbound in
                let budget = CutBudget(opened.takeNext() ?? .max)
                return ClientBootstrap(group: inbound.eventLoop)
                    .connect(host: "127.0.0.1", port: target)
                    .flatMap { outbound in
                        inbound.eventLoop.makeCompletedFuture {
                            try inbound.pipeline.syncOperations.addHandler(CuttingHandler(outbound, budget))
                            try outbound.pipeline.syncOperations.addHandler(CuttingHandler(inbound, budget))
                        }
                    }
                    .flatMap { inbound.setOption(.autoRead, value: true) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        var server = relay
        server.port = String(channel.localAddress?.port ?? 0)
        self.server = server
    }

    package func stop() async { try? await channel.close() }
}

/// The cuts of the first connections. Each new connection takes the next cut.
private final class CutQueue: Sendable {
    private let cuts: Mutex<ArraySlice<Int>>
    init(_ cuts: [Int]) { self.cuts = Mutex(cuts[...]) }
    func takeNext() -> Int? { cuts.withLock { $0.popFirst() } }
}

/// The number of bytes that a connection may still transfer. Only the event loop of the connection uses this object.
private final class CutBudget: Sendable {
    private let remainingBytes: Atomic<Int>
    init(_ bytes: Int) { remainingBytes = Atomic(bytes) }

    /// Returns how many of `count` bytes may pass, and subtracts this number from the bytes that are left.
    func takeBytes(_ count: Int) -> Int {
        let before = remainingBytes.load(ordering: .relaxed)
        remainingBytes.store(max(0, before - count), ordering: .relaxed)
        return min(before, count)
    }
}

private final class CuttingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let otherChannel: any Channel
    private let budget: CutBudget

    init(_ other: any Channel, _ budget: CutBudget) {
        self.otherChannel = other
        self.budget = budget
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        let whole = bytes.readableBytes
        let passed = budget.takeBytes(whole)
        if let part = bytes.readSlice(length: passed) { otherChannel.writeAndFlush(part, promise: nil) }
        guard passed < whole else { return }
        otherChannel.close(promise: nil)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        otherChannel.close(promise: nil)
        context.fireChannelInactive()
    }
}
