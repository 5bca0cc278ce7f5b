public import ChatAPI
internal import SQLCipher

extension ChatController {
    /// Runs a command and answers it.
    ///
    /// - Parameter userId: the user for whom it is run, which leaves the active user as it is; nil for the active user. A command that names
    ///   a user itself must name this one.
    /// - Returns: the answer, or why there is none. A command of a room that is not built is answered by an error whose
    ///   `notImplementedCommand` is its name.
    public func send(_ command: ChatCommand, as userId: Int64? = nil) async -> APIResult<ChatResponse> {
        do {
            return .result(try await run(command, as: userId))
        } catch let failure as ChatFailure {
            return .error(failure.error)
        } catch let error as DatabaseError {
            return .error(.errorStore(storeError: .dBException(message: "\(error)")))
        } catch {
            return .error(.error(errorType: .internalError(message: "\(error)")))
        }
    }

    /// As above, for a request with an idempotency key: its claim is committed together with what the command changes.
    public func send(_ command: ChatCommand, as userId: Int64?, claim: RequestClaim?) async -> APIResult<ChatResponse> {
        await RequestClaim.$current.withValue(claim) { await send(command, as: userId) }
    }

    /// A number that is another one after anything in the chat database has changed.
    public var revision: UInt64 { store.revision.load(ordering: .acquiring) }

    private func run(_ command: ChatCommand, as userId: Int64?) async throws -> ChatResponse {
        guard isReady else { throw ChatFailure(ChatErrorType.chatNotStarted) }
        switch command {
        case .users(let command): return try await run(command, as: userId)
        case .lifecycle(let command): return try await run(command)
        case .messages(let command): return try await run(command, as: userId)
        case .contacts(let command): return try await run(command, as: userId)
        case .address(let command): return try await run(command, as: userId)
        default: throw ChatFailure.notImplemented(name(of: command))
        }
    }

    /// The user that a command is for.
    /// - Parameter named: the user that the command itself names.
    private func user(_ userId: Int64?, named: Int64? = nil) async throws -> UserRecord {
        try await store.read { db in
            let user = try Self.userOrActive(userId, db)
            if let named, named != user.userId {
                throw ChatFailure(ChatErrorType.differentActiveUser(commandUserId: named, activeUserId: user.userId))
            }
            return user
        }
    }

    /// - Parameter userId: nil for the active user.
    static func userOrActive(_ userId: Int64?, _ db: StoreConnection) throws -> UserRecord {
        if let userId { return try user(userId, db) }
        guard let active = try UserRecord.active(in: db) else { throw ChatFailure(ChatErrorType.noActiveUser) }
        return active
    }

    private func run(_ command: UserCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .showActiveUser: try await showActiveUser()
        case .createActiveUser(let new): try await createActiveUser(new)
        case .listUsers: try await listUsers()
        case .setActiveUser(let userId, let password): try await setActiveUser(userId, password: password)
        case .deleteUser(let userId, _, let password): try await deleteUser(userId, password: password)
        case .updateProfile(let named, let profile):
            try await updateProfile(profile, user: user(userId, named: named))
        case .hideUser(let other, let password):
            try await hideUser(other, password: password, active: user(userId))
        case .unhideUser(let other, let password):
            try await unhideUser(other, password: password, active: user(userId))
        case .muteUser(let other): try await setNotifications(of: other, shown: false, active: user(userId))
        case .unmuteUser(let other): try await setNotifications(of: other, shown: true, active: user(userId))
        case .setAllContactReceipts(let enable): try await setAllReceipts(enable)
        case .setUserContactReceipts(let named, let settings):
            try await setReceipts(.contacts, settings, user: user(userId, named: named))
        case .setUserGroupReceipts(let named, let settings):
            try await setReceipts(.groups, settings, user: user(userId, named: named))
        case .setUserAutoAcceptMemberContacts(let named, let enabled):
            try await setAutoAcceptMemberContacts(enabled, user: user(userId, named: named))
        case .userRead(let named): try await readAll(user: user(userId, named: named))
        default: throw ChatFailure.notImplemented(name(of: command))
        }
    }

    private func run(_ command: LifecycleCommand) async throws -> ChatResponse {
        switch command {
        case .startChat: return try await withAgent { _ in try await self.start() } ? .chatStarted : .chatRunning
        case .checkChatRunning: return isRunning ? .chatRunning : .chatStopped
        case .stopChat:
            await stop()
            return .chatStopped
        default: throw ChatFailure.notImplemented(name(of: command))
        }
    }

    private func run(_ command: MessageCommand, as userId: Int64?) async throws -> ChatResponse {
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

    private func run(_ command: ContactCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .addContact(let named, let incognito):
            return try await addContact(incognito: incognito, user: user(userId, named: named))
        case .connect(let named, let incognito, let link):
            return try await connect(link: link, incognito: incognito, user: user(userId, named: named))
        case .connectPlan(let named, let link, _, _):
            return try await connectPlan(link: link, user: user(userId, named: named))
        case .deleteChat(let chat, let mode):
            let user = try await user(userId)
            if chat.chatType == .contactConnection { return try await deletePendingConnection(chat.chatId, user: user) }
            return try await deleteContact(Self.contact(chat, name(of: command)), mode, user: user)
        case .clearChat(let chat):
            let user = try await user(userId)
            if chat.chatType == .contactConnection { throw ChatFailure.command("not supported") }
            return try await clearChat(Self.contact(chat, name(of: command)), user: user)
        case .listContacts(let named): return try await listContacts(user: user(userId, named: named))
        case .setContactPrefs(let contactId, let preferences):
            return try await setContactPreferences(contactId, preferences, user: user(userId))
        case .setContactAlias(let contactId, let alias):
            return try await setContactAlias(contactId, alias, user: user(userId))
        case .setConnectionAlias(let connId, let alias):
            return try await setConnectionAlias(connId, alias, user: user(userId))
        case .acceptContact(let incognito, let requestId):
            return try await acceptContact(requestId, incognito: incognito, user: user(userId))
        case .rejectContact(let requestId): return try await rejectContact(requestId, user: user(userId))
        case .contactInfo(let contactId): return try await contactInfo(contactId, user: user(userId))
        default: throw ChatFailure.notImplemented(name(of: command))
        }
    }

    private func run(_ command: AddressCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .createMyAddress(let named): return try await createAddress(user: user(userId, named: named))
        case .deleteMyAddress(let named): return try await deleteAddress(user: user(userId, named: named))
        case .showMyAddress(let named): return try await showAddress(user: user(userId, named: named))
        case .setProfileAddress(let named, let enable):
            return try await setProfileAddress(enable, user: user(userId, named: named))
        case .setAddressSettings(let named, let settings):
            return try await setAddressSettings(settings, user: user(userId, named: named))
        default: throw ChatFailure.notImplemented(name(of: command))
        }
    }

    /// The catalogue's name of a command, without its `api`.
    private func name(of command: some Hashable) -> String {
        let text = "\(command)"
        // A command of a room that has no dispatcher is named as `room(command(…))`.
        let words = text.split(separator: "(", maxSplits: 2)
        guard let first = words.first else { return text }
        return command is ChatCommand && words.count > 1 ? String(words[1].prefix { $0 != ")" }) : String(first)
    }

    /// The contact that a chat reference names; other kinds of chats belong to rooms that are not built.
    private static func contact(_ chat: ChatRef, _ command: @autoclosure () -> String) throws -> Int64 {
        guard chat.chatType == .direct else { throw ChatFailure.notImplemented("\(command()) \(chat.chatType.rawValue)") }
        return chat.chatId
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
