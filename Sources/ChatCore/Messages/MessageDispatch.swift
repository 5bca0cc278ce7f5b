internal import ChatAPI
internal import ChatStore

extension RunningCommand {
    /// Runs a command for chats or messages.
    /// - Parameter onlyUnused: whether the files of messages must be uploads that no message uses yet.
    func run(_ command: MessageCommand, as userId: Int64?, onlyUnused: Bool) async throws -> ChatResponse {
        switch command {
        case .getChats(let named, let pendingConnections, let pagination, let query):
            let user = try await findUser(userId, named: named)
            return try await getChats(Self.makeListPage(pendingConnections, pagination, query), user: user)
        case .getChat(let chat, let contentTag, let pagination, let search, let own):
            let filter = ItemFilter(searchText: search ?? "", contentTag: contentTag, messageFilter: own)
            // The original does not support `/_get chat` with `initial` for a pending connection, for example for an
            // invitation that the user has created. In this program, the answer contains the pending connection.
            if chat.chatType == .contactConnection, case .initial = pagination {
                return try await getPendingConnectionChat(chat.chatId, user: findUser(userId))
            }
            return try await getChat(ChatKey(chat), pagination.requireAllowedCount(), filter, user: findUser(userId))
        case .getChatContentTypes(let chat):
            return try await getContentTypes(ChatKey(chat), user: findUser(userId))
        case .getChatItems(let pagination, let search, let contentTag, let own):
            let filter = ItemFilter(searchText: search ?? "", contentTag: contentTag, messageFilter: own)
            return try await getChatItems(pagination.requireAllowedCount(), filter, user: findUser(userId))
        case .getChatItemInfo(let chat, let itemId):
            return try await getItemInfo(itemId, in: ChatKey(chat), user: findUser(userId))
        case .sendMessages(let chat, let asGroup, let live, let ttl, let sign, let messages):
            guard chat.chatType != .local else { throw ChatFailure.commandError("not supported") }
            return try await sendMessages(
                messages,
                to: ChatKey(chat),
                live: live,
                ttl: ttl.map { Int64($0) },
                asGroup: asGroup,
                signed: sign,
                onlyUnused: onlyUnused,
                as: userId
            )
        case .createChatItems(let noteFolderId, let messages):
            return try await createNotes(messages, in: noteFolderId, onlyUnused: onlyUnused, user: findUser(userId))
        case .updateChatItem(let chat, let itemId, let live, let message):
            return try await updateItem(
                itemId,
                in: ChatKey(chat),
                to: message,
                live: live,
                user: findUser(userId)
            )
        case .deleteChatItem(let chat, let itemIds, let mode):
            return try await deleteItems(itemIds, in: ChatKey(chat), mode: mode, user: findUser(userId))
        case .chatItemReaction(let chat, let itemId, let add, let reaction):
            return try await changeReaction(
                to: itemId,
                in: ChatKey(chat),
                add: add,
                reaction: reaction,
                user: findUser(userId)
            )
        case .getReactionMembers(let named, let groupId, let itemId, let reaction):
            return try await listReactionMembers(groupId, itemId, reaction, user: findUser(userId, named: named))
        case .reportMessage(let groupId, let itemId, let reason, let text):
            return try await sendReport(itemId, in: groupId, reason: reason, text: text, as: userId)
        case .archiveReceivedReports(let groupId): return try await archiveReports(in: groupId, user: findUser(userId))
        case .deleteReceivedReports(let groupId, let itemIds, let mode):
            return try await deleteReports(itemIds, in: groupId, mode: mode, user: findUser(userId))
        case .deleteMemberChatItem(let groupId, let itemIds):
            return try await moderateItems(itemIds, in: groupId, user: findUser(userId))
        case .planForwardChatItems(let chat, let itemIds):
            return try await planForward(itemIds, from: ChatKey(chat), user: findUser(userId))
        case .forwardChatItems(let target, let asGroup, let source, let itemIds, let ttl):
            return try await forwardItems(
                itemIds,
                from: ChatKey(source),
                to: ChatKey(target),
                ttl: ttl.map { Int64($0) },
                asGroup: asGroup,
                user: findUser(userId)
            )
        case .chatRead(let chat): return try await markChatRead(ChatKey(chat), user: findUser(userId))
        case .chatItemsRead(let chat, let itemIds):
            return try await markItemsRead(itemIds, in: ChatKey(chat), user: findUser(userId))
        case .chatUnread(let chat, let unread):
            return try await setChatUnread(ChatKey(whole: chat), unread: unread, user: findUser(userId))
        case .shareMyAddress(let chat, _):
            return try await shareAddress(with: Self.requireContactId(chat), user: findUser(userId))
        case .shareChatMsgContent(let shared, let target, let asGroup):
            return try await shareChannel(shared, with: target, asGroup: asGroup, user: findUser(userId))
        }
    }

    private static func makeListPage(
        _ pendingConnections: Bool,
        _ pagination: PaginationByTime?,
        _ query: ChatListQuery?
    ) throws -> ChatListPage {
        var page = ChatListPage()
        page.includesPendingConnections = pendingConnections
        switch pagination {
        case nil: break
        case .last(let count): page.count = count
        case .before(let time, let count): (page.range, page.count) = (.before(try parseTimestamp(time)), count)
        case .after(let time, let count): (page.range, page.count) = (.after(try parseTimestamp(time)), count)
        }
        switch query {
        case .filters(let favorite, let unread): (page.selectsFavorites, page.selectsUnread) = (favorite, unread)
        case .search(let search): page.searchText = search
        case nil, .unrecognized: break
        }
        return page
    }

    private static func parseTimestamp(_ time: UTCTime) throws -> Timestamp {
        guard let moment = Timestamp(parsing: time) else {
            throw ChatFailure.commandError("the time is not a valid UTC time")
        }
        return moment
    }
}
