internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// A handler of the changes that a member makes to a group. The role of the member in the user's database decides
/// whether the member may make the change. The message itself proves no rights.
struct GroupChanges {
    let user: UserRecord
    let receivedMessage: GroupReceiver.ReceivedMessage
    let tx: Transaction

    private var author: MemberRecord { receivedMessage.author }

    private func reportMessageError(_ text: String) {
        receivedMessage.receiver.unhandledElements.recordError(text, isMessageError: true)
    }

    private func emit(_ event: ChatEvent) throws { try tx.emit(event, user: user.userId) }

    // MARK: Members

    mutating func changeRole(of id: MemberID, _ role: GroupMemberRole, in group: inout GroupRecord) throws {
        let isUser = id == group.membership.sharedID
        guard var member = try isUser ? group.membership : MemberRecord.find(id, in: group, tx.db) else {
            return reportMessageError("x.grp.mem.role: there is no such member")
        }
        guard author.role >= max(.admin, member.role, role) else {
            return reportMessageError("x.grp.mem.role: the role of the author is too low")
        }
        let before = member.role
        // In a channel, the roster (the signed list of the members who may write) arrives before the change, and may
        // already have set the role. Then nothing is left to change.
        guard !group.isChannel || before != role else { return }
        try member.setRole(role, tx)
        if isUser { group.membership.role = role }
        let info = group.api(user)
        // A channel shows no item about other members, since it has many members whom the user does not know.
        if isUser || !group.isChannel {
            try GroupItems.writeEventItem(
                isUser
                    ? .userRole(role: role)
                    : .memberRole(groupMemberId: member.memberId, profile: member.profile, role: role),
                by: author,
                receivedMessage.itemProperties,
                in: &group,
                user,
                tx
            )
        }
        try emit(
            .memberRole(
                user: user.api,
                groupInfo: info,
                byMember: author.api,
                member: member.api(user),
                fromRole: before,
                toRole: role,
                msgSigned: receivedMessage.signatureStatus
            )
        )
        if before != role { try GroupAgreement.resendRole(of: member, by: author, in: group, tx) }
    }

    mutating func changeRestriction(of id: MemberID, _ isBlocked: Bool, in group: inout GroupRecord) throws {
        // If the message blocks or unblocks the user, the user ignores the message.
        guard id != group.membership.sharedID else { return }
        guard var member = try MemberRecord.find(id, in: group, tx.db) else {
            return reportMessageError("x.grp.mem.restrict: there is no such member")
        }
        guard member.isBlockedByAdmin != isBlocked else { return }
        guard author.role >= max(.moderator, member.role) else {
            return reportMessageError("x.grp.mem.restrict: the role of the author is too low")
        }
        try member.setBlockedByAdmin(isBlocked, tx)
        try GroupItems.writeEventItem(
            .memberBlocked(groupMemberId: member.memberId, profile: member.profile, blocked: isBlocked),
            by: author,
            receivedMessage.itemProperties,
            in: &group,
            user,
            tx
        )
        try emit(
            .memberBlockedForAll(
                user: user.api,
                groupInfo: group.api(user),
                byMember: author.api,
                member: member.api,
                blocked: isBlocked,
                msgSigned: receivedMessage.signatureStatus
            )
        )
        try GroupAgreement.resendRestriction(of: member, by: author, in: group, tx)
    }

    mutating func removeMember(of id: MemberID, withMessages: Bool, in group: inout GroupRecord) throws {
        let isUser = id == group.membership.sharedID
        guard let found = try isUser ? group.membership : MemberRecord.find(id, in: group, tx.db) else {
            return reportMessageError("x.grp.mem.del with unknown member ID")
        }
        var member = found
        guard author.role >= max(.admin, member.role) else {
            return reportMessageError("x.grp.mem.del: the role of the author is too low")
        }
        if isUser {
            try removeUser(withMessages: withMessages, from: &group)
            return
        }
        let wasGone = member.status == .removed || member.status == .left
        // The removal is passed on to the removed member, because perhaps only the user is connected to this member.
        try GroupForwarding.forwardMessage(receivedMessage, onlyTo: member, in: group, tx)
        let info = group
        try member.disconnect(afterDelivery: true, tx)
        if withMessages { try GroupModeration.deleteMessages(of: member, by: author, in: group, user, tx) }
        if !wasGone {
            try GroupItems.writeEventItem(
                .memberDeleted(groupMemberId: member.memberId, profile: member.profile),
                by: author,
                receivedMessage.itemProperties,
                in: &group,
                user,
                tx
            )
        }
        member.status = .removed
        try emit(
            .deletedMember(
                user: user.api,
                groupInfo: info.api(user),
                byMember: author.api,
                deletedMember: member.api,
                withMessages: withMessages,
                msgSigned: receivedMessage.signatureStatus
            )
        )
        try found.remove(tx)
        try group.updateMemberCount(user, tx)
    }

