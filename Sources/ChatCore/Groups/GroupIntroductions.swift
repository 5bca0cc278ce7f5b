internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Introductions of the members of a group. The admin who has invited a new member announces this member to the other
/// members, and introduces the other members to the new member. The new member creates a link for each other member.
/// The admin forwards the links, and the members use them to connect (simplex-chat `docs/protocol/simplex-chat.md`,
/// "Group protocol").
struct GroupIntroductions {
    let user: UserRecord
    let tx: Transaction

    /// Maximum number of stored members of a group, including removed members. Without this limit, an admin could
    /// announce any number of members.
    static let maxStoredMembers: Int64 = 50_000

    // MARK: At the admin

    /// Introduces a new, connected member to the other members. Members who have joined at the same time may already be
    /// introduced to the new member, and are skipped.
    func introduceMember(_ new: MemberRecord, in group: GroupRecord) throws {
        try introduceMember(
            new,
            to: MemberRecord.findOthers(in: group, tx.db).filter { $0.status.isCurrent && $0.memberId != new.memberId },
            in: group
        )
    }

    /// Introduces a new, connected member to some other members.
    /// - Parameter scope: the id of the new member while it waits for a review by moderators; otherwise nil.
    func introduceMember(
        _ new: MemberRecord,
        to others: [MemberRecord],
        scope: MemberID? = nil,
        in group: GroupRecord
    ) throws {
        let known = try findIntroducedIds(to: new)
        let others = others.filter { !known.contains($0.memberId) }
        guard let connection = new.connection, !others.isEmpty else { return }
        let recipients = try Recipients(members: others, tx.db)
        if let message = try makeIntroduction(
            of: new,
            in: group,
            over: recipients.connections,
            { .memberNew($0, scope: scope) }
        ) {
            try tx.enqueue([message], to: recipients)
        }
        for other in others {
            try tx.db.insert(
                into: "group_introductions",
                or: .ignore,
                ["user_id": user.userId, "new_member_id": new.memberId, "to_member_id": other.memberId]
            )
        }
        // Admins are introduced first, so that the new member knows them early.
        let ordered = others.filter { $0.role >= .admin } + others.filter { $0.role < .admin }
        let messages = try ordered.compactMap { other in
            try makeIntroduction(of: other, in: group, over: [connection]) {
                .memberIntro($0, isBlocked: other.isBlockedByAdmin)
            }
        }
        try tx.enqueue(messages, to: [connection])
    }

    /// Returns the ids of the members who are introduced to this member, or to whom this member is introduced.
    private func findIntroducedIds(to member: MemberRecord) throws -> Set<Int64> {
        try Set(
            tx.db.query(
                """
                SELECT to_member_id AS id FROM group_introductions
                WHERE user_id = :user_id AND new_member_id = :member_id
                UNION SELECT new_member_id FROM group_introductions
                WHERE user_id = :user_id AND to_member_id = :member_id
                """,
                ["user_id": member.userId, "member_id": member.memberId]
            ).map { try $0.int64("id") }
        )
    }

    /// Returns a message that introduces a member with its profile. The picture is removed if it makes the message too
    /// long. If the message is still too long, returns nil, and this member is not introduced.
    private func makeIntroduction(
        of member: MemberRecord,
        in group: GroupRecord,
        over connections: [ConnectionRecord],
        _ event: (MemberInfo) -> GroupEvent
    ) throws -> OutgoingChatMessage? {
        var info = try member.introductionInfo(in: group)
        if let message = try? OutgoingChatMessage(ChatMessage(event: .group(event(info))), over: connections) {
            return message
        }
        guard var profile = info.profile.objectValue else { return nil }
        profile["image"] = nil
        info.profile = .object(profile)
        return try? OutgoingChatMessage(ChatMessage(event: .group(event(info))), over: connections)
    }

    /// Forwards the link that a new member has created for another member.
    func forwardLink(
        _ id: MemberID,
        _ invitation: IntroInvitation,
        _ received: GroupReceiver.ReceivedMessage,
        in group: GroupRecord
    ) throws {
        guard received.author.category == .invitee else {
            return reportMessageError("x.grp.mem.inv: the author was not invited by the user", received)
        }
        guard let member = try MemberRecord.find(id, in: group, tx.db) else {
            return reportMessageError("x.grp.mem.inv: there is no such member", received)
        }
        // The link is forwarded only to a member whom the user has introduced to the author, and who is not connected
        // to the author yet.
        guard
            try Self.findUnconnectedMembers(to: received.author, tx.db).contains(where: {
                $0.memberId == member.memberId
            })
        else { return }
        let recipients = try Recipients(members: [member], tx.db)
        let message = try makeIntroduction(of: received.author, in: group, over: recipients.connections) {
            .memberForward($0, invitation)
        }
        if let message { try tx.enqueue([message], to: recipients) }
    }

