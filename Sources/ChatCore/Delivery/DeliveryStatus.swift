internal import Agent
internal import ChatAPI
internal import SQLCipher

/// What the agent says of messages, told on the chat items that show them.
enum DeliveryStatus {
    /// The server has the messages.
    static func sent(_ messages: [SentMessage], on connection: ConnectionRecord, _ tx: Transaction) throws {
        let items = try messages.compactMap { try settle($0, "sent", tx) }
        try tell(items, on: connection, .sndSent, tx) { $0 == .sndNew || $0.isWarning }
    }

    /// The peer's program has the messages: delivery receipts.
    static func received(_ receipts: [MessageReceipt], on connection: ConnectionRecord, _ tx: Transaction) throws {
        let items = try receipts.map { (receipt: $0, item: try item(of: $0, on: connection, tx)) }
        for (isIntact, status) in [(true, ItemStatus.sndReceived), (false, .sndReceivedOther)] {
            let told = items.filter { $0.receipt.isIntact == isIntact }.compactMap(\.item)
            try tell(told, on: connection, status, tx) { $0 != .sndReceived && $0 != .sndReceivedOther }
        }
    }

    private static func item(of receipt: MessageReceipt, on connection: ConnectionRecord, _ tx: Transaction) throws -> Int64? {
        if let external = receipt.externalID { return try settle(SentMessage(id: receipt.messageID, externalID: external), "sent", tx) }
        return try tx.db.first(
            "SELECT chat_item_id FROM deliveries WHERE connection_id = ? AND agent_msg_id = ?", [connection.connectionId, receipt.messageID])?
            .int64OrNil("chat_item_id")
    }

    /// The agent has given the message up.
    static func failed(_ message: SentMessage, _ error: AgentError, on connection: ConnectionRecord, _ tx: Transaction) throws {
        guard let item = try settle(message, "failed", tx) else { return }
        try tell([item], on: connection, ItemStatus(sendError: error), tx) { _ in true }
    }

    /// The agent has not taken the message.
    static func fail(_ delivery: Delivery, _ error: AgentError, _ tx: Transaction) throws {
        try tx.db.execute("UPDATE deliveries SET delivery_status = 'failed' WHERE delivery_id = ?", [delivery.deliveryId])
        let itemId = try tx.db.first("SELECT chat_item_id FROM deliveries WHERE delivery_id = ?", [delivery.deliveryId])?
            .int64OrNil("chat_item_id")
        guard let itemId, let connection = try ConnectionRecord.find(delivery.connectionId, in: tx.db) else { return }
        try tell([itemId], on: connection, ItemStatus(sendError: error), tx) { _ in true }
    }

    /// Records that the delivery is not to be handed over any more, and the agent's number, to which receipts refer.
    /// - Returns: the item that shows the message.
    private static func settle(_ message: SentMessage, _ status: String, _ tx: Transaction) throws -> Int64? {
        guard let deliveryId = Delivery.id(external: message.externalID, epoch: tx.epoch) else { return nil }
        try tx.db.execute(
            "UPDATE deliveries SET agent_msg_id = ?, delivery_status = ? WHERE delivery_id = ?", [message.id, status, deliveryId])
        return try tx.db.first("SELECT chat_item_id FROM deliveries WHERE delivery_id = ?", [deliveryId])?.int64OrNil("chat_item_id")
    }

    private static func tell(
        _ itemIds: [Int64], on connection: ConnectionRecord, _ status: ItemStatus, _ tx: Transaction, where applies: (ItemStatus) -> Bool
    ) throws {
        guard !itemIds.isEmpty, let contactId = connection.contactId,
            let user = try UserRecord.find(connection.userId, in: tx.db),
            let contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db)
        else { return }
        let apiContact = contact.api(user)
        var changed: [AChatItem] = []
        for var item in try ItemQueries.items(itemIds, in: contact, tx.db) where applies(item.status) {
            item.viaProxy = false
            try ItemWriter.setStatus(&item, status, tx)
            changed.append(item.api(in: apiContact, at: tx.now))
        }
        guard !changed.isEmpty else { return }
        try tx.emit(.chatItemsStatusesUpdated(user: user.api, chatItems: changed), user: user.userId)
    }
}

extension ItemStatus {
    /// The receipt is of another message than the one that was sent.
    fileprivate static let sndReceivedOther = ItemStatus.other(.sndRcvd(msgRcptStatus: .badMsgHash, sndProgress: .complete))

    fileprivate var isWarning: Bool {
        if case .other(.sndWarning) = self { true } else { false }
    }
}
