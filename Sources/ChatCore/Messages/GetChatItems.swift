internal import ChatAPI
internal import SQLCipher

extension ChatController {
    /// `/_get items`: items of all chats of the user, by the time at which they were sent, oldest first. One query for the items, one for the
    /// reactions and one for the contact of each chat that is among them.
    func getChatItems(_ pagination: ChatPagination, search: String, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let items = try AllItems.page(pagination, search: search, user, db)
            let now = Timestamp.now
            var contacts: [Int64: (record: ContactRecord, info: Contact)] = [:]
            for contactId in Set(items.map(\.contactId)) {
                let contact = try ContactRecord.get(contactId, user: user, in: db)
                contacts[contactId] = (contact, contact.api(user))
            }
            var reactions: [Int64: ItemRecord] = [:]
            for (contactId, contact) in contacts {
                let own = items.filter { $0.contactId == contactId }
                for item in try ItemQueries.withReactions(own, in: contact.record, db) { reactions[item.itemId] = item }
            }
            return .chatItems(
                user: user.api, chatName_: nil,
                chatItems: items.compactMap { item in
                    contacts[item.contactId].map { (reactions[item.itemId] ?? item).api(in: $0.info, at: now) }
                })
        }
    }
}

private enum AllItems {
    private static let select = "SELECT \(ItemRecord.columns) FROM chat_items i WHERE i.user_id = ? AND i.contact_id IS NOT NULL"

    static func page(
        _ pagination: ChatPagination, search: String, _ user: UserRecord, _ db: StoreConnection
    ) throws -> [ItemRecord] {
        switch pagination {
        case .last(let count): return try last(count, search, user, db)
        case .before(let itemId, let count): return try beside(item(itemId, user, db), .before, count, search, user, db)
        case .after(let itemId, let count): return try beside(item(itemId, user, db), .after, count, search, user, db)
        case .around(let itemId, let count):
            return try around(item(itemId, user, db), count, search, user, db)
        case .initial(let count):
            let unread = try db.first(
                "SELECT min(chat_item_id) AS id FROM chat_items WHERE user_id = ? AND item_status = 'rcvNew'", [user.userId])?
                .int64OrNil("id")
            guard let unread else { return try last(count, search, user, db) }
            return try around(item(unread, user, db), count, search, user, db)
        }
    }

    /// - Throws: `chatItemNotFound`.
    private static func item(_ itemId: Int64, _ user: UserRecord, _ db: StoreConnection) throws -> ItemRecord {
        guard let row = try db.first("\(select) AND i.chat_item_id = ?", [user.userId, itemId]) else {
            throw ChatFailure(StoreError.chatItemNotFound(itemId: itemId))
        }
        return try ItemRecord(row)
    }

    private static func last(
        _ count: Int, _ search: String, _ user: UserRecord, _ db: StoreConnection
    ) throws -> [ItemRecord] {
        let (condition, arguments) = ItemQueries.matching(search)
        return try db.query(
            "\(select)\(condition) ORDER BY i.item_ts DESC, i.chat_item_id DESC LIMIT ?",
            [user.userId] + arguments + [Int64(max(0, count))]
        ).map(ItemRecord.init).reversed()
    }

    private static func around(
        _ item: ItemRecord, _ count: Int, _ search: String, _ user: UserRecord, _ db: StoreConnection
    ) throws -> [ItemRecord] {
        try beside(item, .before, count, search, user, db) + [item] + beside(item, .after, count, search, user, db)
    }

    private static func beside(
        _ item: ItemRecord, _ direction: ItemQueries.Direction, _ count: Int, _ search: String, _ user: UserRecord, _ db: StoreConnection
    ) throws -> [ItemRecord] {
        let (condition, arguments) = ItemQueries.matching(search)
        let (sign, order) = direction == .before ? ("<", "DESC") : (">", "ASC")
        let ts = item.itemTs.nanoseconds
        let items = try db.query(
            """
            \(select) AND i.item_ts \(sign)= ? AND (i.item_ts \(sign) ? OR i.chat_item_id \(sign) ?)\(condition)
            ORDER BY i.item_ts \(order), i.chat_item_id \(order) LIMIT ?
            """, [user.userId, ts, ts, item.itemId] + arguments + [Int64(max(0, count))]
        ).map(ItemRecord.init)
        return direction == .before ? items.reversed() : items
    }
}
