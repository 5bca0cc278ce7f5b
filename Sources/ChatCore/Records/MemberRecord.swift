internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher
internal import SimpleXCrypto

/// A stored member of a group: its row, its profile in the group, and its connection to the user.
struct MemberRecord: Sendable {
    let userId: Int64
    let memberId: Int64
    let groupId: Int64
    let indexInGroup: Int64
    /// The id that all members know.
    var sharedID: MemberID
    var role: GroupMemberRole
    var category: GroupMemberCategory
    var status: GroupMemberStatus
    var isBlockedByUser: Bool
    var isBlockedByAdmin: Bool
    /// Whether the user must still tell the admin that the member and the user are connected. The admin has introduced
    /// the member.
    var mustTellAdminOfConnection: Bool
    /// The id of the contact who has invited the member; 0 if the user has invited the member; nil if unknown.
    let invitedByContactId: Int64?
    var invitedByMemberId: Int64?
    var localDisplayName: String
    /// The id of the contact who is this member; nil for the user, and for a member who is not a contact.
    let contactId: Int64?
    let contactProfileId: Int64
    let incognitoProfileId: Int64?
    var profile: Profile
    /// The result of the check of the badge in the profile; nil without a badge, and before a check.
    var badgeStatus: BadgeStatus?
    /// The badge of the user, if this member is the user; nil for other members, and if the user has no badge.
    let ownBadge: BadgeInfo?
    let localAlias: String
    var versions: ChatVersionRange
    /// The connection request by which the user has invited the member.
    let invitationURI: String?
    let createdAt: Timestamp
    var updatedAt: Timestamp
    /// The support chat of the member; nil if the member has none.
    var supportChat: SupportChat?
    /// The key that verifies the signatures of the member in a channel; nil if unknown.
    var signatureKey: Ed25519.PublicKey?
    /// The link by which the user connects to a relay of a channel; nil for other members.
    let relayLink: String?
    /// The connection to the member; nil for the user, and for a member without a connection.
    var connection: ConnectionRecord?

    static let columns = """
        m.user_id AS m_user_id, m.group_member_id, m.group_id AS m_group_id, m.index_in_group, m.member_id, m.member_role, m.member_category,
        m.member_status, m.show_messages, m.blocked_by_admin, m.untold, m.invited_by, m.invited_by_member_id, m.local_display_name AS m_local_display_name,
        m.contact_id AS m_contact_id, m.contact_profile_id AS m_contact_profile_id, m.incognito_profile_id, m.peer_min_version AS m_min_version,
        m.peer_max_version AS m_max_version, \(SupportChat.columns), m.invitation AS m_invitation, m.created_at AS m_created_at, m.updated_at AS m_updated_at,
        m.member_key, m.relay_link, mp.profile AS m_profile, mp.badge_status AS m_badge_status,
        mp.badge_credential AS m_badge_credential, mp.local_alias AS m_local_alias
        """

    static let tables =
        "group_members m JOIN contact_profiles mp ON mp.contact_profile_id = coalesce(m.incognito_profile_id, m.contact_profile_id)"

    /// The query for members, each with its newest connection.
    private static let query = """
        SELECT \(columns), \(ConnectionRecord.columns) FROM \(tables)
        LEFT JOIN connections cn ON cn.connection_id = (SELECT max(x.connection_id) FROM connections x
          WHERE x.user_id = m.user_id AND x.group_member_id = m.group_member_id)
        """

