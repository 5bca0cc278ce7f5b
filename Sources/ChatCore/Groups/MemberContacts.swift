internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

extension ContactRecord {
    /// Creates a contact for a member, with the profile and the name of the member.
    static func create(
        of membership: GroupMembership,
        _ memberContact: MemberContact,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ContactRecord {
        let member = membership.member
        let contactId = try reserveId(user, tx)
        try tx.db.insert(
            into: "contacts",
            [
                "user_id": user.userId, "contact_id": contactId, "contact_profile_id": member.contactProfileId,
                "local_display_name": member.localDisplayName, "contact_used": true,
                "user_preferences": try StoredJSON.encode(Preferences()),
                "member_contact": try StoredJSON.encode(memberContact), "created_at": tx.now.nanoseconds,
                "updated_at": tx.now.nanoseconds, "chat_ts": tx.now.nanoseconds,
            ]
        )
        try tx.db.update(
            "group_members",
            set: ["contact_id": contactId],
            where: ["user_id": user.userId, "contact_profile_id": member.contactProfileId]
        )
        return try get(contactId, user: user, in: tx.db)
    }

    /// Records that the link for the direct chat was used: the user's link was sent, or the user has connected by the
    /// link of the member.
    mutating func recordLinkUse(_ tx: Transaction) throws {
        guard var memberContact else { return }
        memberContact.isUsed = true
        try setMemberContact(memberContact, tx)
    }

    mutating func setMemberContact(_ memberContact: MemberContact?, _ tx: Transaction) throws {
        self.memberContact = memberContact
        try tx.db.update(
            "contacts",
            set: ["member_contact": try memberContact.map { try StoredJSON.encode($0) }],
            where: ["user_id": userId, "contact_id": contactId]
        )
    }
}

extension RunningCommand {
    /// `/_create member contact #`: creates a contact for a member, and a link for a direct chat. Another command sends
    /// the link: `/_invite member contact @`.
    /// - Throws: `groupUserRole`, `groupMemberNotActive`; `commandError` if the group does not allow direct messages,
    ///   or if the contact already exists.
    func createMemberContact(_ groupId: Int64, _ memberId: Int64, user: UserRecord) async throws -> ChatResponse {
        _ = try await store.read { db in try Self.getWritableMember(groupId, memberId, user, db) }
        let key = claim?.agentRequestID
        let (id, request) = try await services.withAgent {
            try await $0.createInvitation(user: user.agentUserId, pqSupport: false, for: key, patience: .interactive)
        }
        return try await store.writeAndAnswer { tx in
            let membership = try Self.getWritableMember(groupId, memberId, user, tx.db)
            var contact = try ContactRecord.create(
                of: membership,
                MemberContact(groupId: groupId, memberId: memberId, link: request.uri, isReceived: false),
                user,
                tx
            )
            contact.connection = try ConnectionRecord.create(
                agent: id,
                user: user,
                status: .new,
                initiated: true,
                fullLink: request.uri,
                owner: .contact(contact.contactId),
                incognitoProfileId: membership.group.membership.incognitoProfileId,
                pqSupport: false,
                chatVersion: membership.member.connection?.chatVersion ?? ChatVersionRange.initial.maximum,
                peerVersions: membership.member.versions,
                introducerCount: membership.member.connection?.introducerCount ?? 0,
                at: tx.now,
                in: tx.db
            )
            try InitialItems.writeBanner(&contact, tx)
            return .newMemberContact(
                user: user.api,
                contact: contact.api(user),
                groupInfo: membership.group.api(user),
                member: membership.member.api
            )
        }
    }

