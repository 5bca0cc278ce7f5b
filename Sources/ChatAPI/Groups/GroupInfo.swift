public import JSON

/// A group from the view of one of its members.
public struct GroupInfo: Codable, Hashable, Sendable {
    public var groupId: Int64
    public var useRelays: Bool
    public var relayOwnStatus: RelayStatus?
    public var localDisplayName: String
    public var groupProfile: GroupProfile
    public var localAlias: String
    public var businessChat: BusinessChatInfo?
    public var fullGroupPreferences: FullGroupPreferences
    public var membership: GroupMember
    public var chatSettings: ChatSettings
    public var createdAt: UTCTime
    public var updatedAt: UTCTime
    public var chatTs: UTCTime?
    public var userMemberProfileSentAt: UTCTime?
    public var preparedGroup: PreparedGroup?
    public var chatTags: [Int64]
    public var chatItemTTL: Int64?
    public var uiThemes: UIThemeEntityOverrides?
    public var customData: JSONValue?
    public var groupSummary: GroupSummary
    public var rosterVersion: Int64?
    public var membersRequireAttention: Int
    public var viaGroupLinkUri: String?
    /// Keys, including private keys. They are only decoded from answers of other cores, since this core keeps private
    /// keys in the store.
    public var groupKeys: GroupKeys?
    /// Public keys, which this core returns instead of `groupKeys`. Other cores ignore this field.
    public var groupPublicKeys: GroupPublicKeys?
    public var groupDomainVerified: Bool?

    public init(
        groupId: Int64,
        useRelays: Bool,
        relayOwnStatus: RelayStatus? = nil,
        localDisplayName: String,
        groupProfile: GroupProfile,
        localAlias: String,
        businessChat: BusinessChatInfo? = nil,
        fullGroupPreferences: FullGroupPreferences,
        membership: GroupMember,
        chatSettings: ChatSettings,
        createdAt: UTCTime,
        updatedAt: UTCTime,
        chatTs: UTCTime? = nil,
        userMemberProfileSentAt: UTCTime? = nil,
        preparedGroup: PreparedGroup? = nil,
        chatTags: [Int64],
        chatItemTTL: Int64? = nil,
        uiThemes: UIThemeEntityOverrides? = nil,
        customData: JSONValue? = nil,
        groupSummary: GroupSummary,
        rosterVersion: Int64? = nil,
        membersRequireAttention: Int,
        viaGroupLinkUri: String? = nil,
        groupKeys: GroupKeys? = nil,
        groupPublicKeys: GroupPublicKeys? = nil,
        groupDomainVerified: Bool? = nil
    ) {
        self.groupId = groupId
        self.useRelays = useRelays
        self.relayOwnStatus = relayOwnStatus
        self.localDisplayName = localDisplayName
        self.groupProfile = groupProfile
        self.localAlias = localAlias
        self.businessChat = businessChat
        self.fullGroupPreferences = fullGroupPreferences
        self.membership = membership
        self.chatSettings = chatSettings
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.chatTs = chatTs
        self.userMemberProfileSentAt = userMemberProfileSentAt
        self.preparedGroup = preparedGroup
        self.chatTags = chatTags
        self.chatItemTTL = chatItemTTL
        self.uiThemes = uiThemes
        self.customData = customData
        self.groupSummary = groupSummary
        self.rosterVersion = rosterVersion
        self.membersRequireAttention = membersRequireAttention
        self.viaGroupLinkUri = viaGroupLinkUri
        self.groupKeys = groupKeys
        self.groupPublicKeys = groupPublicKeys
        self.groupDomainVerified = groupDomainVerified
    }
}
