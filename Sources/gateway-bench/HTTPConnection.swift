import NIOCore
import NIOPosix

/// A keep-alive HTTP/1.1 connection with one request at a time. It parses only the status and `Content-Length`, so its
/// cost is small compared with the cost of the server.
final class HTTPConnection: Sendable {
    struct Answer: Sendable {
        var status: Int
        var body: [UInt8]
    }

    enum Failure: Error { case closed, notHTTP }

    private let channel: any Channel
    private let host: String

    private init(channel: any Channel, host: String) {
        self.channel = channel
        self.host = host
    }

    static func openConnection(port: Int, group: any EventLoopGroup) async throws -> HTTPConnection {
        let channel = try await ClientBootstrap(group: group)
            .channelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AnswerReader())
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return HTTPConnection(channel: channel, host: "127.0.0.1:\(port)")
    }

    func sendRequest(_ method: String, _ path: String, key: String?, body: String? = nil) async throws -> Answer {
        try await sendBytes(Self.makeRequestBytes(method, path, host: host, key: key, body: body)).get()
    }

    /// Repeats one GET request until `deadline`. Returns the latency of each answer in milliseconds.
    func repeatGet(_ path: String, key: String?, until deadline: NIODeadline) async throws -> [Double] {
        let bytes = Self.makeRequestBytes("GET", path, host: host, key: key, body: nil)
        var latencies = [Double]()
        while NIODeadline.now() < deadline {
            let start = NIODeadline.now()
            let answer = try await sendBytes(bytes).get()
            guard answer.status == 200 else { throw Failure.notHTTP }
            latencies.append(Double((NIODeadline.now() - start).nanoseconds) / 1e6)
        }
        return latencies
    }

    func close() async { try? await channel.close() }

    private func sendBytes(_ bytes: ByteBuffer) -> EventLoopFuture<Answer> {
        let promise = channel.eventLoop.makePromise(of: Answer.self)
        channel.writeAndFlush(SentRequest(request: bytes, answer: promise)).cascadeFailure(to: promise)
        return promise.futureResult
    }

    private static func makeRequestBytes(
        _ method: String,
        _ path: String,
        host: String,
        key: String?,
        body: String?
    ) -> ByteBuffer {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n"
        if let key { text += "Authorization: Bearer \(key)\r\n" }
        if let body {
            text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        } else {
            text += "\r\n"
        }
        return ByteBuffer(string: text)
    }
}

private struct SentRequest: Sendable {
    var request: ByteBuffer
    var answer: EventLoopPromise<HTTPConnection.Answer>
}

/// A handler that reads the answers of a connection, and completes the promise of the request that waits.
private final class AnswerReader: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = SentRequest
    typealias OutboundOut = ByteBuffer

    private var pendingAnswer: EventLoopPromise<HTTPConnection.Answer>?
    private var receivedBytes = ByteBuffer()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = unwrapOutboundIn(data)
        pendingAnswer = exchange.answer
        context.write(wrapOutboundOut(exchange.request), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        if receivedBytes.readableBytes == 0 { receivedBytes = buffer } else { receivedBytes.writeBuffer(&buffer) }
        guard let head = findHeadLength() else { return }
        let text = receivedBytes.getString(at: receivedBytes.readerIndex, length: head) ?? ""
        var length = 0
        for line in text.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            length = Int(line.dropFirst("content-length:".count).drop(while: { $0 == " " })) ?? 0
        }
        guard receivedBytes.readableBytes >= head + length else { return }
        receivedBytes.moveReaderIndex(forwardBy: head)
        let body = receivedBytes.readBytes(length: length) ?? []
        let status = Int(text.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0
        pendingAnswer?.succeed(.init(status: status, body: body))
        pendingAnswer = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        pendingAnswer?.fail(HTTPConnection.Failure.closed)
        pendingAnswer = nil
        context.fireChannelInactive()
    }

    private func findHeadLength() -> Int? {
        receivedBytes.withUnsafeReadableBytes { bytes in
            var index = 3
            while index < bytes.count {
                if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 {
                    return index + 1
                }
                index += 1
            }
            return nil
        }
    }
}
