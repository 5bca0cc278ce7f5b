import NIOCore
import NIOPosix
import SMP
import Transport

/// A client that sends any bytes over TLS in place of HTTP/2.
final class RawFrameClient: Sendable {
    private let channel: any Channel

    init(_ address: ProtocolServer) async throws {
        let (channel, secured) = try await ClientBootstrap(group: TestFileRelay.group)
            .connect(host: "127.0.0.1", port: address.portNumber.map(Int.init) ?? 0) { channel in
                let secured = channel.eventLoop.makePromise(of: Void.self)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        TLSHandler.makeClient(
                            expectedFingerprint: address.keyHash,
                            protocolName: TLSSession.fileProtocol
                        ),
                        HandshakeHandler(secured)
                    )
                    return (channel, secured.futureResult)
                }
            }
        self.channel = channel
        try await secured.get()
    }

    /// Sends bytes without waiting, because the relay may end the connection before all of them are sent.
    func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// Sends bytes and the end of TLS in one piece.
    func sendLast(_ bytes: [UInt8]) {
        channel.write(ByteBuffer(bytes: bytes), promise: nil)
        channel.close(promise: nil)
    }

    var isClosed: Bool { !channel.isActive }

    func waitUntilClosed() async throws { try await channel.closeFuture.get() }
}

private final class HandshakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let handshakePromise: EventLoopPromise<Void>

    init(_ secured: EventLoopPromise<Void>) { self.handshakePromise = secured }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSEvent { handshakePromise.succeed() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        handshakePromise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { handshakePromise.fail(ChannelError.eof) }
}
