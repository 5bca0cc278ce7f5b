internal import NIOCore
internal import NIOWebSocket

/// A text message that arrives in fragments (RFC 6455, section 5.4). Each byte is copied only a few times, even if
/// there are many fragments.
struct WebSocketMessage {
    /// Maximal number of bytes in a message with all its fragments.
    static let maxBytes = 1024 * 1024
    /// Maximal number of frames in a message. The largest message may arrive in fragments of 1 KiB. Empty frames count
    /// too.
    static let maxFrames = 1024

    /// The fragments received so far; nil between messages.
    private(set) var text: ByteBuffer?
    private var frameCount = 0
    /// The counted memory of the fragments.
    private var memoryShare = GrowingShare()

    /// Adds a frame to the message.
    /// - Parameter keep: counts the memory of more fragments before they are kept.
    /// - Returns: the message, if this was its last frame; otherwise nil.
    mutating func addFrame(
        _ frame: ClientFrame,
        keep: (Int) -> UnreadAnswers.Share?
    ) throws(WebSocketViolation) -> String? {
        guard (frame.opcode == .text) == (text == nil) else { throw .protocolError }
        if text == nil, frame.isLast { return try WebSocketMessage.decodeText(frame.payload) }
        frameCount += 1
        guard frameCount <= WebSocketMessage.maxFrames,
            (text?.readableBytes ?? 0) + frame.payload.readableBytes <= WebSocketMessage.maxBytes
        else {
            throw .messageTooLarge
        }
        // The first fragment is copied too, since a slice would keep the whole buffer that contains it.
        text = text ?? ByteBuffer()
        text?.writeImmutableBuffer(frame.payload)
        guard frame.isLast, let whole = text else {
            guard memoryShare.growShare(to: text?.readableBytes ?? 0, keep) else { throw .noMemory }
            return nil
        }
        discardParts()
        return try WebSocketMessage.decodeText(whole)
    }

    /// Discards the parts of an incomplete message.
    mutating func discardParts() {
        text = nil
        frameCount = 0
        memoryShare.releaseShares()
    }

    private static func decodeText(_ bytes: ByteBuffer) throws(WebSocketViolation) -> String {
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self) else { throw .invalidText }
        return text
    }
}
