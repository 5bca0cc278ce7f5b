package import ChatAPI

/// The order of the items of a chat. Groups and their support chats are ordered by the second of sending, since
/// messages of members may arrive late. Other chats are ordered by the time at which this store created the items.
/// Items with the same time are ordered by their ids.
///
/// Relays return times in whole seconds. If fractions of a second counted, an answer within the second of its question
/// would come before the question.
package enum StoredItemOrder {
    /// The column of `chat_items` with the time that orders items (`ChatKey.orderTime`).
    package static let column = "order_ts"
    package static let oldestFirst = "ORDER BY i.order_ts, i.chat_item_id"
    package static let newestFirst = "ORDER BY i.order_ts DESC, i.chat_item_id DESC"
    /// The number of seconds by which the clock of a relay may be ahead of the clock of this store.
    static let maxClockDifferenceSeconds: Int64 = 86_400
}

extension ChatKey {
    /// Returns the time that orders an item in its chat (``StoredItemOrder``).
    package func orderTime(sent itemTs: Timestamp, created createdAt: Timestamp) -> Timestamp {
        isOfGroup ? Timestamp(seconds: itemTs.seconds) : createdAt
    }

    /// Returns a time that is not later than the order time (``orderTime(sent:created:)``) of any item sent at `time`
    /// or later. Items of direct chats are ordered by the clock of this store, but `time` comes from the clock of a
    /// relay. So the result allows for a difference of the clocks.
    package func leastOrderTime(sentSince time: Timestamp) -> Timestamp {
        isOfGroup ? Timestamp(seconds: time.seconds) : time.adding(seconds: -StoredItemOrder.maxClockDifferenceSeconds)
    }
}

/// The place of an item in an order by time: the time in nanoseconds, and the id of the item, which orders items with
/// equal times.
package typealias ItemPlace = (ts: Int64, id: Int64)
