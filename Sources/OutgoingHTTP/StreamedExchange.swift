import NIOCore
import NIOHTTP1

/// A channel handler that sends a request with streamed contents, and receives its answer. An incomplete answer is an
/// error.
final class StreamedExchange: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let head: HTTPRequestHead
    private let request: StreamedRequest
    private let readBody: StreamedRequest.Body.Reader?
    private let limiter: AnswerLimiter
    private let result: EventLoopPromise<ExchangeResult>
    private let deadline: NIODeadline
    private var timeoutTimer: Scheduled<Void>?
    private var sendingTask: Task<Void, Never>?
    private var lastProgressTime = NIODeadline.now()
    private var isOver = false
    /// Number of bytes of the body that were sent.
    private var sentBytes: Int64 = 0
    /// Whether the system has accepted the whole request.
    private var isRequestSent = false
    private var keepsConnection = false

    /// The answer received so far; nil until its header was received.
    private var answer: OutgoingAnswer?
    /// The receiver of the answer's content; nil until the header of a suitable answer was received.
    private var sink: StreamedRequest.Sink?
    private var receivedBytes: Int64 = 0
    private var bytesForSink: ByteBuffer?
    private var isSinkBusy = false
    private var hasAnswerEnded = false

    private static let partBytes = 128 << 10

    /// Makes a handler that sends its request when the channel is active.
    /// - Parameter reading: reads the body of the request; nil for no body.
    init(
        _ head: HTTPRequestHead,
        _ request: StreamedRequest,
        _ reading: StreamedRequest.Body.Reader?,
        _ limiter: AnswerLimiter,
        _ result: EventLoopPromise<ExchangeResult>,
        deadline: NIODeadline
    ) {
        self.head = head
        self.request = request
        self.readBody = reading
        self.limiter = limiter
        self.result = result
        self.deadline = deadline
    }

    // MARK: Time

    private func scheduleTimeout(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timeoutTimer = context.eventLoop.scheduleTask(deadline: min(deadline, lastProgressTime + request.maxSilence)) {
            let (handler, context) = bound.value
            guard !handler.isOver else { return }
            let now = NIODeadline.now()
            if now >= handler.deadline || now >= handler.lastProgressTime + handler.request.maxSilence {
                handler.endWithError(OutgoingError.timeout, context)
            } else {
                handler.scheduleTimeout(context)
            }
        }
    }

    private func recordProgress() { lastProgressTime = .now() }

    // MARK: Sending

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { startExchange(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        startExchange(context)
        context.fireChannelActive()
    }

    private func startExchange(_ context: ChannelHandlerContext) {
        recordProgress()
        scheduleTimeout(context)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body = request.body, let readBody {
            context.flush()
            sendBody(body.size, readBody, context)
        } else {
            _ = writePart(nil, isLast: true, context)
        }
    }

    private func sendBody(
        _ size: Int64,
        _ reading: @escaping StreamedRequest.Body.Reader,
        _ context: ChannelHandlerContext
    ) {
        let (bound, loop) = (NIOLoopBound((self, context), eventLoop: context.eventLoop), context.eventLoop)
        // This function returns when the system has accepted the part. Only then the next part is read.
        let write: @Sendable (ByteBuffer?, Bool) async throws -> Void = { part, isLast in
            try await loop.flatSubmit {
                let (handler, context) = bound.value
                return handler.writePart(part, isLast: isLast, context)
            }.get()
        }
        let fail: @Sendable (any Error) -> Void = { error in
            loop.execute {
                let (handler, context) = bound.value
                handler.endAfterSendError(error, context)
            }
        }
        sendingTask = Task {
            do { try await StreamedExchange.sendParts(size, reading, write) } catch { fail(error) }
        }
    }

    /// Sends the body in parts.
    /// - Parameter write: a function that writes a part of the body. `isLast` is true for the last part. The part of an
    ///   empty body is nil.
    private static func sendParts(
        _ size: Int64,
        _ reading: StreamedRequest.Body.Reader,
        _ write: (_ part: ByteBuffer?, _ isLast: Bool) async throws -> Void
    ) async throws {
        guard size > 0 else { return try await write(nil, true) }
        var left = size
        while left > 0 {
            let part = try await reading(Int(min(left, Int64(partBytes))))
            guard !part.isEmpty, part.count <= left else { throw OutgoingError.requestBodyTooShort }
            left -= Int64(part.count)
            try await write(ByteBuffer(bytes: part), left == 0)
        }
    }

    private func writePart(_ part: ByteBuffer?, isLast: Bool, _ context: ChannelHandlerContext) -> EventLoopFuture<Void>
    {
        guard !isOver else { return context.eventLoop.makeFailedFuture(OutgoingError.cancelled) }
        recordProgress()
        let written = context.eventLoop.makePromise(of: Void.self)
        if let part {
            sentBytes += Int64(part.readableBytes)
            context.write(wrapOutboundOut(.body(.byteBuffer(part))), promise: isLast ? nil : written)
        }
        if isLast {
            // The end of the request is written together with the last part of the body. Otherwise a server that has
            // all bytes of the body could answer before the end of the request.
            written.futureResult.assumeIsolated().whenSuccess { self.isRequestSent = true }
            context.write(wrapOutboundOut(.end(nil)), promise: written)
        }
        context.flush()
        return written.futureResult
    }

    private func endAfterSendError(_ error: any Error, _ context: ChannelHandlerContext) {
        // The server may have refused the request without reading the whole body. Its answer, or the end of the
        // connection, follows and is the result, so this error is ignored.
        if error is ChannelError || error is IOError { return }
        endWithError(error, context)
    }

    // MARK: Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        recordProgress()
        switch unwrapInboundIn(data) {
        case .head(let head): receiveHead(head, context)
        case .body(let bytes): receiveBytes(bytes, context)
        case .end:
            hasAnswerEnded = true
            limiter.endAnswer()
            beginNextStep(context)
        }
    }

    private func receiveHead(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        keepsConnection = head.isConnectionKept
        answer = OutgoingAnswer(status: Int(head.status.code), retryAfter: head.retryAfterSeconds)
        answer?.contentLength = head.headers.first(name: "content-length").flatMap { Int64($0) }
        let isCoded = head.headers.first(name: "content-encoding").map { $0.lowercased() != "identity" } ?? false
        guard !isCoded else { return endWithError(OutgoingError.answerNotHTTP, context) }
        guard let sink = request.sink, head.status == .ok else { return }
        self.sink = sink
        if let length = head.headers.first(name: "content-length"), length != "\(sink.size)" {
            return endWithError(OutgoingError.wrongLength, context)
        }
        // From here on, each read waits until the sink has processed the previous part.
        do { try context.channel.syncOptions?.setOption(.autoRead, value: false) } catch {
            endWithError(OutgoingError.connectionClosed, context)
        }
    }

    private func receiveBytes(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let sink else { return keepContent(bytes, context) }
        receivedBytes += Int64(bytes.readableBytes)
        guard receivedBytes <= sink.size else { return endWithError(OutgoingError.wrongLength, context) }
        if bytesForSink == nil { bytesForSink = bytes } else { bytesForSink?.writeImmutableBuffer(bytes) }
    }

    private func keepContent(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard request.maxKeptAnswerBytes > 0, let count = answer?.content.count else { return }
        answer?.content += bytes.readableBytesView.prefix(request.maxKeptAnswerBytes - count)
        if count + bytes.readableBytes > request.maxKeptAnswerBytes { endWithSuccess(context) }
    }

    private func passToSink(_ context: ChannelHandlerContext) {
        guard let sink, !isSinkBusy, let bytes = bytesForSink else { return }
        (isSinkBusy, bytesForSink) = (true, nil)
        let (bound, loop) = (NIOLoopBound((self, context), eventLoop: context.eventLoop), context.eventLoop)
        Task {
            do {
                try await sink.takePart(Array(bytes.readableBytesView))
                loop.execute { bound.value.0.continueAfterSink(bound.value.1) }
            } catch {
                loop.execute { bound.value.0.endWithError(error, bound.value.1) }
            }
        }
    }

    private func continueAfterSink(_ context: ChannelHandlerContext) {
        guard !isOver else { return }
        isSinkBusy = false
        recordProgress()
        beginNextStep(context)
    }

    /// Passes the waiting bytes to the sink, completes the answer, or reads more bytes. Does nothing while the sink is
    /// busy.
    private func beginNextStep(_ context: ChannelHandlerContext) {
        guard !isSinkBusy, !isOver else { return }
        if bytesForSink != nil {
            passToSink(context)
        } else if hasAnswerEnded {
            completeAnswer(context)
        } else if sink != nil {
            context.read()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !hasAnswerEnded { beginNextStep(context) }
        context.fireChannelReadComplete()
    }

    // MARK: The end

    private func completeAnswer(_ context: ChannelHandlerContext) {
        if let sink, receivedBytes != sink.size { return endWithError(OutgoingError.wrongLength, context) }
        // A server that reports success before it has received the whole body cannot have stored the whole body, so
        // this is an error. A refusal may come at any time.
        if let body = request.body, let answer, (200..<300).contains(answer.status), sentBytes < body.size {
            return endWithError(OutgoingError.earlyAnswer, context)
        }
        answer?.isContentComplete = true
        do { try context.channel.syncOptions?.setOption(.autoRead, value: true) } catch { keepsConnection = false }
        endWithSuccess(context, mayContinue: isRequestSent && keepsConnection)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // After the end of the answer, an unclean close by the other side is ignored.
        if hasAnswerEnded { return }
        endWithError(OutgoingError(caught: error), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !hasAnswerEnded { endWithError(OutgoingError.connectionClosed, context) }
        context.fireChannelInactive()
    }

    private func endWithSuccess(_ context: ChannelHandlerContext, mayContinue: Bool = false) {
        guard let answer else { return endWithError(OutgoingError.connectionClosed, context) }
        endExchange(.success(answer), context, mayContinue: mayContinue)
    }

    private func endWithError(_ error: any Error, _ context: ChannelHandlerContext) {
        endExchange(.failure(error), context)
    }

    private func endExchange(
        _ outcome: Result<OutgoingAnswer, any Error>,
        _ context: ChannelHandlerContext,
        mayContinue: Bool = false
    ) {
        guard !isOver else { return }
        isOver = true
        timeoutTimer?.cancel()
        sendingTask?.cancel()
        context.endExchange(result, outcome, limiter, mayContinue: mayContinue)
    }
}
