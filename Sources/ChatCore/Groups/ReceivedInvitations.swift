internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON

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
        invitation.groupProfile = try Self.makeShowableProfile(received.groupProfile)
        if var accepted = try GroupRecord.find(invitation: invitation.connectionRequest, user, in: tx.db),
            accepted.membership.status == .accepted
        {
            return try applyRepeatedInvitation(invitation, by: contact, &accepted)
        }
        guard var (group, emitted) = try storeInvitedGroup(invitation, by: contact) else { return }
        let acceptedHost = try user.autoAcceptsGroupInvitations ? MemberRecord.findHost(of: group, tx.db) : nil
        let shown = CIGroupInvitation(
            groupId: group.groupId,
            groupMemberId: group.membership.memberId,
            localDisplayName: group.localDisplayName,
            groupProfile: group.profile,
            status: acceptedHost == nil ? .pending : .accepted
        )
        let role = invitation.invitedMember.role
        try writeInvitationItem(shown, role, sharedID, &contact)
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

    /// Creates the group of an invitation, or changes the group of an invitation that is repeated.
    /// - Returns: the stored group, and the state of the group that the event shows; nil for a repeated invitation that
    ///   has no effect.
    private func storeInvitedGroup(
        _ invitation: GroupInvitationMessage,
        by contact: ContactRecord
    ) throws -> (group: GroupRecord, emitted: GroupRecord)? {
        if let known = try GroupRecord.find(invitation: invitation.connectionRequest, user, in: tx.db) {
            // A repeated invitation changes the group only if the contact is the same and the user has not accepted
            // yet.
            guard known.membership.status == .invited, known.membership.invitedByContactId == contact.contactId,
                try MemberRecord.find(invitation.invitedMember.id, in: known, tx.db).map({ $0.category == .user })
                    ?? true
            else { return nil }
            var group = known
            try group.updateFromInvitation(from: invitation, tx)
            // The event of a repeated invitation shows the earlier state of the group, as in the original.
            return (group, known)
        }
        var group = try GroupRecord.create(invited: invitation, by: contact, user, tx)
        var emitted = group
        // A group that the user has not joined yet is shown with two members: the contact and the user.
        emitted.currentMemberCount = 2
        _ = try ItemWriter.create(.banner, in: &group, movesChat: false, tx)
        return (group, emitted)
    }

    /// Writes the item of an invitation into the chat of the contact, and emits the item.
    private func writeInvitationItem(
        _ invitation: CIGroupInvitation,
        _ role: GroupMemberRole,
        _ sharedID: SharedMessageID?,
        _ contact: inout ContactRecord
    ) throws {
        var item = NewItem(
            isSent: false,
            content: .rcvGroupInvitation(groupInvitation: invitation, memberRole: role),
            text: "received \(invitation.text(role))",
            status: .rcvNew
        )
        item.itemTs = brokerTs
        item.sharedID = sharedID
        let written = try ItemWriter.create(item, in: &contact, movesChat: true, tx)
        try tx.db.update(
            "groups",
            set: ["invitation_item_id": written.itemId],
            where: ["user_id": user.userId, "group_id": invitation.groupId]
        )
        try emitNewItem(new: written, contact)
    }

    /// Handles an invitation that the user has accepted and that the contact repeats with another role. Changes the
    /// role of the user, and the profile of the group. The contact may change the role until it learns that the user
    /// has accepted the invitation.
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

    /// Returns the JSON of a group profile. Values that clients cannot show, or that users cannot enter, are replaced.
    private static func makeShowableProfile(_ json: JSONValue) throws -> JSONValue {
        var profile = try JSONDecoder().decode(GroupProfile.self, from: json)
        profile.replaceUnshowableValues()
        return try JSONEncoder().encodeValue(profile)
    }
}

extension GroupRecord {
    /// Updates the id and the role of the user, and the profile of the group, from a repeated invitation.
    fileprivate mutating func updateFromInvitation(from invitation: GroupInvitationMessage, _ tx: Transaction) throws {
        membership.sharedID = invitation.invitedMember.id
        membership.role = invitation.invitedMember.role
        try tx.db.update(
            "group_members",
            set: ["member_id": membership.sharedID.bytes, "member_role": membership.role.rawValue],
            where: ["user_id": userId, "group_member_id": membership.memberId]
        )
        let profile = try JSONDecoder().decode(GroupProfile.self, from: invitation.groupProfile)
        if profile != self.profile { try replaceProfile(profile, tx) }
    }
}
