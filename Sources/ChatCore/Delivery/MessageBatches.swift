internal import ChatAPI

/// A chat message in the form in which it goes out, and the item that shows what becomes of it.
struct OutgoingChatMessage: Sendable {
    let message: ChatMessage
    let body: [UInt8]
    var itemId: Int64?

    /// Every message of a conversation has an id, also those that nothing will refer to.
    /// - Throws: `StoreError.largeMsg` when the message is too large to be sent, `exception` when it would have to be compressed and cannot be enough.
    init(_ message: ChatMessage, over connection: ConnectionRecord, item itemId: Int64? = nil) throws {
        var message = message
        message.sharedID = message.sharedID ?? .random()
        do {
            body = try message.encoded()
        } catch {
            throw ChatFailure(.largeMsg)
        }
        guard MessageBatches.fits(body, connection) else {
            throw ChatFailure(ChatErrorType.exception(message: "large compressed message"))
        }
        self.message = message
        self.itemId = itemId
    }
}

/// Several chat messages as one message of the agent: a JSON array (docs/protocol/simplex-chat.md, "Message syntax and encoding").
enum MessageBatches {
    /// The items of a delivery that has more than one.
    static let schema = """
        CREATE TABLE delivery_items (
          delivery_id INTEGER NOT NULL REFERENCES deliveries ON DELETE CASCADE,
          chat_item_id INTEGER NOT NULL,
          PRIMARY KEY (delivery_id, chat_item_id)
        ) WITHOUT ROWID;
        """

    /// Whether a body can be sent, compressed if need be.
    static func fits(_ body: [UInt8], _ connection: ConnectionRecord) -> Bool {
        guard ConnectionRecord.compresses(connection.postQuantum, connection.chatVersion) else { return true }
        return (try? CompressedBody.fitting(body, limit: ChatMessageLimits.compressedMessage)) != nil
    }

    /// The messages in groups that fit one message of the agent each, in their order.
    static func batches(of messages: [OutgoingChatMessage], over connection: ConnectionRecord) -> [[OutgoingChatMessage]] {
        guard connection.chatVersion >= ChatVersionRange.batches else { return messages.map { [$0] } }
        var batches: [[OutgoingChatMessage]] = []
        // Of the brackets; each message has a comma.
        var length = 1
        for message in messages {
            length += message.body.count + 1
            if batches.isEmpty || length > ChatMessageLimits.message {
                batches.append([message])
                length = 2 + message.body.count
            } else {
                batches[batches.count - 1].append(message)
            }
        }
        return batches.flatMap { split($0, connection) }
    }

    /// A group that cannot be compressed enough goes in two halves.
    private static func split(_ batch: [OutgoingChatMessage], _ connection: ConnectionRecord) -> [[OutgoingChatMessage]] {
        guard batch.count > 1, !fits(body(of: batch), connection) else { return [batch] }
        let middle = batch.count / 2
        return split(Array(batch[..<middle]), connection) + split(Array(batch[middle...]), connection)
    }

    /// A message that is alone goes as it is.
    static func body(of batch: [OutgoingChatMessage]) -> [UInt8] {
        if batch.count == 1, let first = batch.first { return first.body }
        return array(of: batch.map(\.body))
    }

    static func array(of bodies: [[UInt8]]) -> [UInt8] {
        var array = [UInt8(ascii: "[")]
        array.append(contentsOf: bodies.joined(separator: [UInt8(ascii: ",")]))
        array.append(UInt8(ascii: "]"))
        return array
    }
}
