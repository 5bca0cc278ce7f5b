internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher

extension RunningCommand {
    /// `/_add #`: invites a contact. If the contact was invited before, the same invitation is sent again with the new
    /// role.
    /// - Throws: `groupUserRole`, `contactIncognitoCantInvite`, `groupIncognitoCantInvite`, `groupDuplicateMember`, …
    func addMember(
        _ groupId: Int64,
        contact contactId: Int64,
        role: GroupMemberRole,
        user: UserRecord
    ) async throws -> ChatResponse {
        let invited = try await store.read { db in try Self.checkMayInvite(contactId, to: groupId, role, user, db) }
        guard invited == nil else {
            return try await store.writeAndAnswer { tx in
                guard let member = try Self.checkMayInvite(contactId, to: groupId, role, user, tx.db) else {
                    throw ChatFailure(ChatErrorType.groupMemberNotFound)
                }
                return try Self.sendInvitation(member, as: role, user, tx)
            }
        }
        let key = claim?.agentRequestID
        let (id, request) = try await services.withAgent {
            try await $0.createInvitation(user: user.agentUserId, pqSupport: false, for: key, patience: .interactive)
        }
        do { return try await inviteNewMember(contactId, to: groupId, role, id, request, user: user) } catch let error
            as ChatFailure
        {
            // The user may no longer invite the contact, so the new connection is deleted.
            try await store.write { tx in try tx.requestDeletionInAgent(of: id.text, user: user.userId) }
            throw error
        }
    }

