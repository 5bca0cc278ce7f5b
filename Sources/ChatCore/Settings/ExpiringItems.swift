internal import ChatAPI
internal import SQLCipher

/// Deletes items that are older than the TTL of their chat or user. The items at the start of a chat stay.
enum ExpiringItems {
    /// How many items go in one transaction.
    static let batch = 100

    private struct Chat {
        let userId: Int64
        let key: ChatKey
        let ttl: Int64
        /// When its oldest item was made.
        let oldest: Timestamp?

        init(_ row: Row) throws {
            userId = try row.int64("user_id")
            key = try ChatKey(row)
            ttl = try row.int64("ttl")
            oldest = try row.int64OrNil("oldest").map(Timestamp.init(nanoseconds:))
        }

        var due: Timestamp? { oldest?.adding(seconds: ttl) }
    }

    private static let expires = "item_content <> '{\"type\":\"chatBanner\"}'"

    private static func chats(_ db: StoreConnection) throws -> [Chat] {
        try db.query("\(select(.contact, "contacts", "contact_id")) UNION ALL \(select(.group, "groups", "group_id"))").map(Chat.init)
    }

    private static func select(_ kind: ChatKey.Kind, _ table: String, _ id: String) -> String {
        """
        SELECT c.user_id, \(kind.rawValue) AS chat_type, c.\(id) AS chat_id, coalesce(c.chat_item_ttl, u.chat_item_ttl) AS ttl,
          (SELECT i.created_at FROM chat_items i WHERE \(ChatKey.joins("i", kind, "c", id)) AND i.\(expires)
            ORDER BY i.created_at, i.chat_item_id LIMIT 1) AS oldest
        FROM \(table) c JOIN users u ON u.user_id = c.user_id WHERE coalesce(c.chat_item_ttl, u.chat_item_ttl) > 0
        """
    }

    /// Nanoseconds until the next item expires; nil when none ever does. New items cannot expire sooner.
    static func wait(_ now: Timestamp, _ db: StoreConnection) throws -> Int64? {
        try chats(db).flatMap { chat in
            [chat.due ?? .init(nanoseconds: .max), now.adding(seconds: chat.ttl)]
        }.min().map { max(0, $0.nanoseconds &- now.nanoseconds) }
    }

    /// Deletes expired items, and emits an event for each chat.
    /// - Returns: whether there may be more.
    static func deleteDue(_ tx: Transaction) throws -> Bool {
        var room = batch
        for chat in try chats(tx.db) where room > 0 {
            guard let due = chat.due, due <= tx.now, let user = try UserRecord.find(chat.userId, in: tx.db),
                let place = try chat.key.find(user, tx.db)
            else { continue }
            let rows = try tx.db.query(
                """
                SELECT chat_item_id FROM chat_items WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND created_at <= ? AND \(expires)
                ORDER BY created_at, chat_item_id LIMIT ?
                """, place.keyArguments + [tx.now.adding(seconds: -chat.ttl).nanoseconds, Int64(room)])
            let items = try ItemQueries.items(rows.map { try $0.int64("chat_item_id") }, in: place, tx.db)
            room -= rows.count
            let deletions = try ItemDeletion.delete(items, in: place, user, tx)
            try tx.emit(.chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: false, timed: true), user: user.userId)
        }
        return room <= 0
    }
}
