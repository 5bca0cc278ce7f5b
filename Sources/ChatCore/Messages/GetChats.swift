internal import ChatAPI
internal import JSON
internal import SQLCipher

/// Which part of the chat list is asked for.
struct ChatListPage: Sendable {
    enum Range: Sendable {
        case last
        case before(Timestamp)
        case after(Timestamp)
    }

    var range: Range = .last
    var count = 5000
    var pendingConnections = false
    var favorite = false
    var unread = false
    var search = ""

    /// Whether a chat that was last active then is in the range.
    func holds(_ time: Timestamp) -> Bool {
        switch range {
        case .last: true
        case .before(let end): time < end
        case .after(let start): time > start
        }
    }
}

extension ChatController {
    /// `/_get chats`: the list of chats with the last item of each, the most recent chat first. Six queries whatever the number of chats.
    func getChats(_ page: ChatListPage, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let now = Timestamp.now
            var chats = try ChatList.contacts(page, user, at: now, db) + ChatList.notes(page, user, at: now, db)
            // Pending connections have no marks to filter by.
            if page.pendingConnections, !page.favorite, !page.unread {
                chats += try ChatList.pendingConnections(page, user, db)
            }
            chats.sort { $0.ts > $1.ts }
            if case .after = page.range { chats = Array(chats.suffix(page.count)) } else { chats = Array(chats.prefix(page.count)) }
            return .apiChats(user: user.api, chats: chats.map(\.chat))
        }
    }
}

enum ChatList {
    struct Entry {
        let ts: Timestamp
        let chat: AChat
    }

    static func contacts(_ page: ChatListPage, _ user: UserRecord, at now: Timestamp, _ db: StoreConnection) throws -> [Entry] {
        var conditions = "c.user_id = ? AND c.contact_used = 1"
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
        if page.favorite || page.unread {
            var either: [String] = []
            if page.favorite { either.append("c.favorite = 1") }
            if page.unread { either.append("c.unread_chat = 1 OR c.unread_count > 0") }
            conditions += " AND (\(either.joined(separator: " OR ")))"
        }
        if !page.search.isEmpty {
            // Full names and descriptions are in the profile's text, with its other members: whether it was them is seen below.
            conditions += """
                 AND (instr(lower(c.local_display_name), lower(?)) > 0 OR instr(lower(p.display_name), lower(?)) > 0
                  OR instr(lower(p.local_alias), lower(?)) > 0 OR instr(lower(p.profile), lower(?)) > 0)
                """
            let escaped = String(JSONValue.string(page.search).text.dropFirst().dropLast())
            arguments += [page.search, page.search, page.search, escaped]
        }
        let rows = try db.query(
            """
            SELECT \(ContactRecord.columns), \(ConnectionRecord.columns),
              (SELECT chat_item_id FROM chat_items i WHERE i.user_id = c.user_id AND i.contact_id = c.contact_id
                ORDER BY i.created_at DESC, i.chat_item_id DESC LIMIT 1) AS last_item_id,
              c.unread_count,
              CASE WHEN c.unread_count > 0 THEN (SELECT chat_item_id FROM chat_items i WHERE i.user_id = c.user_id AND i.contact_id = c.contact_id
                AND i.item_status = 'rcvNew' ORDER BY i.created_at, i.chat_item_id LIMIT 1) END AS first_unread_id
            FROM \(ContactRecord.tables) WHERE \(conditions) ORDER BY c.chat_ts \(order) LIMIT ?
            """, arguments + [page.search.isEmpty ? Int64(max(0, page.count)) : -1])
        var found = try rows.map { (row: $0, contact: try ContactRecord($0)) }
        if !page.search.isEmpty { found = Array(found.filter { $0.contact.isFound(by: page.search) }.prefix(max(0, page.count))) }
        let previews = try lastItems(found.compactMap { try $0.row.int64OrNil("last_item_id") }, user, db)
        return try found.map { row, contact in
            let last = try row.int64OrNil("last_item_id").flatMap { previews[$0] }
            return Entry(
                ts: contact.chatTs,
                chat: AChat(
                    chatInfo: .direct(contact: contact.api(user)), chatItems: last.map { [$0.api(at: now)] } ?? [],
                    chatStats: ChatStats(
                        unreadCount: Int(clamping: try row.int64("unread_count")), unreadMentions: 0, reportsCount: 0,
                        minUnreadItemId: try row.int64OrNil("first_unread_id") ?? 0, unreadChat: contact.unreadChat)))
        }
    }

