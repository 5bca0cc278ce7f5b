internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// The admission of members who join by the link of a group and wait for the decision of the moderators. Before the
/// decision, the joining member knows only the moderators, and talks to them in its support chat.
///
/// The admission uses two messages of the protocol: `x.grp.link.acpt`, and `x.grp.mem.new` with a scope.
enum MemberAdmission {
    /// Texts of ordinary messages to members whose programs do not support the review of new members.
    private static let pendingText = "Please wait for group moderators to review your request to join the group."
    private static let acceptedText = "You are accepted to the group."

    private static func sendText(_ text: String, to member: MemberRecord, _ tx: Transaction) throws {
        guard let connection = member.connection else { return }
        let container = MessageContainer(content: try JSONEncoder().encodeValue(MsgContent.text(text: text)))
        try tx.enqueue(ChatMessage(sharedID: .random(), event: .messageNew(container)), to: connection)
    }

    // MARK: At the host

    /// Begins the review of a member whose connection is ready: tells the member to wait, and introduces the member to
    /// the moderators.
    static func beginReview(
        of member: MemberRecord,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard let connection = member.connection else { return }
        if member.supportsChatVersion(SupportChats.firstChatVersion) {
            try tx.enqueue(
                ChatMessage(
                    sharedID: .random(),
                    event: .group(.linkAcceptance(.pendingReview, member.role, member.sharedID))
                ),
                to: connection
            )
        } else {
            try sendText(pendingText, to: member, tx)
        }
        let moderators = try MemberRecord.findModerators(in: group, tx.db).filter {
            $0.status.isCurrent && $0.memberId != member.memberId
                && $0.supportsChatVersion(SupportChats.firstChatVersion)
        }
        try GroupIntroductions(user: user, tx: tx).introduceMember(
            member,
            to: moderators,
            scope: member.sharedID,
            in: group
        )
        for moderator in moderators {
            try tx.db.insert(
                into: "review_introductions",
                or: .ignore,
                ["user_id": user.userId, "new_member_id": member.memberId, "to_member_id": moderator.memberId]
            )
        }
    }

    /// Introduces an admitted member to the members whom the admitted member does not know yet, and sends the history
    /// to the admitted member. Only the host of the admitted member calls this function.
    private static func introduceToOtherMembers(
        _ member: MemberRecord,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let known = try tx.db.query(
            "SELECT to_member_id FROM review_introductions WHERE user_id = :user_id AND new_member_id = :new_member_id",
            ["user_id": user.userId, "new_member_id": member.memberId]
        ).map { try $0.int64("to_member_id") }
        try tx.db.delete(
            from: "review_introductions",
            where: ["user_id": user.userId, "new_member_id": member.memberId]
        )
        let others = try MemberRecord.findOthers(in: group, tx.db).filter {
            $0.status.isCurrent && $0.memberId != member.memberId && !known.contains($0.memberId)
        }
        try GroupIntroductions(user: user, tx: tx).introduceMember(member, to: others, in: group)
        try GroupHistory.sendHistory(to: member, in: group, tx)
    }

    /// Sets the role and the status of an admitted member.
    private static func recordAdmission(
        _ member: inout MemberRecord,
        as role: GroupMemberRole,
        _ tx: Transaction
    ) throws {
        try member.setRole(role, tx)
        try member.setStatus(member.connection?.status == .ready ? .connected : .announced, tx)
    }

