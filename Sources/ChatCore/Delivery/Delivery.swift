internal import SQLCipher

/// A message on its way to the agent.
struct Delivery: Sendable {
    let deliveryId: Int64
    let connectionId: Int64
    let agentConnId: String
    let body: [UInt8]
    let notifies: Bool
    var createdAt = Timestamp.now
    /// The connection's, when the delivery was made.
    var postQuantum = ConnectionPostQuantum(isSupported: false)
    var chatVersion = ChatVersionRange.initial.maximum
    /// Whether it is one message that may go together with others.
    var isJoinable = false

    /// What the agent is given.
    /// - Throws: `largeMessage` when it cannot be made short enough.
    func agentBody() throws(ChatProtocolError) -> [UInt8] {
        guard ConnectionRecord.compresses(postQuantum, chatVersion) else { return body }
        return try CompressedBody.fitting(body, limit: ChatMessageLimits.compressedMessage)
    }

    /// The name of a delivery for the agent; the epoch tells it from those of a store that was here before.
    static func externalID(_ deliveryId: Int64, epoch: String) -> String { "\(epoch)-\(deliveryId)" }

    static func id(external: String, epoch: String) -> Int64? {
        external.hasPrefix(epoch + "-") ? Int64(external.dropFirst(epoch.count + 1)) : nil
    }
}

extension Delivery {
    init(_ row: Row) throws {
        self.init(
            deliveryId: try row.int64("delivery_id"), connectionId: try row.int64("connection_id"),
            agentConnId: try row.string("agent_conn_id"), body: try row.blob("msg_body"),
            notifies: try row.int64("msg_flags") != 0, createdAt: Timestamp(nanoseconds: try row.int64("created_at")), postQuantum: try ConnectionPostQuantum(row),
            chatVersion: Int(clamping: try row.int64("chat_version")))
    }
}

extension Transaction {
    /// Writes a message into the outbox: it goes to the agent after the commit, once, whatever happens meanwhile.
    /// - Parameter itemId: the chat item that shows what becomes of it.
    /// - Throws: `StoreError.largeMsg` or `exception` when the message is too large to be sent.
    func enqueue(_ message: ChatMessage, to connection: ConnectionRecord, item itemId: Int64? = nil) throws {
        try enqueue([OutgoingChatMessage(message, over: connection, item: itemId)], to: connection)
    }

    /// Writes messages into the outbox, as many together as go into one message of the agent.
    func enqueue(_ messages: [OutgoingChatMessage], to connection: ConnectionRecord) throws {
        for batch in MessageBatches.batches(of: messages, over: connection) { try enqueue(batch: batch, to: connection) }
    }

    private func enqueue(batch: [OutgoingChatMessage], to connection: ConnectionRecord) throws {
        let body = MessageBatches.body(of: batch)
        let single = batch.count == 1 ? batch.first : nil
        let notifies = batch.contains { $0.message.event.hasNotification }
        // The message's id is of the time when messages had rows of their own: SQLite 3.15 cannot drop the column.
        try db.execute(
            """
            INSERT INTO deliveries (connection_id, message_id, chat_item_id, msg_body, msg_flags, created_at) VALUES (?, 0, ?, ?, ?, ?)
            """, [connection.connectionId, single?.itemId, body, Int64(notifies ? 1 : 0), now.nanoseconds])
        let deliveryId = db.lastInsertRowID
        if single == nil {
            for itemId in batch.compactMap(\.itemId) {
                try db.execute("INSERT INTO delivery_items (delivery_id, chat_item_id) VALUES (?, ?)", [deliveryId, itemId])
            }
        }
        deliveries.append(
            Delivery(
                deliveryId: deliveryId, connectionId: connection.connectionId, agentConnId: connection.agentConnId, body: body,
                notifies: notifies, createdAt: now, postQuantum: connection.postQuantum, chatVersion: connection.chatVersion,
                isJoinable: single != nil && connection.chatVersion >= ChatVersionRange.batches))
    }
}
