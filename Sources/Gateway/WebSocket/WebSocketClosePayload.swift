internal import NIOCore
internal import NIOWebSocket

/// The payload of close frames (RFC 6455, sections 5.5.1 and 7.4).
enum WebSocketClosePayload {
    /// Returns the code for the answer to a client's close frame: the client's own code, or the code for a defect of
    /// the frame.
    static func chooseAnswerCode(to payload: ByteBuffer) -> WebSocketErrorCode {
        var payload = payload
        guard payload.readableBytes > 0 else { return .normalClosure }
        guard let code: UInt16 = payload.readInteger(), isSendableCode(code) else { return .protocolError }
        guard String(validating: payload.readableBytesView, as: UTF8.self) != nil else {
            return .dataInconsistentWithMessage
        }
        return WebSocketErrorCode(codeNumber: Int(code))
    }

    /// Whether a close frame may contain a code: a defined or registered code, or a code of libraries and applications.
    /// (1004 is reserved; 1005, 1006 and 1015 are never sent.)
    static func isSendableCode(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
