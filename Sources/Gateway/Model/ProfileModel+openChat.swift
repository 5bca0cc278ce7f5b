internal import ChatAPI
internal import ChatModel

extension ProfileModel {
    /// Default number of items that are read when a chat is opened.
    static let defaultItemCount = 50

    /// Opens a chat. Before its items are read, the session shows that the chat is loading.
    /// - Parameter limit: the number of items that the session keeps; nil for the present limit.
    func openChat(
        _ chat: ChatRef,
        around itemId: Int64?,
        count: Int,
        limit: Int? = nil,
        in id: String
    ) async throws(ProblemDetails) -> ClientSession {
        guard model.getChat(chat.id) != nil else {
            _ = try requireSession(id)
            throw ProblemDetails(.notFound, "There is no such chat.")
        }
        _ = try changeSession(id) { $0.openChat(chat, around: itemId, limit: limit) }
        let page: ItemsModel.Page = itemId.map { .around($0) } ?? .last
        let command = MessageCommand.getChat(
            chat: chat,
            contentTag: nil,
            pagination: page.makePagination(count),
            search: nil
        )
        do {
            try await runInOrder(
                .messages(command),
                for: SessionRead(sessionID: id, chatId: chat.id, itemList: .primary, page: page, count: count)
            )
        } catch {
            if sessions[id] != nil { _ = try changeSession(id) { if $0.chatId == chat.id { $0.closeChat() } } }
            throw error
        }
        let session = try requireSession(id)
        // The chat may have been deleted while its items were read.
        guard session.model.chatId != nil else { throw ProblemDetails(.notFound, "The chat was deleted.") }
        return session
    }

    /// Opens a second list of the open chat: the items in one scope of a group, or the items with one kind of content.
    func openSecondaryList(
        _ secondary: SecondaryRequest,
        count: Int,
        in id: String
    ) async throws(ProblemDetails) -> ClientSession {
        var chat = try requireCurrentChat(of: id)
        var tag: MsgContentTag?
        switch secondary {
        case .contentTag(let contentTag):
            tag = contentTag
            _ = try changeSession(id) { $0.openSecondaryList(.msgContentTagContext(contentTag: contentTag)) }
        case .scope(let scope):
            chat.chatScope = scope
            // If the session knows the scope already, it shows that the list is loading until the items are read.
            _ = try changeSession(id) { session in
                if let info = session.findScopeInfo(scope) {
                    session.openSecondaryList(.groupChatScopeContext(groupScopeInfo: info))
                }
            }
        }
        let command = MessageCommand.getChat(chat: chat, contentTag: tag, pagination: .last(count: count), search: nil)
        do {
            try await runInOrder(
                .messages(command),
                for: SessionRead(
                    sessionID: id,
                    chatId: chat.id,
                    itemList: .secondary,
                    page: .last,
                    count: count,
                    secondaryRequest: secondary
                )
            )
        } catch {
            if sessions[id] != nil { _ = try changeSession(id) { $0.closeSecondaryList() } }
            throw error
        }
        return try requireSession(id)
    }

    /// Loads an additional page of the open chat.
    func loadItems(
        _ page: ItemsModel.Page,
        count: Int,
        list: SessionModel.ItemList,
        in id: String
    ) async throws(ProblemDetails) -> ClientSession {
        var chat = try requireCurrentChat(of: id)
        let session = try requireSession(id)
        guard let items = session.model.items(list) else {
            throw ProblemDetails(.conflict, "The session has no second list open.")
        }
        chat.chatScope = items.groupScopeInfo?.scope
        if let anchorItemId = page.anchorItemId {
            _ = try changeSession(id) { $0.beginLoading(list, next: anchorItemId) }
        }
        let command = MessageCommand.getChat(
            chat: chat,
            contentTag: items.contentTag,
            pagination: page.makePagination(count),
            search: nil
        )
        do {
            try await runInOrder(
                .messages(command),
                for: SessionRead(sessionID: id, chatId: chat.id, itemList: list, page: page, count: count)
            )
        } catch {
            if sessions[id] != nil { _ = try changeSession(id) { $0.recordLoadingFailure(list) } }
            throw error
        }
        return try self.requireSession(id)
    }

    /// Loads the members of the open group. After that, the session follows changes of the members.
    func loadMembers(in id: String) async throws(ProblemDetails) -> ClientSession {
        let chat = try requireCurrentChat(of: id)
        guard chat.chatType == .group else { throw ProblemDetails(.conflict, "The open chat is not a group.") }
        try await runInOrder(
            .groups(.listMembers(groupId: chat.chatId)),
            for: SessionRead(sessionID: id, chatId: chat.id, itemList: .primary, page: .last, count: 0)
        )
        return try requireSession(id)
    }

    /// Reads the open chats of all sessions again.
    func rereadOpenChats() async {
        for (id, session) in sessions {
            guard let chat = session.model.chatRef else { continue }
            let (used, secondary) = (session.lastUsedMicroseconds, session.model.secondaryIM?.secondaryIMFilter)
            let membersLoaded = session.model.membersLoaded
            let count = min(500, max(50, session.model.im.reversedChatItems.count))
            do throws(ProblemDetails) {
                _ = try await openChat(chat, around: session.model.openAroundItemId, count: count, in: id)
                if membersLoaded { _ = try await loadMembers(in: id) }
                switch secondary {
                case .groupChatScopeContext(let scope)?:
                    _ = try await openSecondaryList(.scope(scope.scope), count: 50, in: id)
                case .msgContentTagContext(let tag)?:
                    _ = try await openSecondaryList(.contentTag(tag), count: 50, in: id)
                case nil: break
                }
            } catch {
                // The chat may have been deleted without an event that reports the deletion.
                if model.getChat(chat.id) == nil {
                    sessions[id]?.apply(ModelUpdates(userId: userId, [.removeChat(chat.id)]))
                }
            }
            sessions[id]?.lastUsedMicroseconds = used
        }
    }

    /// Reads the items of the chat into which the session's open chat was merged.
    func readMergedChat(in id: String) async {
        guard let session = sessions[id]?.model, session.awaitsItems, let chat = session.chatRef else { return }
        do throws(ProblemDetails) {
            try await runInOrder(
                .messages(
                    .getChat(chat: chat, contentTag: nil, pagination: .last(count: Self.defaultItemCount), search: nil)
                ),
                for: SessionRead(
                    sessionID: id,
                    chatId: chat.id,
                    itemList: .primary,
                    page: .last,
                    count: Self.defaultItemCount
                )
            )
        } catch {
            sessions[id]?.changeModel { if $0.chatId == chat.id { $0.closeChat() } }
        }
    }

    func requireCurrentChat(of id: String) throws(ProblemDetails) -> ChatRef {
        guard let chat = try requireSession(id).model.chatRef else {
            throw ProblemDetails(.conflict, "The session has no chat open.")
        }
        return chat
    }
}

extension ItemsModel.Page {
    func makePagination(_ count: Int) -> ChatPagination {
        switch self {
        case .last: .last(count: count)
        case .before(let id): .before(chatItemId: id, count: count)
        case .after(let id): .after(chatItemId: id, count: count)
        case .around(let id): .around(chatItemId: id, count: count)
        case .initial: .initial(count: count)
        }
    }

    /// The item at which the page begins, ends or is centered; nil for a page without such an item.
    var anchorItemId: Int64? {
        switch self {
        case .before(let id), .after(let id), .around(let id): id
        case .last, .initial: nil
        }
    }
}
