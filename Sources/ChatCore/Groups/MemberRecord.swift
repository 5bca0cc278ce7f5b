internal import ChatAPI
internal import SimpleXCrypto
internal import SQLCipher

/// A member of a group as stored: its row and the profile that the group knows it by.
struct MemberRecord: Sendable {
    let userId: Int64
    let memberId: Int64
    let groupId: Int64
    let indexInGroup: Int64
    /// The id that all members know: 16 characters of base64.
    let sharedID: [UInt8]
    var role: GroupMemberRole
    let category: GroupMemberCategory
    var status: GroupMemberStatus
    let showsMessages: Bool
    let isBlockedByAdmin: Bool
    /// A contact of the user; 0 for the user, nil when it is not known.
    let invitedBy: Int64?
    let invitedByMemberId: Int64?
    let localDisplayName: String
    /// nil for the user.
    let contactId: Int64?
    let contactProfileId: Int64
    let incognitoProfileId: Int64?
    let profile: Profile
    let localAlias: String
    let versions: ChatVersionRange
    let createdAt: Timestamp
    let updatedAt: Timestamp

    /// The length of a member id before it is encoded, in bytes.
    private static let idLength = 12

    static let columns = """
        m.user_id AS m_user_id, m.group_member_id, m.group_id AS m_group_id, m.index_in_group, m.member_id, m.member_role, m.member_category,
        m.member_status, m.show_messages, m.blocked_by_admin, m.invited_by, m.invited_by_member_id, m.local_display_name AS m_local_display_name,
        m.contact_id AS m_contact_id, m.contact_profile_id AS m_contact_profile_id, m.incognito_profile_id, m.peer_min_version AS m_min_version,
        m.peer_max_version AS m_max_version, m.created_at AS m_created_at, m.updated_at AS m_updated_at, mp.profile AS m_profile,
        mp.local_alias AS m_local_alias
        """

    static let tables = "group_members m JOIN contact_profiles mp ON mp.contact_profile_id = coalesce(m.incognito_profile_id, m.contact_profile_id)"

    init(_ row: Row) throws {
        userId = try row.int64("m_user_id")
        memberId = try row.int64("group_member_id")
        groupId = try row.int64("m_group_id")
        indexInGroup = try row.int64("index_in_group")
        sharedID = try row.blob("member_id")
        role = GroupMemberRole(rawValue: try row.string("member_role"))
        category = GroupMemberCategory(rawValue: try row.string("member_category"))
        status = GroupMemberStatus(rawValue: try row.string("member_status"))
        showsMessages = try row.bool("show_messages")
        isBlockedByAdmin = try row.bool("blocked_by_admin")
        invitedBy = try row.int64OrNil("invited_by")
        invitedByMemberId = try row.int64OrNil("invited_by_member_id")
        localDisplayName = try row.string("m_local_display_name")
        contactId = try row.int64OrNil("m_contact_id")
        contactProfileId = try row.int64("m_contact_profile_id")
        incognitoProfileId = try row.int64OrNil("incognito_profile_id")
        profile = try StoredJSON.profile(row.string("m_profile"))
        localAlias = try row.string("m_local_alias")
        versions = ChatVersionRange(
            minimum: Int(clamping: try row.int64("m_min_version")), maximum: Int(clamping: try row.int64("m_max_version")))
        createdAt = Timestamp(nanoseconds: try row.int64("m_created_at"))
        updatedAt = Timestamp(nanoseconds: try row.int64("m_updated_at"))
    }

    /// The other members, in the order in which they came.
    static func others(in group: GroupRecord, _ db: StoreConnection) throws -> [MemberRecord] {
        try db.query(
            "SELECT \(columns) FROM \(tables) WHERE m.user_id = ? AND m.group_id = ? AND m.group_member_id <> ? ORDER BY m.index_in_group",
            [group.userId, group.groupId, group.membership.memberId]
        ).map(MemberRecord.init)
    }

