internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Deletes items that are older than the TTL of their chat or user. The banner at the start of a chat is never deleted.
/// Items of groups are deleted no earlier than twelve hours after they were stored.
enum ExpiringItems {
    /// The maximum number of items that one transaction deletes.
    static let maxItemsPerTransaction = 100

    private struct Chat {
        let userId: Int64
        let key: ChatKey
        let lifetimeSeconds: Int64
        /// The times of the chat's oldest item. `orderTs` orders the items of the chat, and the TTL counts from it.
        /// `createdAt` is the time at which the item was stored.
        let oldestTimes: (orderTs: Timestamp, createdAt: Timestamp)?

        init(_ row: Row) throws {
            userId = try row.int64("user_id")
            key = try ChatKey(row)
            lifetimeSeconds = try row.readTime("ttl")
            oldestTimes = try row.int64OrNil("oldest").map { orderTs in
                (Timestamp(nanoseconds: orderTs), Timestamp(nanoseconds: try row.int64("oldest_created")))
            }
        }

        /// The time at which the chat's oldest item expires.
        var dueTime: Timestamp? {
            oldestTimes.map {
                max($0.orderTs.adding(seconds: lifetimeSeconds), $0.createdAt.adding(seconds: minKeptSeconds))
            }
        }

        /// The minimum time in seconds for which an item is kept after it was stored. A member of a group may have sent
        /// an item long before the item arrives.
        var minKeptSeconds: Int64 { key.isOfGroup ? 43_200 : 0 }
    }

    private static let expirableItemCondition = "item_content <> '{\"type\":\"chatBanner\"}'"

    /// Whether a user or a chat has a TTL.
    static func hasAnyTTL(in db: StoreConnection) throws -> Bool {
        try db.hasRow(
            """
            SELECT 1 FROM users WHERE chat_item_ttl > 0 UNION ALL SELECT 1 FROM contacts WHERE chat_item_ttl > 0
            UNION ALL SELECT 1 FROM groups WHERE chat_item_ttl > 0
            """
        )
    }

    private static func findChats(_ db: StoreConnection) throws -> [Chat] {
        // Most stores have no TTL. The query below takes 0.3 ms to prepare, and looks at each member of each group.
        guard try hasAnyTTL(in: db) else { return [] }
        return try db.query(
            """
            \(oldestItemQuery(.contact, "contacts c", "contact_id")) UNION ALL \(oldestItemQuery(.group, "groups c", "group_id"))
            UNION ALL \(oldestItemQuery(.support, "group_members s JOIN groups c ON c.user_id = s.user_id AND c.group_id = s.group_id", "group_member_id", of: "s"))
              AND s.support_ts IS NOT NULL
            """
        ).map(Chat.init)
    }

    /// Makes the query for the oldest item of each chat of one kind.
    /// - Parameter row: the SQL alias of the table that contains the id of the chat. The table `c` contains its TTL.
    private static func oldestItemQuery(
        _ kind: ChatKey.Kind,
        _ table: String,
        _ id: String,
        of row: String = "c"
    ) -> String {
        let oldest =
            "FROM chat_items i WHERE \(ChatKey.joinCondition("i", kind, row, id)) AND i.\(expirableItemCondition) \(StoredItemOrder.oldestFirst) LIMIT 1"
        return """
            SELECT c.user_id, \(kind.rawValue) AS chat_type, \(row).\(id) AS chat_id, coalesce(c.chat_item_ttl, u.chat_item_ttl) AS ttl,
              (SELECT i.order_ts \(oldest)) AS oldest, (SELECT i.created_at \(oldest)) AS oldest_created
            FROM \(table) JOIN users u ON u.user_id = c.user_id WHERE coalesce(c.chat_item_ttl, u.chat_item_ttl) > 0
            """
    }

    /// Returns the time until the next item expires; nil if no chat has a TTL. An item that is added later cannot
    /// expire earlier.
    static func timeUntilNextExpiry(_ now: Timestamp, _ db: StoreConnection) throws -> Duration? {
        try findChats(db).flatMap { chat in
            [
                chat.dueTime ?? .init(nanoseconds: .max),
                now.adding(seconds: max(chat.lifetimeSeconds, chat.minKeptSeconds)),
            ]
        }.min().map { max(.zero, $0.duration(since: now)) }
    }

    /// Deletes expired items, and emits an event for each chat.
    /// - Returns: whether there may be more expired items.
    static func deleteDueItems(_ tx: Transaction) throws -> Bool {
        var room = maxItemsPerTransaction
        for chat in try findChats(tx.db) where room > 0 {
            // This check uses only the order time of the oldest item. If that item arrived late in a group, it is kept
            // longer, but other items of the chat may already be expired.
            guard let oldest = chat.oldestTimes?.orderTs.adding(seconds: chat.lifetimeSeconds), oldest <= tx.now,
                let user = try UserRecord.find(chat.userId, in: tx.db),
                let place = try chat.key.findConversation(user, tx.db)
            else { continue }
            let rows = try tx.db.query(
                """
                SELECT i.chat_item_id FROM chat_items i
                WHERE i.user_id = :user_id AND i.chat_type = :chat_type AND i.chat_id = :chat_id
                AND i.order_ts <= :order_ts AND i.created_at <= :created_at
                  AND i.\(expirableItemCondition) \(StoredItemOrder.oldestFirst) LIMIT :limit
                """,
                [
                    "user_id": place.userId, "chat_type": place.chatKey.kind.rawValue, "chat_id": place.chatKey.chatId,
                    "order_ts": tx.now.adding(seconds: -chat.lifetimeSeconds).nanoseconds,
                    "created_at": tx.now.adding(seconds: -chat.minKeptSeconds).nanoseconds, "limit": Int64(room),
                ]
            )
            let items = try ItemQueries.findItems(rows.map { try $0.int64("chat_item_id") }, in: place, tx.db)
            room -= rows.count
            let deletions = try ItemDeletion.deleteItems(items, in: place, user, tx)
            try tx.emit(
                .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: false, timed: true),
                user: user.userId
            )
        }
        return room <= 0
    }
}