    /// Records a report: the sender is connected to another member. Before this report, the sender sends its messages
    /// only to the admin, who forwards them to the other member.
    func recordConnection(_ id: MemberID, to sender: MemberRecord, in group: GroupRecord) throws {
        guard let member = try MemberRecord.find(id, in: group, tx.db) else { return }
        try recordConnectionReport(reportOf: sender, asNewer: true, on: member)
        try recordConnectionReport(reportOf: sender, asNewer: false, on: member)
        // The two members can be connected to each other before one of them is connected to the user. The user later
        // introduces the unconnected member to other members. The stored introduction then prevents a second
        // introduction of the two.
        let isAwaited = [sender, member].contains { $0.category == .invitee && !$0.status.isActive }
        guard !isAwaited else { return }
        try tx.db.execute(
            """
            DELETE FROM group_introductions WHERE user_id = :user_id AND to_connected = 2
              AND (new_member_id = :sender_id AND to_member_id = :member_id
                OR new_member_id = :member_id AND to_member_id = :sender_id)
            """,
            ["user_id": user.userId, "sender_id": sender.memberId, "member_id": member.memberId]
        )
    }

    /// Updates the stored introduction of two members after one of them has reported their connection. `to_connected`
    /// is 1 after the report of the older member, 3 after the report of the newer member, and 2 after both reports.
    private func recordConnectionReport(
        reportOf sender: MemberRecord,
        asNewer isNewer: Bool,
        on member: MemberRecord
    ) throws {
        let (own, other) = isNewer ? (3, 1) : (1, 3)
        let (new, old) = isNewer ? (sender, member) : (member, sender)
        try tx.db.execute(
            """
            UPDATE group_introductions SET to_connected = CASE to_connected WHEN :other THEN 2 ELSE :own END
            WHERE user_id = :user_id AND new_member_id = :new_member_id AND to_member_id = :to_member_id
            AND to_connected <> 2
            """,
            [
                "other": other, "own": own, "user_id": user.userId, "new_member_id": new.memberId,
                "to_member_id": old.memberId,
            ]
        )
    }

    /// Returns the members whom the user has introduced to the given member. Members to whom the given member has
    /// reported a connection are left out.
    static func findUnconnectedMembers(to member: MemberRecord, _ db: StoreConnection) throws -> [MemberRecord] {
        let ids = try db.query(
            """
            SELECT to_member_id AS id FROM group_introductions
            WHERE user_id = :user_id AND new_member_id = :member_id AND to_connected IN (0, 1)
            UNION SELECT new_member_id FROM group_introductions
            WHERE user_id = :user_id AND to_member_id = :member_id AND to_connected IN (0, 3)
            """,
            ["user_id": member.userId, "member_id": member.memberId]
        ).map { try $0.int64("id") }
        guard !ids.isEmpty else { return [] }
        return try MemberRecord.findAll(Set(ids), user: member.userId, in: db).values.sorted {
            $0.memberId < $1.memberId
        }
    }

    // MARK: At the new member

    /// Stores a member whom the admin has introduced, and adds the step (work for ``MemberStepWorker``) that creates a
    /// link for this member.
    func storeIntroducedMember(
        _ info: MemberInfo,
        isBlocked: Bool,
        _ received: GroupReceiver.ReceivedMessage,
        in group: inout GroupRecord
    ) throws {
        let host = received.author
        guard host.category == .host else {
            return reportMessageError("x.grp.mem.intro: the author is not the host", received)
        }
        guard info.id != group.membership.sharedID, try MemberRecord.find(info.id, in: group, tx.db) == nil else {
            return reportMessageError("x.grp.mem.intro: the member is known already", received)
        }
        guard host.role >= .admin else {
            throw ChatFailure(ChatErrorType.groupContactRole(contactName: host.localDisplayName))
        }
        guard let versions = info.versions, versions.maximum >= ChatVersionRange.groupLinksOnlyVersion else {
            return reportMessageError("x.grp.mem.intro: the member has too old a version", received)
        }
        guard try group.knowsFewerMembers(than: Self.maxStoredMembers, tx.db) else {
            return reportMessageError("x.grp.mem.intro: too many members", received)
        }
        var new = NewMember(info, .pre, .introduced)
        new.isBlockedByAdmin = isBlocked
        let member = try MemberRecord.create(new, profile: info.readProfile(), in: group.groupId, user, tx)
        try MemberSteps.addStep(.invite, to: member, tx)
        // The next events of the group show the new number of members.
        group.currentMemberCount += 1
    }

    // MARK: At the other members

