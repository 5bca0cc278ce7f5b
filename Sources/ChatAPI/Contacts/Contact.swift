package import JSON

/// A person or bot to whom a user profile is or was connected.
package struct Contact: Codable, Hashable, Sendable {
    package var contactId: Int64
    package var localDisplayName: String
    package var profile: LocalProfile
    package var activeConn: Connection?
    package var contactUsed: Bool
    package var contactStatus: ContactStatus
    package var chatSettings: ChatSettings
    package var userPreferences: Preferences
    package var mergedPreferences: ContactUserPreferences
    package var createdAt: UTCTime
    package var updatedAt: UTCTime
    package var chatTs: UTCTime?
    package var preparedContact: PreparedContact?
    package var contactRequestId: Int64?
    package var contactGroupMemberId: Int64?
    package var contactGrpInvSent: Bool
    package var groupDirectInv: GroupDirectInvitation?
    package var chatTags: [Int64]
    package var chatItemTTL: Int64?
    package var uiThemes: UIThemeEntityOverrides?
    package var chatDeleted: Bool
    package var customData: JSONValue?

    package init(
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
