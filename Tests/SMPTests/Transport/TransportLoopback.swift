import NIOCore
import NIOPosix
import SMP
import Testing
import Transport

/// The events at one end of a connection, in order.
struct RecordedEvents: Sendable {
    var session: TLSSession?
    var blocks: [[UInt8]] = []
    var errors: [any Error] = []
    var hasPeerClosed = false
}

/// The last handler of a pipeline. Records events, blocks and errors, echoes each block if `echoes` is set, and
/// completes `end` when the channel ends.
final class Recorder: ChannelInboundHandler {
    typealias InboundIn = [UInt8]

    private var recordedEvents = RecordedEvents()
    private let echoes: Bool
    private let sessionPromise: EventLoopPromise<TLSSession>
    private let endPromise: EventLoopPromise<RecordedEvents>
    private let firstBlockPromise: EventLoopPromise<[UInt8]>

    init(echoes: Bool, on eventLoop: any EventLoop) {
        self.echoes = echoes
        sessionPromise = eventLoop.makePromise()
        endPromise = eventLoop.makePromise()
        firstBlockPromise = eventLoop.makePromise()
    }

    var peer: LoopbackEnd {
        LoopbackEnd(
            session: sessionPromise.futureResult,
            end: endPromise.futureResult,
            firstBlock: firstBlockPromise.futureResult
        )
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let block = unwrapInboundIn(data)
        recordedEvents.blocks.append(block)
        firstBlockPromise.succeed(block)
        if echoes { context.writeAndFlush(NIOAny(block), promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSEvent.handshakeCompleted(let session):
            recordedEvents.session = session
            sessionPromise.succeed(session)
        case TLSEvent.peerClosed: recordedEvents.hasPeerClosed = true
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        recordedEvents.errors.append(error)
        sessionPromise.fail(error)
        firstBlockPromise.fail(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        sessionPromise.fail(ChannelError.eof)
        firstBlockPromise.fail(ChannelError.eof)
        endPromise.succeed(recordedEvents)
    }
}

/// One end of a connection, as a test uses it.
struct LoopbackEnd: Sendable {
    let session: EventLoopFuture<TLSSession>
    let end: EventLoopFuture<RecordedEvents>
    let firstBlock: EventLoopFuture<[UInt8]>
}

/// A TLS server on a free port that echoes blocks.
struct EchoServer {
    let channel: any Channel
    /// The server's end of the first connection.
    let serverEnd: EventLoopFuture<LoopbackEnd>
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
        let accepted = group.next().makePromise(of: LoopbackEnd.self)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let recorder = Recorder(echoes: echoes, on: channel.eventLoop)
                    accepted.succeed(recorder.peer)
                    try channel.pipeline.syncOperations.addHandlers([
                        try TLSHandler.makeServer(configuration, handshakeTimeout: handshakeTimeout), BlockCodec(),
                        recorder,
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return EchoServer(channel: channel, serverEnd: accepted.futureResult)
    }

    func connect(
        fingerprint: [UInt8],
        handshakeTimeout: TimeAmount = .seconds(20)
    ) async throws -> (channel: any Channel, peer: LoopbackEnd) {
        let address = try #require(channel.localAddress)
        let made = Self.group.next().makePromise(of: LoopbackEnd.self)
        let client = try await ClientBootstrap(group: Self.group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let recorder = Recorder(echoes: false, on: channel.eventLoop)
                    made.succeed(recorder.peer)
                    try channel.pipeline.syncOperations.addHandlers([
                        try TLSHandler.makeClient(expectedFingerprint: fingerprint, handshakeTimeout: handshakeTimeout),
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
