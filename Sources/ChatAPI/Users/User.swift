/// A profile of this core. `agentUserId` is a decimal number in a string.
public struct User: Codable, Hashable, Sendable {
    public var userId: Int64
    public var agentUserId: String
    public var userContactId: Int64
    public var localDisplayName: String
    public var profile: LocalProfile
    public var fullPreferences: FullPreferences
    public var activeUser: Bool
    public var activeOrder: Int64
    public var viewPwdHash: UserPwdHash?
    public var showNtfs: Bool
    public var sendRcptsContacts: Bool
    public var sendRcptsSmallGroups: Bool
    public var autoAcceptMemberContacts: Bool
    public var userMemberProfileUpdatedAt: UTCTime?
    public var userChatRelay: Bool?
    public var clientService: Bool?
    public var uiThemes: UIThemeEntityOverrides?

    public init(
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
        self.userMemberProfileUpdatedAt = userMemberProfileUpdatedAt
        self.userChatRelay = userChatRelay
        self.clientService = clientService
        self.uiThemes = uiThemes
    }
}
