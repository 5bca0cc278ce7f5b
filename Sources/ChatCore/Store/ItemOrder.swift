internal import SQLCipher

/// The order of the items of a chat: in groups and their support chats by the second of sending, since messages of
/// members may come late; in other chats by the time at which this store created them. Items of the same time are in
/// the order of their ids.
///
/// Relays give times in whole seconds: if fractions counted, an answer within the second of its question would stand
/// before the question.
enum ItemOrder {
    /// The column of `chat_items` with the time that orders items: see `ChatKey.order`.
    static let column = "order_ts"
    static let oldestFirst = "ORDER BY i.order_ts, i.chat_item_id"
    static let newestFirst = "ORDER BY i.order_ts DESC, i.chat_item_id DESC"

    private static let group = ChatKey.Kind.group.rawValue

    static let migration = Migration(
        name: "20261123_order_of_items",
        up: """
            \(ChatCounts.triggersDropped)
            ALTER TABLE chat_items ADD COLUMN order_ts INTEGER NOT NULL DEFAULT 0;
            UPDATE chat_items SET order_ts = CASE chat_type WHEN \(group) THEN item_ts ELSE created_at END;
            DROP INDEX idx_chat_items_chat;
            DROP INDEX idx_chat_items_unread;
            DROP INDEX idx_chat_items_content;
            DROP INDEX idx_chat_items_links;
            CREATE INDEX idx_chat_items_chat ON chat_items (user_id, chat_type, chat_id, order_ts, chat_item_id);
            CREATE INDEX idx_chat_items_unread ON chat_items (user_id, chat_type, chat_id, order_ts, chat_item_id) WHERE item_status = 'rcvNew';
            CREATE INDEX idx_chat_items_content ON chat_items (user_id, chat_type, chat_id, msg_content_tag, order_ts, chat_item_id)
              WHERE msg_content_tag IS NOT NULL;
            CREATE INDEX idx_chat_items_links ON chat_items (user_id, chat_type, chat_id, order_ts, chat_item_id) WHERE has_link = 1;
            DELETE FROM chat_item_days WHERE chat_type = \(group);
            INSERT INTO chat_item_days (user_id, chat_type, chat_id, day, items, unread)
              SELECT user_id, chat_type, chat_id, order_ts / \(ChatCounts.day), count(*), sum(item_status = 'rcvNew')
              FROM chat_items WHERE chat_type = \(group) GROUP BY 1, 2, 3, 4;
            \(ChatCounts.triggers(for: ChatCounts.withGroups, by: column))
            """)

    static let bySecond = Migration(
        name: "20261127_order_by_second",
        up: """
            UPDATE chat_items SET order_ts = order_ts - order_ts % 1000000000
              WHERE chat_type IN (\(group), \(ChatKey.Kind.support.rawValue)) AND order_ts % 1000000000 > 0;
            """)
}

extension ChatKey {
    /// The time that orders an item in its chat: see ``ItemOrder``.
    func order(sent itemTs: Timestamp, created createdAt: Timestamp) -> Timestamp {
        isOfGroup ? Timestamp(seconds: itemTs.seconds) : createdAt
    }
}

extension ItemRecord {
    /// The time that orders the item: see ``ItemOrder``.
    var orderTs: Timestamp { chat.order(sent: itemTs, created: createdAt) }
}
