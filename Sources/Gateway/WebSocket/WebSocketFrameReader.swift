internal import NIOCore
internal import NIOWebSocket

/// A frame of a client, with its payload unmasked. Extensions are not supported.
struct ClientFrame: Sendable {
    let isLast: Bool
    let opcode: WebSocketOpcode
    let payload: ByteBuffer
}

/// A client's violation of RFC 6455, with the code of the close frame that answers it.
struct WebSocketViolation: Error, Equatable {
    let code: WebSocketErrorCode

    static let protocolError = WebSocketViolation(code: .protocolError)
    static let messageTooLarge = WebSocketViolation(code: .messageTooLarge)
    static let invalidText = WebSocketViolation(code: .dataInconsistentWithMessage)
    /// The server has no memory for the message, because it must serve other clients too. This is not a violation.
    static let noMemory = WebSocketViolation(code: WebSocketErrorCode(codeNumber: 1013))
}

/// Reads the frames of a client (RFC 6455, section 5.2). A forbidden frame is refused after its header, before its
/// payload is kept.
struct WebSocketFrameReader: ByteToMessageDecoder {
    typealias InboundOut = ClientFrame

    private let reserveMemory: (Int) -> UnreadAnswers.Share?
    /// The counted memory of a large frame that is being read; nil while no large frame is being read.
    private var memoryShare: UnreadAnswers.Share?

    /// - Parameter keep: counts the memory of a large frame before it is read.
    init(keep: @escaping (Int) -> UnreadAnswers.Share?) { self.reserveMemory = keep }

    private struct Head {
        /// Number of bytes in the head, including the mask.
        let headBytes: Int
        let isLast: Bool
        let opcode: WebSocketOpcode
        /// Number of bytes in the payload.
        let payloadLength: Int
        let mask: WebSocketMaskingKey
    }

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let head = try WebSocketFrameReader.parseHead(buffer) else { return .needMoreData }
        guard buffer.readableBytes >= head.headBytes + head.payloadLength else {
            if head.payloadLength > GrowingShare.uncountedBytes, memoryShare == nil {
                memoryShare = reserveMemory(head.payloadLength)
                guard memoryShare != nil else { throw WebSocketViolation.noMemory }
            }
            return .needMoreData
        }
        memoryShare = nil
        buffer.moveReaderIndex(forwardBy: head.headBytes)
        guard var payload = buffer.readSlice(length: head.payloadLength) else { return .needMoreData }
        payload.webSocketUnmask(head.mask)
        context.fireChannelRead(wrapInboundOut(ClientFrame(isLast: head.isLast, opcode: head.opcode, payload: payload)))
        return .continue
    }

    /// Reads the head of a frame.
    /// - Returns: nil while the head is incomplete.
    private static func parseHead(_ buffer: ByteBuffer) throws(WebSocketViolation) -> Head? {
        let start = buffer.readerIndex
        guard let first: UInt8 = buffer.getInteger(at: start), let second: UInt8 = buffer.getInteger(at: start + 1)
        else { return nil }
        // The reserved bits must be zero, since no extension is in use. Clients must mask their frames.
        guard first & 0x70 == 0, second & 0x80 != 0, let opcode = WebSocketOpcode(encodedWebSocketOpcode: first & 0x0F)
        else {
            throw .protocolError
        }
        let isLast = first & 0x80 != 0
        let short = second & 0x7F
        switch opcode {
        case .continuation, .text, .binary: break
        case .connectionClose, .ping, .pong: guard isLast, short <= 125 else { throw .protocolError }
        default: throw .protocolError
        }
        let (length, size): (UInt64, Int)
        switch short {
        case 126:
            guard let word: UInt16 = buffer.getInteger(at: start + 2) else { return nil }
            // RFC 6455 requires the shortest encoding of the length.
            guard word > 125 else { throw .protocolError }
            (length, size) = (UInt64(word), 4)
        case 127:
            guard let word: UInt64 = buffer.getInteger(at: start + 2) else { return nil }
            guard word > UInt64(UInt16.max), word <= UInt64(Int64.max) else { throw .protocolError }
            (length, size) = (word, 10)
        default: (length, size) = (UInt64(short), 2)
        }
        guard length <= UInt64(WebSocketMessage.maxBytes) else { throw .messageTooLarge }
        guard let bytes = buffer.getBytes(at: start + size, length: 4), let mask = WebSocketMaskingKey(bytes) else {
            return nil
        }
        return Head(headBytes: size + 4, isLast: isLast, opcode: opcode, payloadLength: Int(length), mask: mask)
    }
}
