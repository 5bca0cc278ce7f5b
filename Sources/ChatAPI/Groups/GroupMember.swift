/// A member of a group.
package struct GroupMember: Codable, Hashable, Sendable {
    package var groupMemberId: Int64
    package var groupId: Int64
    package var indexInGroup: Int64?
    package var memberId: String
    package var memberRole: GroupMemberRole
    package var memberCategory: GroupMemberCategory
    package var memberStatus: GroupMemberStatus
    package var memberSettings: GroupMemberSettings
    package var blockedByAdmin: Bool
    package var invitedBy: InvitedBy
    package var invitedByGroupMemberId: Int64?
    package var localDisplayName: String
    package var memberProfile: LocalProfile
    package var memberContactId: Int64?
    package var memberContactProfileId: Int64
    package var activeConn: Connection?
    package var memberChatVRange: VersionRange
    package var createdAt: UTCTime
    package var updatedAt: UTCTime
    package var supportChat: GroupSupportChat?
    package var memberPubKey: String?
    package var relayLink: String?
    package var memberVerifiedCode: SecurityCode?

    package init(
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
