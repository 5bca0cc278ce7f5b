import NIOCore
import NIOHPACK
import NIOHTTP2
import SMP
import Transport

/// An HTTP/2 connection over TLS to a file server, with concurrent requests.
///
/// simplexmq `protocol/xftp.md`, "Transport protocol": every request is a POST to `/`. All data is in the bodies, and
/// the status is ignored.
final class FileConnection: Sendable {
    let tls: TLSSession
    let host: TransportHost
    private let channel: any Channel
    private let streamMultiplexer: NIOHTTP2Handler.StreamMultiplexer

    /// Number of bytes of one chunk that a server may send before this client has processed them (HTTP/2 flow control).
    /// The number is enough for fast networks with long delays.
    private static let streamWindowBytes = 1 << 20
    /// Number of bytes of all chunks of a connection that a server may send before this client has processed them.
    private static let connectionWindowBytes = 1 << 22
    /// Maximal number of bytes of a request that wait for the network. At this number, the client stops reading the
    /// chunk until the network has taken bytes.
    private static let outboundLimitBytes = 1 << 18
    /// Number of unsent bytes above which a connection is not writable.
    private static let maxUnsentBytes = 1 << 23

    private init(tls: TLSSession, host: TransportHost, channel: any Channel, streams: NIOHTTP2Handler.StreamMultiplexer)
    {
        self.tls = tls
        self.host = host
        self.channel = channel
        self.streamMultiplexer = streams
    }

    deinit { channel.close(mode: .all, promise: nil) }

    /// Connects by TCP and TLS to the first host that answers.
    static func connect(
        to server: ProtocolServer,
        configuration: TransportConfiguration,
        group: any EventLoopGroup
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
            // A timeout before the connection exists is reported as a network error, like in simplexmq.
            throw .broker(error == .timeout ? .network(.timeout) : error.brokerError ?? .network(.failed))
        }
    }

    private static func connect(
        _ route: ServerRoute,
        _ server: ProtocolServer,
        deadline: NIODeadline,
        _ group: any EventLoopGroup
    ) async throws -> FileConnection {
        let protocolName = route.usesWebPort ? TLSSession.webProtocol : TLSSession.fileProtocol
        let (channel, streams, tls) = try await route.openChannel(
            deadline: deadline,
            group: group
        ) { (channel: any Channel, secured: EventLoopPromise<TLSSession>) in
            // The limit is larger than a chunk. Otherwise the connection could become writable again in the middle of a
            // chunk's frames, and an assertion of the HTTP/2 library would fail.
            try channel.syncOptions?.setOption(
                .writeBufferWaterMark,
                value: .init(low: maxUnsentBytes / 2, high: maxUnsentBytes)
            )
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandlers(
                TLSHandler.makeClient(expectedFingerprint: server.keyHash, protocolName: protocolName),
                FrameLimit(isServer: false)
            )
            var (connection, stream) = (
                NIOHTTP2Handler.ConnectionConfiguration(), NIOHTTP2Handler.StreamConfiguration()
            )
            (connection.targetWindowSize, stream.targetWindowSize) = (connectionWindowBytes, streamWindowBytes)
            (stream.outboundBufferSizeHighWatermark, stream.outboundBufferSizeLowWatermark) = (
                outboundLimitBytes, outboundLimitBytes / 2
            )
            // A server must not open streams, so streams from the server are refused.
            let streams = try pipeline.configureHTTP2Pipeline(
                mode: .client,
                connectionConfiguration: connection,
                streamConfiguration: stream
            ) { $0.close() }
            try pipeline.addHandler(LastConnectionHandler(secured))
            return streams
        }
        return FileConnection(tls: tls, host: route.host, channel: channel, streams: streams)
    }

    /// Sends a request, and returns the body of the answer.
    ///
    /// - Parameters:
    ///   - block: the beginning of the body; nil for no body.
    ///   - chunk: the chunk after the block.
    ///   - receiver: processes the answer. With a receiver, this function returns no bytes of the answer.
    ///   - limit: the maximal size of the answer, in bytes. A longer answer is cut off at some point beyond the limit.
    ///   - timeout: the time limit for the whole exchange.
    /// - Throws: ``XFTPClientError``, or an error of `chunk` or `receiver`.
    func postRequest(
        _ block: [UInt8]?,
        chunk: ChunkSource? = nil,
        receiver: ChunkReceiver? = nil,
        limit: Int = XFTPBlock.size,
        timeout: TimeAmount
    ) async throws -> [UInt8] {
        let headers: HPACKHeaders = [":method": "POST", ":scheme": "https", ":authority": host.str, ":path": "/"]
        let answer = channel.eventLoop.makePromise(of: ByteBuffer.self)
        let opened = streamMultiplexer.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(
                    RequestExchange(
                        headers: headers,
                        requestBlock: block.map { ByteBuffer(bytes: $0) },
                        chunk: chunk,
                        receiver: receiver,
                        limit: limit,
                        timeout: timeout,
                        answer: answer
                    )
                )
            }
        }
        // If the stream cannot be opened, no handler completes the promise. So the promise fails with the error of the
        // opening.
        opened.whenFailure { answer.fail($0) }
        do {
            return try await withTaskCancellationHandler {
                Array(try await answer.futureResult.get().readableBytesView)
            } onCancel: {
                opened.whenSuccess { $0.close(promise: nil) }
                answer.fail(CancellationError())
            }
        } catch let error as CancellationError {
            throw error
        } catch let failure as ChunkFailure {
            throw failure.error
        } catch {
            throw XFTPClientError(transportFailure: error)
        }
    }

    /// Sends a request without a chunk; see ``postRequest(_:chunk:receiver:limit:timeout:)``.
    func postRequest(_ block: [UInt8]?, timeout: TimeAmount) async throws(XFTPClientError) -> [UInt8] {
        do { return try await postRequest(block, limit: XFTPBlock.size, timeout: timeout) } catch {
            throw XFTPClientError(transportFailure: error)
        }
    }

    /// Closes the connection. Requests that wait for their answers fail.
    func close() async {
        channel.close(mode: .all, promise: nil)
        try? await channel.closeFuture.get()
    }
}

/// The last handler of a connection: reports that TLS is established, and closes the connection at the first error.
private final class LastConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = Never
    private var securedPromise: EventLoopPromise<TLSSession>?

    init(_ secured: EventLoopPromise<TLSSession>) { self.securedPromise = secured }

    /// Ignores frames that belong to no stream, such as settings. The HTTP/2 handler has processed them.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let tls) = event as? TLSEvent else { return }
        securedPromise?.succeed(tls)
        securedPromise = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An error of one stream concerns only its request, which gets the error. The connection stays open.
        if error is NIOHTTP2Errors.StreamError { return }
        failSecuredPromise(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { failSecuredPromise(SMPClientError.network(.failed)) }

    func handlerRemoved(context: ChannelHandlerContext) { failSecuredPromise(SMPClientError.network(.failed)) }

    private func failSecuredPromise(_ error: any Error) {
        securedPromise?.fail(error)
        securedPromise = nil
    }
}