    /// Reads the member without its connection, since only some queries contain the connection.
    init(_ row: Row) throws {
        userId = try row.int64("m_user_id")
        memberId = try row.int64("group_member_id")
        groupId = try row.int64("m_group_id")
        indexInGroup = try row.int64("index_in_group")
        sharedID = MemberID(bytes: try row.blob("member_id"))
        role = GroupMemberRole(rawValue: try row.string("member_role"))
        category = GroupMemberCategory(rawValue: try row.string("member_category"))
        status = GroupMemberStatus(rawValue: try row.string("member_status"))
        isBlockedByUser = try !row.bool("show_messages")
        isBlockedByAdmin = try row.bool("blocked_by_admin")
        mustTellAdminOfConnection = try row.bool("untold")
        invitedByContactId = try row.int64OrNil("invited_by")
        invitedByMemberId = try row.int64OrNil("invited_by_member_id")
        localDisplayName = try row.string("m_local_display_name")
        contactId = try row.int64OrNil("m_contact_id")
        contactProfileId = try row.int64("m_contact_profile_id")
        incognitoProfileId = try row.int64OrNil("incognito_profile_id")
        profile = try row.profile("m_profile")
        badgeStatus = try row.stringOrNil("m_badge_status").map(BadgeStatus.init(rawValue:))
        ownBadge = try row.stringOrNil("m_badge_credential")
            .flatMap { try? StoredJSON.decode(BadgeCredential.self, $0) }?.badgeInfo
        localAlias = try row.string("m_local_alias")
        versions = ChatVersionRange(
            minimum: Int(clamping: try row.int64("m_min_version")),
            maximum: Int(clamping: try row.int64("m_max_version"))
        )
        invitationURI = try row.stringOrNil("m_invitation")
        createdAt = Timestamp(nanoseconds: try row.int64("m_created_at"))
        updatedAt = Timestamp(nanoseconds: try row.int64("m_updated_at"))
        supportChat = try SupportChat(row)
        signatureKey = try row.blobOrNil("member_key").flatMap { try? Ed25519.PublicKey(rawRepresentation: $0) }
        relayLink = try row.stringOrNil("relay_link")
    }

    private static func readWithConnection(_ row: Row) throws -> MemberRecord {
        var member = try MemberRecord(row)
        member.connection = try row.int64OrNil("connection_id") == nil ? nil : ConnectionRecord(row)
        return member
    }

    static func find(_ memberId: Int64, user userId: Int64, in db: StoreConnection) throws -> MemberRecord? {
        try db.queryFirst(query + " WHERE m.user_id = ? AND m.group_member_id = ?", [userId, memberId]).map(
            readWithConnection
        )
    }

    /// Returns a member of the group.
    /// - Throws: `groupMemberNotFound`, also for a member of another group.
    static func get(_ memberId: Int64, in group: GroupRecord, _ db: StoreConnection) throws -> MemberRecord {
        guard let member = try find(memberId, user: group.userId, in: db), member.groupId == group.groupId else {
            throw ChatFailure(StoreError.groupMemberNotFound(groupMemberId: memberId))
        }
        return member
    }

    static func find(_ id: MemberID, in group: GroupRecord, _ db: StoreConnection) throws -> MemberRecord? {
        try find(id, group: group.groupId, user: group.userId, db)
    }

    static func find(
        _ id: MemberID,
        group groupId: Int64,
        user userId: Int64,
        _ db: StoreConnection
    ) throws -> MemberRecord? {
        try db.queryFirst(
            query + " WHERE m.user_id = ? AND m.group_id = ? AND m.member_id = ?",
            [userId, groupId, id.bytes]
        ).map(readWithConnection)
    }

    /// Finds the member who is this contact; nil if the contact is not in the group.
    static func find(contact contactId: Int64, in group: GroupRecord, _ db: StoreConnection) throws -> MemberRecord? {
        try db.queryFirst(
            query
                + " WHERE m.user_id = ? AND m.contact_id = ? AND m.group_id = ? ORDER BY m.group_member_id DESC LIMIT 1",
            [group.userId, contactId, group.groupId]
        ).map(readWithConnection)
    }

    /// Returns the member who has invited or admitted the user.
    static func findHost(of group: GroupRecord, _ db: StoreConnection) throws -> MemberRecord? {
        try db.queryFirst(
            query + " WHERE m.user_id = ? AND m.group_id = ? AND m.member_category = 'host' LIMIT 1",
            [group.userId, group.groupId]
        ).map(readWithConnection)
    }

    /// Returns all members except the user, in the order of their indexes in the group.
    static func findOthers(in group: GroupRecord, _ db: StoreConnection) throws -> [MemberRecord] {
        try db.query(
            query + " WHERE m.user_id = ? AND m.group_id = ? AND m.group_member_id <> ? ORDER BY m.index_in_group",
            [group.userId, group.groupId, group.membership.memberId]
        ).map(readWithConnection)
    }

