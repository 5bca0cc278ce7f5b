/// The result of adding a chat relay to a group.
public struct AddRelayResult: Codable, Hashable, Sendable {
    public var relay: UserChatRelay
    public var relayError: ChatError?

    public init(relay: UserChatRelay, relayError: ChatError? = nil) {
        self.relay = relay
        self.relayError = relayError
    }
}

/// The business and the customer of a group for a business chat, and the role of the other side.
public struct BusinessChatInfo: Codable, Hashable, Sendable {
    public var chatType: BusinessChatType
    public var businessId: String
    public var customerId: String
    public var businessDomain: SimplexDomainClaim?

    public init(
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
public struct CommentsGroupPreference: Codable, Hashable, Sendable {
    public var enable: GroupFeatureEnabled
    public var duration: Int?

    public init(enable: GroupFeatureEnabled, duration: Int? = nil) {
        self.enable = enable
        self.duration = duration
    }
}

/// A group with its members.
public struct Group: Codable, Hashable, Sendable {
    public var groupInfo: GroupInfo
    public var members: [GroupMember]

    public init(groupInfo: GroupInfo, members: [GroupMember]) {
        self.groupInfo = groupInfo
        self.members = members
    }
}

/// The invitation to a direct chat that a member of a group has sent.
public struct GroupDirectInvitation: Codable, Hashable, Sendable {
    public var groupDirectInvLink: String
    public var fromGroupId_: Int64?
    public var fromGroupMemberId_: Int64?
    public var fromGroupMemberConnId_: Int64?
    public var groupDirectInvStartedConnection: Bool

    public init(
        groupDirectInvLink: String,
        fromGroupId_: Int64? = nil,
        fromGroupMemberId_: Int64? = nil,
        fromGroupMemberConnId_: Int64? = nil,
        groupDirectInvStartedConnection: Bool
    ) {
        self.groupDirectInvLink = groupDirectInvLink
        self.fromGroupId_ = fromGroupId_
        self.fromGroupMemberId_ = fromGroupMemberId_
        self.fromGroupMemberConnId_ = fromGroupMemberConnId_
        self.groupDirectInvStartedConnection = groupDirectInvStartedConnection
    }
}

/// The keys of a member of a public group: the private key of the member, and the root key. The user who made the group
/// has the private root key, and signs with it as the owner.
///
/// The original returns these keys, and cannot decode this object without the private key. So this program returns
/// ``GroupPublicKeys`` instead.
public struct GroupKeys: Codable, Hashable, Sendable {
    public var publicGroupId: String
    public var groupRootKey: GroupRootKey
    public var memberPrivKey: String
}

/// The public keys that identify a public group and verify the user's signatures in it.
public struct GroupPublicKeys: Codable, Hashable, Sendable {
    /// The hash of the root key.
    public var publicGroupId: String
    /// Always `public`.
    public var groupRootKey: GroupRootKey
    /// The public key of the user as a member.
    public var memberPubKey: String

    public init(publicGroupId: String, groupRootKey: GroupRootKey, memberPubKey: String) {
        self.publicGroupId = publicGroupId
        self.groupRootKey = groupRootKey
        self.memberPubKey = memberPubKey
    }
}

/// An owner in the link of a group, with the owner's key.
public struct GroupLinkOwner: Codable, Hashable, Sendable {
    public var memberId: String
    public var memberKey: String

    public init(memberId: String, memberKey: String) {
        self.memberId = memberId
        self.memberKey = memberKey
    }
}

/// A contact who is known to be an owner of a channel.
public struct GroupOwnerContact: Codable, Hashable, Sendable {
    public var contactId: Int64
    public var memberId: String

    public init(contactId: Int64, memberId: String) {
        self.contactId = contactId
        self.memberId = memberId
    }
}

/// The joining members who are reviewed before their admission.
public struct GroupMemberAdmission: Codable, Hashable, Sendable {
    public var review: MemberCriteria?

    public init(review: MemberCriteria? = nil) {
        self.review = review
    }
}

/// A member of a group, in a short form.
public struct GroupMemberRef: Codable, Hashable, Sendable {
    public var groupMemberId: Int64
    public var profile: Profile

    public init(groupMemberId: Int64, profile: Profile) {
        self.groupMemberId = groupMemberId
        self.profile = profile
    }
}

/// The user's settings for a member: whether the member's messages are shown.
public struct GroupMemberSettings: Codable, Hashable, Sendable {
    public var showMessages: Bool

    public init(showMessages: Bool) {
        self.showMessages = showMessages
    }
}

/// A preference of a group that is either on or off.
public struct GroupPreference: Codable, Hashable, Sendable {
    public var enable: GroupFeatureEnabled
    public var role: GroupMemberRole?
    public var ttl: Int?

    public init(enable: GroupFeatureEnabled, role: GroupMemberRole? = nil, ttl: Int? = nil) {
        self.enable = enable
        self.role = role
        self.ttl = ttl
    }
}

/// The data behind the short link of a group.
public struct GroupShortLinkData: Codable, Hashable, Sendable {
    public var groupProfile: GroupProfile
    public var publicGroupData: PublicGroupData?

    public init(groupProfile: GroupProfile, publicGroupData: PublicGroupData? = nil) {
        self.groupProfile = groupProfile
        self.publicGroupData = publicGroupData
    }
}

/// The way to join a group by its short link: directly, or through chat relays.
public struct GroupShortLinkInfo: Codable, Hashable, Sendable {
    public var direct: Bool
    public var groupRelays: [String]
    public var publicGroupId: String?

    public init(direct: Bool, groupRelays: [String], publicGroupId: String? = nil) {
        self.direct = direct
        self.groupRelays = groupRelays
        self.publicGroupId = publicGroupId
    }
}

/// The number of current members of a group.
public struct GroupSummary: Codable, Hashable, Sendable {
    public var currentMembers: Int64
    public var publicMemberCount: Int64?

    public init(currentMembers: Int64, publicMemberCount: Int64? = nil) {
        self.currentMembers = currentMembers
        self.publicMemberCount = publicMemberCount
    }
}

/// The chat of a member with the moderators: its times and unread counts.
public struct GroupSupportChat: Codable, Hashable, Sendable {
    public var chatTs: UTCTime
    public var unread: Int64
    public var memberAttention: Int64
    public var mentions: Int64
    public var lastMsgFromMemberTs: UTCTime?

    public init(
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

/// A reaction of one member, with its time.
public struct MemberReaction: Codable, Hashable, Sendable {
    public var groupMember: GroupMember
    public var reactionTs: UTCTime

    public init(groupMember: GroupMember, reactionTs: UTCTime) {
        self.groupMember = groupMember
        self.reactionTs = reactionTs
    }
}

/// A group that was created from a link and is not joined yet.
public struct PreparedGroup: Codable, Hashable, Sendable {
    public var connLinkToConnect: CreatedConnLink
    public var connLinkPreparedConnection: Bool
    public var connLinkStartedConnection: Bool
    public var welcomeSharedMsgId: String?
    public var requestSharedMsgId: String?

    public init(
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

/// Access to a public group from outside of the app, such as a web page.
public struct PublicGroupAccess: Codable, Hashable, Sendable {
    public var groupWebPage: String?
    public var groupDomainClaim: SimplexDomainClaim?
    public var domainWebPage: Bool
    public var allowEmbedding: Bool

    public init(
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

/// Public data of a public group: its number of members.
public struct PublicGroupData: Codable, Hashable, Sendable {
    public var publicMemberCount: Int64

    public init(publicMemberCount: Int64) {
        self.publicMemberCount = publicMemberCount
    }
}

/// The data of a public group: its type, link and permanent id.
public struct PublicGroupProfile: Codable, Hashable, Sendable {
    public var groupType: GroupType
    public var groupLink: String
    public var publicGroupId: String
    public var publicGroupAccess: PublicGroupAccess?

    public init(
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

/// A feature of a group that is on for members with at least a certain role.
public struct RoleGroupPreference: Codable, Hashable, Sendable {
    public var enable: GroupFeatureEnabled
    public var role: GroupMemberRole?

    public init(enable: GroupFeatureEnabled, role: GroupMemberRole? = nil) {
        self.enable = enable
        self.role = role
    }
}

/// Whether members can write to the moderators in separate chats.
public struct SupportGroupPreference: Codable, Hashable, Sendable {
    public var enable: GroupFeatureEnabled

    public init(enable: GroupFeatureEnabled) {
        self.enable = enable
    }
}
