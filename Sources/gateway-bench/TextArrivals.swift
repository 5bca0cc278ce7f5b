import JSON
import NIOCore
import NIOHTTP1
import NIOPosix

/// Follows the gateway's stored events (the journal) with the key of the receiving user, and records the time at which
/// each text arrived.
actor TextArrivals {
    /// The times at which each text arrived: one for each recipient, in the order of arrival.
    private var arrivals = [String: [NIODeadline]]()
    private var waiters = [String: (times: Int, continuation: CheckedContinuation<NIODeadline, any Error>)]()
    private var isStreamOver = false
    private let channel: any Channel

    /// Starts to follow the journal as NDJSON.
    /// - Parameter cursor: the cursor at which reading begins.
    init(port: Int, key: String, cursor: String, group: any EventLoopGroup) async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: JournalLine.self)
        channel = try await ClientBootstrap(group: group)
            .channelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(LineReader(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/v1/events?cursor=\(cursor)")
        head.headers = [
            "Host": "127.0.0.1:\(port)", "Authorization": "Bearer \(key)", "Accept": "application/x-ndjson",
        ]
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        try await channel.writeAndFlush(HTTPClientRequestPart.end(nil))
        Task {
            for await line in lines { self.recordArrivals(in: line) }
            self.failAllWaiters()
        }
    }

    func close() async { try? await channel.close() }

    /// Waits until `times` recipients have received the text, and returns the time at which the last of them received
    /// it.
    func waitForArrival(of text: String, times: Int = 1) async throws -> NIODeadline {
        if let arrivals = arrivals[text], arrivals.count >= times { return arrivals[times - 1] }
        if isStreamOver { throw HTTPConnection.Failure.closed }
        return try await withCheckedThrowingContinuation { waiters[text] = (times, $0) }
    }

    private func recordArrivals(in line: JournalLine) {
        guard let entry = try? JSONValue(parsing: line.bytes), entry["event"]?["type"]?.stringValue == "newChatItems"
        else { return }
        for item in entry["event"]?["chatItems"]?.arrayValue ?? [] {
            guard let text = item["chatItem"]?["meta"]?["itemText"]?.stringValue,
                let direction = item["chatItem"]?["chatDir"]?["type"]?.stringValue, direction.hasSuffix("Rcv")
            else { continue }
            arrivals[text, default: []].append(line.arrivalTime)
            if let waiter = waiters[text], arrivals[text]?.count == waiter.times {
                waiters.removeValue(forKey: text)?.continuation.resume(returning: line.arrivalTime)
            }
        }
    }

    private func failAllWaiters() {
        isStreamOver = true
        for waiter in waiters.values { waiter.continuation.resume(throwing: HTTPConnection.Failure.closed) }
        waiters = [:]
    }
}

extension BenchedGateway {
    /// Starts to record the arrivals of texts from now on, for the users that `key` can access.
    func followTexts(key: String) async throws -> TextArrivals {
        try await TextArrivals(port: port, key: key, cursor: readLatestCursor(), group: group)
    }
}

private struct JournalLine: Sendable {
    var bytes: [UInt8]
    var arrivalTime: NIODeadline
}

/// A handler that passes on the lines of an HTTP answer as they arrive.
private final class LineReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let continuation: AsyncStream<JournalLine>.Continuation
    private var receivedBytes = ByteBuffer()

    init(_ continuation: AsyncStream<JournalLine>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .body(var part) = unwrapInboundIn(data) else { return }
        receivedBytes.writeBuffer(&part)
        while let end = receivedBytes.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let line = receivedBytes.readBytes(length: end - receivedBytes.readerIndex) ?? []
            receivedBytes.moveReaderIndex(forwardBy: 1)
            if !line.isEmpty { continuation.yield(JournalLine(bytes: line, arrivalTime: .now())) }
        }
        receivedBytes.discardReadBytes()
    }

    func channelInactive(context: ChannelHandlerContext) {
        continuation.finish()
        context.fireChannelInactive()
    }
}
