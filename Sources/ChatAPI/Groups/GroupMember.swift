/// A member of a group.
public struct GroupMember: Codable, Hashable, Sendable {
    public var groupMemberId: Int64
    public var groupId: Int64
    public var indexInGroup: Int64?
    public var memberId: String
    public var memberRole: GroupMemberRole
    public var memberCategory: GroupMemberCategory
    public var memberStatus: GroupMemberStatus
    public var memberSettings: GroupMemberSettings
    public var blockedByAdmin: Bool
    public var invitedBy: InvitedBy
    public var invitedByGroupMemberId: Int64?
    public var localDisplayName: String
    public var memberProfile: LocalProfile
    public var memberContactId: Int64?
    public var memberContactProfileId: Int64
    public var activeConn: Connection?
    public var memberChatVRange: VersionRange
    public var createdAt: UTCTime
    public var updatedAt: UTCTime
    public var supportChat: GroupSupportChat?
    public var memberPubKey: String?
    public var relayLink: String?
    public var memberVerifiedCode: SecurityCode?

    public init(
        groupMemberId: Int64,
        groupId: Int64,
        indexInGroup: Int64? = nil,
        memberId: String,
        memberRole: GroupMemberRole,
        memberCategory: GroupMemberCategory,
        memberStatus: GroupMemberStatus,
        memberSettings: GroupMemberSettings,
        blockedByAdmin: Bool,
        invitedBy: InvitedBy,
        invitedByGroupMemberId: Int64? = nil,
        localDisplayName: String,
        memberProfile: LocalProfile,
        memberContactId: Int64? = nil,
        memberContactProfileId: Int64,
        activeConn: Connection? = nil,
        memberChatVRange: VersionRange,
        createdAt: UTCTime,
        updatedAt: UTCTime,
        supportChat: GroupSupportChat? = nil,
        memberPubKey: String? = nil,
        relayLink: String? = nil,
        memberVerifiedCode: SecurityCode? = nil
    ) {
        self.groupMemberId = groupMemberId
        self.groupId = groupId
        self.indexInGroup = indexInGroup
        self.memberId = memberId
        self.memberRole = memberRole
        self.memberCategory = memberCategory
        self.memberStatus = memberStatus
        self.memberSettings = memberSettings
        self.blockedByAdmin = blockedByAdmin
        self.invitedBy = invitedBy
        self.invitedByGroupMemberId = invitedByGroupMemberId
        self.localDisplayName = localDisplayName
        self.memberProfile = memberProfile
        self.memberContactId = memberContactId
        self.memberContactProfileId = memberContactProfileId
        self.activeConn = activeConn
        self.memberChatVRange = memberChatVRange
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.supportChat = supportChat
        self.memberPubKey = memberPubKey
        self.relayLink = relayLink
        self.memberVerifiedCode = memberVerifiedCode
    }
}
