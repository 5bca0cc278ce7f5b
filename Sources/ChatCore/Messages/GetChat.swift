internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/_get chat`: returns a page of the items of a chat, the oldest first. With `around` and `initial`, the answer
    /// also contains the unread counts and the number of items after the page. With another pagination, the client
    /// already knows these numbers. Then the unread counts are zero, and the number of items after the page is missing.
    func getChat(
        _ key: ChatKey,
        _ pagination: ChatPagination,
        _ filter: ItemFilter,
        user: UserRecord
    ) async throws -> ChatResponse {
        var filter = filter
        filter.searchOutline = store.searchOutline
        if case .supportChatReference = key {
            // The command creates a support chat that does not exist yet. The page shows the group as it was before
            // this change.
            return try await store.writeAndAnswer { [filter] tx in
                guard var chat = try key.getConversation(user, tx.db).supportChat else {
                    throw ChatFailure.commandError("not supported")
                }
                guard filter.contentTag == nil else {
                    throw ChatFailure(
                        StoreError.internalError(message: "a scope of a group cannot be filtered by content")
                    )
                }
                let found = chat
                try chat.openSupportChat(tx)
                return try Self.readPage(pagination, filter, of: found, user, tx.db)
            }
        }
        return try await store.read { [filter] db in
            try Self.readPage(pagination, filter, of: key.getConversation(user, db), user, db)
        }
    }

    private static func readPage(
        _ pagination: ChatPagination,
        _ filter: ItemFilter,
        of chat: some Conversation,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> ChatResponse {
        var stats = ChatStats.empty
        var navigation: NavigationInfo?
        let items: [ItemRecord]
        switch pagination {
        case .last(let count):
            items = try ItemQueries.findLastItems(count, filter: filter, in: chat, db)
        case .after(let itemId, let time, let count):
            let place = try ItemQueries.findPlace(of: itemId, orAt: time, in: chat, db)
            items = try ItemQueries.readPage(.after, place, count: count, filter: filter, in: chat, db)
        case .before(let itemId, let time, let count):
            let place = try ItemQueries.findPlace(of: itemId, orAt: time, in: chat, db)
            items = try ItemQueries.readPage(.before, place, count: count, filter: filter, in: chat, db)
        case .around(let itemId, let count):
            let item = try ItemQueries.get(itemId, in: chat, db)
            stats = try Self.readStats(filter, chat, db)
            items = try Self.readItemsAround(item, count: count, filter, in: chat, db)
            navigation = try items.last.map { try ItemQueries.readNavigation(after: $0, in: chat, db) }
        case .initial(let count):
            guard filter.searchText.isEmpty else {
                throw ChatFailure(StoreError.internalError(message: "a search cannot begin at the first unread item"))
            }
            stats = try Self.readStats(filter, chat, db)
            if stats.unreadCount > 0 {
                // The page contains the items around the last item that the user has viewed.
                let place =
                    try ItemQueries.findLastViewedItem(firstUnread: stats.minUnreadItemId, in: chat, db)
                    ?? stats.minUnreadItemId
                items = try Self.readItemsAround(
                    ItemQueries.get(place, in: chat, db),
                    count: count,
                    filter,
                    in: chat,
                    db
                )
                navigation = try items.last.map { try ItemQueries.readNavigation(after: $0, in: chat, db) }
            } else {
                items = try ItemQueries.findLastItems(count, filter: filter, in: chat, db)
                navigation = NavigationInfo(afterUnread: 0, afterTotal: 0)
            }
        }
        let now = Timestamp.now
        return .apiChat(
            user: user.api,
            chat: AChat(chatInfo: chat.chatInfo(user), chatItems: items.map { $0.api(at: now) }, chatStats: stats),
            navInfo: navigation
        )
    }

    /// Returns the item with up to `count` items before it and up to `count` items after it.
    private static func readItemsAround(
        _ item: ItemRecord,
        count: Int,
        _ filter: ItemFilter,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> [ItemRecord] {
        try ItemQueries.readPage(.before, item.place, count: count, filter: filter, in: chat, db) + [item]
            + ItemQueries.readPage(.after, item.place, count: count, filter: filter, in: chat, db)
    }

    /// Returns the counts of unread items with the requested kind of content. The search text has no effect. For a
    /// group, the result also contains the numbers of unread mentions of the user and of reports.
    private static func readStats(
        _ filter: ItemFilter,
        _ chat: some Conversation,
        _ db: StoreConnection
    ) throws -> ChatStats {
        let wanted = ItemFilter(contentTag: filter.contentTag),
            unread = try ItemQueries.countUnreadItems(wanted, in: chat, db)
        var stats = ChatStats.empty
        stats.unreadCount = unread.count
        stats.minUnreadItemId = unread.firstItemId
        if let group = chat.group {
            if unread.count > 0 { stats.unreadMentions = try ItemQueries.countUnreadMentions(wanted, in: chat, db) }
            stats.reportsCount = try SupportChats.countReports(of: group.groupId, user: group.userId, db)
        }
        return stats
    }

    /// `/_get content types`: returns the kinds of content for which a chat can be filtered.
    func getContentTypes(_ key: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in
            .chatContentTypes(contentTypes: try ItemQueries.readContentTags(in: key.getConversation(user, db), db))
        }
    }
}
