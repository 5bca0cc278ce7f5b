import NIOCore
import NIOHTTP1
import Transport

/// A channel handler that sends one request and receives its answer.
final class ExchangeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let head: HTTPRequestHead
    private let body: [UInt8]?
    private let maxKeptAnswerBytes: Int
    private let limiter: AnswerLimiter
    private let result: EventLoopPromise<ExchangeResult>
    private let deadline: NIODeadline
    private var timeoutTimer: Scheduled<Void>?
    private var isOver = false
    /// Whether the system has accepted the whole request.
    private var isRequestSent = false
    private var keepsConnection = false
    /// The answer received so far; nil until its header was received.
    private var answer: OutgoingAnswer?
    /// Whether the content of the answer is compressed.
    private var isAnswerCompressed = false

    init(
        _ head: HTTPRequestHead,
        _ request: OutgoingRequest,
        _ limiter: AnswerLimiter,
        _ result: EventLoopPromise<ExchangeResult>,
        deadline: NIODeadline
    ) {
        self.head = head
        body = request.body
        maxKeptAnswerBytes = request.maxKeptAnswerBytes
        self.limiter = limiter
        self.result = result
        self.deadline = deadline
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { sendRequest(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        sendRequest(context)
        context.fireChannelActive()
    }

    private func sendRequest(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timeoutTimer = context.eventLoop.scheduleTask(deadline: deadline) {
            let (handler, context) = bound.value
            handler.endExchange(.timeout, context)
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: body)))),
                promise: nil
            )
        }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess { self.isRequestSent = true }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            keepsConnection = head.isConnectionKept
            answer = OutgoingAnswer(status: Int(head.status.code), retryAfter: head.retryAfterSeconds)
            guard maxKeptAnswerBytes > 0 else { return }
            answer?.contentType = head.headers.first(name: "content-type")
            answer?.location = head.headers.first(name: "location")
            isAnswerCompressed =
                head.headers.first(name: "content-encoding").map { $0.lowercased() != "identity" } ?? false
        case .body(let bytes): keepContent(bytes, context)
        case .end:
            limiter.endAnswer()
            answer?.isContentComplete = maxKeptAnswerBytes > 0 && !isAnswerCompressed
            endExchange(.connectionClosed, context, mayContinue: isRequestSent && keepsConnection)
        }
    }

    private func keepContent(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard maxKeptAnswerBytes > 0, !isAnswerCompressed, let count = answer?.content.count else { return }
        answer?.content += bytes.readableBytesView.prefix(maxKeptAnswerBytes - count)
        if count + bytes.readableBytes > maxKeptAnswerBytes { endExchange(.answerTooLong, context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        endExchange(OutgoingError(caught: error), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        endExchange(.connectionClosed, context)
        context.fireChannelInactive()
    }

    /// Ends the exchange with the received answer, or with an error.
    /// - Parameter failure: the error if there is no answer.
    private func endExchange(_ failure: OutgoingError, _ context: ChannelHandlerContext, mayContinue: Bool = false) {
        guard !isOver else { return }
        isOver = true
        timeoutTimer?.cancel()
        context.endExchange(result, answer.map(Result.success) ?? .failure(failure), limiter, mayContinue: mayContinue)
    }
}

extension OutgoingError {
    /// Converts an error that a NIO channel has reported.
    init(caught error: any Error) {
        switch error {
        case let error as TLSError: self = error.reason.map { .tlsFailed($0) } ?? .connectionClosed
        case let error as OutgoingError: self = error
        // The answer was valid up to the end of the connection, which came too early.
        case HTTPParserError.invalidEOFState: self = .connectionClosed
        case HTTPParserError.headerOverflow: self = .answerTooLong
        case is HTTPParserError: self = .answerNotHTTP
        default: self = .connectionClosed
        }
    }
}

extension TLSError {
    /// The description of a TLS error; nil if the error only means that the connection has ended.
    fileprivate var reason: String? {
        switch self {
        case .handshakeFailed(let reason), .protocolViolation(let reason): reason
        case .invalidChain(let reason): "the certificate is not trusted: \(reason)"
        case .handshakeTimeout: "no answer in time"
        case .configuration(let reason): reason
        case .identityMismatch: "the certificate is not trusted"
        case .connectionTruncated, .alreadyClosed, .tooManyUnsentBytes: nil
        }
    }
}