    /// `/_accept member #`: admits a member who waits for admission.
    /// - Throws: `groupUserRole`, `groupMemberNotFound`, `groupMemberNotActive`; `commandError` for a member who does
    ///   not wait.
    static func acceptMember(
        _ memberId: Int64,
        as role: GroupMemberRole,
        in groupId: Int64,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatResponse {
        var group = try GroupRecord.get(groupId, user: user, in: tx.db)
        var member = try MemberRecord.get(memberId, in: group, tx.db)
        try group.requireRole(max(.moderator, role), user)
        let isInvitee = member.category == .invitee
        switch member.status {
        case .pending_approval where isInvitee:
            guard member.connection != nil else { throw ChatFailure(ChatErrorType.groupMemberNotActive) }
            if group.profile.memberAdmission?.review == .all {
                try member.setStatus(.pending_review, tx)
                try beginReview(of: member, in: group, user, tx)
                return .memberAccepted(user: user.api, groupInfo: group.api(user), member: member.api)
            }
            try sendAcceptance(of: member, as: role, [member], tx)
        case .pending_review:
            let moderators = try MemberRecord.findModerators(in: group, tx.db).filter {
                $0.status.isCurrent && $0.memberId != memberId
            }
            try sendAcceptance(of: member, as: role, [member] + moderators, tx)
            if !member.supportsChatVersion(SupportChats.firstChatVersion) { try sendText(acceptedText, to: member, tx) }
        default:
            throw ChatFailure.commandError(
                "member should be pending approval and invitee, or pending review and not invitee"
            )
        }
        try recordAdmission(&member, as: role, tx)
        group = try GroupRecord.get(groupId, user: user, in: tx.db)
        if isInvitee { try introduceToOtherMembers(member, in: group, user, tx) }
        try GroupItems.writeEventItem(.memberConnected, by: member, nil, in: &group, user, tx)
        let answer = ChatResponse.memberAccepted(user: user.api, groupInfo: group.api(user), member: member.api)
        var support = group.supportChatGroup(of: member)
        try GroupItems.writeEventItems(
            [(.memberAccepted(groupMemberId: member.memberId, profile: member.profile), .random())],
            in: &support,
            user,
            tx
        )
        return answer
    }

    private static func sendAcceptance(
        of member: MemberRecord,
        as role: GroupMemberRole,
        _ members: [MemberRecord],
        _ tx: Transaction
    ) throws {
        try tx.enqueue(
            ChatMessage(sharedID: .random(), event: .group(.linkAcceptance(.accepted, role, member.sharedID))),
            to: Recipients(members: members, tx.db)
        )
    }

    // MARK: At the other members

    /// Handles `x.grp.link.acpt`. With this message a moderator admits a member, or asks the user to wait.
    static func handleAcceptance(
        _ acceptance: GroupAcceptance,
        _ role: GroupMemberRole,
        _ id: MemberID,
        _ received: GroupReceiver.ReceivedMessage,
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let author = received.author
        guard author.role >= .moderator, author.role >= role else {
            return received.receiver.unhandledElements.recordError(
                "x.grp.link.acpt: the role of the author is too low",
                isMessageError: true
            )
        }
        guard id != group.membership.sharedID else {
            return try handleOwnAcceptance(acceptance, as: role, by: author, in: &group, user, tx)
        }
        guard var member = try MemberRecord.find(id, in: group, tx.db) else {
            return received.receiver.unhandledElements.recordError(
                "x.grp.link.acpt: there is no such member",
                isMessageError: true
            )
        }
        // A member who is already in the group keeps its role.
        guard member.status.isPending, acceptance == .accepted else { return }
        try recordAdmission(&member, as: role, tx)
        group = try GroupRecord.get(group.groupId, user: user, in: tx.db)
        if member.category == .invitee { try introduceToOtherMembers(member, in: group, user, tx) }
        try GroupItems.writeEventItem(.memberConnected, by: member, nil, in: &group, user, tx)
        var support = group.supportChatGroup(of: member)
        try GroupItems.writeEventItem(
            .memberAccepted(groupMemberId: member.memberId, profile: member.profile),
            by: author,
            received.itemProperties,
            in: &support,
            user,
            tx
        )
        group = support.groupWithoutScope
        try tx.emit(
            .memberAcceptedByOther(
                user: user.api,
                groupInfo: group.api(user),
                acceptingMember: author.api,
                member: member.api
            ),
            user: user.userId
        )
    }

    private static func handleOwnAcceptance(
        _ acceptance: GroupAcceptance,
        as role: GroupMemberRole,
        by author: MemberRecord,
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard group.membership.status.isPending else { return }
        try group.membership.setRole(role, tx)
        try group.membership.setStatus(acceptance == .accepted ? .connected : .pending_review, tx)
        group = try GroupRecord.get(group.groupId, user: user, in: tx.db)
        guard acceptance == .accepted else {
            var support = group.supportChatGroup(of: group.membership)
            try GroupItems.writeEventItems([(.userPendingReview, .random())], in: &support, user, tx)
            group = support.groupWithoutScope
            return try tx.emit(
                .memberAcceptedByOther(
                    user: user.api,
                    groupInfo: group.api(user),
                    acceptingMember: author.api,
                    member: group.membership.api(user)
                ),
                user: user.userId
            )
        }
        try GroupItems.writeJoinedGroupItems(&group, by: author, user, tx)
        try GroupItems.writeDescription(in: &group, by: author, user, tx)
        try GroupItems.writeEventItem(.userAccepted, by: author, nil, in: &group, user, tx)
        var support = group.supportChatGroup(of: group.membership)
        try GroupItems.writeEventItem(.userAccepted, by: author, nil, in: &support, user, tx)
        group = support.groupWithoutScope
        try tx.emit(
            .userJoinedGroup(user: user.api, groupInfo: group.api(user), hostMember: author.api),
            user: user.userId
        )
    }
}
