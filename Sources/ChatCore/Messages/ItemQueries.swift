internal import ChatAPI
internal import SQLCipher

/// Reading chat items: always a page in one query and the reactions to the page in another.
enum ItemQueries {
    private static let select = "SELECT \(ItemRecord.columns) FROM chat_items i"

    /// - Throws: `chatItemNotFound`.
    static func get(_ itemId: Int64, in chat: some ItemChat, _ db: StoreConnection) throws -> ItemRecord {
        let items = try items([itemId], in: chat, db)
        guard let item = items.first else { throw ChatFailure(StoreError.chatItemNotFound(itemId: itemId)) }
        return item
    }

    /// Those of the ids that exist in the chat, in the order of the ids.
    static func items(_ itemIds: [Int64], in chat: some ItemChat, _ db: StoreConnection) throws -> [ItemRecord] {
        var found: [Int64: ItemRecord] = [:]
        for chunk in itemIds.chunks(of: 500) {
            let marks = placeholders(chunk.count)
            // With a plus no index is taken for the chat: it would lead to all its items.
            let rows = try db.query(
                "\(select) WHERE +i.user_id = ? AND +i.\(type(of: chat).itemColumn) = ? AND i.chat_item_id IN (\(marks))",
                [chat.userId, chat.itemKey] + chunk.arguments)
            for row in rows {
                let item = try ItemRecord(row)
                found[item.itemId] = item
            }
        }
        return try withReactions(itemIds.compactMap { found[$0] }, in: chat, db)
    }

    static func find(shared id: SharedMessageID, in chat: some ItemChat, _ db: StoreConnection) throws -> ItemRecord? {
        let rows = try db.query(
            "\(select) WHERE i.user_id = ? AND i.\(type(of: chat).itemColumn) = ? AND i.shared_msg_id = ? ORDER BY i.chat_item_id DESC LIMIT 1",
            [chat.userId, chat.itemKey, id.bytes])
        return try withReactions(rows.map(ItemRecord.init), in: chat, db).first
    }

    /// The last `count` items, oldest first.
    static func last(_ count: Int, filter: ItemFilter = .all, in chat: some ItemChat, _ db: StoreConnection) throws -> [ItemRecord] {
        if ItemSearch.serves(filter) {
            let ids = try ItemSearch(place: .chat(chat), filter: filter, db: db).page(.before, nil, count: count)
            return try items(ids.reversed(), in: chat, db)
        }
        let (condition, arguments) = filter.condition
        let rows = try db.query(
            """
            \(select) WHERE i.user_id = ? AND i.\(type(of: chat).itemColumn) = ?\(condition)
            ORDER BY i.created_at DESC, i.chat_item_id DESC LIMIT ?
            """, [chat.userId, chat.itemKey] + arguments + [Int64(max(0, count))])
        return try withReactions(rows.map(ItemRecord.init).reversed(), in: chat, db)
    }

    /// Up to `count` items directly before or after an item, oldest first.
    static func page(
        _ direction: Direction, _ item: ItemRecord, count: Int, filter: ItemFilter, in chat: some ItemChat, _ db: StoreConnection
    ) throws -> [ItemRecord] {
        let (condition, arguments) = filter.condition
        let (sign, order) = direction == .before ? ("<", "DESC") : (">", "ASC")
        let created = item.createdAt.nanoseconds
        if ItemSearch.serves(filter) {
            let ids = try ItemSearch(place: .chat(chat), filter: filter, db: db).page(direction, (created, item.itemId), count: count)
            return try items(direction == .before ? ids.reversed() : ids, in: chat, db)
        }
        let rows = try db.query(
            """
            \(select) WHERE i.user_id = ? AND i.\(type(of: chat).itemColumn) = ? AND i.created_at \(sign)= ?
              AND (i.created_at \(sign) ? OR i.chat_item_id \(sign) ?)\(condition)
            ORDER BY i.created_at \(order), i.chat_item_id \(order) LIMIT ?
            """,
            [chat.userId, chat.itemKey, created, created, item.itemId] + arguments + [Int64(max(0, count))])
        let items = try rows.map(ItemRecord.init)
        return try withReactions(direction == .before ? items.reversed() : items, in: chat, db)
    }

    enum Direction { case before, after }

    /// How much follows an item.
    static func navigation(after item: ItemRecord, in chat: some ItemChat, _ db: StoreConnection) throws -> NavigationInfo {
        let following = try ChatCounts.following(item, in: chat, db)
        return NavigationInfo(afterUnread: Int(clamping: following.unread), afterTotal: Int(clamping: following.items))
    }

