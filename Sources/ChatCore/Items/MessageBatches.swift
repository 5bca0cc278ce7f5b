internal import ChatAPI
internal import ChatProtocol

/// An encoded chat message, with the id of the chat item that shows whether the message was sent.
struct OutgoingChatMessage: Sendable {
    let message: ChatMessage
    let body: [UInt8]
    var itemId: Int64?

    /// Encodes a message. Every message of a conversation has an id, even if no message will refer to it.
    /// - Throws: `StoreError.largeMsg` when the message is too large to be sent, `exception` when the message is too
    ///   large even after compression.
    init(
        _ message: ChatMessage,
        over recipients: [ConnectionRecord],
        item itemId: Int64? = nil,
        signer: ChannelSigner? = nil
    ) throws {
        var message = message
        message.sharedID = message.sharedID ?? .random()
        guard let encoded = try? signer?.encode(message) ?? message.encoded() else { throw ChatFailure(.largeMsg) }
        guard recipients.allSatisfy({ MessageBatches.canSend(encoded, $0) }) else {
            throw ChatFailure(ChatErrorType.exception(message: "the message is too large, even compressed"))
        }
        body = encoded
        self.message = message
        self.itemId = itemId
    }

    /// Encodes a message to the recipients of a chat. The messages of a channel are signed.
    init(_ message: ChatMessage, to recipients: Recipients) throws {
        try self.init(message, over: recipients.connections, signer: recipients.signer)
    }

    /// Whether the message is signed. A signed message cannot be part of a batch, since a batch is a JSON array.
    var isSigned: Bool { body.first == UInt8(ascii: "/") }
}

/// Batches of several chat messages in one message of the agent: a JSON array (docs/protocol/simplex-chat.md, "Message
/// syntax and encoding").
enum MessageBatches {
    /// Returns whether the encoded message `body` is small enough to be sent, compressed if necessary.
    static func canSend(_ body: [UInt8], _ connection: ConnectionRecord) -> Bool {
        guard ConnectionRecord.shouldCompress(connection.postQuantumState, connection.chatVersion) else { return true }
        return (try? CompressedBody.compressIfNeeded(body, limit: ChatMessageLimits.compressedMessageBytes)) != nil
    }

    /// Joins encoded messages into one JSON array.
    /// - Parameter bodies: the encoded messages, each of which is a JSON object.
    static func encodeArray(of bodies: [[UInt8]]) -> [UInt8] {
        var array = [UInt8(ascii: "[")]
        array.append(contentsOf: bodies.joined(separator: [UInt8(ascii: ",")]))
        array.append(UInt8(ascii: "]"))
        return array
    }
}
