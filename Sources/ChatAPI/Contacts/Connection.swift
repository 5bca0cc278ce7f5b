/// A connection of the agent, with the data that the chat core adds.
package struct Connection: Codable, Hashable, Sendable {
    package var connId: Int64
    package var agentConnId: String
    package var connChatVersion: Int
    package var peerChatVRange: VersionRange
    package var connLevel: Int
    package var viaContact: Int64?
    package var viaUserContactLink: Int64?
    package var viaGroupLink: Bool
    package var groupLinkId: String?
    package var xContactId: String?
    package var customUserProfileId: Int64?
    package var connType: ConnType
    package var connStatus: ConnStatus
    package var contactConnInitiated: Bool
    package var localAlias: String
    package var entityId: Int64?
    package var connectionCode: SecurityCode?
    package var pqSupport: Bool
    package var pqEncryption: Bool
    package var pqSndEnabled: Bool?
    package var pqRcvEnabled: Bool?
    package var authErrCounter: Int
    package var quotaErrCounter: Int
    package var createdAt: UTCTime

    package init(
        connId: Int64,
        agentConnId: String,
        connChatVersion: Int,
        peerChatVRange: VersionRange,
        connLevel: Int,
        viaContact: Int64? = nil,
        viaUserContactLink: Int64? = nil,
        viaGroupLink: Bool,
        groupLinkId: String? = nil,
        xContactId: String? = nil,
        customUserProfileId: Int64? = nil,
        connType: ConnType,
        connStatus: ConnStatus,
        contactConnInitiated: Bool,
        localAlias: String,
        entityId: Int64? = nil,
        connectionCode: SecurityCode? = nil,
        pqSupport: Bool,
        pqEncryption: Bool,
        pqSndEnabled: Bool? = nil,
        pqRcvEnabled: Bool? = nil,
        authErrCounter: Int,
        quotaErrCounter: Int,
        createdAt: UTCTime
    ) {
        self.connId = connId
        self.agentConnId = agentConnId
        self.connChatVersion = connChatVersion
        self.peerChatVRange = peerChatVRange
        self.connLevel = connLevel
        self.viaContact = viaContact
        self.viaUserContactLink = viaUserContactLink
        self.viaGroupLink = viaGroupLink
        self.groupLinkId = groupLinkId
        self.xContactId = xContactId
        self.customUserProfileId = customUserProfileId
        self.connType = connType
        self.connStatus = connStatus
        self.contactConnInitiated = contactConnInitiated
        self.localAlias = localAlias
        self.entityId = entityId
        self.connectionCode = connectionCode
        self.pqSupport = pqSupport
        self.pqEncryption = pqEncryption
        self.pqSndEnabled = pqSndEnabled
        self.pqRcvEnabled = pqRcvEnabled
        self.authErrCounter = authErrCounter
        self.quotaErrCounter = quotaErrCounter
        self.createdAt = createdAt
    }
}