    /// Returns the moderators, admins and owners except the user, in the order of their indexes in the group.
    static func findModerators(in group: GroupRecord, _ db: StoreConnection) throws -> [MemberRecord] {
        try db.query(
            query + """
                 WHERE m.user_id = ? AND m.group_id = ? AND m.group_member_id <> ? AND m.member_role IN ('moderator', 'admin', 'owner')
                ORDER BY m.index_in_group
                """,
            [group.userId, group.groupId, group.membership.memberId]
        ).map(readWithConnection)
    }

    /// The number of members that one query reads.
    private static let membersPerQuery = 50

    /// Returns the members with these ids, in a dictionary by id. Missing members are left out.
    static func findAll(
        _ memberIds: Set<Int64>,
        user userId: Int64,
        in db: StoreConnection
    ) throws -> [Int64: MemberRecord] {
        var found: [Int64: MemberRecord] = [:]
        for chunk in memberIds.sorted().chunks(of: membersPerQuery) {
            // The unused places in the query are filled with nil, so that one statement serves any number of ids.
            let ids: [Argument] = (0..<membersPerQuery).map { $0 < chunk.count ? chunk[chunk.startIndex + $0] : nil }
            for row in try db.query(
                query + " WHERE m.user_id = ? AND m.group_member_id IN (\(placeholders(membersPerQuery)))",
                [userId] + ids
            ) {
                let member = try readWithConnection(row)
                found[member.memberId] = member
            }
        }
        return found
    }

    func api(_ user: UserRecord) -> GroupMember {
        var api = api
        if category == .user && incognitoProfileId == nil { api.localDisplayName = user.localDisplayName }
        return api
    }

    /// The member in the form of the API. The user's own membership needs ``api(_:)`` instead.
    var api: GroupMember {
        GroupMember(
            groupMemberId: memberId,
            groupId: groupId,
            indexInGroup: indexInGroup,
            memberId: sharedID.text,
            memberRole: role,
            memberCategory: category,
            memberStatus: status,
            memberSettings: GroupMemberSettings(showMessages: !isBlockedByUser),
            blockedByAdmin: isBlockedByAdmin,
            invitedBy: inviter,
            invitedByGroupMemberId: invitedByMemberId,
            localDisplayName: localDisplayName,
            memberProfile: profile.localProfile(
                id: incognitoProfileId ?? contactProfileId,
                alias: localAlias,
                badge: LocalBadge(ownBadge ?? profile.badge?.badgeInfo, badgeStatus)
            ),
            // In the API, the user's own membership has a contact with the id of the user, as in `User.userContactId`.
            memberContactId: category == .user ? userId : contactId,
            memberContactProfileId: contactProfileId,
            activeConn: connection?.api,
            memberChatVRange: VersionRange(minVersion: versions.minimum, maxVersion: versions.maximum),
            createdAt: createdAt.api,
            updatedAt: updatedAt.api,
            supportChat: supportChat?.api,
            memberPubKey: signatureKey.map { MemberKey($0).text },
            relayLink: relayLink
        )
    }

    private var inviter: InvitedBy {
        switch invitedByContactId {
        case nil: .unknown
        case 0?: .user
        case let contactId?: .contact(byContactId: contactId)
        }
    }

    var isRelay: Bool { role == .relay }

    /// Whether the member's messages are hidden from the user.
    var isBlocked: Bool { isBlockedByAdmin || isBlockedByUser }

    /// Whether messages can be sent to the member directly.
    var isReachable: Bool { connection.map { $0.canSend && !$0.isDisabled } ?? false && status != .rejected }
}

extension GroupMemberStatus {
    /// Whether the member is in the group, or is about to join the group.
    var isCurrent: Bool {
        switch self {
        case .introduced, .introInv, .accepted, .announced, .connected, .complete, .creator: true
        default: false
        }
    }

    /// Whether the member is connected, is the creator of the group, or waits for admission.
    var isActive: Bool {
        switch self {
        case .pending_review, .pending_approval, .connected, .complete, .creator: true
        default: false
        }
    }

    /// Whether the member was rejected, or is no longer in the group.
    var isRemoved: Bool {
        switch self {
        case .rejected, .removed, .left, .deleted: true
        default: false
        }
    }
}