    private func removeUser(withMessages: Bool, from group: inout GroupRecord) throws {
        let info = group
        try group.disconnectAllMembers(afterDelivery: false, tx)
        if withMessages { try GroupModeration.deleteMessages(of: group.membership, by: author, in: group, user, tx) }
        try GroupItems.writeEventItem(.userDeleted, by: author, receivedMessage.itemProperties, in: &group, user, tx)
        try group.membership.setStatus(.removed, tx)
        var shown = info
        shown.membership.status = .removed
        try emit(
            .deletedMemberUser(
                user: user.api,
                groupInfo: shown.api(user),
                member: author.api,
                withMessages: withMessages,
                msgSigned: receivedMessage.signatureStatus
            )
        )
    }

    func handleLeave(_ group: inout GroupRecord) throws {
        var member = author
        // Thousands of subscribers may leave a channel, so only moderators and relays get the item and the event.
        let isQuiet =
            group.isChannel && !author.isRelay && !group.isServed && author.role < .moderator
            && group.membership.role < .moderator
        try member.deleteSupportChat(tx)
        try member.disconnect(afterDelivery: false, tx)
        try member.setStatus(.left, tx)
        try group.updateMemberCount(user, tx)
        guard !isQuiet else { return }
        let info = group
        try GroupItems.writeEventItem(.memberLeft, by: author, receivedMessage.itemProperties, in: &group, user, tx)
        var shown = author
        shown.status = .left
        try emit(
            .leftMember(
                user: user.api,
                groupInfo: info.api(user),
                member: shown.api,
                msgSigned: receivedMessage.signatureStatus
            )
        )
    }

    // MARK: The group

    func handleGroupDeletion(_ group: inout GroupRecord) throws {
        guard author.role == .owner else {
            throw ChatFailure(ChatErrorType.groupUserRole(groupInfo: group.api(user), requiredRole: .owner))
        }
        // The message that deletes the group is passed on before the connections end, because some members receive this
        // message only from the user.
        try GroupForwarding.forwardMessage(receivedMessage, in: group, tx)
        try group.disconnectAllMembers(afterDelivery: true, tx)
        try GroupItems.writeEventItem(.groupDeleted, by: author, receivedMessage.itemProperties, in: &group, user, tx)
        try group.membership.setStatus(.deleted, tx)
        try emit(
            .groupDeleted(
                user: user.api,
                groupInfo: group.api(user),
                member: author.api,
                msgSigned: receivedMessage.signatureStatus
            )
        )
    }

    func changeProfile(_ json: JSONValue, of group: inout GroupRecord) throws {
        guard author.role == .owner else { return reportMessageError("x.grp.info: the role of the author is too low") }
        var profile = try JSONDecoder().decode(GroupProfile.self, from: json)
        if group.isChannel {
            guard let id = profile.publicGroup?.publicGroupId, id == group.profile.publicGroup?.publicGroupId else {
                return reportMessageError("x.grp.info: the publicGroupId is that of another channel")
            }
        } else if profile.publicGroup != nil {
            return reportMessageError("x.grp.info: only a channel can have a publicGroup")
        }
        // Only the preferences of a business conversation are taken from the message. Its name and picture are those of
        // a member.
        guard group.businessInfo == nil else {
            return try setPreferences(profile.groupPreferences ?? .business, of: &group)
        }
        profile.replaceUnshowableValues()
        guard profile != group.profile else { return }
        let before = group
        try group.replaceProfile(profile, tx)
        try emitGroupChange(before, &group)
    }

    func changePreferences(_ json: JSONValue, of group: inout GroupRecord) throws {
        guard author.role == .owner else { return reportMessageError("x.grp.prefs: the role of the author is too low") }
        try setPreferences(JSONDecoder().decode(GroupPreferences.self, from: json), of: &group)
    }

    private func setPreferences(_ preferences: GroupPreferences, of group: inout GroupRecord) throws {
        guard preferences != group.profile.groupPreferences else { return }
        let before = group
        var profile = group.profile
        profile.groupPreferences = preferences
        try group.replaceProfile(profile, tx)
        try emitGroupChange(before, &group)
    }

    private func emitGroupChange(_ before: GroupRecord, _ group: inout GroupRecord) throws {
        try emit(
            .groupUpdated(
                user: user.api,
                fromGroup: before.api(user),
                toGroup: group.api(user),
                member_: author.api,
                msgSigned: receivedMessage.signatureStatus
            )
        )
        if !group.profile.equalsIgnoringPreferences(before.profile) {
            try GroupItems.writeEventItem(
                .groupUpdated(groupProfile: group.profile),
                by: author,
                receivedMessage.itemProperties,
                in: &group,
                user,
                tx
            )
        }
        try GroupItems.writeFeatureChangeItems(from: before, in: &group, by: author, user, tx)
        try OwnerAgreement.resendProfile(group, tx)
        try GroupAgreement.resendProfile(by: author, in: group, tx)
    }
}

extension GroupRecord {
    /// Ends the connections to all members, and deletes the user's link of the group. The database keeps the members
    /// and their items.
    func disconnectAllMembers(afterDelivery: Bool, _ tx: Transaction) throws {
        try GroupLinkRecord.find(of: self, in: tx.db)?.delete(tx)
        for var member in try MemberRecord.findOthers(in: self, tx.db) {
            try member.disconnect(afterDelivery: afterDelivery, tx)
        }
        // Messages that wait for the first relay of a channel are stored under the user's membership.
        try WaitingMessages.delete(membership, tx)
    }
}
