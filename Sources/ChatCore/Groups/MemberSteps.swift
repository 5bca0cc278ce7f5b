internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// The network steps that connect the user to members of groups. The transaction that stores the cause of a step also
/// stores the step, so that the step is not lost in a crash.
enum MemberSteps {
    enum Step: String {
        /// Creates a link for a member whom the admin has introduced, and sends the link to the admin.
        case invite
        /// Connects by the link of a new member.
        case join
        /// Accepts a group invitation automatically, since the user has chosen this for all invitations. Connects by
        /// the link of the host, who has sent the invitation.
        case accept
        /// Connects automatically by the link of a member who wants to be a contact, since the user has chosen this for
        /// all such links.
        case contact
        /// Connects to a relay of a channel.
        case relay
        /// Reserves the step for a running command that connects to a relay of a channel. The step becomes ``relay`` if
        /// the process ends before the command ends.
        case relayReserved = "asked"
        /// Reads the link of a relay that serves a channel of the user, and answers the relay.
        case acceptRelay
    }

    static func addStep(_ step: Step, to member: MemberRecord, request: String? = nil, _ tx: Transaction) throws {
        try tx.db.update(
            "group_members",
            set: ["step": step.rawValue, "step_request": request],
            where: ["user_id": member.userId, "group_member_id": member.memberId]
        )
        if step != .relayReserved { tx.followUpWork.insert(.memberSteps) }
    }

    /// Makes the worker continue the steps of commands that were running when an earlier process ended.
    static func resumeInterruptedSteps(_ tx: Transaction) throws {
        try tx.db.update(
            "group_members",
            set: ["step": Step.relay.rawValue],
            where: ["step": Step.relayReserved.rawValue]
        )
    }

    /// Whether this step is stored for the member.
    static func hasStep(_ step: Step, _ member: MemberRecord, _ db: StoreConnection) throws -> Bool {
        try db.firstRow(
            """
            SELECT 1 FROM group_members WHERE user_id = :user_id AND group_member_id = :group_member_id AND step = :step
            """,
            ["user_id": member.userId, "group_member_id": member.memberId, "step": step.rawValue]
        ) != nil
    }

    static func removeSteps(_ member: MemberRecord, _ tx: Transaction) throws {
        try removeSteps(member.memberId, user: member.userId, tx)
    }

    static func removeSteps(_ memberId: Int64, user userId: Int64, _ tx: Transaction) throws {
        try tx.db.update(
            "group_members",
            set: ["step": nil, "step_request": nil],
            where: ["user_id": userId, "group_member_id": memberId]
        )
    }

    /// Makes an invitation pending again after its link could not be used to connect, and emits the event about the
    /// invitation.
    /// - Parameter memberId: the member id of the host of the group.
    static func withdrawAcceptance(of memberId: Int64, user userId: Int64, _ tx: Transaction) throws {
        guard let user = try UserRecord.find(userId, in: tx.db),
            var host = try MemberRecord.find(memberId, user: userId, in: tx.db),
            var group = try GroupRecord.find(host.groupId, user: userId, in: tx.db),
            [host.status, group.membership.status].allSatisfy({ $0 == .accepted || $0 == .invited }),
            host.connection == nil || host.connection?.status == .prepared
        else { return }
        try host.setStatus(.invited, tx)
        try group.membership.setStatus(.invited, tx)
        try RunningCommand.setInvitationStatus(of: group, as: .pending, after: .accepted, user, tx)
        guard let contactId = host.contactId,
            let contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db)
        else { return }
        try tx.emit(
            .receivedGroupInvitation(
                user: user.api,
                groupInfo: group.api(user),
                contact: contact.api(user),
                fromMemberRole: host.role,
                memberRole: group.membership.role
            ),
            user: user.userId
        )
    }
}
