internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

extension Delivery {
    /// Makes the body of the agent message. A long body is compressed if the connection allows compression.
    /// - Throws: `largeMessage` when compression does not make the body short enough.
    func makeAgentBody() throws(ChatProtocolError) -> [UInt8] {
        guard ConnectionRecord.shouldCompress(postQuantumState, chatVersion) else { return body }
        return try CompressedBody.compressIfNeeded(body, limit: ChatMessageLimits.compressedMessageBytes)
    }

    /// Makes the delivery for a row that was just inserted into the table `deliveries`.
    fileprivate init(
        _ deliveryId: Int64,
        _ body: [UInt8],
        notifiesReceiver: Bool,
        item chatItemId: Int64?,
        over connection: ConnectionRecord,
        at now: Timestamp
    ) {
        self.init(
            deliveryId: deliveryId,
            connectionId: connection.connectionId,
            agentConnId: connection.agentConnId,
            body: body,
            notifiesReceiver: notifiesReceiver,
            createdAt: now,
            postQuantum: connection.postQuantumState,
            chatVersion: connection.chatVersion,
            // A body can be an element of an array only if it is a JSON object. Signed messages, chunks and containers
            // of channels are not JSON objects.
            canBeBatched: connection.chatVersion >= ChatVersionRange.batchesVersion && body.first == UInt8(ascii: "{"),
            item: chatItemId
        )
    }

    /// A copy of this delivery that is never joined with other deliveries.
    fileprivate var unjoinableDelivery: Delivery {
        var alone = self
        alone.canBeBatched = false
        return alone
    }

    init(_ row: Row) throws {
        self.init(
            deliveryId: try row.int64("delivery_id"),
            connectionId: try row.int64("connection_id"),
            agentConnId: try row.string("agent_conn_id"),
            body: try row.blob("msg_body"),
            notifiesReceiver: try row.int64("msg_flags") & 1 != 0,
            createdAt: Timestamp(nanoseconds: try row.int64("created_at")),
            postQuantum: try ConnectionPostQuantum(row),
            chatVersion: Int(clamping: try row.int64("chat_version")),
            isForwardedAsRelay: try row.int64("msg_flags") == Self.forwardedAsRelayFlag,
            item: try row.int64OrNil("chat_item_id"),
            lastBatchDeliveryId: try row.int64OrNil("last_delivery_id")
        )
    }
}

extension Transaction {
    /// Writes a message into the outbox. After the commit, the message is passed to the agent exactly once, even if the
    /// process crashes.
    /// - Parameter itemId: the chat item that shows whether the message was sent; nil for none.
    /// - Throws: `StoreError.largeMsg` or `exception` when the message is too large to be sent.
    func enqueue(_ message: ChatMessage, to recipients: [ConnectionRecord], item itemId: Int64? = nil) throws {
        try enqueue([OutgoingChatMessage(message, over: recipients, item: itemId)], to: recipients)
    }

    func enqueue(_ message: ChatMessage, to connection: ConnectionRecord, item itemId: Int64? = nil) throws {
        try enqueue(message, to: [connection], item: itemId)
    }

    /// Writes messages into the outbox, with one body for all recipients. Messages over one connection that fit into
    /// one agent message are recorded as one batch.
    func enqueue(_ messages: [OutgoingChatMessage], to recipients: [ConnectionRecord]) throws {
        guard !recipients.isEmpty else { return }
        let bodies = try messages.map { try MessageBodies.store($0.body, deliveries: recipients.count, in: db) }
        if messages.count == 1, recipients.count > 1 {
            for some in recipients.chunks(of: 200) {
                deliveries += try insertDeliveries(messages[0], bodies[0], to: some)
            }
            return
        }
        for connection in recipients {
            let written = try zip(messages, bodies).map { message, bodyId in
                try insertDelivery(message, bodyId, to: connection)
            }
            for shipment in Shipment.joinDeliveries(written) {
                if !shipment.isRecorded { try shipment.recordBatch(db) }
                deliveries += shipment.recordedShipment.deliveries
            }
        }
    }

    /// Inserts a message for several recipients with one SQL statement, which gives consecutive ids. For a single
    /// recipient, ``insertDelivery(_:_:to:)`` is faster, because SQLite copies each changed page for a statement that
    /// inserts several rows.
    private func insertDeliveries(
        _ message: OutgoingChatMessage,
        _ bodyId: Int64,
        to recipients: ArraySlice<ConnectionRecord>
    ) throws -> [Delivery] {
        let isNotifying = message.message.event.hasNotification
        try db.execute(
            """
            INSERT INTO deliveries (connection_id, body_id, chat_item_id, msg_flags, created_at)
              WITH \(valuesTable(recipients.count)) SELECT id, ?, ?, ?, ? FROM many
            """,
            recipients.map(\.connectionId).arguments + [
                bodyId, message.itemId, Int64(isNotifying ? 1 : 0), now.nanoseconds,
            ]
        )
        let first = db.lastInsertRowID - Int64(recipients.count) + 1
        return recipients.enumerated().map { index, connection in
            let delivery = Delivery(
                first + Int64(index),
                message.body,
                notifiesReceiver: isNotifying,
                item: message.itemId,
                over: connection,
                at: now
            )
            return message.message.event.mustBeSentAlone || message.isSigned ? delivery.unjoinableDelivery : delivery
        }
    }

    private func insertDelivery(
        _ message: OutgoingChatMessage,
        _ bodyId: Int64,
        to connection: ConnectionRecord
    ) throws -> Delivery {
        let delivery = try insertDelivery(
            message.body,
            bodyId,
            notifiesReceiver: message.message.event.hasNotification,
            item: message.itemId,
            to: connection
        )
        return message.message.event.mustBeSentAlone || message.isSigned ? delivery.unjoinableDelivery : delivery
    }

    /// Writes a message into the outbox for one connection. The body of the message is already stored.
    func enqueueBody(
        _ body: [UInt8],
        _ bodyId: Int64,
        notifiesReceiver: Bool,
        item itemId: Int64?,
        to connection: ConnectionRecord
    ) throws {
        deliveries.append(
            try insertDelivery(body, bodyId, notifiesReceiver: notifiesReceiver, item: itemId, to: connection)
        )
    }

    private func insertDelivery(
        _ body: [UInt8],
        _ bodyId: Int64,
        notifiesReceiver: Bool,
        item itemId: Int64?,
        to connection: ConnectionRecord
    ) throws -> Delivery {
        try db.insert(
            into: "deliveries",
            [
                "connection_id": connection.connectionId, "body_id": bodyId, "chat_item_id": itemId,
                "msg_flags": notifiesReceiver, "created_at": now.nanoseconds,
            ]
        )
        return Delivery(
            db.lastInsertRowID,
            body,
            notifiesReceiver: notifiesReceiver,
            item: itemId,
            over: connection,
            at: now
        )
    }
}

extension ChatMessageEvent {
    /// Whether the message must be sent alone, not in a batch with other messages. The peer's program handles all
    /// messages of a batch with the state before the batch. After an admission in a batch, the new member would see
    /// further messages of the batch in its support chat. After a new profile in a batch, further messages would have
    /// the old name of their author.
    fileprivate var mustBeSentAlone: Bool {
        switch self {
        case .group(.linkAcceptance), .info: true
        default: false
        }
    }
}
