public import JSON

/// A person or bot to whom a profile is or was connected.
public struct Contact: Codable, Hashable, Sendable {
    public var contactId: Int64
    public var localDisplayName: String
    public var profile: LocalProfile
    public var activeConn: Connection?
    public var contactUsed: Bool
    public var contactStatus: ContactStatus
    public var chatSettings: ChatSettings
    public var userPreferences: Preferences
    public var mergedPreferences: ContactUserPreferences
    public var createdAt: UTCTime
    public var updatedAt: UTCTime
    public var chatTs: UTCTime?
    public var preparedContact: PreparedContact?
    public var contactRequestId: Int64?
    public var contactGroupMemberId: Int64?
    public var contactGrpInvSent: Bool
    public var groupDirectInv: GroupDirectInvitation?
    public var chatTags: [Int64]
    public var chatItemTTL: Int64?
    public var uiThemes: UIThemeEntityOverrides?
    public var chatDeleted: Bool
    public var customData: JSONValue?

    public init(
        contactId: Int64,
        localDisplayName: String,
        profile: LocalProfile,
        activeConn: Connection? = nil,
        contactUsed: Bool,
        contactStatus: ContactStatus,
        chatSettings: ChatSettings,
        userPreferences: Preferences,
        mergedPreferences: ContactUserPreferences,
        createdAt: UTCTime,
        updatedAt: UTCTime,
        chatTs: UTCTime? = nil,
        preparedContact: PreparedContact? = nil,
        contactRequestId: Int64? = nil,
        contactGroupMemberId: Int64? = nil,
        contactGrpInvSent: Bool,
        groupDirectInv: GroupDirectInvitation? = nil,
        chatTags: [Int64],
        chatItemTTL: Int64? = nil,
        uiThemes: UIThemeEntityOverrides? = nil,
        chatDeleted: Bool,
        customData: JSONValue? = nil
    ) {
        self.contactId = contactId
        self.localDisplayName = localDisplayName
        self.profile = profile
        self.activeConn = activeConn
        self.contactUsed = contactUsed
        self.contactStatus = contactStatus
        self.chatSettings = chatSettings
        self.userPreferences = userPreferences
        self.mergedPreferences = mergedPreferences
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.chatTs = chatTs
        self.preparedContact = preparedContact
        self.contactRequestId = contactRequestId
        self.contactGroupMemberId = contactGroupMemberId
        self.contactGrpInvSent = contactGrpInvSent
        self.groupDirectInv = groupDirectInv
        self.chatTags = chatTags
        self.chatItemTTL = chatItemTTL
        self.uiThemes = uiThemes
        self.chatDeleted = chatDeleted
        self.customData = customData
    }
}
