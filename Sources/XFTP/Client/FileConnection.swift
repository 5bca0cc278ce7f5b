import NIOCore
import NIOHPACK
import NIOHTTP2
import SMP

/// An HTTP/2 connection over TLS to a server of files, on which requests are made side by side.
///
/// simplexmq `protocol/xftp.md`, "Transport protocol": every request is a POST to `/`; what matters is in the bodies, and the status is not looked at.
final class FileConnection: Sendable {
    let tls: TLSSession
    let host: TransportHost
    private let channel: any Channel
    private let streams: NIOHTTP2Handler.StreamMultiplexer

    private init(tls: TLSSession, host: TransportHost, channel: any Channel, streams: NIOHTTP2Handler.StreamMultiplexer) {
        self.tls = tls
        self.host = host
        self.channel = channel
        self.streams = streams
    }

    deinit { channel.close(mode: .all, promise: nil) }

    /// Connects by TCP and TLS to the first host that answers.
    static func connect(
        to server: ProtocolServer, configuration: SMPClientConfiguration, group: any EventLoopGroup
    ) async throws(XFTPClientError) -> FileConnection {
        let deadline = NIODeadline.now() + configuration.connectTimeout
        do throws(SMPClientError) {
            return try await configuration.tryRoutes(to: server, deadline: deadline) { route throws(SMPClientError) in
                do {
                    return try await connect(route, server, deadline: deadline, group)
                } catch {
                    throw SMPClientError(transportFailure: error)
                }
            }
        } catch {
            // Where the original tells of silence before there is a connection as of a fault of the network.
            throw .broker(error == .timeout ? .network(.timeout) : error.brokerError ?? .network(.failed))
        }
    }

    private static func connect(
        _ route: ServerRoute, _ server: ProtocolServer, deadline: NIODeadline, _ group: any EventLoopGroup
    ) async throws -> FileConnection {
        let protocolName = route.isWeb ? TLSSession.webProtocol : TLSSession.fileProtocol
        let (channel, streams, secured) = try await route.connect(deadline: deadline, group: group) { channel in
            let secured = channel.eventLoop.makePromise(of: TLSSession.self)
            return channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(TLSHandler.client(expectedFingerprint: server.keyHash, protocolName: protocolName))
                // A server opens no streams.
                let streams = try pipeline.configureHTTP2Pipeline(
                    mode: .client, connectionConfiguration: .init(), streamConfiguration: .init()
                ) { $0.close() }
                try pipeline.addHandler(ConnectionEnd(secured))
                return (channel, streams, secured.futureResult)
            }.flatMapErrorThrowing { error in
                // The channel was closed meanwhile: there is no handler that would keep the promise.
                secured.fail(error)
                throw error
            }
        }
        let timeout = channel.eventLoop.scheduleTask(deadline: deadline) {
            channel.pipeline.fireErrorCaught(SMPClientError.timeout)
        }
        defer { timeout.cancel() }
        return FileConnection(tls: try await secured.get(), host: route.host, channel: channel, streams: streams)
    }

    /// Sends a request, and returns the body of the answer.
    ///
    /// - Parameters:
    ///   - body: in parts, one after the other.
    ///   - limit: of the answer, in bytes. A longer one is cut off, at more than so many.
    ///   - timeout: for the whole exchange.
    func post(_ body: [[UInt8]], limit: Int = XFTPBlock.size, timeout: TimeAmount) async throws(XFTPClientError) -> [UInt8] {
        let headers: HPACKHeaders = [":method": "POST", ":scheme": "https", ":authority": host.str, ":path": "/"]
        let answer = channel.eventLoop.makePromise(of: ByteBuffer.self)
        streams.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(
                    Exchange(headers: headers, body: body.map { ByteBuffer(bytes: $0) }, limit: limit, timeout: timeout, answer: answer))
            }
        }.whenFailure { error in
            // There is no stream any more, or there was none: without a handler nobody else keeps the promise.
            answer.fail(error)
        }
        do {
            return Array(try await answer.futureResult.get().readableBytesView)
        } catch {
            throw XFTPClientError(transportFailure: error)
        }
    }

    /// Closes the connection. Requests that wait for an answer fail.
    func close() async {
        channel.close(mode: .all, promise: nil)
        try? await channel.closeFuture.get()
    }
}

/// The last handler of a connection: says when TLS is there, and closes the connection at the first error.
private final class ConnectionEnd: ChannelInboundHandler {
    typealias InboundIn = Never
    private var secured: EventLoopPromise<TLSSession>?

    init(_ secured: EventLoopPromise<TLSSession>) { self.secured = secured }

    /// What belongs to no stream, such as settings, has been dealt with.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let tls) = event as? TLSEvent else { return }
        secured?.succeed(tls)
        secured = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Of one request alone: that one is told.
        if error is NIOHTTP2Errors.StreamError { return }
        fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { fail(SMPClientError.network(.failed)) }

    func handlerRemoved(context: ChannelHandlerContext) { fail(SMPClientError.network(.failed)) }

    private func fail(_ error: any Error) {
        secured?.fail(error)
        secured = nil
    }
}
