internal import ChatProtocol
internal import SimpleXCrypto

/// Signs messages of a member of a channel.
struct ChannelSigner: Sendable {
    let key: Ed25519.PrivateKey
    let binding: GroupBinding
    /// Whether all messages are signed; otherwise only messages that require a signature are signed.
    var signsAllMessages = false

    /// Encodes a message for a channel. The message is signed if it requires a signature, or if all messages are
    /// signed.
    /// - Throws: `largeMessage`.
    func encode(_ message: ChatMessage) throws(ChatProtocolError) -> [UInt8] {
        guard message.event.requiresSignature || signsAllMessages else { return try message.encoded() }
        return try encodeAndSign(message, limit: ChatMessageLimits.messageBytes)
    }

    /// Encodes and signs a message.
    /// - Throws: `largeMessage`.
    func encodeAndSign(_ message: ChatMessage, limit: Int) throws(ChatProtocolError) -> [UInt8] {
        let body = try message.encoded(limit: limit)
        guard let signed = try? SignedMessage(body, by: key, bound: binding) else { throw .invalidBinary }
        let element = signed.element
        guard element.count <= limit else { throw .largeMessage(length: element.count) }
        return element
    }
}
