internal import ChatAPI
internal import ChatStore

enum ChatList {
    struct Entry {
        let ts: Timestamp
        let chat: AChat
    }

    static func readContacts(
        _ page: ChatListPage,
        _ user: UserRecord,
        at now: Timestamp,
        _ names: ChatNames,
        _ db: StoreConnection
    ) throws -> [Entry] {
        try readChatsOfKind(.contact, where: "c.user_id = ? AND c.contact_used = 1", page, user, names, db) {
            conditions,
            arguments,
            order in
            try readContactEntries(page, user, where: conditions, arguments, order: order, at: now, db)
        }
    }

    static func readGroups(
        _ page: ChatListPage,
        _ user: UserRecord,
        at now: Timestamp,
        _ names: ChatNames,
        _ db: StoreConnection
    ) throws -> [Entry] {
        try readChatsOfKind(.group, where: "c.user_id = ?", page, user, names, db) { conditions, arguments, order in
            try readGroupEntries(page, user, where: conditions, arguments, order: order, at: now, db)
        }
    }

    /// Returns the chats of one kind that belong to the requested page of the chat list. In SQL conditions, the table
    /// of these chats has the alias `c`.
    /// - Parameter entries: a function that reads the chats that fulfil a condition.
    private static func readChatsOfKind(
        _ kind: ChatKey.Kind,
        where condition: String,
        _ page: ChatListPage,
        _ user: UserRecord,
        _ names: ChatNames,
        _ db: StoreConnection,
        entries: (_ conditions: String, _ arguments: [Argument], _ order: String) throws -> [Entry]
    ) throws -> [Entry] {
        let key = ChatKey(kind, 0).table
        var conditions = condition
        var arguments: [Argument] = [user.userId]
        var order = "DESC"
        switch page.range {
        case .last: break
        case .before(let time):
            conditions += " AND c.chat_ts < ?"
            arguments.append(time.nanoseconds)
        case .after(let time):
            conditions += " AND c.chat_ts > ?"
            arguments.append(time.nanoseconds)
            order = "ASC"
        }
        if page.selectsFavorites || page.selectsUnread {
            var either: [String] = []
            if page.selectsFavorites { either.append("c.favorite = 1") }
            if page.selectsUnread { either.append("c.unread_chat = 1 OR c.unread_count > 0") }
            conditions += " AND (\(either.joined(separator: " OR ")))"
        }
        guard !page.searchText.isEmpty else { return try entries(conditions, arguments, order) }
        var found = Set(
            try names.findChats(named: page.searchText, user: user.userId, db).filter { $0.kind == kind }.map(\.chatId)
        )
        if found.count > idsPerQuery {
            found = try findFirstInOrder(page, among: found, key, where: conditions, arguments, order: order, db)
        }
        return try found.sorted().chunks(of: idsPerQuery).flatMap { chunk in
            // The number of placeholders is fixed, so that one statement serves any number of ids.
            let ids: [Argument] = (0..<idsPerQuery).map { $0 < chunk.count ? chunk[chunk.startIndex + $0] : nil }
            return try entries(
                "\(conditions) AND c.\(key.id) IN (\(placeholders(idsPerQuery)))",
                arguments + ids,
                order
            )
        }
    }

    /// The maximum number of chat ids in one query, and the number of chats that `findFirstInOrder` reads in each
    /// step.
    private static let idsPerQuery = 50, chatsPerStep = 256

