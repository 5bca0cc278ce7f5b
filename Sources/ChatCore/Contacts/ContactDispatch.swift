internal import ChatAPI
internal import ChatStore

extension RunningCommand {
    func run(_ command: ContactCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .addContact(let named, let incognito):
            return try await createInvitation(incognito: incognito, user: findUser(userId, named: named))
        case .connect(let named, let incognito, let link):
            return try await connectByLink(link: link, incognito: incognito, user: findUser(userId, named: named))
        case .connectPlan(let named, let link, let mode, let signature):
            return try await planConnection(
                link: link,
                mode,
                signature: signature,
                user: findUser(userId, named: named)
            )
        case .deleteChat(let chat, let mode):
            let user = try await findUser(userId)
            if chat.chatType == .contactConnection { return try await deletePendingConnection(chat.chatId, user: user) }
            switch try ChatKey(whole: chat) {
            case .contact(let contactId): return try await deleteContact(contactId, mode, user: user)
            case .group(let groupId): return try await deleteGroup(groupId, user: user)
            case .notes, .memberSupport, .supportChatReference: throw ChatFailure.commandError("not supported")
            }
        case .clearChat(let chat):
            let user = try await findUser(userId)
            return try await clearChat(ChatKey(whole: chat), user: user)
        case .listContacts(let named): return try await listContacts(user: findUser(userId, named: named))
        case .setContactPrefs(let contactId, let preferences):
            return try await setContactPreferences(contactId, preferences, user: findUser(userId))
        case .setContactAlias(let contactId, let alias):
            return try await setContactAlias(contactId, alias, user: findUser(userId))
        case .setConnectionAlias(let connId, let alias):
            return try await setConnectionAlias(connId, alias, user: findUser(userId))
        case .acceptContact(let incognito, let requestId):
            return try await acceptContact(requestId, incognito: incognito, user: findUser(userId))
        case .rejectContact(let requestId): return try await rejectContact(requestId, user: findUser(userId))
        case .setContactMergeEnabled(let enabled): return try await setContactMerge(enabled)
        case .contactInfo(let contactId): return try await showContactInfo(contactId, user: findUser(userId))
        case .setContactCustomData(let contactId, let data):
            return try await setCustomData(data, of: .contact(contactId), user: findUser(userId))
        case .enableContact(let contactId): return try await enableContact(contactId, user: findUser(userId))
        case .setConnectionIncognito(let connId, let incognito):
            return try await setConnectionIncognito(connId, incognito, user: findUser(userId))
        case .changeConnectionUser(let connId, let newUserId):
            return try await changeConnectionUser(connId, to: newUserId, user: findUser(userId))
        case .prepareContact(let named, let link, let domain, let data):
            return try await prepareContact(
                link: link,
                name: Self.parseName(domain),
                data: data,
                user: findUser(userId, named: named)
            )
        case .connectPreparedContact(let contactId, let incognito, let message):
            return try await connectPreparedContact(
                contactId,
                incognito: incognito,
                message: message,
                user: findUser(userId)
            )
        case .connectContactViaAddress(let named, let incognito, let contactId):
            return try await connectContactViaAddress(
                contactId,
                incognito: incognito,
                user: findUser(userId, named: named)
            )
        case .changePreparedContactUser(let contactId, let newUserId):
            return try await changePreparedContactUser(contactId, to: newUserId, user: findUser(userId))
        }
    }
}
