internal import ChatAPI

extension ChatController {
    func run(_ command: MessageCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .getChats(let named, let pendingConnections, let pagination, let query):
            let user = try await user(userId, named: named)
            return try await getChats(Self.page(pendingConnections, pagination, query), user: user)
        case .getChat(let chat, let contentTag, let pagination, let search):
            let user = try await user(userId)
            if chat.chatType == .contactConnection { throw ChatFailure.command("not supported") }
            let contactId = try Self.contact(chat, name(of: command))
            guard contentTag == nil else { throw ChatFailure.command("filter by content type is not supported") }
            return try await getChat(contactId, pagination, search: search ?? "", user: user)
        case .getChatItems(let pagination, let search):
            return try await getChatItems(pagination, search: search ?? "", user: user(userId))
        case .getChatItemInfo(let chat, let itemId):
            return try await getItemInfo(itemId, in: Self.contact(chat, name(of: command)), user: user(userId))
        case .sendMessages(let chat, _, let live, let ttl, _, let messages):
            return try await sendMessages(
                messages, to: Self.contact(chat, name(of: command)), live: live, ttl: ttl.map { Int64($0) }, as: userId)
        case .updateChatItem(let chat, let itemId, let live, let message):
            return try await updateItem(
                itemId, in: Self.contact(chat, name(of: command)), to: message.msgContent, live: live, user: user(userId))
        case .deleteChatItem(let chat, let itemIds, let mode):
            return try await deleteItems(itemIds, in: Self.contact(chat, name(of: command)), mode: mode, user: user(userId))
        case .chatItemReaction(let chat, let itemId, let add, let reaction):
            return try await react(
                to: itemId, in: Self.contact(chat, name(of: command)), add: add, reaction: reaction, user: user(userId))
        case .chatRead(let chat): return try await readChat(Self.contact(chat, name(of: command)), user: user(userId))
        case .chatItemsRead(let chat, let itemIds):
            return try await readItems(itemIds, in: Self.contact(chat, name(of: command)), user: user(userId))
        case .chatUnread(let chat, let unread):
            return try await markChat(Self.contact(chat, name(of: command)), unread: unread, user: user(userId))
        default: throw ChatFailure.notImplemented(name(of: command))
        }
    }

    private static func page(
        _ pendingConnections: Bool, _ pagination: PaginationByTime?, _ query: ChatListQuery?
    ) throws -> ChatListPage {
        var page = ChatListPage()
        page.pendingConnections = pendingConnections
        switch pagination {
        case nil: break
        case .last(let count): page.count = count
        case .before(let time, let count): (page.range, page.count) = (.before(try moment(time)), count)
        case .after(let time, let count): (page.range, page.count) = (.after(try moment(time)), count)
        }
        switch query {
        case .filters(let favorite, let unread): (page.favorite, page.unread) = (favorite, unread)
        case .search(let search): page.search = search
        case nil, .unrecognized: break
        }
        return page
    }

    private static func moment(_ time: UTCTime) throws -> Timestamp {
        guard let moment = Timestamp(parsing: time) else { throw ChatFailure.command("bad time") }
        return moment
    }
}