    /// How many items are unread, and the first of them (0 for none).
    static func unread(
        _ filter: ItemFilter = .all, in chat: some ItemChat, _ db: StoreConnection
    ) throws -> (count: Int, firstItemId: Int64) {
        let (condition, arguments) = filter.condition
        let place = "i.user_id = ? AND i.\(type(of: chat).itemColumn) = ? AND i.item_status = 'rcvNew'\(condition)"
        let all = [chat.userId, chat.itemKey] + arguments
        let count = condition.isEmpty
            ? try ChatCounts.unread(in: chat, db) : try db.first("SELECT count(*) AS n FROM chat_items i WHERE \(place)", all)?.int64("n") ?? 0
        guard count > 0 else { return (0, 0) }
        let first = try db.first(
            "SELECT i.chat_item_id FROM chat_items i WHERE \(place) ORDER BY i.created_at, i.chat_item_id LIMIT 1", all)?
            .int64("chat_item_id") ?? 0
        return (Int(clamping: count), first)
    }

    /// The kinds of content that a chat has, in the order in which the API names them.
    static func contentTags(in chat: some ItemChat, _ db: StoreConnection) throws -> [MsgContentTag] {
        // From one tag to the next in the index, whatever the number of items.
        let next = """
            SELECT min(i.msg_content_tag) FROM chat_items i
            WHERE i.user_id = ?1 AND i.\(type(of: chat).itemColumn) = ?2 AND i.msg_content_tag IS NOT NULL
            """
        let present = Set(
            try db.query(
                """
                WITH RECURSIVE present (tag) AS (SELECT (\(next)) UNION ALL
                  SELECT (\(next) AND i.msg_content_tag > present.tag) FROM present WHERE present.tag IS NOT NULL)
                SELECT tag FROM present WHERE tag IS NOT NULL
                """, [chat.userId, chat.itemKey]
            ).map { MsgContentTag(rawValue: try $0.string("tag")) })
        let known: [MsgContentTag] = [.text, .link, .image, .video, .voice, .file, .report, .chat]
        return known.filter(present.contains) + present.subtracting(known).sorted { $0.rawValue < $1.rawValue }
    }

    /// Puts the reactions to items of any chats, as `withReactions(_:in:_:)` does to those of one.
    static func withReactions(_ items: [ItemRecord], _ db: StoreConnection) throws -> [ItemRecord] {
        var reactions: [Int64: [CIReactionCount]] = [:]
        for chunk in items.map(\.itemId).chunks(of: 500) {
            let rows = try db.query(
                """
                SELECT i.chat_item_id AS id, r.reaction AS reaction, max(r.reaction_sent) AS sent, count(*) AS n
                FROM chat_items i JOIN chat_item_reactions r
                  ON r.user_id = i.user_id AND r.contact_id = i.contact_id AND r.shared_msg_id = i.shared_msg_id
                WHERE i.chat_item_id IN (\(placeholders(chunk.count))) GROUP BY i.chat_item_id, r.reaction ORDER BY r.reaction
                """, chunk.arguments)
            for row in rows {
                reactions[try row.int64("id"), default: []].append(
                    CIReactionCount(
                        reaction: try StoredJSON.decode(MsgReaction.self, row.string("reaction")), userReacted: try row.bool("sent"),
                        totalReacted: Int(clamping: try row.int64("n"))))
            }
        }
        guard !reactions.isEmpty else { return items }
        return items.map { item in
            var item = item
            item.reactions = reactions[item.itemId] ?? []
            return item
        }
    }

    /// Puts the reactions to the items, of both sides, in the order of their texts. Notes have no shared ids, and so none.
    static func withReactions(_ items: [ItemRecord], in chat: some ItemChat, _ db: StoreConnection) throws -> [ItemRecord] {
        let shared = items.compactMap(\.sharedID)
        guard !shared.isEmpty else { return items }
        var reactions: [SharedMessageID: [CIReactionCount]] = [:]
        for chunk in shared.chunks(of: 500) {
            let marks = placeholders(chunk.count)
            let rows = try db.query(
                """
                SELECT shared_msg_id, reaction, max(reaction_sent) AS sent, count(*) AS n
                FROM chat_item_reactions WHERE user_id = ? AND contact_id = ? AND shared_msg_id IN (\(marks))
                GROUP BY shared_msg_id, reaction ORDER BY reaction
                """, [chat.userId, chat.itemKey] + chunk.map(\.bytes).arguments)
            for row in rows {
                let reaction = try StoredJSON.decode(MsgReaction.self, row.string("reaction"))
                reactions[SharedMessageID(bytes: try row.blob("shared_msg_id")), default: []].append(
                    CIReactionCount(
                        reaction: reaction, userReacted: try row.bool("sent"), totalReacted: Int(clamping: try row.int64("n"))))
            }
        }
        guard !reactions.isEmpty else { return items }
        return items.map { item in
            var item = item
            item.reactions = item.sharedID.flatMap { reactions[$0] } ?? []
            return item
        }
    }
}

extension Array {
    func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