    private func inviteNewMember(
        _ contactId: Int64,
        to groupId: Int64,
        _ role: GroupMemberRole,
        _ id: ConnectionID,
        _ request: ConnectionRequest,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            if let member = try Self.checkMayInvite(contactId, to: groupId, role, user, tx.db) {
                // Another request has invited the contact first, so this new connection is deleted.
                try tx.requestDeletionInAgent(of: id.text, user: user.userId)
                return try Self.sendInvitation(member, as: role, user, tx)
            }
            let contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let member = try MemberRecord.create(
                NewMember(
                    id: .random(),
                    role: role,
                    category: .invitee,
                    status: .invited,
                    invitedByContactId: 0,
                    invitedByMemberId: group.membership.memberId,
                    contactId: contactId,
                    profileId: contact.profileId,
                    localDisplayName: contact.localDisplayName,
                    versions: contact.connection?.peerVersions ?? .initial,
                    invitationURI: request.uri
                ),
                in: groupId,
                user,
                tx
            )
            _ = try ConnectionRecord.create(
                agent: id,
                user: user,
                status: .new,
                initiated: false,
                fullLink: nil,
                owner: .member(member.memberId),
                pqSupport: false,
                chatVersion: contact.connection?.chatVersion ?? ChatVersionRange.initial.maximum,
                peerVersions: member.versions,
                at: tx.now,
                in: tx.db
            )
            return try Self.sendInvitation(member, as: role, user, tx)
        }
    }

    /// Checks that the user may invite the contact.
    /// - Returns: the member that an earlier invitation to the contact has created; nil for the first invitation.
    private static func checkMayInvite(
        _ contactId: Int64,
        to groupId: Int64,
        _ role: GroupMemberRole,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> MemberRecord? {
        let group = try GroupRecord.get(groupId, user: user, in: db)
        guard !group.isChannel else { throw ChatFailure.commandError("can't invite contact to channel") }
        let contact = try ContactRecord.get(contactId, user: user, in: db)
        guard contact.connection != nil || contact.status != .active else {
            throw ChatFailure(StoreError.contactNotReady(contactName: contact.localDisplayName))
        }
        _ = try contact.requireSendableConnection(user)
        try group.requireRole(max(.admin, role), user)
        guard !contact.isIncognito else { throw ChatFailure(ChatErrorType.contactIncognitoCantInvite) }
        guard group.membership.incognitoProfileId == nil else {
            throw ChatFailure(ChatErrorType.groupIncognitoCantInvite)
        }
        guard let member = try MemberRecord.find(contact: contactId, in: group, db), !member.status.isRemoved else {
            return nil
        }
        guard member.status == .invited else {
            throw ChatFailure(ChatErrorType.groupDuplicateMember(contactName: contact.localDisplayName))
        }
        guard member.invitationURI != nil else {
            throw ChatFailure(
                ChatErrorType.groupCantResendInvitation(
                    groupInfo: group.api(user),
                    contactName: contact.localDisplayName
                )
            )
        }
        return member
    }

    /// Sends the invitation to a contact who is an invited member, over the connection to the contact.
    static func sendInvitation(
        _ invited: MemberRecord,
        as role: GroupMemberRole,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatResponse {
        var member = invited
        let group = try GroupRecord.get(member.groupId, user: user, in: tx.db)
        guard let contactId = member.contactId, let request = member.invitationURI else {
            throw ChatFailure(ChatErrorType.groupMemberNotFound)
        }
        if member.role != role { try member.setRole(role, tx) }
        var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
        var invitation = GroupInvitationMessage(
            from: MemberIdRole(id: group.membership.sharedID, role: group.membership.role),
            invited: MemberIdRole(id: member.sharedID, role: role),
            request: request,
            groupProfile: try JSONEncoder().encodeValue(group.profile),
            groupSize: group.currentMemberCount
        )
        invitation.business = try group.businessInfo.map { try JSONEncoder().encodeValue($0) }
        let shown = CIGroupInvitation(
            groupId: group.groupId,
            groupMemberId: member.memberId,
            localDisplayName: member.localDisplayName,
            groupProfile: group.profile,
            status: .pending
        )
        var item = NewItem(
            isSent: true,
            content: .sndGroupInvitation(groupInvitation: shown, memberRole: role),
            text: "sent \(shown.text(role))",
            status: .sndNew
        )
        item.sharedID = .random()
        let connection = try contact.requireSendableConnection(user)
        let written = try ItemWriter.create(item, in: &contact, movesChat: true, tx)
        try tx.enqueue(
            ChatMessage(sharedID: item.sharedID, event: .group(.invitation(invitation))),
            to: connection,
            item: written.itemId
        )
        try tx.emit(
            .newChatItems(user: user.api, chatItems: [written.api(in: contact.chatInfo(user), at: tx.now)]),
            user: user.userId
        )
        // The answer shows the member as it was before the command, but with the new role.
        var api = invited.api
        api.memberRole = role
        if invited.connection == nil || invited.createdAt == tx.now { api.activeConn = nil }
        return .sentGroupInvitation(user: user.api, groupInfo: group.api(user), contact: contact.api(user), member: api)
    }

    /// Sets the status of an invitation in the item that shows the invitation, if the current status is still `before`.
    /// Also emits the event about the item.
    static func setInvitationStatus(
        of group: GroupRecord,
        as status: CIGroupInvitationStatus,
        after before: CIGroupInvitationStatus = .pending,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        try changeInvitation(of: group, user, tx) { invitation, _ in
            if invitation.status == before { invitation.status = status }
        }
    }

    /// Changes the invitation and the role in the item that shows an invitation. If the status or the role has changed,
    /// stores the item, and emits the event about the item.
    static func changeInvitation(
        of group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction,
        _ change: (inout CIGroupInvitation, inout GroupMemberRole) -> Void
    ) throws {
        guard let itemId = group.invitationItemId, let contactId = group.membership.invitedByContactId, contactId != 0,
            let contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db),
            var item = try ItemQueries.findItems([itemId], in: contact, tx.db).first,
            case .rcvGroupInvitation(let invitation, let role) = item.content
        else { return }
        var (changed, newRole) = (invitation, role)
        change(&changed, &newRole)
        guard changed.status != invitation.status || newRole != role else { return }
        try ItemWriter.replaceContent(
            &item,
            content: .rcvGroupInvitation(groupInvitation: changed, memberRole: newRole),
            text: newRole == role ? item.text : "received \(changed.text(newRole))",
            edited: false,
            live: nil,
            tx
        )
        try tx.emit(
            .chatItemUpdated(user: user.api, chatItem: item.api(in: contact.chatInfo(user), at: tx.now)),
            user: user.userId
        )
    }
}

extension CIGroupInvitation {
    func text(_ role: GroupMemberRole) -> String {
        let fullName =
            groupProfile.fullName.isEmpty || groupProfile.fullName == groupProfile.displayName
            ? "" : " (\(groupProfile.fullName))"
        return "invitation to join group \(groupProfile.displayName)\(fullName) as \(role.rawValue)"
    }
}
