internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/_get items`: returns items of all chats of the user in the order of sending, the oldest first. One query reads
    /// the chats of many items. Only notes and support chats need one query for each chat.
    func getChatItems(
        _ pagination: ChatPagination,
        _ filter: ItemFilter,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.read { [cards = store.contactInfoCache, outline = store.searchOutline] db in
            var filter = filter
            filter.searchOutline = outline
            let items = try ItemQueries.addRelatedRecords(
                AllItemsQuery(user: user, filter: filter, db: db).readPage(pagination),
                db
            )
            let now = Timestamp.now
            let chats = Set(items.map(\.chat))
            let contacts = chats.compactMap { chat in if case .contact(let id) = chat { id } else { nil } }
            var infos: [ChatKey: ChatInfo] = [:]
            for (id, info) in try cards.loadInfos(Set(contacts), of: user, db) { infos[.contact(id)] = info }
            let groups = chats.compactMap { chat in if case .group(let id) = chat { id } else { nil } }
            for group in try GroupRecord.findAll(Set(groups), user: user.userId, in: db) {
                infos[group.chatKey] = group.chatInfo(user)
            }
            for chat in chats where infos[chat] == nil {
                infos[chat] = try chat.getConversation(user, db).chatInfo(user)
            }
            return .chatItems(
                user: user.api,
                chatName_: nil,
                chatItems: items.compactMap { item in infos[item.chat].map { item.api(in: $0, at: now) } }
            )
        }
    }
}

private struct AllItemsQuery {
    let user: UserRecord
    let filter: ItemFilter
    let db: StoreConnection

    private static let selectClause = "SELECT \(ItemRecord.columns) FROM chat_items i WHERE i.user_id = ?"
    private static let firstUnreadQuery = "SELECT i.chat_item_id FROM chat_items i WHERE i.item_status = 'rcvNew'"
    private static let oldestFirstClause = "\(StoredItemOrder.oldestFirst) LIMIT 1"

    func readPage(_ pagination: ChatPagination) throws -> [ItemRecord] {
        switch pagination {
        case .last(let count): return try readLastItems(count)
        case .before(let itemId, let time, let count):
            return try readItemsBeside(findPlace(of: itemId, orAt: time), .before, count)
        case .after(let itemId, let time, let count):
            return try readItemsBeside(findPlace(of: itemId, orAt: time), .after, count)
        case .around(let itemId, let count): return try readItemsAround(getItem(itemId), count)
        case .initial(let count):
            guard filter.searchText.isEmpty else {
                throw ChatFailure(StoreError.internalError(message: "a search cannot begin at the first unread item"))
            }
            let unread = try db.firstRow(
                """
                SELECT min(first) AS id FROM (
                  SELECT (\(Self.firstUnreadQuery)
                  AND \(ChatKey.contactItemsCondition) \(Self.oldestFirstClause)) AS first FROM contacts c
                  WHERE c.user_id = :user_id AND c.unread_count > 0
                  UNION ALL
                  SELECT (\(Self.firstUnreadQuery) AND \(ChatKey.groupItemsCondition) \(Self.oldestFirstClause))
                  FROM groups g WHERE g.user_id = :user_id AND g.unread_count > 0)
                """,
                ["user_id": user.userId]
            )?
            .int64OrNil("id")
            guard let unread else { return try readLastItems(count) }
            return try readItemsAround(getItem(unread), count)
        }
    }

    /// Returns an item of the user.
    /// - Throws: `chatItemNotFound`.
    private func getItem(_ itemId: Int64) throws -> ItemRecord {
        guard let row = try db.queryFirst("\(Self.selectClause) AND i.chat_item_id = ?", [user.userId, itemId]) else {
            throw ChatFailure(StoreError.chatItemNotFound(itemId: itemId))
        }
        return try ItemRecord(row)
    }

    /// Returns the place of an item in the order of sending.
    /// - Parameter time: the time to use if the item no longer exists. With nil, a missing item is an error.
    private func findPlace(of itemId: Int64, orAt time: Timestamp?) throws -> ItemPlace {
        guard let time else { return (try getItem(itemId).itemTs.nanoseconds, itemId) }
        return (try findItems([itemId]).first?.itemTs.nanoseconds ?? time.nanoseconds, itemId)
    }

    /// Returns the existing items with the given ids, in the order of the ids.
    private func findItems(_ ids: [Int64]) throws -> [ItemRecord] {
        var found: [Int64: ItemRecord] = [:]
        for chunk in ids.chunks(of: 500) {
            // Without the plus sign before the columns, SQLite would use the index on the user, and read all items of
            // the user.
            let sql =
                "SELECT \(ItemRecord.columns) FROM chat_items i WHERE +i.user_id = ? AND i.chat_item_id IN (\(placeholders(chunk.count)))"
            for row in try db.query(sql, [user.userId] + chunk.arguments) {
                let item = try ItemRecord(row)
                found[item.itemId] = item
            }
        }
        return ids.compactMap { found[$0] }
    }

    private var indexSearch: ItemSearch? {
        ItemSearch.supports(filter) ? ItemSearch(scope: .user(user.userId), filter: filter, db: db) : nil
    }

    private func readLastItems(_ count: Int) throws -> [ItemRecord] {
        if let indexSearch { return try findItems(indexSearch.findPage(.before, nil, count: count).reversed()) }
        let (condition, arguments) = filter.filterCondition
        return try db.query(
            "\(Self.selectClause)\(condition) ORDER BY i.item_ts DESC, i.chat_item_id DESC LIMIT ?",
            [user.userId] + arguments + [Int64(max(0, count))]
        ).map(ItemRecord.init).reversed()
    }

    private func readItemsAround(_ item: ItemRecord, _ count: Int) throws -> [ItemRecord] {
        let place = (ts: item.itemTs.nanoseconds, id: item.itemId)
        return try readItemsBeside(place, .before, count) + [item] + readItemsBeside(place, .after, count)
    }

    private func readItemsBeside(
        _ place: ItemPlace,
        _ direction: ItemQueries.Direction,
        _ count: Int
    ) throws -> [ItemRecord] {
        let (condition, arguments) = filter.filterCondition
        let (sign, order) = direction == .before ? ("<", "DESC") : (">", "ASC")
        if let indexSearch {
            let ids = try indexSearch.findPage(direction, place, count: count)
            return try findItems(direction == .before ? ids.reversed() : ids)
        }
        let items = try db.query(
            """
            \(Self.selectClause) AND i.item_ts \(sign)= ? AND (i.item_ts \(sign) ? OR i.chat_item_id \(sign) ?)\(condition)
            ORDER BY i.item_ts \(order), i.chat_item_id \(order) LIMIT ?
            """,
            [user.userId, place.ts, place.ts, place.id] + arguments + [Int64(max(0, count))]
        ).map(ItemRecord.init)
        return direction == .before ? items.reversed() : items
    }
}
