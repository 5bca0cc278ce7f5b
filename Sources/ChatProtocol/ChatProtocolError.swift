/// Errors for bytes that are not a chat message, and for chat messages that cannot be encoded. `reason` is a text for
/// people.
package enum ChatProtocolError: Error, Sendable, Hashable {
    case empty
    case invalidJSON(reason: String)
    case invalidMessage(reason: String)
    case invalidBinary
    case invalidCompression(reason: String)
    /// A message body with more elements than one message of the agent may have.
    case tooManyElements(limit: Int)
    /// An encoded message that has more bytes than the limit for messages.
    case largeMessage(length: Int)

    package var reason: String {
        switch self {
        case .empty: "empty message"
        case .invalidJSON(let reason), .invalidMessage(let reason), .invalidCompression(let reason): reason
        case .tooManyElements(let limit): "more than \(limit) messages in one batch"
        case .invalidBinary: "invalid binary message"
        case .largeMessage(let length): "message of \(length) bytes is too large"
        }
    }
}
