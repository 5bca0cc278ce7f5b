internal import ChatAPI
internal import ChatProtocol
internal import ChatStore

/// Queries for chat items. One query reads the items of a page, and other queries read the reactions, members and files
/// of the page.
enum ItemQueries {
    private static let selectClause = makeSelectClause(.all)

    private static func makeSelectClause(_ filter: ItemFilter) -> String {
        "SELECT \(ItemRecord.columns) FROM \(filter.tableClause)"
    }

    /// Returns an item of the chat.
    /// - Throws: `chatItemNotFound`.
    static func get(_ itemId: Int64, in chat: some Conversation, _ db: StoreConnection) throws -> ItemRecord {
        let items = try findItems([itemId], in: chat, db)
        guard let item = items.first else { throw ChatFailure(StoreError.chatItemNotFound(itemId: itemId)) }
        return item
    }

    /// Returns the items with these ids in the chat of the group or in one of its support chats, in the order of the
    /// ids.
    static func findItems(
        _ itemIds: [Int64],
        anywhereIn group: GroupRecord,
        _ db: StoreConnection
    ) throws -> [ItemRecord] {
        var found: [Int64: ItemRecord] = [:]
        for chunk in itemIds.chunks(of: 500) {
            let rows = try db.query(
                """
                \(selectClause) WHERE +i.user_id = ? AND (+i.chat_type = ? AND +i.chat_id = ? OR +i.support_group_id = ?)
                  AND i.chat_item_id IN (\(placeholders(chunk.count)))
                """,
                group.groupWithoutScope.keyArguments + [group.groupId] + chunk.arguments
            )
            for item in try addRelatedRecords(rows.map(ItemRecord.init), db) { found[item.itemId] = item }
        }
        return itemIds.compactMap { found[$0] }
    }

    /// Returns the items with these ids in the chat, in the order of the ids.
    static func findItems(_ itemIds: [Int64], in chat: some Conversation, _ db: StoreConnection) throws -> [ItemRecord]
    {
        var found: [Int64: ItemRecord] = [:]
        for chunk in itemIds.chunks(of: 500) {
            let marks = placeholders(chunk.count)
            // Without the plus sign before the columns, SQLite would use the index on the chat, and read all items of
            // the chat.
            let rows = try db.query(
                "\(selectClause) WHERE +i.user_id = ? AND +i.chat_type = ? AND +i.chat_id = ? AND i.chat_item_id IN (\(marks))",
                chat.keyArguments + chunk.arguments
            )
            for row in rows {
                let item = try ItemRecord(row)
                found[item.itemId] = item
            }
        }
        return try addRelatedRecords(itemIds.compactMap { found[$0] }, in: chat, db)
    }

