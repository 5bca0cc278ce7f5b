import NIOCore
import NIOHPACK
import NIOHTTP2
import SMP

/// One request and its answer, on a stream of their own.
final class Exchange: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let headers: HPACKHeaders
    private let body: [ByteBuffer]
    private let limit: Int
    private let timeout: TimeAmount
    private var answer: EventLoopPromise<ByteBuffer>?
    private var received = ByteBuffer()
    private var timer: Scheduled<Void>?

    init(headers: HPACKHeaders, body: [ByteBuffer], limit: Int, timeout: TimeAmount, answer: EventLoopPromise<ByteBuffer>) {
        self.headers = headers
        self.body = body
        self.limit = limit
        self.timeout = timeout
        self.answer = answer
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: timeout) {
            let (exchange, context) = bound.value
            exchange.finish(.failure(SMPClientError.timeout), context)
        }
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.headers(.init(headers: headers, endStream: body.isEmpty))), promise: nil)
        for (index, part) in body.enumerated() {
            context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(part), endStream: index == body.count - 1))), promise: nil)
        }
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isLast: Bool
        switch unwrapInboundIn(data) {
        case .headers(let frame): isLast = frame.endStream
        case .data(let frame):
            if case .byteBuffer(var bytes) = frame.data { received.writeBuffer(&bytes) }
            isLast = frame.endStream
        default: return
        }
        // The answer may arrive before the whole request was sent. The rest of the request is dropped then.
        if isLast || received.readableBytes > limit { finish(.success(received), context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(.failure(SMPClientError.network(.failed)), context)
    }

    func channelInactive(context: ChannelHandlerContext) { finish(.failure(SMPClientError.network(.failed)), context) }

    func handlerRemoved(context: ChannelHandlerContext) { finish(.failure(SMPClientError.network(.failed)), nil) }

    private func finish(_ result: Result<ByteBuffer, SMPClientError>, _ context: ChannelHandlerContext?) {
        guard let answer else { return }
        self.answer = nil
        timer?.cancel()
        timer = nil
        answer.completeWith(result.mapError { $0 as any Error })
        context?.close(promise: nil)
    }
}
