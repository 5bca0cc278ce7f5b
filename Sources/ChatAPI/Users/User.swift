/// A user profile of this core. `agentUserId` is a decimal number in a string.
package struct User: Codable, Hashable, Sendable {
    package var userId: Int64
    package var agentUserId: String
    package var userContactId: Int64
    package var localDisplayName: String
    package var profile: LocalProfile
    package var fullPreferences: FullPreferences
    package var activeUser: Bool
    package var activeOrder: Int64
    package var viewPwdHash: UserPwdHash?
    package var showNtfs: Bool
    package var sendRcptsContacts: Bool
    package var sendRcptsSmallGroups: Bool
    package var autoAcceptMemberContacts: Bool
    /// True if invitations to groups are accepted automatically; nil otherwise. The original has no such member.
    package var autoAcceptGroupInvitations: Bool?
    package var userMemberProfileUpdatedAt: UTCTime?
    package var userChatRelay: Bool?
    package var clientService: Bool?
    package var uiThemes: UIThemeEntityOverrides?

    package init(
        userId: Int64,
        agentUserId: String,
        userContactId: Int64,
        localDisplayName: String,
        profile: LocalProfile,
        fullPreferences: FullPreferences,
        activeUser: Bool,
        activeOrder: Int64,
        viewPwdHash: UserPwdHash? = nil,
        showNtfs: Bool,
        sendRcptsContacts: Bool,
        sendRcptsSmallGroups: Bool,
        autoAcceptMemberContacts: Bool,
        autoAcceptGroupInvitations: Bool? = nil,
        userMemberProfileUpdatedAt: UTCTime? = nil,
        userChatRelay: Bool? = nil,
        clientService: Bool? = nil,
        uiThemes: UIThemeEntityOverrides? = nil
    ) {
        self.userId = userId
        self.agentUserId = agentUserId
        self.userContactId = userContactId
        self.localDisplayName = localDisplayName
        self.profile = profile
        self.fullPreferences = fullPreferences
        self.activeUser = activeUser
        self.activeOrder = activeOrder
        self.viewPwdHash = viewPwdHash
        self.showNtfs = showNtfs
        self.sendRcptsContacts = sendRcptsContacts
        self.sendRcptsSmallGroups = sendRcptsSmallGroups
        self.autoAcceptMemberContacts = autoAcceptMemberContacts
        self.autoAcceptGroupInvitations = autoAcceptGroupInvitations
        self.userMemberProfileUpdatedAt = userMemberProfileUpdatedAt
        self.userChatRelay = userChatRelay
        self.clientService = clientService
        self.uiThemes = uiThemes
    }
}
