/// The data of a business chat, which is a group: the ids of the business and of its customer, and the role of the
/// other side.
package struct BusinessChatInfo: Codable, Hashable, Sendable {
    package var chatType: BusinessChatType
    package var businessId: String
    package var customerId: String
    package var businessDomain: SimplexDomainClaim?

    package init(
        chatType: BusinessChatType,
        businessId: String,
        customerId: String,
        businessDomain: SimplexDomainClaim? = nil
    ) {
        self.chatType = chatType
        self.businessId = businessId
        self.customerId = customerId
        self.businessDomain = businessDomain
    }
}

/// Whether members can comment on the posts of a channel, and for how long.
package struct CommentsGroupPreference: Codable, Hashable, Sendable {
    package var enable: GroupFeatureEnabled
    package var duration: Int?

    package init(enable: GroupFeatureEnabled, duration: Int? = nil) {
        self.enable = enable
        self.duration = duration
    }
}

/// A group with its members.
package struct Group: Codable, Hashable, Sendable {
    package var groupInfo: GroupInfo
    package var members: [GroupMember]

    package init(groupInfo: GroupInfo, members: [GroupMember]) {
        self.groupInfo = groupInfo
        self.members = members
    }
}

/// The keys of a member of a public group: the private key of the member, and the root key of the group. The user who
/// made the group has the private root key, and signs with it as the owner.
///
/// The original returns these keys to clients. This program returns no private keys. It cannot just leave the private
/// key out, because the original cannot decode this object without the key. So this program returns ``GroupPublicKeys``
/// instead.
package struct GroupKeys: Codable, Hashable, Sendable {
    package var publicGroupId: String
    package var groupRootKey: GroupRootKey
    package var memberPrivKey: String
}

/// The public keys that identify a public group and verify the user's signatures in it.
package struct GroupPublicKeys: Codable, Hashable, Sendable {
    /// The hash of the root key of the group.
    package var publicGroupId: String
    /// The root key of the group, always in the case `public`.
    package var groupRootKey: GroupRootKey
    /// The public key with which the user's signatures as a member are verified.
    package var memberPubKey: String

    package init(publicGroupId: String, groupRootKey: GroupRootKey, memberPubKey: String) {
        self.publicGroupId = publicGroupId
        self.groupRootKey = groupRootKey
        self.memberPubKey = memberPubKey
    }
}

/// An owner who is listed in the link of a group, with the owner's key.
package struct GroupLinkOwner: Codable, Hashable, Sendable {
    package var memberId: String
    package var memberKey: String

    package init(memberId: String, memberKey: String) {
        self.memberId = memberId
        self.memberKey = memberKey
    }
}

/// A contact who is known to be an owner of a channel.
package struct GroupOwnerContact: Codable, Hashable, Sendable {
    package var contactId: Int64
    package var memberId: String

    package init(contactId: Int64, memberId: String) {
        self.contactId = contactId
        self.memberId = memberId
    }
}

/// The rule for admitting members to a group: the joining members whom moderators review before their admission.
package struct GroupMemberAdmission: Codable, Hashable, Sendable {
    package var review: MemberCriteria?

    package init(review: MemberCriteria? = nil) {
        self.review = review
    }
}

/// A short reference to a member of a group: the id and the profile.
package struct GroupMemberRef: Codable, Hashable, Sendable {
    package var groupMemberId: Int64
    package var profile: Profile

    package init(groupMemberId: Int64, profile: Profile) {
        self.groupMemberId = groupMemberId
        self.profile = profile
    }
}

/// The user's settings for one member: whether the member's messages are shown.
package struct GroupMemberSettings: Codable, Hashable, Sendable {
    package var showMessages: Bool

    package init(showMessages: Bool) {
        self.showMessages = showMessages
    }
}

/// A preference of a group for one feature: whether the feature is on.
package struct GroupPreference: Codable, Hashable, Sendable {
    package var enable: GroupFeatureEnabled
    package var role: GroupMemberRole?
    package var ttl: Int?

    package init(enable: GroupFeatureEnabled, role: GroupMemberRole? = nil, ttl: Int? = nil) {
        self.enable = enable
        self.role = role
        self.ttl = ttl
    }
}

/// The data to which the short link of a group leads: the profile of the group, and the public data of the group.
package struct GroupShortLinkData: Codable, Hashable, Sendable {
    package var groupProfile: GroupProfile
    package var publicGroupData: PublicGroupData?

    package init(groupProfile: GroupProfile, publicGroupData: PublicGroupData? = nil) {
        self.groupProfile = groupProfile
        self.publicGroupData = publicGroupData
    }
}

