internal import Agent
internal import ChatAPI
internal import SQLCipher

/// What the agent says of messages, told on the chat items that show them.
enum DeliveryStatus {
    /// The server has the messages.
    static func sent(_ messages: [SentMessage], on connection: ConnectionRecord, _ tx: Transaction) throws {
        let items = try messages.flatMap { try settle($0, "sent", tx) }
        try tell(items, on: connection, .sndSent, tx) { $0 == .sndNew || $0.isWarning }
    }

    /// The peer's program has the messages: delivery receipts.
    static func received(_ receipts: [MessageReceipt], on connection: ConnectionRecord, _ tx: Transaction) throws {
        let news = try receipts.map { (receipt: $0, items: try items(of: $0, on: connection, tx)) }
        for (isIntact, status) in [(true, ItemStatus.sndReceived), (false, .sndReceivedOther)] {
            let told = news.filter { $0.receipt.isIntact == isIntact }.flatMap(\.items)
            try tell(told, on: connection, status, tx) { $0 != .sndReceived && $0 != .sndReceivedOther }
        }
    }

    private static func items(of receipt: MessageReceipt, on connection: ConnectionRecord, _ tx: Transaction) throws -> [Int64] {
        if let external = receipt.externalID { return try settle(SentMessage(id: receipt.messageID, externalID: external), "sent", tx) }
        return try items(
            of: tx.db.first(
                "SELECT delivery_id, chat_item_id FROM deliveries WHERE connection_id = ? AND agent_msg_id = ?",
                [connection.connectionId, receipt.messageID]), tx)
    }

    /// The items that show a delivery: one, or those of all messages that went together.
    private static func items(of delivery: Row?, _ tx: Transaction) throws -> [Int64] {
        guard let delivery else { return [] }
        if let itemId = try delivery.int64OrNil("chat_item_id") { return [itemId] }
        return try tx.db.query(
            "SELECT chat_item_id FROM delivery_items WHERE delivery_id = ? ORDER BY chat_item_id", [delivery.int64("delivery_id")]
        ).map { try $0.int64("chat_item_id") }
    }

    private static func items(ofDelivery deliveryId: Int64, _ tx: Transaction) throws -> [Int64] {
        try items(of: tx.db.first("SELECT delivery_id, chat_item_id FROM deliveries WHERE delivery_id = ?", [deliveryId]), tx)
    }

    /// The agent has given the message up.
    static func failed(_ message: SentMessage, _ error: AgentError, on connection: ConnectionRecord, _ tx: Transaction) throws {
        try tell(settle(message, "failed", tx), on: connection, ItemStatus(sendError: error), tx) { _ in true }
    }

    /// The agent has not taken the message.
    static func fail(_ delivery: Delivery, _ error: AgentError, _ tx: Transaction) throws {
        try tx.db.execute("UPDATE deliveries SET delivery_status = 'failed' WHERE delivery_id = ?", [delivery.deliveryId])
        guard let connection = try ConnectionRecord.find(delivery.connectionId, in: tx.db) else { return }
        try tell(items(ofDelivery: delivery.deliveryId, tx), on: connection, ItemStatus(sendError: error), tx) { _ in true }
    }

    /// Records that the delivery is not to be handed over any more, and the agent's number, to which receipts refer.
    /// - Returns: the items that show the messages.
    private static func settle(_ message: SentMessage, _ status: String, _ tx: Transaction) throws -> [Int64] {
        guard let deliveryId = Delivery.id(external: message.externalID, epoch: tx.epoch) else { return [] }
        try tx.db.execute(
            "UPDATE deliveries SET agent_msg_id = ?, delivery_status = ? WHERE delivery_id = ?", [message.id, status, deliveryId])
        return try items(ofDelivery: deliveryId, tx)
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
            // What was given up went no way at all.
            if !status.isFailure { item.viaProxy = false }
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

    fileprivate var isFailure: Bool {
        switch self {
        case .sndErrorAuth, .other(.sndError): true
        default: false
        }
    }

    fileprivate var isWarning: Bool {
        if case .other(.sndWarning) = self { true } else { false }
    }
}
