import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import SMP

/// One request and its answer, on a separate stream. Threads that may block read the chunk of an upload while it is
/// sent, and process the chunk of a download while it arrives.
final class RequestExchange: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// Number of bytes of a chunk that are read or processed in one step.
    private static let partSize = 1 << 18
    /// Maximal number of received bytes that wait to be processed.
    private static let maxWaitingBytes = 4 * partSize

    private let headers: HPACKHeaders
    private let requestBlock: ByteBuffer?
    private let chunk: ChunkSource?
    private let receiver: ChunkReceiver?
    private let maxAnswerBytes: Int
    private let timeout: TimeAmount
    private var answerPromise: EventLoopPromise<ByteBuffer>?
    private var timeoutTimer: Scheduled<Void>?
    private var sentByteCount = 0
    private var isReadingChunk = false
    /// Received bytes that are not processed yet. Without a receiver, all bytes stay here.
    private var receivedBytes = ByteBuffer()
    private var receivedByteCount = 0
    private var isReceiverBusy = false
    private var isReadingPaused = false
    private var isAnswerComplete = false

    /// Prepares a request.
    /// - Parameters:
    ///   - requestBlock: nil for a request without a body.
    ///   - receiver: processes the answer; without a receiver the answer is kept.
    ///   - limit: the maximal size of the answer, in bytes.
    init(
        headers: HPACKHeaders,
        requestBlock: ByteBuffer?,
        chunk: ChunkSource?,
        receiver: ChunkReceiver?,
        limit: Int,
        timeout: TimeAmount,
        answer: EventLoopPromise<ByteBuffer>
    ) {
        self.headers = headers
        self.requestBlock = requestBlock
        self.chunk = chunk
        self.receiver = receiver
        self.maxAnswerBytes = limit
        self.timeout = timeout
        self.answerPromise = answer
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timeoutTimer = context.eventLoop.scheduleTask(in: timeout) {
            let (exchange, context) = bound.value
            exchange.finishRequest(.failure(SMPClientError.timeout), context)
        }
    }

    // MARK: The request

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.headers(.init(headers: headers, endStream: requestBlock == nil))), promise: nil)
        if let requestBlock {
            context.write(
                wrapOutboundOut(.data(.init(data: .byteBuffer(requestBlock), endStream: chunk == nil))),
                promise: nil
            )
        }
        context.flush()
        sendNextPart(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sendNextPart(context)
        context.fireChannelWritabilityChanged()
    }

    /// Reads and sends the next part of the chunk, if the channel is writable.
    private func sendNextPart(_ context: ChannelHandlerContext) {
        guard let chunk, !isReadingChunk, sentByteCount < chunk.size, context.channel.isWritable, answerPromise != nil
        else {
            return
        }
        isReadingChunk = true
        let (offset, count) = (sentByteCount, min(chunk.size - sentByteCount, Self.partSize))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop) { try chunk.readPart(at: offset, count) }
            .whenComplete { result in
                let (exchange, context) = bound.value
                exchange.isReadingChunk = false
                guard exchange.answerPromise != nil else { return }
                switch result {
                case .success(let part):
                    exchange.sentByteCount += count
                    context.writeAndFlush(
                        exchange.wrapOutboundOut(
                            .data(.init(data: .byteBuffer(part), endStream: exchange.sentByteCount == chunk.size))
                        ),
                        promise: nil
                    )
                    exchange.sendNextPart(context)
                case .failure(let error): exchange.finishRequest(.failure(ChunkFailure(error: error)), context)
                }
            }
    }

    // MARK: The answer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame): isAnswerComplete = frame.endStream
        case .data(let frame):
            if case .byteBuffer(var bytes) = frame.data {
                receivedByteCount += bytes.readableBytes
                receivedBytes.writeBuffer(&bytes)
            }
            isAnswerComplete = frame.endStream
        default: return
        }
        if receiver != nil { return passToReceiver(context) }
        // The answer may be complete before the whole request was sent. Then the rest of the request is dropped.
        if isAnswerComplete || receivedByteCount > maxAnswerBytes { finishRequest(.success(receivedBytes), context) }
    }

    /// Passes the received bytes to the receiver, if they are a full part or the end of the answer.
    private func passToReceiver(_ context: ChannelHandlerContext) {
        guard let receiver, !isReceiverBusy, answerPromise != nil else { return pauseIfFull(context) }
        let isEnd = isAnswerComplete || receivedByteCount > maxAnswerBytes
        guard receivedBytes.readableBytes >= Self.partSize || isEnd else { return }
        isReceiverBusy = true
        let part = receivedBytes
        receivedBytes = context.channel.allocator.buffer(capacity: Self.partSize + XFTPBlock.size)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop) {
            var part = part
            try receiver.receivePart(&part)
        }.whenComplete { result in
            let (exchange, context) = bound.value
            exchange.isReceiverBusy = false
            guard exchange.answerPromise != nil else { return }
            if case .failure(let error) = result {
                return exchange.finishRequest(.failure(ChunkFailure(error: error)), context)
            }
            if isEnd, exchange.receivedBytes.readableBytes == 0 {
                return exchange.finishRequest(.success(ByteBuffer()), context)
            }
            exchange.resumeReading(context)
            exchange.passToReceiver(context)
        }
    }

    /// Stops reading from the server when too many received bytes wait to be processed.
    private func pauseIfFull(_ context: ChannelHandlerContext) {
        guard !isReadingPaused, receivedBytes.readableBytes > Self.maxWaitingBytes else { return }
        isReadingPaused = true
        _ = context.channel.setOption(.autoRead, value: false)
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        guard isReadingPaused else { return }
        isReadingPaused = false
        _ = context.channel.setOption(.autoRead, value: true)
        context.read()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finishRequest(.failure(SMPClientError.network(.failed)), context)
    }

    /// Fails the request, unless the answer is complete. The stream may be closed just after the end of the answer,
    /// while the receiver still processes the answer.
    func channelInactive(context: ChannelHandlerContext) {
        if !isAnswerComplete || receiver == nil { finishRequest(.failure(SMPClientError.network(.failed)), context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if !isAnswerComplete || receiver == nil { finishRequest(.failure(SMPClientError.network(.failed)), nil) }
    }

    private func finishRequest(_ result: Result<ByteBuffer, any Error>, _ context: ChannelHandlerContext?) {
        guard let answerPromise else { return }
        self.answerPromise = nil
        timeoutTimer?.cancel()
        timeoutTimer = nil
        answerPromise.completeWith(result)
        context?.close(promise: nil)
    }
}