/// The way to join a group by its short link: directly, or through chat relays.
package struct GroupShortLinkInfo: Codable, Hashable, Sendable {
    package var direct: Bool
    package var groupRelays: [String]
    package var publicGroupId: String?

    package init(direct: Bool, groupRelays: [String], publicGroupId: String? = nil) {
        self.direct = direct
        self.groupRelays = groupRelays
        self.publicGroupId = publicGroupId
    }
}

/// The number of current members of a group.
package struct GroupSummary: Codable, Hashable, Sendable {
    package var currentMembers: Int64
    package var publicMemberCount: Int64?

    package init(currentMembers: Int64, publicMemberCount: Int64? = nil) {
        self.currentMembers = currentMembers
        self.publicMemberCount = publicMemberCount
    }
}

/// The support chat of a member, which is the member's chat with the moderators: its times and unread counts.
package struct GroupSupportChat: Codable, Hashable, Sendable {
    package var chatTs: UTCTime
    package var unread: Int64
    package var memberAttention: Int64
    package var mentions: Int64
    package var lastMsgFromMemberTs: UTCTime?

    package init(
        chatTs: UTCTime,
        unread: Int64,
        memberAttention: Int64,
        mentions: Int64,
        lastMsgFromMemberTs: UTCTime? = nil
    ) {
        self.chatTs = chatTs
        self.unread = unread
        self.memberAttention = memberAttention
        self.mentions = mentions
        self.lastMsgFromMemberTs = lastMsgFromMemberTs
    }
}

/// The reaction of one member to an item, with its time.
package struct MemberReaction: Codable, Hashable, Sendable {
    package var groupMember: GroupMember
    package var reactionTs: UTCTime

    package init(groupMember: GroupMember, reactionTs: UTCTime) {
        self.groupMember = groupMember
        self.reactionTs = reactionTs
    }
}

/// A group that the core has created from a link, before the user joins it.
package struct PreparedGroup: Codable, Hashable, Sendable {
    package var connLinkToConnect: CreatedConnLink
    package var connLinkPreparedConnection: Bool
    package var connLinkStartedConnection: Bool
    package var welcomeSharedMsgId: String?
    package var requestSharedMsgId: String?

    package init(
        connLinkToConnect: CreatedConnLink,
        connLinkPreparedConnection: Bool,
        connLinkStartedConnection: Bool,
        welcomeSharedMsgId: String? = nil,
        requestSharedMsgId: String? = nil
    ) {
        self.connLinkToConnect = connLinkToConnect
        self.connLinkPreparedConnection = connLinkPreparedConnection
        self.connLinkStartedConnection = connLinkStartedConnection
        self.welcomeSharedMsgId = welcomeSharedMsgId
        self.requestSharedMsgId = requestSharedMsgId
    }
}

/// Access to a public group from outside of the app, for example by a web page.
package struct PublicGroupAccess: Codable, Hashable, Sendable {
    package var groupWebPage: String?
    package var groupDomainClaim: SimplexDomainClaim?
    package var domainWebPage: Bool
    package var allowEmbedding: Bool

    package init(
        groupWebPage: String? = nil,
        groupDomainClaim: SimplexDomainClaim? = nil,
        domainWebPage: Bool,
        allowEmbedding: Bool
    ) {
        self.groupWebPage = groupWebPage
        self.groupDomainClaim = groupDomainClaim
        self.domainWebPage = domainWebPage
        self.allowEmbedding = allowEmbedding
    }
}

/// The public data of a public group: the number of its members.
package struct PublicGroupData: Codable, Hashable, Sendable {
    package var publicMemberCount: Int64

    package init(publicMemberCount: Int64) {
        self.publicMemberCount = publicMemberCount
    }
}

/// The data of a public group: its type, link and permanent id.
package struct PublicGroupProfile: Codable, Hashable, Sendable {
    package var groupType: GroupType
    package var groupLink: String
    package var publicGroupId: String
    package var publicGroupAccess: PublicGroupAccess?

    package init(
        groupType: GroupType,
        groupLink: String,
        publicGroupId: String,
        publicGroupAccess: PublicGroupAccess? = nil
    ) {
        self.groupType = groupType
        self.groupLink = groupLink
        self.publicGroupId = publicGroupId
        self.publicGroupAccess = publicGroupAccess
    }
}

/// A preference of a group for one feature: whether the feature is on, and the lowest role that may use it.
package struct RoleGroupPreference: Codable, Hashable, Sendable {
    package var enable: GroupFeatureEnabled
    package var role: GroupMemberRole?

    package init(enable: GroupFeatureEnabled, role: GroupMemberRole? = nil) {
        self.enable = enable
        self.role = role
    }
}

/// Whether members can write to the moderators in separate chats.
package struct SupportGroupPreference: Codable, Hashable, Sendable {
    package var enable: GroupFeatureEnabled

    package init(enable: GroupFeatureEnabled) {
        self.enable = enable
    }
}
