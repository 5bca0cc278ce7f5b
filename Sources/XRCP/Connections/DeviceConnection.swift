import Glibc
package import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import SimpleXCrypto
package import Transport

/// A TLS connection between two devices. The devices first exchange the hellos, and then requests and answers by
/// HTTP/2. The host opens the connection, but the controller sends the requests.
package final class DeviceConnection: Sendable {
    package let tls: TLSSession
    private let channel: any Channel
    private let blockHandler: NIOLoopBound<BlockHandler>

    init(tls: TLSSession, channel: any Channel, blocks: NIOLoopBound<BlockHandler>) {
        self.tls = tls
        self.channel = channel
        self.blockHandler = blocks
    }

    deinit { channel.close(mode: .all, promise: nil) }

    /// The SHA-256 of the peer's authority certificate; empty if the peer has shown no certificates.
    package var peerAuthority: [UInt8] { tls.peerCertificates.count == 2 ? Digest.sha256(tls.peerCertificates[1]) : [] }

    package func close() { channel.close(mode: .all, promise: nil) }

    /// Returns when one of the two sides has closed the connection.
    package func waitUntilClosed() async { try? await channel.closeFuture.get() }

    /// Number of bytes that the peer may send before this device has read them.
    private static let receiveWindowBytes = 1 << 20
    /// Number of unsent bytes above which a connection is not writable. The number is greater than the bytes that all
    /// streams write at the same time. Otherwise an assertion of the HTTP/2 library could fail, as in `XFTPRelay`.
    static let maxUnsentBytes = 64 << 20

    /// Settings that detect after a minute and a half that a device has disappeared, even if nothing is sent to it.
    static let socketOptions: [(ChannelOptions.Types.SocketOption, SocketOptionValue)] =
        TCPKeepAlive(idle: 30, interval: 15, count: 4).options
        + [
            (
                ChannelOptions.Types.SocketOption(level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)),
                90_000
            )
        ]

    // MARK: Connecting

    /// Connects a host to its controller. The certificate of the controller must be signed by the authority with this
    /// fingerprint.
    /// - Parameter permits: returns whether the host may connect to a controller with this name and port at an address;
    ///   nil permits any address.
    package static func connect(
        host: TransportHost,
        port: UInt16,
        authority: [UInt8],
        as own: DeviceAuthority,
        timeout: TimeAmount,
        permits: TransportConfiguration.AddressRule? = nil,
        group: any EventLoopGroup
    ) async throws(XRCPError) -> DeviceConnection {
        do {
            let identity = try own.makeSessionIdentity()
            let bootstrap = socketOptions.reduce(ClientBootstrap(group: group)) { $0.channelOption($1.0, value: $1.1) }
            let (channel, blocks, secured) =
                try await bootstrap
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.writeBufferWaterMark, value: .init(low: maxUnsentBytes / 4, high: maxUnsentBytes))
                .connectTimeout(timeout)
                .connect(host: host.description, port: Int(port)) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if let permits {
                            let gate = AddressGate { permits(host.description, Int(port), $0) }
                            try channel.pipeline.syncOperations.addHandler(gate)
                        }
                        let tls = try TLSHandler.makeHostHandler(
                            expectedFingerprint: authority,
                            identity: identity,
                            handshakeTimeout: timeout
                        )
                        return try prepareChannel(channel, tls)
                    }
                }
            return DeviceConnection(tls: try await secured.get(), channel: channel, blocks: blocks)
        } catch {
            throw XRCPError(connecting: error)
        }
    }

    typealias PreparedChannel = (any Channel, NIOLoopBound<BlockHandler>, EventLoopFuture<TLSSession>)

    static func prepareChannel(_ channel: any Channel, _ tls: TLSHandler) throws -> PreparedChannel {
        let secured = channel.eventLoop.makePromise(of: TLSSession.self)
        let blocks = BlockHandler(secured)
        do { try channel.pipeline.syncOperations.addHandlers(tls, blocks) } catch {
            secured.fail(error)
            throw error
        }
        return (channel, NIOLoopBound(blocks, eventLoop: channel.eventLoop), secured.futureResult)
    }

    // MARK: Hellos

    package func sendBlock(_ block: [UInt8]) async throws(XRCPError) {
        do {
            try await channel.eventLoop.flatSubmit { [blockHandler, channel] in
                let promise = channel.eventLoop.makePromise(of: Void.self)
                blockHandler.value.sendBlock(block, promise)
                return promise.futureResult
            }.get()
        } catch {
            throw XRCPError(connecting: error)
        }
    }

    /// Returns the peer's next block. If no block arrives in time, the connection is closed.
    package func receiveBlock(within timeout: TimeAmount) async throws(XRCPError) -> [UInt8] {
        let timer = channel.eventLoop.scheduleTask(in: timeout) { [blockHandler] in
            blockHandler.value.closeWithError(XRCPError.timeout)
        }
        defer { timer.cancel() }
        do {
            return try await channel.eventLoop.flatSubmit { [blockHandler, channel] in
                blockHandler.value.receiveBlock(on: channel.eventLoop)
            }.get()
        } catch {
            throw XRCPError(connecting: error)
        }
    }

    // MARK: HTTP/2

    private static func makeHTTP2Settings(
        _ maxStreams: Int
    ) -> (NIOHTTP2Handler.ConnectionConfiguration, NIOHTTP2Handler.StreamConfiguration) {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: maxStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16 << 10),
            HTTP2Setting(parameter: .initialWindowSize, value: receiveWindowBytes),
        ]
        connection.targetWindowSize = 4 * receiveWindowBytes
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = receiveWindowBytes
        return (connection, stream)
    }

    /// The maximum number of concurrent requests of a controller.
    package static let maxRequests = 100

    /// Serves requests as the host. Calls `handle` for every request in a task that is cancelled when the request or
    /// the connection ends. Bytes that `handle` leaves unread are dropped.
    package func serveRequests(_ handle: @escaping @Sendable (ExchangeStream) async -> Void) async throws(XRCPError) {
        do {
            try await channel.eventLoop.submit { [blockHandler, channel] in
                let (connection, stream) = Self.makeHTTP2Settings(Self.maxRequests)
                try channel.pipeline.syncOperations.addHandler(FrameLimit(isServer: true))
                _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                    mode: .server,
                    connectionConfiguration: connection,
                    streamConfiguration: stream
                ) { stream in
                    stream.eventLoop.makeCompletedFuture {
                        let handler = StreamHandler(isServer: true)
                        try stream.pipeline.syncOperations.addHandler(handler)
                        let exchange = ExchangeStream(
                            channel: stream,
                            handler: NIOLoopBound(handler, eventLoop: stream.eventLoop)
                        )
                        let task = Task {
                            await handle(exchange)
                            await exchange.dropRemainingBytes()
                        }
                        stream.closeFuture.whenComplete { _ in task.cancel() }
                    }
                }
                try channel.pipeline.syncOperations.addHandler(LastDeviceHandler())
                blockHandler.value.passToHTTP2()
            }.get()
        } catch {
            throw XRCPError(connecting: error)
        }
    }

    /// Starts HTTP/2 as the controller, and returns an object that opens requests.
    package func startRequests() async throws(XRCPError) -> RequestOpener {
        do {
            return try await channel.eventLoop.submit { [blockHandler, channel] in
                let (connection, stream) = Self.makeHTTP2Settings(Self.maxRequests)
                try channel.pipeline.syncOperations.addHandler(FrameLimit(isServer: false))
                // A host must not open streams, so streams from the host are refused.
                let streams = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                    mode: .client,
                    connectionConfiguration: connection,
                    streamConfiguration: stream
                ) { $0.close() }
                try channel.pipeline.syncOperations.addHandler(LastDeviceHandler())
                blockHandler.value.passToHTTP2()
                return RequestOpener(streamMultiplexer: streams)
            }.get()
        } catch {
            throw XRCPError(connecting: error)
        }
    }

    /// An object that opens requests on a connection.
    package struct RequestOpener: Sendable {
        let streamMultiplexer: NIOHTTP2Handler.StreamMultiplexer

        package func openRequest() async throws(ExchangeError) -> ExchangeStream {
            do {
                return try await streamMultiplexer.createStreamChannel { stream in
                    stream.eventLoop.makeCompletedFuture {
                        try stream.pipeline.syncOperations.addHandler(StreamHandler(isServer: false))
                    }
                }.flatMapThrowing { stream in
                    let handler = try stream.pipeline.syncOperations.handler(type: StreamHandler.self)
                    return ExchangeStream(channel: stream, handler: NIOLoopBound(handler, eventLoop: stream.eventLoop))
                }.get()
            } catch {
                throw .http2("\(error)")
            }
        }
    }
}

/// The last handler of a connection. It ignores frames that belong to no stream, and closes the connection at the first
/// error that concerns more than one stream.
private final class LastDeviceHandler: ChannelInboundHandler {
    typealias InboundIn = Never

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is NIOHTTP2Errors.StreamError { return }
        context.close(promise: nil)
    }
}

extension XRCPError {
    init(connecting error: any Error) {
        switch error {
        case let error as XRCPError: self = error
        case TLSError.identityMismatch: self = .identity
        case TLSError.protocolViolation(let reason) where reason.contains("unknown ca"): self = .identity
        case ChannelError.connectTimeout, TLSError.handshakeTimeout: self = .timeout
        case let error as NIOConnectionError:
            let reason = error.connectionErrors.last?.error ?? error.dnsAError ?? error.dnsAAAAError
            self = reason.map { XRCPError(connecting: $0) } ?? .exception("no address")
        default: self = .exception("\(error)")
        }
    }
}
