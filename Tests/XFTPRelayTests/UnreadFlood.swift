import NIOCore
import NIOPosix
import SMP
import Transport

/// A client that sends CORS preflights one after another and reads no answer from its socket.
final class UnreadFlood: Sendable {
    private let channel: any Channel

    init(_ address: ProtocolServer, authority: String) async throws {
        let trust = try WebTrust(authorities: authority, protocolName: TLSSession.browserProtocol)
        let (channel, secured) = try await ClientBootstrap(group: TestFileRelay.group)
            .channelOption(.socketOption(.so_rcvbuf), value: 4096)
            .connect(host: "127.0.0.1", port: address.portNumber.map(Int.init) ?? 0) { channel in
                let secured = channel.eventLoop.makePromise(of: Void.self)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        TLSHandler.makeWebClient(
                            trust,
                            host: "localhost",
                            isAddress: false,
                            handshakeTimeout: .seconds(60)
                        ),
                        MuteHandler(secured)
                    )
                    return (channel, secured.futureResult)
                }
            }
        self.channel = channel
        try await secured.get()
    }

    /// Sends `requests` requests. Returns true if the relay ends the connection before all are sent.
    func isCutOff(by requests: Int) async throws -> Bool {
        var bytes = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        // Empty settings of the client, and the acknowledgement of the relay's settings.
        bytes.writeBytes([0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 0, 4, 1, 0, 0, 0, 0])
        // RFC 7541: `:method` OPTIONS and `:authority` in full, `:scheme` https and `:path` / from the table.
        let fields: [UInt8] = [0x02, 7] + Array("OPTIONS".utf8) + [0x87, 0x84, 0x01, 1] + Array("a".utf8)
        var stream: UInt32 = 1
        for number in 1...requests {
            bytes.writeBytes([0, 0, UInt8(fields.count), 1, 0x05])
            bytes.writeInteger(stream)
            bytes.writeBytes(fields)
            stream += 2
            guard number.isMultiple(of: 500) else { continue }
            do { try await channel.writeAndFlush(bytes) } catch { return true }
            bytes.clear()
        }
        channel.close(promise: nil)
        return false
    }
}

/// Stops reading after the handshake of TLS.
private final class MuteHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let handshakePromise: EventLoopPromise<Void>

    init(_ secured: EventLoopPromise<Void>) { self.handshakePromise = secured }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted = event as? TLSEvent else { return }
        context.channel.setOption(.autoRead, value: false).cascade(to: handshakePromise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        handshakePromise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { handshakePromise.fail(ChannelError.eof) }
}
