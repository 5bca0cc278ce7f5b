internal import ChatAPI
internal import SQLCipher

extension ChatController {
    /// `/_get chat`: a page of a chat's items, oldest first. `around` and `initial` also tell what follows the page, and the unread counts,
    /// which the other ways of paging leave at zero, as they are used by a reader who has them.
    func getChat(
        _ contactId: Int64, _ pagination: ChatPagination, search: String, user: UserRecord
    ) async throws -> ChatResponse {
        try await store.read { db in
            let contact = try ContactRecord.get(contactId, user: user, in: db)
            var stats = ChatStats.empty
            var navigation: NavigationInfo?
            let items: [ItemRecord]
            switch pagination {
            case .last(let count):
                items = try ItemQueries.last(count, search: search, in: contact, db)
            case .after(let itemId, let count):
                let item = try ItemQueries.get(itemId, in: contact, db)
                items = try ItemQueries.page(.after, item, count: count, search: search, in: contact, db)
            case .before(let itemId, let count):
                let item = try ItemQueries.get(itemId, in: contact, db)
                items = try ItemQueries.page(.before, item, count: count, search: search, in: contact, db)
            case .around(let itemId, let count):
                let item = try ItemQueries.get(itemId, in: contact, db)
                stats = try Self.stats(contact, db)
                items = try Self.around(item, count: count, search: search, in: contact, db)
                navigation = try items.last.map { try ItemQueries.navigation(after: $0, in: contact, db) }
            case .initial(let count):
                guard search.isEmpty else {
                    throw ChatFailure(StoreError.internalError(message: "initial chat pagination doesn't support search"))
                }
                let unread = try Self.stats(contact, db)
                if unread.unreadCount > 0 {
                    stats = unread
                    let first = try ItemQueries.get(unread.minUnreadItemId, in: contact, db)
                    items = try Self.around(first, count: count, search: "", in: contact, db)
                } else {
                    items = try ItemQueries.last(count, search: "", in: contact, db)
                }
                navigation =
                    unread.unreadCount > 0
                    ? try items.last.map { try ItemQueries.navigation(after: $0, in: contact, db) }
                    : NavigationInfo(afterUnread: 0, afterTotal: 0)
            }
            let now = Timestamp.now
            let chat = AChat(
                chatInfo: .direct(contact: contact.api(user)), chatItems: items.map { $0.api(at: now) }, chatStats: stats)
            return .apiChat(user: user.api, chat: chat, navInfo: navigation)
        }
    }

    /// The item with up to `count` items on either side.
    private static func around(
        _ item: ItemRecord, count: Int, search: String, in contact: ContactRecord, _ db: StoreConnection
    ) throws -> [ItemRecord] {
        try ItemQueries.page(.before, item, count: count, search: search, in: contact, db) + [item]
            + ItemQueries.page(.after, item, count: count, search: search, in: contact, db)
    }

    private static func stats(_ contact: ContactRecord, _ db: StoreConnection) throws -> ChatStats {
        let unread = try ItemQueries.unread(in: contact, db)
        var stats = ChatStats.empty
        stats.unreadCount = unread.count
        stats.minUnreadItemId = unread.firstItemId
        return stats
    }

    /// `/_get item info`: the item with all its versions, the newest first.
    func getItemInfo(_ itemId: Int64, in contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            let contact = try ContactRecord.get(contactId, user: user, in: db)
            let item = try ItemQueries.get(itemId, in: contact, db)
            var versions = try db.query(
                """
                SELECT chat_item_version_id, msg_content, item_version_ts, created_at FROM chat_item_versions
                WHERE chat_item_id = ? ORDER BY chat_item_version_id DESC
                """, [itemId]
            ).map { row in
                let content = try StoredJSON.decode(MsgContent.self, row.string("msg_content"))
                return ChatItemVersion(
                    chatItemVersionId: try row.int64("chat_item_version_id"), msgContent: content,
                    formattedText: MarkdownParser.parse(content.text),
                    itemVersionTs: Timestamp(nanoseconds: try row.int64("item_version_ts")).api,
                    createdAt: Timestamp(nanoseconds: try row.int64("created_at")).api)
            }
            if versions.isEmpty, let content = item.messageContent {
                versions = [
                    ChatItemVersion(
                        chatItemVersionId: itemId, msgContent: content, formattedText: MarkdownParser.parse(content.text),
                        itemVersionTs: item.itemTs.api, createdAt: item.createdAt.api)
                ]
            }
            return .chatItemInfo(
                user: user.api, chatItem: item.api(in: contact.api(user), at: .now), chatItemInfo: ChatItemInfo(itemVersions: versions))
        }
    }
}
