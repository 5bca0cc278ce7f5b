import JSON
import NIOCore
import NIOHTTP1
import NIOPosix

/// A client that sends requests to a gateway on this machine. Each request has its own connection.
struct LocalGateway {
    let address: GatewayAddress
    /// The API key; empty for requests without a key.
    let key: String
    let group: any EventLoopGroup

    /// Sends a request to the gateway, and returns the JSON of the answer.
    /// - Parameter patience: the time limit for the answer.
    /// - Throws: a ``Failure`` with the gateway's text when the gateway refuses the request.
    func sendRequest(
        _ method: HTTPMethod,
        _ path: String,
        _ body: JSONValue? = nil,
        within patience: TimeAmount = .seconds(60)
    ) async throws -> JSONValue {
        let answered = group.next().makePromise(of: NIOHTTPClientResponseFull.self)
        let channel: any Channel
        do { channel = try await openConnection(answered) } catch {
            answered.fail(error)
            throw Failure(
                exitCode: 1,
                message: "no gateway answers on http://\(address.authority): start one, or name another with --url"
            )
        }
        let answer: NIOHTTPClientResponseFull
        do { answer = try await exchangeMessages(method, path, body, patience, on: channel, answered) } catch {
            throw Failure(
                exitCode: 1,
                message:
                    "the program on http://\(address.authority) gives no answer: it has ended, it is not a gateway, or it uses TLS, which this command does not support"
            )
        }
        let json = answer.body.flatMap { try? JSONValue(parsing: Array($0.readableBytesView)) } ?? .null
        guard (200..<300).contains(answer.head.status.code) else {
            let words = json["detail"]?.stringValue ?? json["title"]?.stringValue ?? "status \(answer.head.status.code)"
            // If the gateway refuses the key, the key usually belongs to another gateway. So the message says how to
            // name that gateway.
            let isForeign = answer.head.status == .unauthorized
            let hint =
                isForeign ? " To use another gateway, name it with --url, and its key with --data or --key-file." : ""
            throw Failure(exitCode: 1, message: "the gateway on http://\(address.authority) refuses: \(words)\(hint)")
        }
        return json
    }

    private func openConnection(_ answered: EventLoopPromise<NIOHTTPClientResponseFull>) async throws -> any Channel {
        try await ClientBootstrap(group: group).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHTTPClientHandlers()
                try pipeline.addHandlers([
                    NIOHTTPClientResponseAggregator(maxContentLength: 1 << 20), AnswerHandler(answered),
                ])
            }
        }.connect(host: address.host, port: address.port).get()
    }

    private func exchangeMessages(
        _ method: HTTPMethod,
        _ path: String,
        _ body: JSONValue?,
        _ patience: TimeAmount,
        on channel: any Channel,
        _ answered: EventLoopPromise<NIOHTTPClientResponseFull>
    ) async throws -> NIOHTTPClientResponseFull {
        let late = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        let content = body.map { ByteBuffer(string: $0.text) }
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
        head.headers = ["Host": address.authority, "Connection": "close"]
        // With this header the gateway answers at the end of the work. Without it, a long operation would be answered
        // at its beginning.
        head.headers.add(name: "Prefer", value: "wait=\(patience.nanoseconds / 1_000_000_000)")
        if !key.isEmpty { head.headers.add(name: "Authorization", value: "Bearer \(key)") }
        if let content {
            head.headers.add(name: "Content-Type", value: "application/json")
            head.headers.add(name: "Content-Length", value: "\(content.readableBytes)")
        }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if let content { channel.write(HTTPClientRequestPart.body(.byteBuffer(content)), promise: nil) }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        defer { late.cancel() }
        return try await answered.futureResult.get()
    }
}

/// A handler that completes a promise with the answer of a connection, or with the error that ends it.
private final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = NIOHTTPClientResponseFull

    private let answerPromise: EventLoopPromise<NIOHTTPClientResponseFull>

    init(_ answered: EventLoopPromise<NIOHTTPClientResponseFull>) { self.answerPromise = answered }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        answerPromise.succeed(unwrapInboundIn(data))
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answerPromise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { answerPromise.fail(ChannelError.eof) }
}