    /// Stores a new member whom an admin has announced, and emits the items and the event about this member.
    /// - Parameter isPending: whether the new member waits for a review by the moderators, and the user is a moderator.
    func storeAnnouncedMember(
        _ info: MemberInfo,
        isPending: Bool,
        _ received: GroupReceiver.ReceivedMessage,
        in group: inout GroupRecord
    ) throws {
        let host = received.author
        try checkRights(of: host, over: info)
        guard info.id != group.membership.sharedID else { return }
        let status: GroupMemberStatus = isPending ? .pending_review : .announced
        var member: MemberRecord
        if var unknown = try MemberRecord.find(info.id, in: group, tx.db) {
            guard unknown.status == .unknown else {
                return reportMessageError("x.grp.mem.new: the member is known already", received)
            }
            try announceUnknownMember(&unknown, info, status, by: host, in: group)
            member = unknown
        } else {
            guard try group.knowsFewerMembers(than: Self.maxStoredMembers, tx.db) else {
                return reportMessageError("x.grp.mem.new: too many members", received)
            }
            var new = NewMember(info, .post, status)
            new.invitedByMemberId = host.memberId
            member = try MemberRecord.create(new, profile: info.readProfile(), in: group.groupId, user, tx)
        }
        let before = group
        var place = isPending ? group.supportChatGroup(of: member) : group
        try GroupItems.writeEventItem(
            .memberAdded(groupMemberId: member.memberId, profile: member.profile),
            by: host,
            received.itemProperties,
            in: &place,
            user,
            tx
        )
        if isPending { try GroupItems.writeEventItem(.newMemberPendingReview, by: host, nil, in: &place, user, tx) }
        group = place.groupWithoutScope
        try tx.emit(
            .joinedGroupMemberConnecting(
                user: user.api,
                groupInfo: before.api(user),
                hostMember: host.api,
                member: member.api
            ),
            user: user.userId
        )
    }

    /// Completes the record of a member who was known only by its messages, and emits the event about this member.
    private func announceUnknownMember(
        _ unknown: inout MemberRecord,
        _ info: MemberInfo,
        _ status: GroupMemberStatus,
        by host: MemberRecord,
        in group: GroupRecord
    ) throws {
        let before = unknown
        try unknown.setRole(info.role, tx)
        try unknown.setStatus(status, tx)
        if let versions = info.versions { try unknown.setVersions(versions, tx) }
        try unknown.setProfile(info.readProfile(), tx)
        try tx.emit(
            .unknownMemberAnnounced(
                user: user.api,
                groupInfo: group.api(user),
                announcingMember: host.api,
                unknownMember: before.api,
                announcedMember: unknown.api
            ),
            user: user.userId
        )
    }

    /// Adds the step (work for ``MemberStepWorker``) that connects to a new member by a link. An admin has forwarded
    /// the link of the new member.
    func addJoinStep(
        _ info: MemberInfo,
        _ invitation: IntroInvitation,
        _ received: GroupReceiver.ReceivedMessage,
        in group: GroupRecord
    ) throws {
        let host = received.author
        try checkRights(of: host, over: info)
        guard info.id != group.membership.sharedID else { return }
        var member: MemberRecord
        if let known = try MemberRecord.find(info.id, in: group, tx.db) {
            member = known
        } else {
            guard try group.knowsFewerMembers(than: Self.maxStoredMembers, tx.db) else {
                return reportMessageError("x.grp.mem.fwd: too many members", received)
            }
            // The member is unknown, because its announcement comes over another connection and may arrive later.
            var new = NewMember(info, .post, .announced)
            new.invitedByMemberId = host.memberId
            member = try MemberRecord.create(new, profile: info.readProfile(), in: group.groupId, user, tx)
        }
        // The user connects to a member at most once. A member with a connection is skipped.
        guard member.category == .post, member.connection == nil, !member.status.isRemoved else { return }
        if !member.status.isPending { try member.setStatus(.introInv, tx) }
        try MemberSteps.addStep(.join, to: member, request: invitation.groupConnectionRequest, tx)
    }

    private func checkRights(of host: MemberRecord, over info: MemberInfo) throws {
        guard host.role >= .admin, host.role >= info.role else {
            throw ChatFailure(ChatErrorType.groupContactRole(contactName: host.localDisplayName))
        }
    }

    private func reportMessageError(_ text: String, _ received: GroupReceiver.ReceivedMessage) {
        received.receiver.unhandledElements.recordError(text, isMessageError: true)
    }
}

extension NewMember {
    /// Creates a member from the information that another member has sent.
    fileprivate init(_ info: MemberInfo, _ category: GroupMemberCategory, _ status: GroupMemberStatus) {
        self.init(
            id: info.id,
            role: info.role,
            category: category,
            status: status,
            profileId: 0,
            localDisplayName: "",
            versions: info.versions ?? .initial
        )
    }
}

extension GroupRecord {
    func knowsFewerMembers(than limit: Int64, _ db: StoreConnection) throws -> Bool {
        try db.firstRow(
            "SELECT known_members FROM groups WHERE user_id = :user_id AND group_id = :group_id",
            ["user_id": userId, "group_id": groupId]
        )?
        .int64(
            "known_members"
        ) ?? 0 < limit
    }
}
