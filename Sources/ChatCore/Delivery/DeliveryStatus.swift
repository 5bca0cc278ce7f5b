internal import Agent
internal import ChatAPI
internal import SQLCipher

/// What the agent says of messages, told on the chat items that show them.
enum DeliveryStatus {
    /// The server has the message.
    static func sent(_ messageID: AgentMessageID, on connection: ConnectionRecord, _ tx: Transaction) throws {
        try update(messageID, on: connection, to: .sndSent, tx) { $0 == .sndNew || $0.isWarning }
    }

    /// The peer's program has the message: a delivery receipt.
    static func received(_ messageID: AgentMessageID, on connection: ConnectionRecord, _ tx: Transaction) throws {
        try update(messageID, on: connection, to: .sndReceived, tx) { $0 != .sndReceived }
    }

    /// The agent has given the message up.
    static func failed(
        _ messageID: AgentMessageID, _ error: AgentError, on connection: ConnectionRecord, _ tx: Transaction
    ) throws {
        try update(messageID, on: connection, to: ItemStatus(sendError: error), tx) { _ in true }
    }

    /// The agent has not taken the message.
    static func fail(_ delivery: Delivery, _ error: AgentError, _ tx: Transaction) throws {
        let itemId = try tx.db.first("SELECT chat_item_id FROM deliveries WHERE delivery_id = ?", [delivery.deliveryId])?
            .int64OrNil("chat_item_id")
        try tx.db.execute(
            "UPDATE deliveries SET delivery_status = 'failed', msg_body = NULL WHERE delivery_id = ?", [delivery.deliveryId])
        guard let itemId, let connection = try ConnectionRecord.find(delivery.connectionId, in: tx.db) else { return }
        try tell([itemId], on: connection, ItemStatus(sendError: error), tx) { _ in true }
    }

    private static func update(
        _ messageID: AgentMessageID, on connection: ConnectionRecord, to status: ItemStatus, _ tx: Transaction,
        where applies: (ItemStatus) -> Bool
    ) throws {
        let rows = try tx.db.query(
            "SELECT delivery_id, chat_item_id FROM deliveries WHERE connection_id = ? AND agent_msg_id = ?",
            [connection.connectionId, messageID])
        try tell(rows.compactMap { try $0.int64OrNil("chat_item_id") }, on: connection, status, tx, where: applies)
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
            try tx.db.execute("UPDATE chat_items SET via_proxy = 0 WHERE chat_item_id = ?", [item.itemId])
            changed.append(item.api(in: apiContact, at: tx.now))
        }
        guard !changed.isEmpty else { return }
        try tx.emit(.chatItemsStatusesUpdated(user: user.api, chatItems: changed), user: user.userId)
    }
}

extension ItemStatus {
    fileprivate var isWarning: Bool {
        if case .other(.sndWarning) = self { true } else { false }
    }
}
