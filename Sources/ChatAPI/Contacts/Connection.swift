/// A connection of the agent, with data of the chat core.
public struct Connection: Codable, Hashable, Sendable {
    public var connId: Int64
    public var agentConnId: String
    public var connChatVersion: Int
    public var peerChatVRange: VersionRange
    public var connLevel: Int
    public var viaContact: Int64?
    public var viaUserContactLink: Int64?
    public var viaGroupLink: Bool
    public var groupLinkId: String?
    public var xContactId: String?
    public var customUserProfileId: Int64?
    public var connType: ConnType
    public var connStatus: ConnStatus
    public var contactConnInitiated: Bool
    public var localAlias: String
    public var entityId: Int64?
    public var connectionCode: SecurityCode?
    public var pqSupport: Bool
    public var pqEncryption: Bool
    public var pqSndEnabled: Bool?
    public var pqRcvEnabled: Bool?
    public var authErrCounter: Int
    public var quotaErrCounter: Int
    public var createdAt: UTCTime

    public init(
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