    /// Returns the item of the message with a shared id; nil if the chat has no such item.
    /// - Parameters:
    ///   - author: the member of a group who must be the author; nil for any author.
    ///   - byGroup: whether the item must be a post in the name of the group, written by somebody other than the user.
    static func find(
        shared id: SharedMessageID,
        by author: MemberRecord? = nil,
        byGroup: Bool = false,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> ItemRecord? {
        let condition =
            byGroup
            ? " AND i.author_member_id IS NULL AND i.item_sent = 0"
            : author == nil ? "" : author?.category == .user ? " AND i.item_sent = 1" : " AND i.author_member_id = ?"
        let named: [Argument] = byGroup ? [] : author.map { $0.category == .user ? [] : [$0.memberId] } ?? []
        let rows = try db.query(
            """
            \(selectClause) WHERE i.user_id = ? AND i.chat_type = ? AND i.chat_id = ? AND i.shared_msg_id = ?\(condition)
            ORDER BY i.chat_item_id DESC LIMIT 1
            """,
            chat.keyArguments + [id.bytes] + named
        )
        return try addRelatedRecords(rows.map(ItemRecord.init), in: chat, db).first
    }

    /// Returns the last `count` items, the oldest first.
    static func findLastItems(
        _ count: Int,
        filter: ItemFilter = .all,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> [ItemRecord] {
        if ItemSearch.supports(filter), !filter.selectsReports {
            let ids = try ItemSearch(scope: .chat(chat), filter: filter, db: db).findPage(.before, nil, count: count)
            return try findItems(ids.reversed(), in: chat, db)
        }
        let (condition, arguments) = filter.filterCondition
        let place = filter.chatCondition(in: chat)
        let rows = try db.query(
            """
            \(makeSelectClause(filter)) WHERE \(place.sql)\(condition)
            \(StoredItemOrder.newestFirst) LIMIT ?
            """,
            place.arguments + arguments + [Int64(max(0, count))]
        )
        return try addRelatedRecords(rows.map(ItemRecord.init).reversed(), in: chat, db)
    }

    /// Returns the place of an item in the order of its chat.
    /// - Parameter time: the time to use if the item no longer exists. With nil, a missing item is an error.
    static func findPlace(
        of itemId: Int64,
        orAt time: Timestamp?,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> ItemPlace {
        guard let time else { return try get(itemId, in: chat, db).place }
        let known = try findItems([itemId], in: chat, db).first?.place
        return known ?? (chat.chatKey.orderTime(sent: time, created: time).nanoseconds, itemId)
    }

    /// Returns up to `count` items directly before or after a place, the oldest first.
    static func readPage(
        _ direction: Direction,
        _ beside: ItemPlace,
        count: Int,
        filter: ItemFilter,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> [ItemRecord] {
        let (condition, arguments) = filter.filterCondition
        let (sign, order) = direction == .before ? ("<", "DESC") : (">", "ASC")
        let place = filter.chatCondition(in: chat)
        if ItemSearch.supports(filter), !filter.selectsReports {
            let ids = try ItemSearch(scope: .chat(chat), filter: filter, db: db).findPage(
                direction,
                beside,
                count: count
            )
            return try findItems(direction == .before ? ids.reversed() : ids, in: chat, db)
        }
        let rows = try db.query(
            """
            \(makeSelectClause(filter)) WHERE \(place.sql) AND i.order_ts \(sign)= ?
              AND (i.order_ts \(sign) ? OR i.chat_item_id \(sign) ?)\(condition)
            ORDER BY i.order_ts \(order), i.chat_item_id \(order) LIMIT ?
            """,
            place.arguments + [beside.ts, beside.ts, beside.id] + arguments + [Int64(max(0, count))]
        )
        let items = try rows.map(ItemRecord.init)
        return try addRelatedRecords(direction == .before ? items.reversed() : items, in: chat, db)
    }

    enum Direction { case before, after }

    /// Returns the number of items, and of unread items, after an item.
    static func readNavigation(
        after item: ItemRecord,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> NavigationInfo {
        let following = try ChatCounts.countFollowingItems(item, in: chat, db)
        return NavigationInfo(afterUnread: Int(clamping: following.unread), afterTotal: Int(clamping: following.items))
    }

    /// Returns the number of unread items, and the id of the first unread item (0 if there is none).
    static func countUnreadItems(
        _ filter: ItemFilter = .all,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> (count: Int, firstItemId: Int64) {
        let (condition, arguments) = filter.filterCondition
        let chatPlace = filter.chatCondition(in: chat)
        let place = "\(chatPlace.sql) AND i.item_status = 'rcvNew'\(condition)"
        let all = chatPlace.arguments + arguments
        let count =
            condition.isEmpty
            ? try ChatCounts.countUnreadItems(in: chat, db)
            : try db.queryFirst("SELECT count(*) AS n FROM chat_items i WHERE \(place)", all)?.int64("n") ?? 0
        guard count > 0 else { return (0, 0) }
        let first =
            try db.queryFirst(
                "SELECT i.chat_item_id FROM chat_items i WHERE \(place) \(StoredItemOrder.oldestFirst) LIMIT 1",
                all
            )?
            .int64("chat_item_id") ?? 0
        return (Int(clamping: count), first)
    }

    /// Returns the number of unread items that mention the user.
    static func countUnreadMentions(
        _ filter: ItemFilter,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> Int {
        let (condition, arguments) = filter.filterCondition
        let place = filter.chatCondition(in: chat)
        return try db.queryFirst(
            """
            SELECT count(*) AS n FROM chat_items i
            WHERE \(place.sql) AND i.item_status = 'rcvNew' AND i.user_mention = 1\(condition)
            """,
            place.arguments + arguments
        )?
        .readClampedCount("n") ?? 0
    }

    /// The sizes of two searches for the last viewed item: first among the 32 newest items of a chat, then among the
    /// 1000 newest items. Each search reads and sorts all of its items.
    static let lastViewedItemSearchSizes = [32, 1000]

    /// Returns the id of the last message that the user has sent or read; nil if there is no such message. The function
    /// searches the newest items first, then the items before the first unread item. It ignores items that only report
    /// an event.
    static func findLastViewedItem(
        firstUnread: Int64,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> Int64? {
        let ofChat = "WHERE i.user_id = ? AND i.chat_type = ? AND i.chat_id = ?"
        let newestFirst = StoredItemOrder.newestFirst
        for count in lastViewedItemSearchSizes {
            let newest = try db.queryFirst(
                """
                SELECT i.chat_item_id FROM (
                  SELECT i.chat_item_id, i.order_ts, i.msg_content_tag, i.item_status FROM chat_items i \(ofChat) \(newestFirst) LIMIT \(count)) i
                WHERE msg_content_tag IS NOT NULL AND item_status <> 'rcvNew' \(newestFirst) LIMIT 1
                """,
                chat.keyArguments
            )
            if let newest { return try newest.int64("chat_item_id") }
        }
        let ts = try get(firstUnread, in: chat, db).orderTs.nanoseconds
        return try db.queryFirst(
            """
            SELECT i.chat_item_id FROM chat_items i \(ofChat) AND i.order_ts <= ? AND (i.order_ts < ? OR i.chat_item_id < ?)
              AND i.msg_content_tag IS NOT NULL \(newestFirst) LIMIT 1
            """,
            chat.keyArguments + [ts, ts, firstUnread]
        )?.int64("chat_item_id")
    }

    /// Returns the kinds of content in a chat, in the order of their names.
    static func readContentTags(in chat: some Conversation, _ db: StoreConnection) throws -> [MsgContentTag] {
        // The query jumps from one tag to the next in the index, so that its cost does not depend on the number of
        // items.
        let next = """
            SELECT min(i.msg_content_tag) FROM chat_items i
            WHERE i.user_id = ?1 AND i.chat_type = ?2 AND i.chat_id = ?3 AND i.msg_content_tag IS NOT NULL
            """
        return try db.query(
            """
            WITH RECURSIVE present (tag) AS (SELECT (\(next)) UNION ALL
              SELECT (\(next) AND i.msg_content_tag > present.tag) FROM present WHERE present.tag IS NOT NULL)
            SELECT tag FROM present WHERE tag IS NOT NULL ORDER BY tag
            """,
            chat.keyArguments
        ).map { MsgContentTag(rawValue: try $0.string("tag")) }
    }
}
