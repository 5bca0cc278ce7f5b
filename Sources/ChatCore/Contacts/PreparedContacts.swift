internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SMP
internal import SQLCipher

/// Contacts that exist before they are connected. The chat is created from the data behind a short link, and the user
/// connects later.
extension RunningCommand {
    /// `/_prepare contact`: creates the contact and its chat, with the initial items and the owner's welcome as the
    /// first message.
    /// - Parameter name: the SimpleX name that leads to the link; nil for a link without a name.
    func prepareContact(
        link: CreatedConnLink,
        name: NameDomain? = nil,
        data: ContactShortLinkData,
        user: UserRecord
    ) async throws -> ChatResponse {
        guard let request = try? ConnectionRequest(parsing: link.connFullLink) else {
            throw ChatFailure(ChatErrorType.invalidConnReq)
        }
        guard !request.leadsToGroup else {
            throw ChatFailure.commandError("the link leads to a group: prepare the group")
        }
        let short = link.connShortLink.flatMap { try? ShortLink(atServer: $0).uri }
        let link = CreatedConnLink(connFullLink: request.uri, connShortLink: short)
        if data.business, !request.isInvitation {
            let profile = GroupProfile(business: data.profile, GroupPreferences(business: data.profile.preferences))
            return try await prepareGroup(
                profile,
                link,
                name: name,
                welcome: data.message,
                isBusiness: true,
                user: user
            )
        }
        return try await store.writeAndAnswer { tx in
            let contactId = try ContactRecord.create(data.profile, alias: "", user, tx)
            let preparation = ChatPreparation(link: link, welcomeID: data.message.map { _ in .random() })
            try preparation.store(in: .contact(contactId), user: user, tx.db)
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            if let name {
                let check = DomainCheck(name, isVerified: true)
                try check.store(in: contact, tx)
                contact.domainCheck = check
            }
            try InitialItems.write(&contact, postQuantum: preparation.expectsPostQuantum, user, tx)
            var items: [ItemRecord] = []
            if let message = data.message {
                var welcome = NewItem(
                    isSent: false,
                    content: .rcvMsgContent(msgContent: message),
                    text: message.text,
                    status: .rcvNew
                )
                welcome.sharedID = preparation.welcomeID
                items.append(try ItemWriter.create(welcome, in: &contact, movesChat: true, tx))
            }
            return .newPreparedChat(user: user.api, chat: AChat(contact, items, user, at: tx.now))
        }
    }

    /// `/_connect contact @`: connects to a prepared contact by its link.
    func connectPreparedContact(
        _ contactId: Int64,
        incognito: Bool,
        message: MsgContent?,
        user: UserRecord
    ) async throws -> ChatResponse {
        var contact = try await store.read { db in try ContactRecord.get(contactId, user: user, in: db) }
        guard let preparation = contact.preparation else {
            throw ChatFailure.commandError("contact doesn't have link to connect")
        }
        let before = try await findEarlierJoin()
        if let connection = contact.connection, connection.status != .prepared, before == nil {
            return .contactAlreadyExists(user: user.api, contact: contact.api(user))
        }
        let attempt = try JoinAttempt(
            preparation,
            incognito: incognito,
            owner: .contact(contactId),
            over: contact.connection
        )
        let isInvitation = attempt.request.isInvitation
        let first = message.map { RequestMessage(id: preparation.messageID ?? .random(), content: $0) }
        // The changes of features are computed below from this copy of the contact, which has no connection yet.
        contact.connection = nil
        let joined = try await emitChatOnFailure(.contact(contactId), user) {
            if let before { return before }
            guard !isInvitation else { return try await self.joinInvitation(attempt, user: user) }
            if let first {
                try await self.storeRequestMessageID(first.id, forRequestOf: .contact(contactId), preparation, user)
            }
            return try await self.sendRequest(
                attempt,
                welcomeID: preparation.welcomeID,
                message: first?.encoded(),
                user: user
            )
        }
        return try await store.writeAndAnswer { [contact] tx in
            var updated = try ContactRecord.get(contactId, user: user, in: tx.db)
            // The contact gets an incognito profile without the user's preferences, so the states of the features may
            // change.
            if incognito {
                try FeatureItems.emitChangeItems(
                    from: contact,
                    user,
                    to: &updated,
                    user,
                    side: .userBeforeConnecting,
                    tx
                )
            }
            if let first {
                try Self.writeFirstMessage(first, isInRequest: !isInvitation, in: &updated, user, tx)
            }
            var shown = updated
            if shown.connection?.connectionId == joined.connection.connectionId { shown.connection = joined.connection }
            return .startedConnectionToContact(
                user: user.api,
                contact: shown.api(user),
                customUserProfile: joined.incognitoProfile
            )
        }
    }

    /// Sends the user's first message over the new connection. If the request to connect already contained the message,
    /// only writes the chat item of the message, unless an earlier attempt has written the item.
    private static func writeFirstMessage(
        _ message: RequestMessage,
        isInRequest: Bool,
        in contact: inout ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard isInRequest else {
            _ = try contact.requireSendableConnection(user)
            return try contact.sendMessage(message.content, user, tx)
        }
        guard try ItemQueries.find(shared: message.id, in: contact, tx.db) == nil else { return }
        let item = try ItemWriter.create(message.item, in: &contact, movesChat: true, tx)
        try tx.emit(
            .newChatItems(user: user.api, chatItems: [item.api(in: contact.api(user), at: tx.now)]),
            user: user.userId
        )
    }

