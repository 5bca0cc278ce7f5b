package import JSON

/// A group from the view of one of its members.
package struct GroupInfo: Codable, Hashable, Sendable {
    package var groupId: Int64
    package var useRelays: Bool
    package var relayOwnStatus: RelayStatus?
    package var localDisplayName: String
    package var groupProfile: GroupProfile
    package var localAlias: String
    package var businessChat: BusinessChatInfo?
    package var fullGroupPreferences: FullGroupPreferences
    package var membership: GroupMember
    package var chatSettings: ChatSettings
    package var createdAt: UTCTime
    package var updatedAt: UTCTime
    package var chatTs: UTCTime?
    package var userMemberProfileSentAt: UTCTime?
    package var preparedGroup: PreparedGroup?
    package var chatTags: [Int64]
    package var chatItemTTL: Int64?
    package var uiThemes: UIThemeEntityOverrides?
    package var customData: JSONValue?
    package var groupSummary: GroupSummary
    package var rosterVersion: Int64?
    package var membersRequireAttention: Int
    package var viaGroupLinkUri: String?
    /// The keys of the group, including private keys. This field only occurs in answers of other cores, since this core
    /// returns no private keys.
    package var groupKeys: GroupKeys?
    /// The public keys of the group, which this core returns instead of `groupKeys`. Other cores ignore this field.
    package var groupPublicKeys: GroupPublicKeys?
    package var groupDomainVerified: Bool?

    package init(
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
