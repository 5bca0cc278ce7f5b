internal import Agent
internal import ChatAPI
internal import SQLCipher

/// What the agent says of messages, told on the chat items that show them.
enum DeliveryStatus {
    /// The server has the messages.
    static func sent(_ messages: [SentMessage], on connection: ConnectionRecord, _ tx: Transaction) throws {
        let settled = try messages.map { (message: $0, items: try settle($0, "sent", tx)) }
        let proxied = Set(settled.filter(\.message.isProxied).flatMap(\.items))
        try tell(settled.flatMap(\.items), on: connection, .sndSent, proxied: proxied, tx) { $0 == .sndNew || $0.isWarning }
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
            of: tx.db.query(
                "SELECT delivery_id, chat_item_id FROM deliveries WHERE connection_id = ? AND agent_msg_id = ? ORDER BY delivery_id",
                [connection.connectionId, receipt.messageID]), tx)
    }

    /// The items that show deliveries: of each the one, or those of all messages that went together from the beginning.
    private static func items(of deliveries: [Row], _ tx: Transaction) throws -> [Int64] {
        try deliveries.flatMap { delivery in
            if let itemId = try delivery.int64OrNil("chat_item_id") { return [itemId] }
            return try tx.db.query(
                "SELECT chat_item_id FROM delivery_items WHERE delivery_id = ? ORDER BY chat_item_id", [delivery.int64("delivery_id")]
            ).map { try $0.int64("chat_item_id") }
        }
    }

    /// The agent could not send the message, and goes on trying.
    static func warned(_ message: SentMessage, _ error: AgentError, on connection: ConnectionRecord, _ tx: Transaction) throws {
        guard let deliveryId = Delivery.id(external: message.externalID, epoch: tx.epoch) else { return }
        let status = ItemStatus(sendWarning: error)
        try tell(items(of: shipment(deliveryId, tx), tx), on: connection, status, tx) { $0 != status && ($0 == .sndNew || $0.isWarning) }
    }

    /// The deliveries that went together.
    private static func shipment(_ first: Int64, _ tx: Transaction) throws -> [Row] {
        guard let delivery = try tx.db.first(
            "SELECT delivery_id, chat_item_id, connection_id, last_delivery_id FROM deliveries WHERE delivery_id = ?", [first])
        else { return [] }
        guard let last = try delivery.int64OrNil("last_delivery_id") else { return [delivery] }
        return try tx.db.query(
            "SELECT delivery_id, chat_item_id FROM deliveries WHERE delivery_id BETWEEN ? AND ? AND connection_id = ? ORDER BY delivery_id",
            [first, last, delivery.int64("connection_id")])
    }

    /// The agent has given the message up.
    static func failed(_ message: SentMessage, _ error: AgentError, on connection: ConnectionRecord, _ tx: Transaction) throws {
        try tell(settle(message, "failed", tx), on: connection, ItemStatus(sendError: error), tx) { _ in true }
    }

    /// The agent has not taken the message.
    static func fail(_ delivery: Delivery, _ error: AgentError, _ tx: Transaction) throws {
        guard let connection = try ConnectionRecord.find(delivery.connectionId, in: tx.db) else { return }
        try tell(settle(delivery.deliveryId, nil, "failed", tx), on: connection, ItemStatus(sendError: error), tx) { _ in true }
    }

    private static func settle(_ message: SentMessage, _ status: String, _ tx: Transaction) throws -> [Int64] {
        guard let deliveryId = Delivery.id(external: message.externalID, epoch: tx.epoch) else { return [] }
        return try settle(deliveryId, message.id, status, tx)
    }

    /// Records that deliveries are not to be handed over any more, and the agent's number, to which receipts refer. Their bodies go: what was sent
    /// is in its item, for as long as that is there.
    /// - Parameter first: that of a shipment.
    /// - Returns: the items that show the messages.
    private static func settle(_ first: Int64, _ agentMessageID: Int64?, _ status: String, _ tx: Transaction) throws -> [Int64] {
        let deliveries = try shipment(first, tx)
        for delivery in deliveries {
            try tx.db.execute(
                "UPDATE OR FAIL deliveries SET agent_msg_id = ?, delivery_status = ?, msg_body = NULL WHERE delivery_id = ?",
                [agentMessageID, status, delivery.int64("delivery_id")])
        }
        return try items(of: deliveries, tx)
    }

    private static func tell(
        _ itemIds: [Int64], on connection: ConnectionRecord, _ status: ItemStatus, proxied: Set<Int64> = [], _ tx: Transaction,
        where applies: (ItemStatus) -> Bool
    ) throws {
        guard !itemIds.isEmpty, let contactId = connection.contactId,
            let user = try UserRecord.find(connection.userId, in: tx.db),
            let contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db)
        else { return }
        let apiContact = contact.api(user)
        var changed: [AChatItem] = []
        // Of an item that was edited both messages may be told of at once.
        var seen: Set<Int64> = []
        for var item in try ItemQueries.items(itemIds.filter { seen.insert($0).inserted }, in: contact, tx.db) where applies(item.status) {
            // What did not get through went no way at all.
            if !status.isFailure { item.viaProxy = item.viaProxy == true || proxied.contains(item.itemId) }
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
        case .sndErrorAuth, .other(.sndError), .other(.sndWarning): true
        default: false
        }
    }

    fileprivate var isWarning: Bool {
        if case .other(.sndWarning) = self { true } else { false }
    }
}
