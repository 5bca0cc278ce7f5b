internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/_get items`: returns items of all chats of the user by the time of sending, the oldest first. One query reads
    /// the chats of many items. Only notes and support chats need one query each.
    func getChatItems(
        _ pagination: ChatPagination,
        _ filter: ItemFilter,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.read { [cards = store.cards, outline = store.outline] db in
            var filter = filter
            filter.outline = outline
            let items = try ItemQueries.completed(AllItems(user: user, filter: filter, db: db).page(pagination), db)
            let now = Timestamp.now
            let chats = Set(items.map(\.chat))
            let contacts = chats.compactMap { chat in if case .contact(let id) = chat { id } else { nil } }
            var infos: [ChatKey: ChatInfo] = [:]
            for (id, info) in try cards.infos(Set(contacts), of: user, db) { infos[.contact(id)] = info }
            let groups = chats.compactMap { chat in if case .group(let id) = chat { id } else { nil } }
            for group in try GroupRecord.findAll(Set(groups), user: user.userId, in: db) {
                infos[group.key] = group.info(user)
            }
            for chat in chats where infos[chat] == nil { infos[chat] = try chat.get(user, db).info(user) }
            return .chatItems(
                user: user.api,
                chatName_: nil,
                chatItems: items.compactMap { item in infos[item.chat].map { item.api(in: $0, at: now) } }
            )
        }
    }
}

private struct AllItems {
    let user: UserRecord
    let filter: ItemFilter
    let db: StoreConnection

    private static let select = "SELECT \(ItemRecord.columns) FROM chat_items i WHERE i.user_id = ?"
    private static let firstUnread = "SELECT i.chat_item_id FROM chat_items i WHERE i.item_status = 'rcvNew'"
    private static let oldest = "\(StoredItemOrder.oldestFirst) LIMIT 1"

    func page(_ pagination: ChatPagination) throws -> [ItemRecord] {
        switch pagination {
        case .last(let count): return try last(count)
        case .before(let itemId, let time, let count): return try beside(place(of: itemId, orAt: time), .before, count)
        case .after(let itemId, let time, let count): return try beside(place(of: itemId, orAt: time), .after, count)
        case .around(let itemId, let count): return try around(item(itemId), count)
        case .initial(let count):
            guard filter.search.isEmpty else {
                throw ChatFailure(StoreError.internalError(message: "a search cannot begin at the first unread item"))
            }
            let unread = try db.first(
                """
                SELECT min(first) AS id FROM (
                  SELECT (\(Self.firstUnread) AND \(ChatKey.itemsOfContact) \(Self.oldest)) AS first FROM contacts c WHERE c.user_id = ?1 AND c.unread_count > 0
                  UNION ALL
                  SELECT (\(Self.firstUnread) AND \(ChatKey.itemsOfGroup) \(Self.oldest)) FROM groups g WHERE g.user_id = ?1 AND g.unread_count > 0)
                """,
                [user.userId]
            )?
            .int64OrNil("id")
            guard let unread else { return try last(count) }
            return try around(item(unread), count)
        }
    }

    /// Returns an item of the user.
    /// - Throws: `chatItemNotFound`.
    private func item(_ itemId: Int64) throws -> ItemRecord {
        guard let row = try db.first("\(Self.select) AND i.chat_item_id = ?", [user.userId, itemId]) else {
            throw ChatFailure(StoreError.chatItemNotFound(itemId: itemId))
        }
        return try ItemRecord(row)
    }

    /// Returns the place of an item in the order of sending.
    /// - Parameter time: the time of the place, if the item no longer exists; nil if it must exist.
    private func place(of itemId: Int64, orAt time: Timestamp?) throws -> ItemPlace {
        guard let time else { return (try item(itemId).itemTs.nanoseconds, itemId) }
        return (try items([itemId]).first?.itemTs.nanoseconds ?? time.nanoseconds, itemId)
    }

    /// Returns the items that exist, in the order of the ids.
    private func items(_ ids: [Int64]) throws -> [ItemRecord] {
        var found: [Int64: ItemRecord] = [:]
        for chunk in ids.chunks(of: 500) {
            // The plus prevents SQLite from using the index on the user, which would read all items.
            let sql =
                "SELECT \(ItemRecord.columns) FROM chat_items i WHERE +i.user_id = ? AND i.chat_item_id IN (\(placeholders(chunk.count)))"
            for row in try db.query(sql, [user.userId] + chunk.arguments) {
                let item = try ItemRecord(row)
                found[item.itemId] = item
            }
        }
        return ids.compactMap { found[$0] }
    }

    private var search: ItemSearch? {
        ItemSearch.serves(filter) ? ItemSearch(place: .user(user.userId), filter: filter, db: db) : nil
    }

    private func last(_ count: Int) throws -> [ItemRecord] {
        if let search { return try items(search.page(.before, nil, count: count).reversed()) }
        let (condition, arguments) = filter.condition
        return try db.query(
            "\(Self.select)\(condition) ORDER BY i.item_ts DESC, i.chat_item_id DESC LIMIT ?",
            [user.userId] + arguments + [Int64(max(0, count))]
        ).map(ItemRecord.init).reversed()
    }

    private func around(_ item: ItemRecord, _ count: Int) throws -> [ItemRecord] {
        let place = (ts: item.itemTs.nanoseconds, id: item.itemId)
        return try beside(place, .before, count) + [item] + beside(place, .after, count)
    }

    private func beside(_ place: ItemPlace, _ direction: ItemQueries.Direction, _ count: Int) throws -> [ItemRecord] {
        let (condition, arguments) = filter.condition
        let (sign, order) = direction == .before ? ("<", "DESC") : (">", "ASC")
        if let search {
            let ids = try search.page(direction, place, count: count)
            return try items(direction == .before ? ids.reversed() : ids)
        }
        let items = try db.query(
            """
            \(Self.select) AND i.item_ts \(sign)= ? AND (i.item_ts \(sign) ? OR i.chat_item_id \(sign) ?)\(condition)
            ORDER BY i.item_ts \(order), i.chat_item_id \(order) LIMIT ?
            """,
            [user.userId, place.ts, place.ts, place.id] + arguments + [Int64(max(0, count))]
        ).map(ItemRecord.init)
        return direction == .before ? items.reversed() : items
    }
}
