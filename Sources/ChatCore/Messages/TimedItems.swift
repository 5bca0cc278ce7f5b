internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Disappearing messages. The time of deletion is stored with the item, so that the program also deletes items that
/// became due while the program was stopped.
enum TimedItems {
    /// The allowed numbers of seconds until a message disappears: up to a hundred years.
    static let permittedLifetimeSeconds: ClosedRange<Int64> = 1...3_155_760_000

    static func scheduleDeletion(_ item: inout ItemRecord, at deleteAt: Timestamp, _ tx: Transaction) throws {
        item.deleteAt = deleteAt
        tx.followUpWork.insert(.timedItems)
        try tx.db.update(
            "chat_items",
            set: ["timed_delete_at": deleteAt.nanoseconds],
            where: ["chat_item_id": item.itemId]
        )
    }

    /// Starts the lifetime of a disappearing message when its sender has finished it. Until then, the message was live:
    /// its sender was still typing it. The lifetime of an unread message starts when the user reads it. A lifetime that
    /// has already started does not change.
    static func startLifetimeWhenDone(_ item: inout ItemRecord, wasLive: Bool, _ tx: Transaction) throws {
        guard wasLive, item.isLive != true, let ttl = item.lifetimeSeconds, item.deleteAt == nil, item.status != .rcvNew
        else {
            return
        }
        try scheduleDeletion(&item, at: tx.now.adding(seconds: ttl), tx)
    }

    /// Starts the lifetime of received disappearing items when the user reads them.
    /// - Parameter itemIds: nil for all unread items of the chat.
    static func startLifetimeOnReading(
        in chat: some Conversation,
        itemIds: ArraySlice<Int64>?,
        _ tx: Transaction
    ) throws {
        let among = itemIds.map { " AND chat_item_id IN (\(placeholders($0.count)))" } ?? ""
        // If ids are given, a plus sign before the columns prevents SQLite from using the index on the chat.
        let plus = itemIds == nil ? "" : "+"
        try tx.db.execute(
            """
            UPDATE chat_items SET timed_delete_at = :now + timed_ttl * 1000000000
            WHERE \(plus)user_id = :user_id AND \(plus)chat_type = :chat_type AND \(plus)chat_id = :chat_id
              AND item_status = 'rcvNew' AND timed_ttl IS NOT NULL AND timed_delete_at IS NULL\(among)
            """,
            [
                "now": tx.now.nanoseconds, "user_id": chat.userId, "chat_type": chat.chatKey.kind.rawValue,
                "chat_id": chat.chatKey.chatId,
            ],
            list: (itemIds ?? []).arguments
        )
        if tx.db.changeCount > 0 { tx.followUpWork.insert(.timedItems) }
    }

    /// Returns the time at which the next disappearing item must be deleted; nil if no item has such a time.
    static func findNextDueTime(_ db: StoreConnection) throws -> Timestamp? {
        try db.firstRow("SELECT min(timed_delete_at) AS due FROM chat_items WHERE timed_delete_at IS NOT NULL")?
            .int64OrNil("due").map(Timestamp.init(nanoseconds:))
    }

    /// Deletes up to 500 expired items, and emits an event for each chat.
    static func deleteDueItems(_ tx: Transaction) throws {
        let rows = try tx.db.query(
            "SELECT user_id, chat_type, chat_id, chat_item_id FROM chat_items WHERE timed_delete_at <= ? ORDER BY timed_delete_at LIMIT 500",
            [tx.now.nanoseconds]
        )
        var chats: [Chat: [Int64]] = [:]
        for row in rows {
            let chat = Chat(userId: try row.int64("user_id"), key: try ChatKey(row))
            chats[chat, default: []].append(try row.int64("chat_item_id"))
        }
        for (chat, itemIds) in chats {
            guard let user = try UserRecord.find(chat.userId, in: tx.db),
                let place = try chat.key.findConversation(user, tx.db)
            else {
                // An imported item may refer to a missing chat. Such an item is deleted without an event, since it
                // would otherwise stay due forever.
                try tx.db.execute(
                    "DELETE FROM chat_items WHERE chat_item_id IN (\(placeholders(itemIds.count)))",
                    itemIds.arguments
                )
                continue
            }
            let deletions = try ItemDeletion.deleteItems(
                ItemQueries.findItems(itemIds, in: place, tx.db),
                in: place,
                user,
                tx
            )
            try tx.emit(
                .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: true, timed: true),
                user: user.userId
            )
        }
    }

    private struct Chat: Hashable {
        let userId: Int64
        let key: ChatKey
    }
}