    /// Returns the ids of `chats` that come first in the order of the chat list, at most as many as the page may
    /// contain. The function reads the list in steps, and stops when it has found enough ids.
    private static func findFirstInOrder(
        _ page: ChatListPage,
        among chats: Set<Int64>,
        _ key: (name: String, id: String),
        where conditions: String,
        _ arguments: [Argument],
        order: String,
        _ db: StoreConnection
    ) throws -> Set<Int64> {
        var found: Set<Int64> = [], last: [Argument] = []
        let sign = order == "DESC" ? "<" : ">"
        while found.count < page.count {
            let rows = try db.query(
                """
                SELECT c.\(key.id) AS id, c.chat_ts FROM \(key.name) c WHERE \(conditions)
                \(last.isEmpty ? "" : "AND c.chat_ts \(sign)= ? AND (c.chat_ts \(sign) ? OR c.\(key.id) \(sign) ?)")
                ORDER BY c.chat_ts \(order), c.\(key.id) \(order) LIMIT \(chatsPerStep)
                """,
                arguments + last
            )
            for row in rows where found.count < page.count {
                let id = try row.int64("id")
                if chats.contains(id) { found.insert(id) }
            }
            guard rows.count == chatsPerStep, let end = rows.last else { break }
            let ts = try end.int64("chat_ts")
            last = [ts, ts, try end.int64("id")]
        }
        return found
    }

    private static func readContactEntries(
        _ page: ChatListPage,
        _ user: UserRecord,
        where conditions: String,
        _ arguments: [Argument],
        order: String,
        at now: Timestamp,
        _ db: StoreConnection
    ) throws -> [Entry] {
        let rows = try db.query(
            """
            SELECT \(ContactRecord.columns), \(ConnectionRecord.columns),
              (SELECT chat_item_id FROM chat_items i WHERE \(ChatKey.contactItemsCondition)
                \(StoredItemOrder.newestFirst) LIMIT 1) AS last_item_id,
              c.unread_count,
              CASE WHEN c.unread_count > 0 THEN (SELECT chat_item_id FROM chat_items i WHERE \(ChatKey.contactItemsCondition)
                AND i.item_status = 'rcvNew' \(StoredItemOrder.oldestFirst) LIMIT 1) END AS first_unread_id
            FROM \(ContactRecord.tables) WHERE \(conditions) ORDER BY c.chat_ts \(order), c.contact_id \(order) LIMIT ?
            """,
            arguments + [Int64(max(0, page.count))]
        )
        let found = try rows.map { (row: $0, contact: try ContactRecord($0)) }
        let previews = try readLastItems(found.compactMap { try $0.row.int64OrNil("last_item_id") }, db)
        return try found.map { row, contact in
            let last = try row.int64OrNil("last_item_id").flatMap { previews[$0] }
            return Entry(
                ts: contact.chatTs,
                chat: AChat(
                    chatInfo: .direct(contact: contact.api(user)),
                    chatItems: last.map { [$0.api(at: now)] } ?? [],
                    chatStats: ChatStats(
                        unreadCount: try row.readClampedCount("unread_count"),
                        unreadMentions: 0,
                        reportsCount: 0,
                        minUnreadItemId: try row.int64OrNil("first_unread_id") ?? 0,
                        unreadChat: contact.isMarkedUnread
                    )
                )
            )
        }
    }

