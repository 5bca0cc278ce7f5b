internal import ChatAPI

extension Console {
    /// Runs the action of a terminal command on a chat.
    func run(_ action: ConsoleCommand.ChatAction, in name: ChatName, user: Engine.User) async throws -> ChatResponse {
        // If no contact has the name, the message is for the member of a group who has the name.
        if case .send(let text) = action, name.chatType == .direct {
            guard let contactId = try await findContactId(named: name.chatName, user) else {
                return try await send(text, toMemberNamed: name.chatName, user)
            }
            return try await send(text, to: ChatRef(chatType: .direct, chatId: contactId), user: user)
        }
        let chat = try await resolveChat(name, user: user)
        func findItemId(_ text: String, sent: Bool? = nil) async throws -> Int64 {
            try await findNewestItemId(beginning: text, sent: sent, in: chat, user)
        }
        switch action {
        case .send(let text): return try await send(text, to: chat, user: user)
        case .sendLive(let text): return try await send(text, to: chat, live: true, user: user)
        case .sendFile(let file, let isImage): return try await send(file, isImage: isImage, to: chat, user: user)
        case .resendFile(let fileId, let isImage):
            return try await send(engine.findSentFile(fileId, user), isImage: isImage, to: chat, user: user)
        case .reply(let quoted, let isSent, let text):
            return try await send(text, to: chat, quoting: findItemId(quoted, sent: isSent), user: user)
        case .forward(let source, let member, let text):
            return try await forwardItem(text, by: member, from: source, to: chat, user)
        case .delete(let text):
            return try await run(
                .messages(.deleteChatItem(chat: chat, itemIds: [findItemId(text, sent: true)], mode: .broadcast)),
                as: user.userId
            )
        case .edit(let old, let text):
            return try await editItem(beginning: old, in: chat, to: text, user)
        case .react(let add, let reaction, let text):
            return try await run(
                .messages(.chatItemReaction(chat: chat, itemId: findItemId(text), add: add, reaction: reaction)),
                as: user.userId
            )
        case .showItemInfo(let text):
            return try await run(.messages(.getChatItemInfo(chat: chat, itemId: findItemId(text))), as: user.userId)
        case .listItems(let count, let search):
            return try await listItems(count, search: search, of: chat, name, user)
        case .showLastItemId(let index):
            let page = try await readPage(.last(count: Self.itemCount(upTo: index)), search: nil, of: chat, user)
            return try Self.makeItemIdResponse(page.chatItems.first?.meta.itemId, user)
        case .clear: return try await run(.contacts(.clearChat(chat: chat)), as: user.userId)
        case .showItemTTL:
            return .chatItemTTL(user: user.api, chatItemTTL: try await readSettings(of: chat, user).ttl)
        case .setItemTTL(let seconds):
            return try await run(
                .settings(.setChatTTL(userId: user.userId, chat: chat, seconds: seconds)),
                as: user.userId
            )
        case .setNotifications(let filter): return try await changeSettings(of: chat, user) { $0.enableNtfs = filter }
        case .setReceipts(let isOn): return try await changeSettings(of: chat, user) { $0.sendRcpts = isOn }
        }
    }

    private func forwardItem(
        _ text: String,
        by member: String?,
        from source: ChatName,
        to chat: ChatRef,
        _ user: Engine.User
    ) async throws -> ChatResponse {
        let from = try await resolveChat(source, user: user)
        let item = try await findNewestItemId(beginning: text, by: member, in: from, user)
        return try await run(
            .messages(.forwardChatItems(toChat: chat, sendAsGroup: false, fromChat: from, itemIds: [item], ttl: nil)),
            as: user.userId
        )
    }

    private func editItem(
        beginning old: String,
        in chat: ChatRef,
        to text: String,
        _ user: Engine.User
    ) async throws -> ChatResponse {
        let message = UpdatedMessage(
            msgContent: .text(text: text),
            mentions: try await resolveMentions(in: text, chat, user)
        )
        let item = try await findNewestItemId(beginning: old, sent: true, in: chat, user)
        return try await run(
            .messages(.updateChatItem(chat: chat, itemId: item, live: false, updatedMessage: message)),
            as: user.userId
        )
    }

    private func listItems(
        _ count: Int,
        search: String?,
        of chat: ChatRef,
        _ name: ChatName,
        _ user: Engine.User
    ) async throws -> ChatResponse {
        let page = try await readPage(.last(count: count), search: search, of: chat, user)
        let items = page.chatItems.map { AChatItem(chatInfo: page.chatInfo, chatItem: $0) }
        return .chatItems(user: user.api, chatName_: name, chatItems: items)
    }

    private func resolveChat(_ name: ChatName, user: Engine.User) async throws -> ChatRef {
        switch name.chatType {
        case .direct:
            return ChatRef(chatType: .direct, chatId: try await resolveContactId(named: name.chatName, user: user))
        case .local: return ChatRef(chatType: .local, chatId: try await findNoteFolderId(of: user))
        case .group:
            return ChatRef(chatType: .group, chatId: try await resolveGroupId(named: name.chatName, user: user))
        default: throw ChatFailure(StoreError.groupNotFoundByName(groupName: name.chatName))
        }
    }

