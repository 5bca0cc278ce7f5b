import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import SMP
import SimpleXCrypto
import Synchronization
import Transport
import XFTP

/// A client that sends any requests over TLS and HTTP/2, in any parts.
final class RawFileClient: Sendable {
    private let channel: any Channel
    private let streams: NIOHTTP2Handler.StreamMultiplexer
    let tls: TLSSession

    convenience init(
        _ address: ProtocolServer,
        protocolName: String? = TLSSession.fileProtocol,
        window: Int = 65535
    ) async throws {
        try await self.init(address, window: window) {
            try TLSHandler.makeClient(expectedFingerprint: address.keyHash, protocolName: protocolName)
        }
    }

    /// A client that sends the name of the server in TLS, as browsers do.
    /// - Parameter authority: file of the certificate that the client trusts.
    convenience init(
        browserOf address: ProtocolServer,
        authority: String,
        protocolName: String = TLSSession.browserProtocol
    ) async throws {
        let trust = try WebTrust(authorities: authority, protocolName: protocolName)
        try await self.init(address) {
            try TLSHandler.makeWebClient(trust, host: "localhost", isAddress: false, handshakeTimeout: .seconds(60))
        }
    }

    private init(
        _ address: ProtocolServer,
        window: Int = 65535,
        _ tls: @escaping @Sendable () throws -> TLSHandler
    ) async throws {
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = window
        let configuration = stream
        let (channel, streams, secured) = try await ClientBootstrap(group: TestFileRelay.group)
            .connect(host: "127.0.0.1", port: address.portNumber.map(Int.init) ?? 0) { channel in
                let secured = channel.eventLoop.makePromise(of: TLSSession.self)
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(tls())
                    let streams = try pipeline.configureHTTP2Pipeline(
                        mode: .client,
                        connectionConfiguration: .init(),
                        streamConfiguration: configuration
                    ) { $0.close() }
                    try pipeline.addHandler(HandshakeHandler(secured))
                    return (channel, streams, secured.futureResult)
                }
            }
        self.channel = channel
        self.streams = streams
        self.tls = try await secured.get()
    }

    /// Starts a request by sending its headers.
    func startRequest(_ method: String = "POST", _ more: HPACKHeaders = [:]) async throws -> RawRequest {
        let request = RawRequest()
        var headers: HPACKHeaders = [":method": method, ":scheme": "https", ":authority": "localhost", ":path": "/"]
        headers.add(contentsOf: more)
        let stream = try await streams.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture { try stream.pipeline.syncOperations.addHandler(RawStream(request)) }
        }.get()
        try await stream.writeAndFlush(HTTP2Frame.FramePayload.headers(.init(headers: headers)))
        request.channel.withLock { $0 = stream }
        return request
    }

    /// Sends a whole request and returns the body of its answer.
    func post(_ body: [UInt8], _ headers: HPACKHeaders = [:]) async throws -> [UInt8] {
        try await sendWhole(body, headers).body
    }

    /// Sends a whole request and returns its answer.
    func sendWhole(
        _ body: [UInt8] = [],
        _ headers: HPACKHeaders = [:],
        method: String = "POST"
    ) async throws -> RawAnswer {
        let request = try await startRequest(method, headers)
        try await request.sendBytes(body, isLast: true)
        return try await request.waitForAnswer()
    }

    /// Completes the handshake and returns its session.
    func openSession(_ address: ProtocolServer) async throws -> XFTPSessionParameters {
        let handshake = XFTPClientHandshake(
            sessionID: tls.channelBinding,
            keyHash: address.keyHash,
            leafCertificate: tls.peerCertificates.first
        )
        let (body, session) = try handshake.makeClientHello(serverHello: try await post([]))
        guard try await post(body).isEmpty else { throw XFTPServerError.handshake }
        return session
    }

    func close() { channel.close(promise: nil) }

    /// Returns when the relay has ended the session.
    func waitUntilClosed() async throws { try await channel.closeFuture.get() }
}

struct RawAnswer: Sendable {
    var headers = HPACKHeaders()
    var body: [UInt8] = []
}

/// One request of a raw client.
final class RawRequest: Sendable {
    fileprivate let channel = Mutex<(any Channel)?>(nil)
    fileprivate let events: AsyncThrowingStream<RawAnswer, any Error>
    fileprivate let continuation: AsyncThrowingStream<RawAnswer, any Error>.Continuation
    struct StreamReset: Error {}

    init() { (events, continuation) = AsyncThrowingStream.makeStream() }

    func sendBytes(_ bytes: [UInt8], isLast: Bool = false) async throws {
        guard let channel = channel.withLock({ $0 }) else { return }
        try await channel.writeAndFlush(
            HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: isLast))
        )
    }

    /// Cancels the request.
    func cancel() { channel.withLock { $0 }?.close(promise: nil) }

    /// Waits for the body of the answer. Throws `StreamReset` if the stream ends before the answer.
    func waitForBody() async throws -> [UInt8] { try await waitForAnswer().body }

    /// Waits for the answer with its headers. Throws `StreamReset` if the stream ends before the answer.
    func waitForAnswer() async throws -> RawAnswer {
        for try await answer in events { return answer }
        throw StreamReset()
    }

    /// Stops reading from the stream.
    func pauseReading() async throws {
        try await channel.withLock { $0 }?.setOption(ChannelOptions.autoRead, value: false).get()
    }
}

private final class RawStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    private let request: RawRequest
    private var answer = RawAnswer()

    init(_ request: RawRequest) { self.request = request }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isLast: Bool
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            answer.headers = frame.headers
            isLast = frame.endStream
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data { answer.body += Array(bytes.readableBytesView) }
            isLast = frame.endStream
        default: return
        }
        if isLast { request.continuation.yield(answer) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    func channelInactive(context: ChannelHandlerContext) {
        request.continuation.finish(throwing: RawRequest.StreamReset())
    }
    func handlerRemoved(context: ChannelHandlerContext) {
        request.continuation.finish(throwing: RawRequest.StreamReset())
    }
}

private final class HandshakeHandler: ChannelInboundHandler {
    typealias InboundIn = Never
    private var handshakePromise: EventLoopPromise<TLSSession>?

    init(_ secured: EventLoopPromise<TLSSession>) { self.handshakePromise = secured }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let tls) = event as? TLSEvent else { return }
        handshakePromise?.succeed(tls)
        handshakePromise = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        handshakePromise?.fail(error)
        handshakePromise = nil
        if !(error is NIOHTTP2Errors.StreamError) { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        handshakePromise?.fail(ChannelError.eof)
        handshakePromise = nil
    }
}