    private static func readGroupEntries(
        _ page: ChatListPage,
        _ user: UserRecord,
        where conditions: String,
        _ arguments: [Argument],
        order: String,
        at now: Timestamp,
        _ db: StoreConnection
    ) throws -> [Entry] {
        let rows = try db.query(
            """
            SELECT \(GroupRecord.columns), \(SupportChats.reportCountColumn), g.unread_count,
              (SELECT chat_item_id FROM chat_items i WHERE \(ChatKey.groupItemsCondition)
                \(StoredItemOrder.newestFirst) LIMIT 1) AS last_item_id,
              CASE WHEN g.unread_count > 0 THEN (SELECT chat_item_id FROM chat_items i WHERE \(ChatKey.groupItemsCondition)
                AND i.item_status = 'rcvNew' \(StoredItemOrder.oldestFirst) LIMIT 1) END AS first_unread_id,
              CASE WHEN g.unread_count > 0 THEN (SELECT count(*) FROM chat_items i WHERE \(ChatKey.groupItemsCondition)
                AND i.user_mention = 1 AND i.item_status = 'rcvNew') ELSE 0 END AS unread_mentions
            FROM (SELECT c.user_id, c.group_id FROM groups c WHERE \(conditions) ORDER BY c.chat_ts \(order), c.group_id \(order) LIMIT ?) c
            JOIN \(GroupRecord.tables) WHERE g.user_id = c.user_id AND g.group_id = c.group_id
            """,
            arguments + [Int64(max(0, page.count))]
        )
        let found = try rows.map { (row: $0, group: try GroupRecord($0)) }
        let previews = try readLastItems(found.compactMap { try $0.row.int64OrNil("last_item_id") }, db)
        return try found.map { row, group in
            let last = try row.int64OrNil("last_item_id").flatMap { previews[$0] }
            var stats = ChatStats.empty
            stats.unreadCount = try row.readClampedCount("unread_count")
            stats.unreadMentions = try row.readClampedCount("unread_mentions")
            stats.reportsCount = try row.readClampedCount("reports_count")
            stats.minUnreadItemId = try row.int64OrNil("first_unread_id") ?? 0
            stats.unreadChat = group.isMarkedUnread
            return Entry(
                ts: group.chatTs,
                chat: AChat(
                    chatInfo: group.chatInfo(user),
                    chatItems: last.map { [$0.api(at: now)] } ?? [],
                    chatStats: stats
                )
            )
        }
    }

    /// Returns the notes of the user. Notes have no name, so no search text matches them.
    static func readNotes(
        _ page: ChatListPage,
        _ user: UserRecord,
        at now: Timestamp,
        _ db: StoreConnection
    ) throws -> [Entry] {
        guard page.searchText.isEmpty else { return [] }
        let rows = try db.query(
            """
            SELECT \(NoteFolderRecord.columns),
              (SELECT chat_item_id FROM chat_items i WHERE \(ChatKey.joinCondition("i", .notes, "n", "note_folder_id"))
                \(StoredItemOrder.newestFirst) LIMIT 1) AS last_item_id
            FROM note_folders n WHERE n.user_id = ?
            """,
            [user.userId]
        )
        return try rows.compactMap { row in
            let folder = try NoteFolderRecord(row)
            guard page.contains(folder.chatTs),
                !(page.selectsFavorites || page.selectsUnread) || (page.selectsFavorites && folder.isFavorite)
                    || (page.selectsUnread && folder.isMarkedUnread)
            else { return nil }
            let last = try row.int64OrNil("last_item_id").map { try readLastItems([$0], db) }?.values.first
            var stats = ChatStats.empty
            stats.unreadChat = folder.isMarkedUnread
            return Entry(
                ts: folder.chatTs,
                chat: AChat(
                    chatInfo: folder.chatInfo(user),
                    chatItems: last.map { [$0.api(at: now)] } ?? [],
                    chatStats: stats
                )
            )
        }
    }

    static func readPendingConnections(
        _ page: ChatListPage,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> [Entry] {
        try ConnectionRecord.allPending(user: user.userId, in: db).compactMap { connection in
            guard page.contains(connection.updatedAt),
                page.searchText.isEmpty || connection.localAlias.lowercased().contains(page.searchText.lowercased())
            else { return nil }
            return Entry(
                ts: connection.updatedAt,
                chat: AChat(
                    chatInfo: .contactConnection(contactConnection: connection.apiPendingConnection),
                    chatItems: [],
                    chatStats: .empty
                )
            )
        }
    }

    private static func readLastItems(_ itemIds: [Int64], _ db: StoreConnection) throws -> [Int64: ItemRecord] {
        var items: [Int64: ItemRecord] = [:]
        for chunk in itemIds.chunks(of: 500) {
            let marks = placeholders(chunk.count)
            let rows = try db.query(
                "SELECT \(ItemRecord.columns) FROM chat_items i WHERE i.chat_item_id IN (\(marks))",
                chunk.arguments
            )
            for item in try ItemQueries.addRelatedRecords(rows.map(ItemRecord.init), db) { items[item.itemId] = item }
        }
        return items
    }
}
