internal import ChatAPI
internal import SQLCipher

/// Items that are older than their chat, or their user, keeps items. What says that a chat begins stays.
enum ExpiringItems {
    /// How many items go in one transaction.
    static let batch = 100

    private struct Chat {
        let userId: Int64
        let contactId: Int64
        let ttl: Int64
        /// When its oldest item was made.
        let oldest: Timestamp?

        init(_ row: Row) throws {
            userId = try row.int64("user_id")
            contactId = try row.int64("contact_id")
            ttl = try row.int64("ttl")
            oldest = try row.int64OrNil("oldest").map(Timestamp.init(nanoseconds:))
        }

        var due: Timestamp? { oldest?.adding(seconds: ttl) }
    }

    private static let expires = "item_content <> '{\"type\":\"chatBanner\"}'"

    private static func chats(_ db: StoreConnection) throws -> [Chat] {
        try db.query(
            """
            SELECT c.user_id, c.contact_id, coalesce(c.chat_item_ttl, u.chat_item_ttl) AS ttl,
              (SELECT i.created_at FROM chat_items i WHERE i.user_id = c.user_id AND i.contact_id = c.contact_id AND i.\(expires)
                ORDER BY i.created_at, i.chat_item_id LIMIT 1) AS oldest
            FROM contacts c JOIN users u ON u.user_id = c.user_id WHERE coalesce(c.chat_item_ttl, u.chat_item_ttl) > 0
            """, []
        ).map(Chat.init)
    }

    /// How long nothing expires, in nanoseconds; nil when nothing ever does. What comes meanwhile is not due before either.
    static func wait(_ now: Timestamp, _ db: StoreConnection) throws -> Int64? {
        try chats(db).flatMap { chat in
            [chat.due ?? .init(nanoseconds: .max), now.adding(seconds: chat.ttl)]
        }.min().map { max(0, $0.nanoseconds &- now.nanoseconds) }
    }

    /// Deletes what is due, and tells it chat by chat.
    /// - Returns: whether there may be more.
    static func deleteDue(_ tx: Transaction) throws -> Bool {
        var room = batch
        for chat in try chats(tx.db) where room > 0 {
            guard let due = chat.due, due <= tx.now, let user = try UserRecord.find(chat.userId, in: tx.db),
                let contact = try ContactRecord.find(chat.contactId, user: user.userId, in: tx.db)
            else { continue }
            let rows = try tx.db.query(
                """
                SELECT chat_item_id FROM chat_items WHERE user_id = ? AND contact_id = ? AND created_at <= ? AND \(expires)
                ORDER BY created_at, chat_item_id LIMIT ?
                """, [chat.userId, chat.contactId, tx.now.adding(seconds: -chat.ttl).nanoseconds, Int64(room)])
            let items = try ItemQueries.items(rows.map { try $0.int64("chat_item_id") }, in: contact, tx.db)
            room -= rows.count
            let deletions = try ItemDeletion.delete(items, in: contact, user, tx)
            try tx.emit(.chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: false, timed: true), user: user.userId)
        }
        return room <= 0
    }
}
