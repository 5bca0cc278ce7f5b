internal import ChatAPI

/// The order of the items of a chat: in groups and their support chats by the second of sending, since messages of
/// members may come late; in other chats by the time at which this store created them. Items of the same time are in
/// the order of their ids.
///
/// Relays give times in whole seconds: if fractions counted, an answer within the second of its question would stand
/// before the question.
enum StoredItemOrder {
    /// The column of `chat_items` with the time that orders items: see `ChatKey.order`.
    static let column = "order_ts"
    static let oldestFirst = "ORDER BY i.order_ts, i.chat_item_id"
    static let newestFirst = "ORDER BY i.order_ts DESC, i.chat_item_id DESC"
}

extension ChatKey {
    /// The time that orders an item in its chat: see ``StoredItemOrder``.
    func order(sent itemTs: Timestamp, created createdAt: Timestamp) -> Timestamp {
        isOfGroup ? Timestamp(seconds: itemTs.seconds) : createdAt
    }
}

extension ItemRecord {
    /// The time that orders the item: see ``StoredItemOrder``.
    var orderTs: Timestamp { chat.order(sent: itemTs, created: createdAt) }
}
