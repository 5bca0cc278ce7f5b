internal import Agent
internal import ChatAPI
internal import JSON
internal import SQLCipher

/// Whether somebody who asks to join by the link of a group is let in. It is decided here, and nowhere else.
enum JoinDecision: Sendable, Hashable {
    case accept(GroupAcceptance, as: GroupMemberRole)
    /// Nothing is answered.
    case ignore(reason: String, isError: Bool)

    init(_ versions: ChatVersionRange, to link: GroupLinkRecord, of group: GroupRecord) {
        if group.membership.role < .admin || !group.membership.status.isActive {
            self = .ignore(
                reason: "processContactConnMessage (group \(group.localDisplayName)): ignored join request because host is no longer admin", isError: false)
        } else if versions.maximum < ChatVersionRange.joiningByLink {
            self = .ignore(
                reason: "processContactConnMessage: chat version range incompatible for accepting group join request", isError: true)
        } else {
            self = .accept(.accepted, as: link.role)
        }
    }
}

extension GroupAcceptance {
    /// The part in a group of somebody who is let in like this: where the group asks for it, the moderators have their say.
    func status(in profile: GroupProfile) -> GroupMemberStatus {
        switch self {
        case .pendingApproval: .pending_approval
        case .pendingReview: .pending_review
        case .accepted: profile.memberAdmission?.review == .all ? .pending_review : .accepted
        }
    }
}

/// Requests that come to the links of groups.
extension ChatController {
    /// Lets somebody in. After a crash in between the agent emits the request again, which finds how far it has come.
    func requestedToJoin(by link: ConnectionID, _ invitation: InvitationID, _ received: ReceivedRequest?) async throws {
        let limit = configuration.maxContactRequests
        let (begun, isFull) = try await store.read { db in
            (try JoiningMember.find(invitation, in: db), try GroupLinkRecord.find(agent: link, in: db)?.isFull(limit, in: db) ?? false)
        }
        if let begun { return try await tell(begun, invitation) }
        guard !isFull else {
            if let user = try await store.read({ db in try GroupLinkRecord.find(agent: link, in: db)?.userId }) { try await reportFullAddress(link, of: user) }
            return try await agent.reject(invitation)
        }
        fullAddresses.withLock { _ = $0.remove(link) }
        let id: ConnectionID
        do { id = try await agent.prepareAccept(invitation, pqSupport: false) } catch AgentError.command(.prohibited, _) {
            // It was answered before the process ended.
            return
        }
        let joining = try await store.write { tx in try JoinRequests.receive(by: link, invitation, received, accepting: id, limit: limit, tx) }
        if let joining { return try await tell(joining, invitation) }
        try await agent.delete(connections: [id], waitDelivery: false)
        try await agent.reject(invitation)
    }

    private func tell(_ joining: JoiningMember, _ invitation: InvitationID) async throws {
        do { try await agent.accept(invitation, connection: joining.connection, connInfo: joining.answer) } catch AgentError.command(.prohibited, _) {
            // The agent has it already.
        }
        try await store.write { tx in
            try tx.db.execute(
                "UPDATE group_members SET join_invitation = NULL WHERE user_id = ? AND group_member_id = ?", [joining.userId, joining.memberId])
        }
    }
}

/// A member who is let in, and whom the agent is to tell so.
private struct JoiningMember: Sendable {
    let userId: Int64
    let memberId: Int64
    let connection: ConnectionID
    /// What goes with the confirmation.
    let answer: [UInt8]

    /// Nil when the request is a new one, and when the member has gone.
    static func find(_ invitation: InvitationID, in db: StoreConnection) throws -> JoiningMember? {
        guard let row = try db.first("SELECT user_id, group_member_id FROM group_members WHERE join_invitation = ?", [invitation]),
            let user = try UserRecord.find(row.int64("user_id"), in: db),
            let member = try MemberRecord.find(row.int64("group_member_id"), user: user.userId, in: db),
            let group = try GroupRecord.find(member.groupId, user: user.userId, in: db)
        else { return nil }
        return try JoiningMember(member, .accepted, group)
    }

    init?(_ member: MemberRecord, _ acceptance: GroupAcceptance, _ group: GroupRecord) throws {
        guard let connection = member.connection, connection.status != .deleted, let id = connection.agentConnectionID else { return nil }
        let invitation = GroupLinkInvitationMessage(
            from: MemberIdRole(id: group.membership.sharedID, role: group.membership.role), fromName: group.membership.profile.displayName,
            invited: MemberIdRole(id: member.sharedID, role: member.role), groupProfile: try JSONEncoder().encodeValue(group.profile),
            accepted: acceptance, groupSize: group.currentMembers)
        userId = member.userId
        memberId = member.memberId
        self.connection = id
        answer = try ChatMessage(event: .group(.linkInvitation(invitation))).encodedInfo(for: connection)
    }
}

