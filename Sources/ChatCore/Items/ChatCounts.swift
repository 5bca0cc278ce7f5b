internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Stored counts of items. For each day of a chat, the database stores the number of items and the number of unread
/// items. For each chat except notes, it also stores the number of all unread items.
/// ``countItem(_:user:at:status:in:)`` counts a new item. Database triggers count every later change, so queries do not
/// have to count items. A day has 86,400 seconds of UTC. The day of an item is determined by the time that orders the
/// items of the chat (``StoredItemOrder``).
enum ChatCounts {
    static let dayNanoseconds: Int64 = 86_400_000_000_000

    /// A table whose rows contain the numbers of unread items of the chats of one kind.
    struct UnreadTable: Sendable {
        let kind: ChatKey.Kind
        let table: String
        /// The column with the id of the chat.
        let idColumn: String
    }

    static let unreadTables = [
        UnreadTable(kind: .contact, table: "contacts", idColumn: "contact_id"),
        UnreadTable(kind: .group, table: "groups", idColumn: "group_id"),
        UnreadTable(kind: .support, table: "group_members", idColumn: "group_member_id"),
    ]

    /// Adds a new item to the stored counts of its chat.
    /// - Parameters:
    ///   - orderTs: the time that orders the items of the chat.
    ///   - status: the status of the item in its stored form.
    static func countItem(
        _ chat: ChatKey,
        user: Int64,
        at orderTs: Timestamp,
        status: String,
        in db: StoreConnection
    ) throws {
        let unread: Int64 = status == ItemStatus.rcvNew.storedText ? 1 : 0
        try db.execute(
            """
            UPDATE OR FAIL chat_item_days SET items = items + 1, unread = unread + :added_unread
            WHERE user_id = :user_id AND chat_type = :chat_type AND chat_id = :chat_id AND day = :day
            """,
            [
                "added_unread": unread, "user_id": user, "chat_type": chat.kind.rawValue, "chat_id": chat.chatId,
                "day": orderTs.nanoseconds / dayNanoseconds,
            ]
        )
        if db.changeCount == 0 {
            try db.insert(
                into: "chat_item_days",
                [
                    "user_id": user, "chat_type": chat.kind.rawValue, "chat_id": chat.chatId,
                    "day": orderTs.nanoseconds / dayNanoseconds, "items": 1, "unread": unread,
                ]
            )
        }
        guard unread > 0, let owner = unreadTables.first(where: { $0.kind == chat.kind }) else { return }
        try db.execute(
            """
            UPDATE OR FAIL \(owner.table) SET unread_count = unread_count + 1
            WHERE user_id = :user_id AND \(owner.idColumn) = :chat_id
            """,
            ["user_id": user, "chat_id": chat.chatId]
        )
    }

    /// Returns the numbers of items and of unread items that follow an item in its chat. For the days after the day of
    /// the item, the function reads the stored counts.
    static func countFollowingItems(
        _ item: ItemRecord,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> (items: Int64, unread: Int64) {
        let ts = item.orderTs.nanoseconds
        let today = ts / dayNanoseconds
        let later = try db.queryFirst(
            "SELECT sum(items) AS items, sum(unread) AS unread FROM chat_item_days WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND day > ?",
            chat.keyArguments + [today]
        )
        let place = """
            FROM chat_items WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND order_ts >= ? AND order_ts < ?
              AND (order_ts > ? OR chat_item_id > ?)
            """
        let arguments: [Argument] = chat.keyArguments + [ts, (today &+ 1) &* dayNanoseconds, ts, item.itemId]
        func countItems(_ condition: String) throws -> Int64 {
            try db.queryFirst("SELECT count(*) AS n \(place) \(condition)", arguments)?.readCount("n") ?? 0
        }
        let (sameDay, unread) = (try countItems(""), try countItems("AND item_status = 'rcvNew'"))
        return (
            sameDay + (try later?.readClampedCountOrNil("items") ?? 0),
            unread + (try later?.readClampedCountOrNil("unread") ?? 0)
        )
    }

    /// Returns the number of unread items of a chat.
    static func countUnreadItems(in chat: some Conversation, _ db: StoreConnection) throws -> Int64 {
        guard let owner = unreadTables.first(where: { $0.kind == chat.chatKey.kind }) else {
            return try db.queryFirst(
                "SELECT sum(unread) AS n FROM chat_item_days WHERE user_id = ? AND chat_type = ? AND chat_id = ?",
                chat.keyArguments
            )?
            .readClampedCountOrNil("n") ?? 0
        }
        return try db.firstRow(
            "SELECT unread_count FROM \(owner.table) WHERE user_id = :user_id AND \(owner.idColumn) = :chat_id",
            ["user_id": chat.userId, "chat_id": chat.chatKey.chatId]
        )?
        .readClampedCount("unread_count") ?? 0
    }

    /// Returns the number of unread items of each user. Only chats with notifications for all messages count.
    static func countUnreadItemsByUser(_ db: StoreConnection) throws -> [Int64: Int] {
        let rows = try db.query(
            """
            SELECT user_id, sum(unread_count) AS n FROM (
              SELECT user_id, unread_count FROM contacts WHERE unread_count > 0 AND enable_ntfs = 'all'
              UNION ALL SELECT user_id, unread_count FROM groups WHERE unread_count > 0 AND enable_ntfs = 'all'
            ) GROUP BY user_id
            """
        )
        return Dictionary(try rows.map { (try $0.int64("user_id"), try $0.readClampedCount("n")) }) { first, _ in first
        }
    }
}