    private static func getWritableMember(
        _ groupId: Int64,
        _ memberId: Int64,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> GroupMembership {
        let group = try GroupRecord.get(groupId, user: user, in: db)
        let member = try MemberRecord.get(memberId, in: group, db)
        try group.requireRole(.author, user)
        guard group.preferences.allows(.directMessages, group.membership.role) else {
            throw ChatFailure.commandError("direct messages not allowed")
        }
        guard let connection = member.connection, connection.status != .deleted else {
            throw ChatFailure(ChatErrorType.groupMemberNotActive)
        }
        guard member.contactId == nil else { throw ChatFailure.commandError("member contact already exists") }
        return GroupMembership(group: group, member: member)
    }

    /// `/_invite member contact @`: sends the link to the member, with an optional first message.
    func inviteMemberContact(_ contactId: Int64, _ content: MsgContent?, user: UserRecord) async throws -> ChatResponse
    {
        try await store.writeAndAnswer { tx in
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            guard let memberContact = contact.memberContact, !memberContact.isReceived, contact.connection != nil,
                let group = try GroupRecord.find(memberContact.groupId, user: user.userId, in: tx.db),
                let member = try MemberRecord.find(memberContact.memberId, user: user.userId, in: tx.db)
            else { throw ChatFailure(StoreError.memberContactGroupMemberNotFound(contactId: contactId)) }
            guard !memberContact.isUsed else {
                throw ChatFailure.commandError("the member was invited to direct messages already")
            }
            guard let connection = member.connection, connection.canSend else {
                throw ChatFailure(ChatErrorType.groupMemberNotActive)
            }
            let id = SharedMessageID.random()
            let json = try content.map { try JSONEncoder().encodeValue($0) }
            try contact.recordLinkUse(tx)
            if let content {
                var item = NewItem(isSent: true, MarkedContent(content), status: .sndNew)
                item.sharedID = id
                let written = try ItemWriter.create(item, in: &contact, movesChat: true, tx)
                try tx.emit(
                    .newChatItems(user: user.api, chatItems: [written.api(in: contact.chatInfo(user), at: tx.now)]),
                    user: user.userId
                )
            }
            try tx.enqueue(
                ChatMessage(sharedID: id, event: .group(.directInvitation(memberContact.link, content: json))),
                to: connection
            )
            return .newMemberContactSentInv(
                user: user.api,
                contact: contact.api(user),
                groupInfo: group.api(user),
                member: member.api
            )
        }
    }

    /// `/_accept member contact @`: connects by the link that the member has sent.
    func acceptMemberContact(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let contact = try await store.read { db in try ContactRecord.get(contactId, user: user, in: db) }
        guard let memberContact = contact.memberContact, memberContact.isReceived else {
            throw ChatFailure(StoreError.memberContactGroupMemberNotFound(contactId: contactId))
        }
        if try await findEarlierJoin() == nil {
            guard !memberContact.isUsed else { throw ChatFailure.commandError("the connection was begun already") }
            let group = try await store.read { db in
                try GroupRecord.find(memberContact.groupId, user: user.userId, in: db)
            }
            var attempt = JoinAttempt(
                request: try ConnectionRequest(parsing: memberContact.link),
                isIncognito: group?.membership.incognitoProfileId != nil,
                owner: .contact(contactId)
            )
            attempt.incognitoProfileId = group?.membership.incognitoProfileId
            _ = try await joinInvitation(attempt, user: user)
        }
        return try await store.writeAndAnswer { tx in
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            try contact.recordLinkUse(tx)
            return .memberContactAccepted(user: user.api, contact: contact.api(user))
        }
    }
}

/// A handler of the invitations to a direct chat that members of a group send.
struct ReceivedMemberContact {
    let user: UserRecord
    let receivedMessage: GroupReceiver.ReceivedMessage
    let tx: Transaction

    func handleInvitation(_ link: String, _ json: JSONValue?, in group: inout GroupRecord) throws {
        let member = receivedMessage.author
        guard group.preferences.allows(.directMessages, member.role) else {
            return receivedMessage.receiver.unhandledElements.recordError(
                "x.grp.direct.inv: the group forbids direct messages",
                isMessageError: true
            )
        }
        guard !member.isBlocked, try ConnectionRequest(parsing: link).isInvitation else { return }
        let memberContact = MemberContact(
            groupId: group.groupId,
            memberId: member.memberId,
            link: link,
            isReceived: true
        )
        guard var contact = try findOrCreateContact(of: member, memberContact, in: group) else { return }
        if user.autoAcceptsMemberContacts {
            try MemberSteps.addStep(.contact, to: member, request: link, tx)
        } else {
            let item = NewItem(
                isSent: false,
                content: .rcvDirectEvent(rcvDirectEvent: .groupInvLinkReceived(groupProfile: group.profile)),
                text: "requested connection from group \(group.profile.displayName)",
                status: .rcvNew
            )
            try receivedMessage.receiver.emitNewItem(
                new: ItemWriter.create(item, in: &contact, movesChat: true, tx),
                contact
            )
        }
        let info = group
        try GroupItems.writeEventItem(.memberCreatedContact, by: member, nil, in: &group, user, tx)
        let shown = try MemberRecord.find(member.memberId, user: user.userId, in: tx.db) ?? member
        try tx.emit(
            .newMemberContactReceivedInv(
                user: user.api,
                contact: contact.api(user),
                groupInfo: info.api(user),
                member: shown.api
            ),
            user: user.userId
        )
        guard let json else { return }
        var item = NewItem(isSent: false, try MarkedContent(json), status: .rcvNew)
        item.sharedID = receivedMessage.message.sharedID
        item.itemTs = receivedMessage.brokerTs
        try receivedMessage.receiver.emitNewItem(
            new: ItemWriter.create(item, in: &contact, movesChat: true, tx),
            contact
        )
    }

    /// Finds or creates the contact of a member, and stores the invitation of the member in the contact.
    /// - Returns: the contact; nil if the invitation has no effect on the contact.
    private func findOrCreateContact(
        of member: MemberRecord,
        _ memberContact: MemberContact,
        in group: GroupRecord
    ) throws -> ContactRecord? {
        guard let contactId = member.contactId else {
            var contact = try ContactRecord.create(
                of: GroupMembership(group: group, member: member),
                memberContact,
                user,
                tx
            )
            try InitialItems.emitBanner(&contact, user, tx)
            return contact
        }
        var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
        // Both sides have created a link before they received the link of the other side. Both use the greater of the
        // two links. A contact that is already connected does not change.
        guard let own = contact.memberContact, !own.isReceived, contact.connection?.status == .new,
            memberContact.link > own.link
        else { return nil }
        for connection in try ConnectionRecord.all(of: contact, in: tx.db) {
            try tx.retireConnection(connection, farewell: false)
        }
        try contact.setMemberContact(memberContact, tx)
        return try ContactRecord.get(contactId, user: user, in: tx.db)
    }
}
