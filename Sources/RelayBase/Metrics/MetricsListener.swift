import NIOCore
import NIOPosix

/// Serves a relay's statistics for Prometheus on a separate port: every GET request gets them. Each connection has one
/// request.
enum MetricsListener {
    /// Starts to listen on the port for statistics.
    /// - Parameter text: a function that returns the present statistics in the text form of Prometheus.
    static func startListening(
        host: String,
        port: Int,
        group: any EventLoopGroup,
        text: @escaping @Sendable () -> String
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(MetricsHandler(text))
                }
            }
            .bind(host: host, port: port).get()
    }
}

private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let makeText: @Sendable () -> String
    private var receivedBytes: [UInt8] = []
    private var deadline: Scheduled<Void>?

    init(_ text: @escaping @Sendable () -> String) { self.makeText = text }

    /// Maximal number of bytes of a request; a longer request is refused.
    private static let maxRequestBytes = 8192

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: .seconds(10)) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        receivedBytes.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        guard receivedBytes.count <= Self.maxRequestBytes else { return context.close(promise: nil) }
        guard receivedBytes.contains("\r\n\r\n".utf8) else { return }
        let isGet = receivedBytes.starts(with: "GET ".utf8)
        let body = isGet ? makeText() : ""
        let head =
            "HTTP/1.1 \(isGet ? "200 OK" : "405 Method Not Allowed")\r\nContent-Type: text/plain; version=0.0.4\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head + body))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
