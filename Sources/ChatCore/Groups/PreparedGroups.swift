internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SMP
internal import SQLCipher

/// Prepared groups: groups whose chats exist before the user asks to join. Prepared contacts are similar
/// (``prepareContact(link:name:data:user:)``).
extension RunningCommand {
    /// `/_prepare group`: creates a group with an unknown host. The description of the group becomes the first message.
    /// - Parameters:
    ///   - isDirect: whether the user joins through a member and not through chat relays.
    ///   - name: the SimpleX name that leads to the link; nil for a link without a name.
    func prepareGroup(
        link: CreatedConnLink,
        isDirect: Bool,
        name: NameDomain? = nil,
        data: GroupShortLinkData,
        user: UserRecord
    ) async throws -> ChatResponse {
        guard let request = try? ConnectionRequest(parsing: link.connFullLink) else {
            throw ChatFailure(ChatErrorType.invalidConnReq)
        }
        guard request.leadsToGroup else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        let short = link.connShortLink.flatMap { try? ShortLink(atServer: $0).uri }
        let link = CreatedConnLink(connFullLink: request.uri, connShortLink: short)
        guard isDirect else { return try await prepareChannel(link: link, name: name, data: data, user: user) }
        guard data.groupProfile.publicGroup == nil else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        let description = data.groupProfile.description.map { MsgContent.text(text: $0) }
        return try await prepareGroup(data.groupProfile, link, welcome: description, user: user)
    }

    /// Creates a prepared group: a group with a chat, which the user can join later.
    /// - Parameters:
    ///   - name: the SimpleX name that leads to the address of a business; nil for other links.
    ///   - isBusiness: whether the link is the address of a business. The user then becomes a customer of the business.
    func prepareGroup(
        _ profile: GroupProfile,
        _ link: CreatedConnLink,
        name: NameDomain? = nil,
        welcome: MsgContent?,
        isBusiness: Bool = false,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let preparation = ChatPreparation(link: link, welcomeID: welcome.map { _ in .random() })
            var (group, host) = try GroupRecord.create(prepared: profile, preparation, isBusiness: isBusiness, user, tx)
            if let name, var business = group.businessInfo {
                business.businessDomain = SimplexDomainClaim(domain: name.text)
                try group.setBusinessInfo(business, tx)
                try DomainCheck(name, isVerified: true).store(in: group, tx)
            }
            return try Self.writePreparedChat(&group, by: host, welcome, id: preparation.welcomeID, user, tx)
        }
    }

    /// Writes the first items of a prepared group, and returns the group as a new chat.
    /// - Parameter host: the author of the items; nil in a channel, where the items have no author.
    static func writePreparedChat(
        _ group: inout GroupRecord,
        by host: MemberRecord?,
        _ welcome: MsgContent?,
        id: SharedMessageID?,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatResponse {
        try GroupItems.writePreparedGroupItems(&group, by: host, tx)
        var items: [ItemRecord] = []
        if let welcome {
            var item = NewItem(isSent: false, MarkedContent(welcome), status: .rcvNew)
            item.author = host
            item.showsGroupAsSender = true
            item.sharedID = id
            items.append(try ItemWriter.create(item, in: &group, movesChat: true, tx))
        }
        group = try GroupRecord.get(group.groupId, user: user, in: tx.db)
        var stats = ChatStats.empty
        stats.unreadCount = items.count
        stats.minUnreadItemId = items.first?.itemId ?? 0
        return .newPreparedChat(
            user: user.api,
            chat: AChat(chatInfo: group.chatInfo(user), chatItems: items.map { $0.api(at: tx.now) }, chatStats: stats)
        )
    }

    /// `/_connect group #`: asks to join the group by the link from which the group was prepared.
    /// - Parameter ownerContact: a contact who has shared the link of a channel as an owner of the channel; nil if
    ///   there is no such contact.
    func connectPreparedGroup(
        _ groupId: Int64,
        incognito: Bool,
        ownerContact: GroupOwnerContact? = nil,
        message: MsgContent?,
        user: UserRecord
    ) async throws -> ChatResponse {
        let (group, host) = try await store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            return (group, try MemberRecord.findHost(of: group, db))
        }
        if group.isChannel, group.preparation != nil {
            return try await connectChannel(group, ownerContact: ownerContact, incognito: incognito, user: user)
        }
        guard let preparation = group.preparation, let host else {
            throw ChatFailure.commandError("group doesn't have link to connect")
        }
        let before = try await findEarlierJoin()
        let prepared = preparation.chatPreparation
        let first = message.map { RequestMessage(id: prepared.messageID ?? .random(), content: $0) }
        let joined = try await emitChatOnFailure(.group(groupId), user) {
            if let before { return before }
            var attempt = try JoinAttempt(
                prepared,
                incognito: incognito,
                owner: .member(host.memberId),
                over: host.connection
            )
            attempt.group = group
            if let first {
                try await self.storeRequestMessageID(first.id, forRequestOf: .group(groupId), prepared, user)
            }
            // Only a request to a business may contain a message.
            guard first == nil || !attempt.request.leadsToGroup else {
                throw ChatFailure(ChatErrorType.connReqMessageProhibited)
            }
            return try await self.sendRequest(
                attempt,
                welcomeID: prepared.welcomeID,
                message: first?.encoded(),
                user: user
            )
        }
        return try await store.writeAndAnswer { tx in
            var updated = try GroupRecord.get(groupId, user: user, in: tx.db)
            try updated.setProgress(.started, tx)
            updated = try GroupRecord.get(groupId, user: user, in: tx.db)
            let shown = updated
            if let first, try ItemQueries.find(shared: first.id, in: updated, tx.db) == nil {
                // The first message was already sent with the request to join. Only its chat item is missing.
                try GroupItems.createAndEmitItems([first.item], in: &updated, user, tx)
            }
            return .startedConnectionToGroup(
                user: user.api,
                groupInfo: shown.api(user),
                customUserProfile: joined.incognitoProfile,
                relayResults: []
            )
        }
    }

    /// `/_set group user #`: moves a prepared group to another user, who then joins instead of the first user. The chat
    /// is moved with the group, and the group gets a new id.
    func changePreparedGroupUser(_ groupId: Int64, to newUserId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let host = try MemberRecord.findHost(of: group, tx.db)
            // The hosts of a channel are its relays. The relays are unknown until the user asks to join.
            guard let preparation = group.preparation, group.isChannel || host != nil else {
                throw ChatFailure.commandError("group doesn't have link to connect")
            }
            guard group.isChannel ? preparation.progress == .none : host?.connection == nil else {
                throw ChatFailure.commandError("there is a connection with the host of the group")
            }
            let newUser = try Self.getVisibleUser(newUserId, tx.db)
            let moved = try group.move(to: newUser, host: host, tx)
            return .groupUserChanged(
                user: user.api,
                fromGroup: group.api(user),
                newUser: newUser.api,
                toGroup: moved.api(newUser)
            )
        }
    }
}

