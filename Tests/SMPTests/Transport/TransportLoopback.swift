import NIOCore
import NIOPosix
import SMP
import Testing
import Transport

/// The events at one end of a connection, in order.
struct Seen: Sendable {
    var session: TLSSession?
    var blocks: [[UInt8]] = []
    var errors: [any Error] = []
    var peerClosed = false
}

/// The last handler of a pipeline. Records events, blocks and errors, echoes each block if `echoes` is set, and
/// completes `end` when the channel ends.
final class Recorder: ChannelInboundHandler {
    typealias InboundIn = [UInt8]

    private var seen = Seen()
    private let echoes: Bool
    private let handshake: EventLoopPromise<TLSSession>
    private let end: EventLoopPromise<Seen>
    private let firstBlock: EventLoopPromise<[UInt8]>

    init(echoes: Bool, on eventLoop: any EventLoop) {
        self.echoes = echoes
        handshake = eventLoop.makePromise()
        end = eventLoop.makePromise()
        firstBlock = eventLoop.makePromise()
    }

    var peer: Peer { Peer(session: handshake.futureResult, end: end.futureResult, firstBlock: firstBlock.futureResult) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let block = unwrapInboundIn(data)
        seen.blocks.append(block)
        firstBlock.succeed(block)
        if echoes { context.writeAndFlush(NIOAny(block), promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSEvent.handshakeCompleted(let session):
            seen.session = session
            handshake.succeed(session)
        case TLSEvent.peerClosed: seen.peerClosed = true
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        seen.errors.append(error)
        handshake.fail(error)
        firstBlock.fail(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        handshake.fail(ChannelError.eof)
        firstBlock.fail(ChannelError.eof)
        end.succeed(seen)
    }
}

/// One end of a connection, as a test uses it.
struct Peer: Sendable {
    let session: EventLoopFuture<TLSSession>
    let end: EventLoopFuture<Seen>
    let firstBlock: EventLoopFuture<[UInt8]>
}

/// A TLS server on a free port that echoes blocks.
struct EchoServer {
    let channel: any Channel
    /// The server's end of the first connection.
    let accepted: EventLoopFuture<Peer>
    static let group = MultiThreadedEventLoopGroup.singleton

    /// - Parameter echoes: false if the client closes immediately, since unread echoes would turn its close into a
    ///   reset.
    static func start(
        _ credentials: ServerCredentials,
        echoes: Bool = true,
        handshakeTimeout: TimeAmount = .seconds(20)
    ) async throws -> EchoServer {
        try await start(try TLSServerConfiguration(credentials), echoes: echoes, handshakeTimeout: handshakeTimeout)
    }

    static func start(
        _ configuration: TLSServerConfiguration,
        echoes: Bool = true,
        handshakeTimeout: TimeAmount = .seconds(20)
    ) async throws -> EchoServer {
        let accepted = group.next().makePromise(of: Peer.self)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let recorder = Recorder(echoes: echoes, on: channel.eventLoop)
                    accepted.succeed(recorder.peer)
                    try channel.pipeline.syncOperations.addHandlers([
                        try TLSHandler.server(configuration, handshakeTimeout: handshakeTimeout), BlockCodec(),
                        recorder,
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return EchoServer(channel: channel, accepted: accepted.futureResult)
    }

    func connect(
        fingerprint: [UInt8],
        handshakeTimeout: TimeAmount = .seconds(20)
    ) async throws -> (channel: any Channel, peer: Peer) {
        let address = try #require(channel.localAddress)
        let made = Self.group.next().makePromise(of: Peer.self)
        let client = try await ClientBootstrap(group: Self.group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let recorder = Recorder(echoes: false, on: channel.eventLoop)
                    made.succeed(recorder.peer)
                    try channel.pipeline.syncOperations.addHandlers([
                        try TLSHandler.client(expectedFingerprint: fingerprint, handshakeTimeout: handshakeTimeout),
                        BlockCodec(), recorder,
                    ])
                }
            }
            .connect(to: address).get()
        return (client, try await made.futureResult.get())
    }

    /// A connection without TLS.
    func connectPlain() async throws -> any Channel {
        let address = try #require(channel.localAddress)
        return try await ClientBootstrap(group: Self.group).connect(to: address).get()
    }
}
