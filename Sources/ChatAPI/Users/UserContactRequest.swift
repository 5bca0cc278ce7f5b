/// A request for a connection that was sent to the user's address.
public struct UserContactRequest: Codable, Hashable, Sendable {
    public var contactRequestId: Int64
    public var agentInvitationId: String
    public var contactId_: Int64?
    public var businessGroupId_: Int64?
    public var userContactLinkId_: Int64?
    public var cReqChatVRange: VersionRange
    public var localDisplayName: String
    public var profileId: Int64
    public var profile: LocalProfile
    public var createdAt: UTCTime
    public var updatedAt: UTCTime
    public var xContactId: String?
    public var pqSupport: Bool
    public var welcomeSharedMsgId: String?
    public var requestSharedMsgId: String?

    public init(
        contactRequestId: Int64,
        agentInvitationId: String,
        contactId_: Int64? = nil,
        businessGroupId_: Int64? = nil,
        userContactLinkId_: Int64? = nil,
        cReqChatVRange: VersionRange,
        localDisplayName: String,
        profileId: Int64,
        profile: LocalProfile,
        createdAt: UTCTime,
        updatedAt: UTCTime,
        xContactId: String? = nil,
        pqSupport: Bool,
        welcomeSharedMsgId: String? = nil,
        requestSharedMsgId: String? = nil
    ) {
        self.contactRequestId = contactRequestId
        self.agentInvitationId = agentInvitationId
        self.contactId_ = contactId_
        self.businessGroupId_ = businessGroupId_
        self.userContactLinkId_ = userContactLinkId_
        self.cReqChatVRange = cReqChatVRange
        self.localDisplayName = localDisplayName
        self.profileId = profileId
        self.profile = profile
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.xContactId = xContactId
        self.pqSupport = pqSupport
        self.welcomeSharedMsgId = welcomeSharedMsgId
        self.requestSharedMsgId = requestSharedMsgId
    }
}
