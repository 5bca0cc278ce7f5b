/// A request for a connection that a person has sent to the user's address.
package struct UserContactRequest: Codable, Hashable, Sendable {
    package var contactRequestId: Int64
    package var agentInvitationId: String
    package var contactId_: Int64?
    package var businessGroupId_: Int64?
    package var userContactLinkId_: Int64?
    package var cReqChatVRange: VersionRange
    package var localDisplayName: String
    package var profileId: Int64
    package var profile: LocalProfile
    package var createdAt: UTCTime
    package var updatedAt: UTCTime
    package var xContactId: String?
    package var pqSupport: Bool
    package var welcomeSharedMsgId: String?
    package var requestSharedMsgId: String?

    package init(
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