    /// `/_connect contact`: sends a request to the address in the profile of a contact without a connection.
    func connectContactViaAddress(_ contactId: Int64, incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        let contact = try await store.read { db in try ContactRecord.get(contactId, user: user, in: db) }
        guard let link = contact.profile.contactLink else {
            throw ChatFailure.commandError("no address in contact profile")
        }
        let before = try await findEarlierJoin()
        if let connection = contact.connection, connection.status != .prepared, before == nil {
            throw ChatFailure.commandError("there is a connection with this contact")
        }
        let joined =
            if let before { before } else {
                try await sendRequestViaAddress(contact, link, incognito: incognito, user: user)
            }
        return try await store.read { db in
            let updated = try ContactRecord.get(contactId, user: user, in: db)
            return .sentInvitationToContact(
                user: user.api,
                contact: updated.api(user),
                customUserProfile: joined.incognitoProfile
            )
        }
    }

    private func sendRequestViaAddress(
        _ contact: ContactRecord,
        _ link: String,
        incognito: Bool,
        user: UserRecord
    ) async throws -> JoinedConnection {
        let resolved = try await resolveLink(link, user: user)
        guard !resolved.request.isInvitation else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        let attempt = JoinAttempt(
            request: resolved.request,
            shortLink: resolved.shortLink?.uri,
            isIncognito: incognito,
            owner: .contact(contact.contactId),
            requestID: contact.connection?.requestID
        )
        return try await emitChatOnFailure(.contact(contact.contactId), user) {
            try await self.sendRequest(attempt, user: user)
        }
    }

    /// `/_set contact user @`: moves a prepared contact and its chat to another user, who will connect to the contact
    /// instead. The contact gets a new id.
    func changePreparedContactUser(
        _ contactId: Int64,
        to newUserId: Int64,
        user: UserRecord
    ) async throws -> ChatResponse {
        let (request, other) = try await store.read { db in
            let contact = try ContactRecord.get(contactId, user: user, in: db)
            guard let preparation = contact.preparation else {
                throw ChatFailure.commandError("contact doesn't have link to connect")
            }
            return (try preparation.request, try Self.getVisibleUser(newUserId, db))
        }
        try await services.agent.shareInvitationKey(of: request, from: user.agentUserId, with: other.agentUserId)
        return try await store.writeAndAnswer { tx in
            let contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            guard contact.connection == nil else {
                throw ChatFailure.commandError("there is a connection with this contact")
            }
            let newUser = try Self.getVisibleUser(newUserId, tx.db)
            var moved = try contact.move(to: newUser, from: user, tx)
            let items = try FeatureItems.writeChangeItems(
                from: contact,
                user,
                to: &moved,
                newUser,
                side: .userBeforeConnecting,
                tx
            )
            if !items.isEmpty { try FeatureItems.emitItems(items, moved, newUser, tx) }
            return .contactUserChanged(
                user: user.api,
                fromContact: contact.api(user),
                newUser: newUser.api,
                toContact: moved.api(newUser)
            )
        }
    }

    /// Returns the user to whom a command moves data. A hidden user who is not active causes the same error as a
    /// missing user.
    /// - Throws: `userUnknown`.
    static func getVisibleUser(_ userId: Int64, _ db: StoreConnection) throws -> UserRecord {
        let found = try getUser(userId, db)
        guard !found.isHidden || found.isActive else { throw ChatFailure(ChatErrorType.userUnknown) }
        return found
    }

    /// Runs `body`, which connects to a prepared chat. If `body` fails, emits an event with the current chat. A failed
    /// attempt may have begun to connect, and then the data of the prepared chat can no longer change.
    func emitChatOnFailure<T: Sendable>(
        _ chat: ChatKey,
        _ user: UserRecord,
        _ body: @Sendable () async throws -> T
    ) async throws -> T {
        do {
            return try await body()
        } catch {
            try await store.write { tx in
                let info: ChatInfo?
                switch chat {
                case .contact(let id): info = try ContactRecord.find(id, user: user.userId, in: tx.db)?.chatInfo(user)
                case .group(let id): info = try GroupRecord.find(id, user: user.userId, in: tx.db)?.chatInfo(user)
                case .notes, .memberSupport, .supportChatReference: info = nil
                }
                if let info { try tx.emit(.chatInfoUpdated(user: user.api, chatInfo: info), user: user.userId) }
            }
            throw error
        }
    }
}

extension AChat {
    /// Makes a new chat with its first messages, which are unread.
    init(_ contact: ContactRecord, _ messages: [ItemRecord], _ user: UserRecord, at now: Timestamp) {
        var stats = ChatStats.empty
        stats.unreadCount = messages.count
        stats.minUnreadItemId = messages.first?.itemId ?? 0
        self.init(
            chatInfo: .direct(contact: contact.api(user)),
            chatItems: messages.map { $0.api(at: now) },
            chatStats: stats
        )
    }
}