extension GroupRecord {
    fileprivate static func create(
        prepared profile: GroupProfile,
        _ preparation: ChatPreparation,
        isBusiness: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> (GroupRecord, host: MemberRecord) {
        var profile = profile
        profile.replaceUnshowableValues()
        let unknown = MemberID.random()
        // Both ids are placeholders. The answer to the request contains the ids of the host and of the user.
        let (group, host) = try create(
            profile,
            host: NewMember(
                id: MemberID(bytes: Array("\(profile.displayName)_unknown_host_".utf8.prefix(200)) + unknown.bytes),
                role: .admin,
                category: .host,
                status: .accepted,
                profileId: 0,
                localDisplayName: "",
                versions: .initial
            ),
            Profile(displayName: String(unknown.text.prefix(7)), fullName: ""),
            as: MemberIdRole(
                id: MemberID(bytes: Array("\(profile.displayName)_user_unknown_id".utf8.prefix(200))),
                role: .member
            ),
            .unknown,
            incognito: nil,
            user,
            tx
        )
        try preparation.store(in: .group(group.groupId), user: user, tx.db)
        if isBusiness {
            var group = group
            try group.setBusinessInfo(
                BusinessChatInfo(
                    chatType: .business,
                    businessId: host.sharedID.text,
                    customerId: group.membership.sharedID.text
                ),
                tx
            )
        }
        return (try get(group.groupId, user: user, in: tx.db), host)
    }

    /// Moves a prepared group and its chat to another user. The group and its members get new ids, since each user has
    /// separate ids.
    fileprivate func move(to newUser: UserRecord, host: MemberRecord?, _ tx: Transaction) throws -> GroupRecord {
        guard newUser.userId != userId, let preparation else { return self }
        let created: GroupRecord, newHost: MemberRecord?
        if let channel {
            created = try Self.create(
                channel: profile,
                id: channel.publicGroupID,
                members: channel.publicMemberCount,
                preparation.chatPreparation,
                newUser,
                tx
            )
            newHost = nil
        } else {
            (created, newHost) = try Self.create(
                prepared: profile,
                preparation.chatPreparation,
                isBusiness: businessInfo != nil,
                newUser,
                tx
            )
        }
        for table in ["chat_items", "chat_item_reactions"] {
            try tx.db.update(
                table,
                set: ["user_id": newUser.userId, "chat_id": created.groupId],
                where: ["user_id": userId, "chat_type": chatKey.kind.rawValue, "chat_id": chatKey.chatId]
            )
        }
        if let host, let newHost {
            try tx.db.update(
                "chat_items",
                set: ["author_member_id": newHost.memberId],
                where: [
                    "user_id": created.userId, "chat_type": created.chatKey.kind.rawValue,
                    "chat_id": created.chatKey.chatId, "author_member_id": host.memberId,
                ]
            )
        }
        try tx.db.update(
            "groups",
            set: ["created_at": createdAt.nanoseconds, "chat_ts": chatTs.nanoseconds],
            where: ["user_id": newUser.userId, "group_id": created.groupId]
        )
        if let claim = businessInfo?.businessDomain, var info = created.businessInfo {
            info.businessDomain = claim
            var moved = created
            try moved.setBusinessInfo(info, tx)
        }
        try domainCheck?.store(in: created, tx)
        try tx.moveJournalSubjects(of: self, to: created.chatKey, user: newUser.userId)
        try tx.db.delete(from: "groups", where: ["user_id": userId, "group_id": groupId])
        try LocalDisplayNames.delete(localDisplayName, user: userId, in: tx.db)
        try host?.deleteUnusedProfile(tx)
        return try Self.get(created.groupId, user: newUser, in: tx.db)
    }
}