    /// Writes the user as the first member of a group.
    /// - Parameter incognito: the row of the profile that the group knows the user by.
    /// - Returns: the id of the member.
    static func createOwner(of groupId: Int64, _ user: UserRecord, incognito: (id: Int64, name: String)?, _ tx: Transaction) throws -> Int64 {
        try tx.db.execute("UPDATE users SET last_group_member_id = last_group_member_id + 1 WHERE user_id = ?", [user.userId])
        let memberId = try tx.db.first("SELECT last_group_member_id AS id FROM users WHERE user_id = ?", [user.userId])?.int64("id") ?? 1
        try tx.db.execute(
            """
            INSERT INTO group_members (user_id, group_member_id, group_id, index_in_group, member_id, member_role, member_category, member_status,
              invited_by, local_display_name, contact_profile_id, incognito_profile_id, peer_min_version, peer_max_version, created_at, updated_at)
            VALUES (?, ?, ?, 0, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                user.userId, memberId, groupId, newID(), GroupMemberRole.owner.rawValue, GroupMemberCategory.user.rawValue,
                GroupMemberStatus.creator.rawValue, incognito?.name ?? user.localDisplayName, user.profileId, incognito?.id,
                Int64(ChatVersionRange.supported.minimum), Int64(ChatVersionRange.supported.maximum), tx.now.nanoseconds, tx.now.nanoseconds,
            ])
        return memberId
    }

    /// Ids are sent as the text of their random bytes.
    private static func newID() -> [UInt8] { Array(Base64.encode(RandomBytes.make(count: idLength)).utf8) }

    mutating func setStatus(_ status: GroupMemberStatus, _ tx: Transaction) throws {
        let change = (status.isCurrent ? 1 : 0) - (self.status.isCurrent ? 1 : 0)
        self.status = status
        try tx.db.execute(
            "UPDATE group_members SET member_status = ?, updated_at = ? WHERE user_id = ? AND group_member_id = ?",
            [status.rawValue, tx.now.nanoseconds, userId, memberId])
        guard change != 0 else { return }
        try tx.db.execute(
            "UPDATE groups SET current_members = current_members + ? WHERE user_id = ? AND group_id = ?", [Int64(change), userId, groupId])
    }

    func api(_ user: UserRecord) -> GroupMember {
        let isUser = category == .user
        return GroupMember(
            groupMemberId: memberId, groupId: groupId, indexInGroup: indexInGroup, memberId: BytesText.url(sharedID), memberRole: role,
            memberCategory: category, memberStatus: status, memberSettings: GroupMemberSettings(showMessages: showsMessages),
            blockedByAdmin: isBlockedByAdmin, invitedBy: inviter, invitedByGroupMemberId: invitedByMemberId,
            localDisplayName: isUser && incognitoProfileId == nil ? user.localDisplayName : localDisplayName,
            memberProfile: profile.local(id: incognitoProfileId ?? contactProfileId, alias: localAlias),
            memberContactId: isUser ? user.api.userContactId : contactId, memberContactProfileId: contactProfileId,
            memberChatVRange: VersionRange(minVersion: versions.minimum, maxVersion: versions.maximum), createdAt: createdAt.api,
            updatedAt: updatedAt.api)
    }

    private var inviter: InvitedBy {
        switch invitedBy {
        case nil: .unknown
        case 0?: .user
        case let contactId?: .contact(byContactId: contactId)
        }
    }
}

extension GroupMemberStatus {
    /// Whether the member is in the group, or on the way into it.
    var isCurrent: Bool {
        switch self {
        case .introduced, .introInv, .accepted, .announced, .connected, .complete, .creator: true
        default: false
        }
    }

    /// Whether messages of the group reach the member.
    var isActive: Bool {
        switch self {
        case .pending_review, .pending_approval, .connected, .complete, .creator: true
        default: false
        }
    }

    /// Whether the member was in the group, and is no longer.
    var isRemoved: Bool {
        switch self {
        case .rejected, .removed, .left, .deleted: true
        default: false
        }
    }
}
