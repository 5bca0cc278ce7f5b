internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// A member who may join, but whose request the agent has not accepted yet.
struct JoiningMember: Sendable {
    let userId: Int64
    let memberId: Int64
    let connectionID: ConnectionID
    /// The encoded message for the member, which is sent when the agent accepts the request.
    let encodedAnswer: [UInt8]

    /// Finds the member who was created for this request; nil for a new request, or if the member no longer exists.
    static func find(_ invitation: InvitationID, in db: StoreConnection) throws -> JoiningMember? {
        try findRecords(of: invitation, in: db).flatMap { try JoiningMember($0, .accepted, $1, $2) }
    }

    static func findRecords(
        of invitation: InvitationID,
        in db: StoreConnection
    ) throws -> (MemberRecord, GroupRecord, UserRecord)? {
        guard
            let row = try db.queryFirst(
                "SELECT user_id, group_member_id FROM group_members WHERE join_invitation = ?",
                [invitation]
            ),
            let user = try UserRecord.find(row.int64("user_id"), in: db),
            let member = try MemberRecord.find(row.int64("group_member_id"), user: user.userId, in: db),
            let group = try GroupRecord.find(member.groupId, user: user.userId, in: db)
        else { return nil }
        return (member, group, user)
    }

    init?(_ member: MemberRecord, _ acceptance: GroupAcceptance, _ group: GroupRecord, _ user: UserRecord) throws {
        guard let connection = member.connection, connection.status != .deleted, let id = connection.agentConnectionID
        else { return nil }
        let isCustomer = group.isCustomer(member)
        // The customer sees the profile of the business, and the business sees the profile of the customer.
        let profile =
            isCustomer
            ? GroupProfile(business: user.profile, group.profile.groupPreferences ?? .business) : group.profile
        var business = group.businessInfo
        if isCustomer { business?.chatType = .business }
        let invitation = GroupLinkInvitationMessage(
            from: MemberIdRole(id: group.membership.sharedID, role: group.membership.role),
            fromName: group.membership.profile.displayName,
            invited: MemberIdRole(id: member.sharedID, role: member.role),
            groupProfile: try JSONEncoder().encodeValue(profile),
            accepted: acceptance,
            business: try business.map { try JSONEncoder().encodeValue($0) },
            groupSize: isCustomer ? 1 : group.currentMemberCount
        )
        userId = member.userId
        memberId = member.memberId
        self.connectionID = id
        encodedAnswer = try ChatMessage(event: .group(.linkInvitation(invitation))).encodeConnectionInfo(
            for: connection
        )
    }
}

/// Members who were admitted by a link or an address, and are not connected yet.
struct JoiningQueue: Sendable {
    let userId: Int64
    let linkId: Int64

    /// Finds the group link or the address to which this connection belongs; nil if the connection belongs to neither.
    init?(_ link: ConnectionID, in db: StoreConnection) throws {
        guard let found = try LinkConnection.find(agent: link, in: db) else { return nil }
        userId = found.userId
        linkId = found.userContact.userContactLinkId
    }

    private static let joiningMembersSQL = """
        FROM connections WHERE user_id = ? AND via_user_contact_link = ? AND group_member_id IS NOT NULL AND conn_status NOT IN ('ready', 'deleted')
        """

    /// Time in nanoseconds after which a newer request may replace a member who is not connected.
    private static let minWaitNanoseconds: Int64 = 86_400_000_000_000

    /// Whether the limit of joining members is reached, and no member has waited long enough to be replaced.
    func isLimitReached(_ limit: Int, in db: StoreConnection) throws -> Bool {
        try countMembers(in: db) >= limit && findLongestWaitingMember(before: .now, in: db) == nil
    }

    private func countMembers(in db: StoreConnection) throws -> Int64 {
        try db.queryFirst("SELECT count(*) AS n \(Self.joiningMembersSQL)", [userId, linkId])?.int64("n") ?? 0
    }

    /// Returns the oldest member who has waited longer than ``minWaitNanoseconds``.
    private func findLongestWaitingMember(before now: Timestamp, in db: StoreConnection) throws -> MemberRecord? {
        let row = try db.queryFirst(
            "SELECT group_member_id \(Self.joiningMembersSQL) AND created_at < ? ORDER BY connection_id LIMIT 1",
            [userId, linkId, now.nanoseconds - Self.minWaitNanoseconds]
        )
        return try row?.int64OrNil("group_member_id").flatMap { try MemberRecord.find($0, user: userId, in: db) }
    }

    func removeLongestWaitingMember(_ limit: Int, _ tx: Transaction) throws {
        guard try countMembers(in: tx.db) >= limit,
            var forgotten = try findLongestWaitingMember(before: tx.now, in: tx.db)
        else {
            return
        }
        try forgotten.disconnect(afterDelivery: false, tx)
        try forgotten.remove(tx)
    }
}