    /// The user's notes. They have no name to be searched for.
    static func notes(_ page: ChatListPage, _ user: UserRecord, at now: Timestamp, _ db: StoreConnection) throws -> [Entry] {
        guard page.search.isEmpty else { return [] }
        let rows = try db.query(
            """
            SELECT \(NoteFolderRecord.columns),
              (SELECT chat_item_id FROM chat_items i WHERE i.user_id = n.user_id AND i.note_folder_id = n.note_folder_id
                ORDER BY i.created_at DESC, i.chat_item_id DESC LIMIT 1) AS last_item_id
            FROM note_folders n WHERE n.user_id = ?
            """, [user.userId])
        return try rows.compactMap { row in
            let folder = try NoteFolderRecord(row)
            guard page.holds(folder.chatTs),
                !(page.favorite || page.unread) || (page.favorite && folder.isFavorite) || (page.unread && folder.unreadChat)
            else { return nil }
            let last = try row.int64OrNil("last_item_id").map { try lastItems([$0], user, db) }?.values.first
            var stats = ChatStats.empty
            stats.unreadChat = folder.unreadChat
            return Entry(
                ts: folder.chatTs,
                chat: AChat(chatInfo: folder.info(user), chatItems: last.map { [$0.api(at: now)] } ?? [], chatStats: stats))
        }
    }

    static func pendingConnections(_ page: ChatListPage, _ user: UserRecord, _ db: StoreConnection) throws -> [Entry] {
        try ConnectionRecord.allPending(user: user.userId, in: db).compactMap { connection in
            guard page.holds(connection.updatedAt), page.search.isEmpty || connection.localAlias.lowercased().contains(page.search.lowercased()) else { return nil }
            return Entry(
                ts: connection.updatedAt,
                chat: AChat(
                    chatInfo: .contactConnection(contactConnection: connection.apiPending), chatItems: [], chatStats: .empty))
        }
    }

    private static func lastItems(_ itemIds: [Int64], _ user: UserRecord, _ db: StoreConnection) throws -> [Int64: ItemRecord] {
        var items: [Int64: ItemRecord] = [:]
        for chunk in itemIds.chunks(of: 500) {
            let marks = placeholders(chunk.count)
            let rows = try db.query(
                "SELECT \(ItemRecord.columns) FROM chat_items i WHERE i.chat_item_id IN (\(marks))", chunk.arguments)
            for row in rows {
                let item = try ItemRecord(row)
                items[item.itemId] = item
            }
            for row in try db.query(
                """
                SELECT i.chat_item_id AS id, r.reaction AS reaction, max(r.reaction_sent) AS sent, count(*) AS n,
                  min(r.chat_item_reaction_id) AS first
                FROM chat_items i JOIN chat_item_reactions r
                  ON r.user_id = i.user_id AND r.contact_id = i.contact_id AND r.shared_msg_id = i.shared_msg_id
                WHERE i.chat_item_id IN (\(marks)) GROUP BY i.chat_item_id, r.reaction ORDER BY first
                """, chunk.arguments)
            {
                items[try row.int64("id")]?.reactions.append(
                    CIReactionCount(
                        reaction: try StoredJSON.decode(MsgReaction.self, row.string("reaction")), userReacted: try row.bool("sent"),
                        totalReacted: Int(clamping: try row.int64("n"))))
            }
        }
        return items
    }
}

extension ContactRecord {
    /// Whether one of the names or the description has these words, in any case of letters.
    fileprivate func isFound(by search: String) -> Bool {
        let words = search.lowercased()
        return [localDisplayName, profile.displayName, profile.fullName, profile.shortDescr ?? "", localAlias].contains { $0.lowercased().contains(words) }
    }
}

extension ChatStats {
    static var empty: ChatStats {
        ChatStats(unreadCount: 0, unreadMentions: 0, reportsCount: 0, minUnreadItemId: 0, unreadChat: false)
    }
}
