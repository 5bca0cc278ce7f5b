import Foundation
import NIOCore
import NIOPosix
import SimpleXCrypto
import SMP
import Transport

/// An echo server with which the benchmark of the relay compares the relay. It returns each block of 16 KiB over TLS
/// unchanged.
enum BlockEcho {
    /// Runs the echo server on loopback until the process is ended.
    static func serveEcho(port: Int) async throws {
        let credentials = try ServerCredentials.generateCredentials().credentials
        let tls = try TLSServerConfiguration(credentials)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        try TLSHandler.makeServer(tls), BlockCodec(), EchoHandler(),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        let fingerprint = credentials.fingerprint.map { String(format: "%02x", $0) }.joined()
        FileHandle.standardOutput.write(Data("listening \(fingerprint)\n".utf8))
        // Waits until the process is ended.
        try await server.closeFuture.get()
    }

    /// Returns the number of exchanges per second, over several pairs of connections at the same time. Each exchange
    /// sends one block over each connection of the pair, one after the other, like SEND and ACK.
    static func measureRate(
        bench: String,
        folder: String,
        pairs: Int,
        seconds: Int64,
        group: any EventLoopGroup
    ) async throws -> Double {
        let port = try FreePort.takeNext()
        let child = try MeasuredProcess(bench, ["echo", "\(port)"], log: folder + "/echo.log")
        defer { child.terminateProcess() }
        guard
            let fingerprint = child.waitForLine(containing: "listening")?.split(separator: " ").last.flatMap({
                Hex.decode($0.utf8)
            })
        else { throw HTTPConnection.Failure.closed }
        var made: [(EchoClient, EchoClient)] = []
        for _ in 0..<pairs {
            made.append(
                (
                    try await EchoClient.openConnection(port, fingerprint, group),
                    try await EchoClient.openConnection(port, fingerprint, group)
                )
            )
        }
        let start = NIODeadline.now(), deadline = start + .seconds(seconds)
        let total = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for (one, other) in made {
                tasks.addTask {
                    var count = 0
                    while NIODeadline.now() < deadline {
                        try await one.exchangeBlock()
                        try await other.exchangeBlock()
                        count += 1
                    }
                    return count
                }
            }
            return try await tasks.reduce(0, +)
        }
        let elapsed = millisecondsPassed(since: start) / 1000
        for (one, other) in made {
            await one.close()
            await other.close()
        }
        return Double(total) / elapsed
    }
}

private final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = [UInt8]
    typealias OutboundOut = [UInt8]

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.write(wrapOutboundOut(unwrapInboundIn(data)), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// One connection to the echo server, which sends one block at a time.
private final class EchoClient: Sendable {
    private static let block = [UInt8](repeating: 0x41, count: 16_384)
    private let channel: any Channel
    private let answers: NIOLoopBound<EchoAnswerHandler>

    private init(_ channel: any Channel, _ answers: NIOLoopBound<EchoAnswerHandler>) {
        self.channel = channel
        self.answers = answers
    }

    static func openConnection(
        _ port: Int,
        _ fingerprint: [UInt8],
        _ group: any EventLoopGroup
    ) async throws -> EchoClient {
        let loop = group.next()
        let answers = try await loop.submit { NIOLoopBound(EchoAnswerHandler(), eventLoop: loop) }.get()
        let channel = try await ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        try TLSHandler.makeClient(expectedFingerprint: fingerprint), BlockCodec(), answers.value,
                    ])
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return EchoClient(channel, answers)
    }

    func exchangeBlock() async throws {
        try await channel.eventLoop.flatSubmit { [channel, answers] in
            let answer = channel.eventLoop.makePromise(of: Void.self)
            answers.value.pendingAnswer = answer
            channel.writeAndFlush(Self.block, promise: nil)
            return answer.futureResult
        }.get()
    }

    func close() async { try? await channel.close() }
}

private final class EchoAnswerHandler: ChannelInboundHandler {
    typealias InboundIn = [UInt8]
    var pendingAnswer: EventLoopPromise<Void>?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pendingAnswer?.succeed()
        pendingAnswer = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        pendingAnswer?.fail(ChannelError.eof)
        pendingAnswer = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
