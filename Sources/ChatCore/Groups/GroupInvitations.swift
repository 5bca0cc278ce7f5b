internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher
import Synchronization

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
            // The user may no longer invite the contact, so the new link is retired.
            try await store.write { tx in try tx.retireConnection(agent: id.text, user: user.userId) }
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
                try tx.retireConnection(agent: id.text, user: user.userId)
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
    /// - Returns: the member that an earlier invitation of the contact has created; nil for the first invitation.
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

    /// `/_join #`: accepts an invitation.
    /// - Throws: `groupAlreadyJoined`, `groupInvitationNotFound`, `contactNotActive`.
    func joinGroup(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        if let answer = try await findEarlierGroupJoin(groupId, user: user) { return answer }
        let invitation = try await store.read { db in try Self.findInvitation(to: groupId, user, db) }
        let request = try ConnectionRequest(parsing: invitation.requestURI)
        guard request.isInvitation else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        let connection = try await prepareHostConnection(invitation, request, user: user)
        guard let id = connection.agentConnectionID, services.beginJoining(connection.connectionId) else {
            throw ChatFailure.commandError("group is being joined")
        }
        defer { services.endJoining(connection.connectionId) }
        let info = try ChatMessage(event: .group(.accept(invitation.group.membership.sharedID))).encodedInfo(
            for: connection
        )
        try await setMemberStatuses(.accepted, after: .invited, invitation)
        let isSecured: Bool
        let isDead = Mutex(false)
        do {
            isSecured = try await services.withAgent { agent in
                do {
                    return try await agent.join(
                        connection: id,
                        request: request,
                        connInfo: info,
                        patience: .interactive
                    )
                } catch AgentError.command(.prohibited, _) {
                    // An earlier attempt has joined, and ended before the chat database recorded this.
                    return true
                } catch let error as AgentError {
                    isDead.withLock { $0 = !error.isTemporary }
                    throw error
                }
            }
        } catch {
            try await handleFailedJoin(invitation, isFinal: isDead.withLock { $0 })
            throw error
        }
        return try await store.writeAndAnswer { tx in
            if try MemberSteps.hasStep(.accept, invitation.host, tx.db) {
                try MemberSteps.removeSteps(invitation.host, tx)
            }
            if let now = try ConnectionRecord.find(connection.connectionId, in: tx.db), now.status == .prepared {
                try now.setStatus(isSecured ? .sndReady : .joined, at: tx.now, in: tx.db)
            }
            return try Self.showAcceptance(invitation.group, user, tx)
        }
    }

    /// Makes an invitation pending again after a failed command. The automatic acceptance of the invitation continues,
    /// unless no attempt can succeed.
    private func handleFailedJoin(_ invitation: Invitation, isFinal: Bool) async throws {
        let host = invitation.host
        let isAutomatic = try await store.write { tx in
            guard try MemberSteps.hasStep(.accept, host, tx.db) else { return false }
            if isFinal {
                try MemberSteps.removeSteps(host, tx)
                try MemberSteps.withdrawAcceptance(of: host.memberId, user: host.userId, tx)
            }
            return true
        }
        if !isAutomatic { try await setMemberStatuses(.invited, after: .accepted, invitation) }
    }

    /// Returns the connection to the host, and prepares the connection if it does not exist. The status of the
    /// connection shows which steps of joining are done.
    private func prepareHostConnection(
        _ invitation: Invitation,
        _ request: ConnectionRequest,
        user: UserRecord
    ) async throws -> ConnectionRecord {
        if let tried = invitation.host.connection {
            if let claim {
                try await store.write { tx in
                    try claim.recordConnection(connection: tried.connectionId, at: tx.now, in: tx.db)
                }
            }
            return tried
        }
        let id = try await services.withAgent {
            try await $0.prepareJoin(user: user.agentUserId, request: request, pqSupport: false)
        }
        return try await store.write { tx in
            // A concurrent request may have prepared a connection first. Then this request uses it.
            if let existing = try MemberRecord.find(invitation.host.memberId, user: user.userId, in: tx.db)?.connection
            {
                try tx.retireConnection(agent: id.text, user: user.userId)
                return existing
            }
            let created = try ConnectionRecord.create(
                agent: id,
                user: user,
                status: .prepared,
                initiated: false,
                fullLink: nil,
                owner: .member(invitation.host.memberId),
                incognitoProfileId: invitation.group.membership.incognitoProfileId,
                pqSupport: false,
                chatVersion: invitation.chatVersion,
                peerVersions: invitation.host.versions,
                at: tx.now,
                in: tx.db
            )
            try self.claim?.recordConnection(connection: created.connectionId, at: tx.now, in: tx.db)
            return created
        }
    }

    /// Returns the answer to a repeated request that has already joined the group; nil for other requests. The process
    /// ended before it stored the answer.
    private func findEarlierGroupJoin(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse? {
        guard let claim, let connection = try await store.read({ try claim.findConnection(in: $0) }),
            connection.status != .prepared
        else { return nil }
        return try await store.writeAndAnswer { tx in
            try Self.showAcceptance(GroupRecord.get(groupId, user: user, in: tx.db), user, tx)
        }
    }

    private static func showAcceptance(
        _ group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatResponse {
        try setInvitationStatus(of: group, as: .accepted, user, tx)
        var shown = group
        shown.membership.status = .accepted
        shown.currentMemberCount = 0
        return .userAcceptedGroupSent(user: user.api, groupInfo: shown.api(user), hostContact: nil)
    }

    private struct Invitation {
        let group: GroupRecord
        let host: MemberRecord
        let requestURI: String
        let chatVersion: Int
    }

    private static func findInvitation(
        to groupId: Int64,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> Invitation {
        let group = try GroupRecord.get(groupId, user: user, in: db)
        guard let host = try MemberRecord.findHost(of: group, db), let text = group.invitationURI else {
            throw ChatFailure(StoreError.groupInvitationNotFound)
        }
        // If the process ended while it was joining, a repeated command continues to join. An automatic acceptance may
        // wait for another attempt, and have no connection yet.
        let isBegun = group.membership.status == .accepted && (host.connection?.status ?? .prepared) == .prepared
        guard group.membership.status == .invited || isBegun else { throw ChatFailure(StoreError.groupAlreadyJoined) }
        guard let contactId = host.contactId else { throw ChatFailure(StoreError.groupInvitationNotFound) }
        let contact = try ContactRecord.get(contactId, user: user, in: db)
        guard let connection = contact.connection else {
            throw ChatFailure(ChatErrorType.contactNotActive(contact: contact.api(user)))
        }
        return Invitation(group: group, host: host, requestURI: text, chatVersion: connection.chatVersion)
    }

    /// Sets the status of the host and of the user, if the current status is still `before`. The host may answer before
    /// its relay does. In that case a later status is stored already, and is kept.
    private func setMemberStatuses(
        _ status: GroupMemberStatus,
        after before: GroupMemberStatus,
        _ invitation: Invitation
    ) async throws {
        try await store.write { tx in
            for memberId in [invitation.host.memberId, invitation.group.membership.memberId] {
                guard var member = try MemberRecord.find(memberId, user: invitation.group.userId, in: tx.db),
                    member.status == before
                else { continue }
                try member.setStatus(status, tx)
            }
        }
    }

    /// Sets the status of an invitation in its item, if the current status is still `before`. Also emits the event
    /// about the item.
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

    /// Changes the item of an invitation, and emits the event about the item, unless nothing changes.
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

extension MessageReceiver {
    /// Stores an invitation to a group that a contact has sent, and emits the item and the event about the invitation.
    /// If the user accepts all invitations, the worker of ``MemberSteps`` joins the group.
    func handleGroupInvitation(
        _ received: GroupInvitationMessage,
        _ sharedID: SharedMessageID?,
        _ contact: inout ContactRecord
    ) throws {
        guard received.fromMember.role >= .admin, received.fromMember.role >= received.invitedMember.role else {
            throw ChatFailure(ChatErrorType.groupContactRole(contactName: contact.localDisplayName))
        }
        guard received.fromMember.id != received.invitedMember.id else {
            throw ChatFailure(ChatErrorType.groupDuplicateMemberId)
        }
        guard received.groupProfile["publicGroup"] == nil else {
            return unhandledElements.recordError(
                "x.grp.inv: a channel is joined by its link only",
                isMessageError: true
            )
        }
        var invitation = received
        invitation.groupProfile = try Self.makeNameReadable(received.groupProfile)
        if var accepted = try GroupRecord.find(invitation: invitation.connectionRequest, user, in: tx.db),
            accepted.membership.status == .accepted
        {
            return try applyRepeatedInvitation(invitation, by: contact, &accepted)
        }
        var group: GroupRecord
        // The event of a repeated invitation shows the earlier state of the group, as in the original.
        var emitted: GroupRecord
        if let known = try GroupRecord.find(invitation: invitation.connectionRequest, user, in: tx.db) {
            // A repeated invitation changes the group only if the contact is the same and the user has not accepted
            // yet.
            guard known.membership.status == .invited, known.membership.invitedByContactId == contact.contactId,
                try MemberRecord.find(invitation.invitedMember.id, in: known, tx.db).map({ $0.category == .user })
                    ?? true
            else { return }
            group = known
            emitted = known
            try group.updateFromInvitation(from: invitation, tx)
        } else {
            group = try GroupRecord.create(invited: invitation, by: contact, user, tx)
            emitted = group
            // A group that the user has not joined yet is shown with two members: the contact and the user.
            emitted.currentMemberCount = 2
            _ = try ItemWriter.create(.banner, in: &group, movesChat: false, tx)
        }
        let acceptedHost = try user.autoAcceptsGroupInvitations ? MemberRecord.findHost(of: group, tx.db) : nil
        let shown = CIGroupInvitation(
            groupId: group.groupId,
            groupMemberId: group.membership.memberId,
            localDisplayName: group.localDisplayName,
            groupProfile: group.profile,
            status: acceptedHost == nil ? .pending : .accepted
        )
        let role = invitation.invitedMember.role
        var item = NewItem(
            isSent: false,
            content: .rcvGroupInvitation(groupInvitation: shown, memberRole: role),
            text: "received \(shown.text(role))",
            status: .rcvNew
        )
        item.itemTs = brokerTs
        item.sharedID = sharedID
        let written = try ItemWriter.create(item, in: &contact, movesChat: true, tx)
        try tx.db.execute(
            "UPDATE groups SET invitation_item_id = ? WHERE user_id = ? AND group_id = ?",
            [written.itemId, user.userId, group.groupId]
        )
        try emitNewItem(new: written, contact)
        if var host = acceptedHost {
            try host.setStatus(.accepted, tx)
            try group.membership.setStatus(.accepted, tx)
            try MemberSteps.addStep(.accept, to: host, request: invitation.connectionRequest, tx)
            emitted.membership.status = .accepted
            return try tx.emit(
                .userAcceptedGroupSent(user: user.api, groupInfo: emitted.api(user), hostContact: nil),
                user: user.userId
            )
        }
        try tx.emit(
            .receivedGroupInvitation(
                user: user.api,
                groupInfo: emitted.api(user),
                contact: contact.api(user),
                fromMemberRole: invitation.fromMember.role,
                memberRole: role
            ),
            user: user.userId
        )
    }

    /// Changes the role of the user, and the profile of the group, if a contact repeats an invitation that the user has
    /// accepted, with another role. The inviter may change the role until it knows the acceptance.
    private func applyRepeatedInvitation(
        _ invitation: GroupInvitationMessage,
        by contact: ContactRecord,
        _ group: inout GroupRecord
    ) throws {
        let role = invitation.invitedMember.role
        guard group.membership.invitedByContactId == contact.contactId,
            group.membership.sharedID == invitation.invitedMember.id,
            group.membership.role != role
        else { return }
        try group.updateFromInvitation(from: invitation, tx)
        try RunningCommand.changeInvitation(of: group, user, tx) { $1 = role }
        try tx.emit(
            .userAcceptedGroupSent(user: user.api, groupInfo: group.api(user), hostContact: nil),
            user: user.userId
        )
    }

    /// Returns the profile with a display name that clients can show and users can enter.
    private static func makeNameReadable(_ json: JSONValue) throws -> JSONValue {
        var profile = try JSONDecoder().decode(GroupProfile.self, from: json)
        profile.displayName = DisplayName.shownPeerName(profile.displayName)
        return try JSONEncoder().encodeValue(profile)
    }
}

extension GroupRecord {
    /// Updates the id and the role of the user, and the profile of the group, from a repeated invitation.
    fileprivate mutating func updateFromInvitation(from invitation: GroupInvitationMessage, _ tx: Transaction) throws {
        membership.sharedID = invitation.invitedMember.id
        membership.role = invitation.invitedMember.role
        try tx.db.execute(
            "UPDATE group_members SET member_id = ?, member_role = ? WHERE user_id = ? AND group_member_id = ?",
            [membership.sharedID.bytes, membership.role.rawValue, userId, membership.memberId]
        )
        let profile = try JSONDecoder().decode(GroupProfile.self, from: invitation.groupProfile)
        if profile != self.profile { try replaceProfile(profile, tx) }
    }
}
