internal import ChatAPI
internal import SQLCipher

extension ChatController {
    /// `/_get chat`: a page of a chat's items, oldest first. `around` and `initial` also tell what follows the page, and the unread counts,
    /// which the other ways of paging leave at zero, as they are used by a reader who has them.
    func getChat(
        _ place: ItemPlace, _ pagination: ChatPagination, _ filter: ItemFilter, user: UserRecord
    ) async throws -> ChatResponse {
        var filter = filter
        filter.outline = store.outline
        return try await store.read { [filter] db in try Self.page(pagination, filter, of: place.chat(user, db), user, db) }
    }

    private static func page(
        _ pagination: ChatPagination, _ filter: ItemFilter, of chat: some ItemChat, _ user: UserRecord, _ db: StoreConnection
    ) throws -> ChatResponse {
        var stats = ChatStats.empty
        var navigation: NavigationInfo?
        let items: [ItemRecord]
        switch pagination {
        case .last(let count):
            items = try ItemQueries.last(count, filter: filter, in: chat, db)
        case .after(let itemId, let count):
            let item = try ItemQueries.get(itemId, in: chat, db)
            items = try ItemQueries.page(.after, item, count: count, filter: filter, in: chat, db)
        case .before(let itemId, let count):
            let item = try ItemQueries.get(itemId, in: chat, db)
            items = try ItemQueries.page(.before, item, count: count, filter: filter, in: chat, db)
        case .around(let itemId, let count):
            let item = try ItemQueries.get(itemId, in: chat, db)
            stats = try Self.stats(filter, chat, db)
            items = try Self.around(item, count: count, filter, in: chat, db)
            navigation = try items.last.map { try ItemQueries.navigation(after: $0, in: chat, db) }
        case .initial(let count):
            guard filter.search.isEmpty else {
                throw ChatFailure(StoreError.internalError(message: "initial chat pagination doesn't support search"))
            }
            let unread = try Self.stats(filter, chat, db)
            if unread.unreadCount > 0 {
                stats = unread
                let first = try ItemQueries.get(unread.minUnreadItemId, in: chat, db)
                items = try Self.around(first, count: count, filter, in: chat, db)
                navigation = try items.last.map { try ItemQueries.navigation(after: $0, in: chat, db) }
            } else {
                items = try ItemQueries.last(count, filter: filter, in: chat, db)
                navigation = NavigationInfo(afterUnread: 0, afterTotal: 0)
            }
        }
        let now = Timestamp.now
        return .apiChat(
            user: user.api, chat: AChat(chatInfo: chat.info(user), chatItems: items.map { $0.api(at: now) }, chatStats: stats),
            navInfo: navigation)
    }

    /// The item with up to `count` items on either side.
    private static func around(
        _ item: ItemRecord, count: Int, _ filter: ItemFilter, in chat: some ItemChat, _ db: StoreConnection
    ) throws -> [ItemRecord] {
        try ItemQueries.page(.before, item, count: count, filter: filter, in: chat, db) + [item]
            + ItemQueries.page(.after, item, count: count, filter: filter, in: chat, db)
    }

    /// What is unread of the asked kind of content; a search does not change it.
    private static func stats(_ filter: ItemFilter, _ chat: some ItemChat, _ db: StoreConnection) throws -> ChatStats {
        let unread = try ItemQueries.unread(ItemFilter(contentTag: filter.contentTag), in: chat, db)
        var stats = ChatStats.empty
        stats.unreadCount = unread.count
        stats.minUnreadItemId = unread.firstItemId
        return stats
    }

    /// `/_get content types`: the kinds of content that can be asked for in a chat.
    func getContentTypes(_ place: ItemPlace, user: UserRecord) async throws -> ChatResponse {
        try await store.read { db in .chatContentTypes(contentTypes: try ItemQueries.contentTags(in: place.chat(user, db), db)) }
    }
}
