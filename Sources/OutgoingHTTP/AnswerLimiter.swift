import NIOCore

/// A channel handler that limits the size of each answer that a server sends on a connection. An answer that is too
/// long ends with an error. If bytes follow the end of an answer, the connection is closed.
final class AnswerLimiter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Number of bytes that may still follow in the present answer; nil between two answers.
    private var remainingBytes: Int?
    private var hasExcessBytes = false
    /// Whether a byte of the present answer was received.
    private(set) var hasBytes = false

    init(limit: Int) { remainingBytes = limit }

    /// Whether the last answer has ended, and no byte has followed this answer.
    var isBetweenAnswers: Bool { remainingBytes == nil && !hasExcessBytes }

    func beginAnswer(limit: Int) { (remainingBytes, hasBytes) = (limit, false) }

    /// Marks the end of the present answer.
    func endAnswer() { remainingBytes = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        // The parser ignores some bytes after an answer, or takes them as the beginning of the next answer. So the last
        // byte is passed on separately: if the answer ends before this byte, the byte does not belong to the answer.
        if let first = bytes.readSlice(length: bytes.readableBytes - 1) { passBytes(first, context) }
        passBytes(bytes, context)
    }

    private func passBytes(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard bytes.readableBytes > 0, !hasExcessBytes, context.channel.isActive else { return }
        guard let room = remainingBytes else {
            hasExcessBytes = true
            return context.close(promise: nil)
        }
        let part = bytes.getSlice(at: bytes.readerIndex, length: min(room, bytes.readableBytes)) ?? bytes
        remainingBytes = room - part.readableBytes
        hasBytes = true
        context.fireChannelRead(wrapInboundOut(part))
        guard remainingBytes == 0 else { return }
        hasExcessBytes = true
        context.fireErrorCaught(OutgoingError.answerTooLong)
        context.close(promise: nil)
    }
}