    private func findNoteFolderId(of user: Engine.User) async throws -> Int64 {
        let command = MessageCommand.getChats(
            userId: user.userId,
            pendingConnections: false,
            pagination: .last(count: 5000),
            query: nil
        )
        if case .apiChats(_, let chats) = try await run(.messages(command), as: user.userId) {
            for chat in chats {
                if case .local(let folder) = chat.chatInfo { return folder.noteFolderId }
            }
        }
        // A missing folder of notes means that notes are not implemented.
        throw ChatFailure.notImplemented("notes")
    }

    func send(
        _ text: String,
        to chat: ChatRef,
        quoting quotedItemId: Int64? = nil,
        live: Bool = false,
        user: Engine.User
    ) async throws -> ChatResponse {
        let mentions = try await resolveMentions(in: text, chat, user)
        let message = ComposedMessage(quotedItemId: quotedItemId, msgContent: .text(text: text), mentions: mentions)
        return try await send(message, to: chat, live: live, user: user)
    }

    func send(
        _ message: ComposedMessage,
        to chat: ChatRef,
        live: Bool = false,
        user: Engine.User
    ) async throws -> ChatResponse {
        if chat.chatType == .local {
            return try await run(
                .messages(.createChatItems(noteFolderId: chat.chatId, composedMessages: [message])),
                as: user.userId
            )
        }
        return try await run(
            .messages(
                .sendMessages(
                    chat: chat,
                    sendAsGroup: false,
                    live: live,
                    ttl: nil,
                    sign: false,
                    composedMessages: [message]
                )
            ),
            as: user.userId
        )
    }

    private func readPage(
        _ pagination: ChatPagination,
        search: String?,
        of chat: ChatRef,
        _ user: Engine.User
    ) async throws -> AChat {
        let command = MessageCommand.getChat(chat: chat, contentTag: nil, pagination: pagination, search: search)
        guard case .apiChat(_, let page, _) = try await run(.messages(command), as: user.userId) else {
            throw ChatFailure(ChatErrorType.internalError(message: "no chat"))
        }
        return page
    }

    /// Finds an item of a group: the newest item whose text begins with `text`, regardless of case.
    /// - Parameter member: the name of the author, who is a member or the user; nil for any author.
    func findNewestItemId(
        beginning text: String,
        by member: String?,
        in group: ChatRef,
        _ user: Engine.User
    ) async throws -> Int64 {
        try await findNewestItemId(beginning: text, in: group, user) { item in
            guard let member else { return true }
            if member == user.localDisplayName { return item.chatDir.isSent }
            guard case .groupRcv(let author) = item.chatDir else { return false }
            return author.localDisplayName == member
        }
    }

    /// Finds an item of a chat: the newest item whose text begins with `text`, regardless of case.
    /// - Parameter sent: true for sent items, false for received items, nil for sent and received items.
    private func findNewestItemId(
        beginning text: String,
        sent: Bool?,
        in chat: ChatRef,
        _ user: Engine.User
    ) async throws -> Int64 {
        try await findNewestItemId(beginning: text, in: chat, user) { sent == nil || $0.chatDir.isSent == sent }
    }

    /// Finds the newest item that satisfies `matches` and whose text begins with `text`, regardless of case. An empty
    /// text matches all items.
    private func findNewestItemId(
        beginning text: String,
        in chat: ChatRef,
        _ user: Engine.User,
        where matches: (ChatItem) -> Bool
    ) async throws -> Int64 {
        var pagination = ChatPagination.last(count: 100)
        while true {
            let items = try await readPage(pagination, search: text.isEmpty ? nil : text, of: chat, user).chatItems
            let found = items.last { item in
                matches(item) && item.meta.itemText.lowercased().hasPrefix(text.lowercased())
            }
            if let found { return found.meta.itemId }
            guard let oldest = items.first else { throw ChatFailure(StoreError.chatItemNotFoundByText(text: text)) }
            pagination = .before(chatItemId: oldest.meta.itemId, count: 100)
        }
    }

    /// Reads the settings of a chat, and the time to live of its items.
    /// - Throws: `commandError` for notes, which have no settings.
    private func readSettings(
        of chat: ChatRef,
        _ user: Engine.User
    ) async throws -> (settings: ChatSettings, ttl: Int64?) {
        switch try await engine.readInfo(of: chat, user) {
        case .direct(let contact): return (contact.chatSettings, contact.chatItemTTL)
        case .group(let group, _): return (group.chatSettings, group.chatItemTTL)
        default: throw ChatFailure.commandError("not supported")
        }
    }

    func changeSettings(
        of chat: ChatRef,
        _ user: Engine.User,
        _ change: (inout ChatSettings) -> Void
    ) async throws -> ChatResponse {
        var settings = try await readSettings(of: chat, user).settings
        change(&settings)
        return try await run(.settings(.setChatSettings(chat: chat, chatSettings: settings)), as: user.userId)
    }
}

extension CIDirection {
    fileprivate var isSent: Bool {
        switch self {
        case .directSnd, .groupSnd, .localSnd: true
        default: false
        }
    }
}