private enum JoinRequests {
    /// Writes the member who has asked.
    /// - Parameters:
    ///   - id: the connection that the agent has prepared for it.
    ///   - limit: so many may be on the way by one link.
    /// - Returns: nil when it is not let in.
    static func receive(
        by linkID: ConnectionID, _ invitation: InvitationID, _ received: ReceivedRequest?, accepting id: ConnectionID, limit: Int, _ tx: Transaction
    ) throws -> JoiningMember? {
        guard let link = try GroupLinkRecord.find(agent: linkID, in: tx.db), let user = try UserRecord.find(link.userId, in: tx.db),
            let group = try GroupRecord.find(link.groupId, user: user.userId, in: tx.db)
        else { return nil }
        guard let received, let version = ChatVersionRange.supported.compatibleVersion(with: received.versions), var profile = received.profile else {
            try tx.emit(.chatError(chatError: .error(errorType: .exception(message: "error parsing chat message"))), user: user.userId)
            return nil
        }
        profile.displayName = DisplayName.ofPeer(profile.displayName)
        switch JoinDecision(received.versions, to: link, of: group) {
        case .ignore(let reason, let isError):
            try tx.emit(.messageError(user: user.api, severity: isError ? "error" : "warning", errorMessage: reason), user: user.userId)
            return nil
        case .accept(let acceptance, let role):
            if try link.count(in: tx.db) >= limit, var forgotten = try link.notCome(before: tx.now, in: tx.db) {
                try forgotten.disconnect(afterDelivery: false, tx)
                try forgotten.remove(tx)
            }
            let created = try MemberRecord.create(
                NewMember(
                    id: .random(), role: role, category: .invitee, status: acceptance.status(in: group.profile), invitedBy: 0,
                    invitedByMemberId: group.membership.memberId, profileId: 0, localDisplayName: "", versions: received.versions),
                profile: profile, in: group.groupId, user, tx)
            let connection = try ConnectionRecord.create(
                agent: id, user: user, status: .new, initiated: false, fullLink: nil, owner: .member(created.memberId), pqSupport: false,
                chatVersion: version, peerVersions: received.versions, at: tx.now, in: tx.db)
            try tx.db.execute(
                "UPDATE connections SET via_user_contact_link = ?, via_group_link = 1 WHERE connection_id = ?", [link.linkId, connection.connectionId])
            try tx.db.execute(
                "UPDATE group_members SET join_invitation = ? WHERE user_id = ? AND group_member_id = ?", [invitation, user.userId, created.memberId])
            let member = try MemberRecord.get(created.memberId, in: group, tx.db)
            let joining = try JoiningMember(member, acceptance, group)
            var shown = group
            try GroupItems.event(.invitedViaGroupLink, by: member, nil, in: &shown, user, tx)
            // What is told shows the group as it was before.
            try tx.emit(.acceptingGroupJoinRequestMember(user: user.api, groupInfo: group.api(user), member: member.api), user: user.userId)
            return joining
        }
    }
}

/// Those who were let in and have not come yet.
extension GroupLinkRecord {
    private static let notCome = "user_id = ? AND via_user_contact_link = ? AND via_group_link = 1 AND conn_status NOT IN ('ready', 'deleted')"

    /// How long they are waited for, in nanoseconds, where others ask for their room.
    private static let patience: Int64 = 86_400_000_000_000

    /// Whether as many as the limit are on the way.
    fileprivate func isFull(_ limit: Int, in db: StoreConnection) throws -> Bool {
        try count(in: db) >= limit && notCome(before: .now, in: db) == nil
    }

    fileprivate func count(in db: StoreConnection) throws -> Int64 {
        try db.first("SELECT count(*) AS n FROM connections WHERE \(Self.notCome)", [userId, linkId])?.int64("n") ?? 0
    }

    /// One who has been waited for long enough.
    fileprivate func notCome(before now: Timestamp, in db: StoreConnection) throws -> MemberRecord? {
        let row = try db.first(
            "SELECT group_member_id FROM connections WHERE \(Self.notCome) AND created_at < ? ORDER BY connection_id LIMIT 1",
            [userId, linkId, now.nanoseconds - Self.patience])
        return try row?.int64OrNil("group_member_id").flatMap { try MemberRecord.find($0, user: userId, in: db) }
    }
}
