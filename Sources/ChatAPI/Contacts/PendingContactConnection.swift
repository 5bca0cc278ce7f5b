/// A connection that has no contact yet.
public struct PendingContactConnection: Codable, Hashable, Sendable {
    public var pccConnId: Int64
    public var pccAgentConnId: String
    public var pccConnStatus: ConnStatus
    public var viaContactUri: Bool
    public var viaUserContactLink: Int64?
    public var groupLinkId: String?
    public var customUserProfileId: Int64?
    public var connLinkInv: CreatedConnLink?
    public var localAlias: String
    public var createdAt: UTCTime
    public var updatedAt: UTCTime

    public init(
        pccConnId: Int64,
        pccAgentConnId: String,
        pccConnStatus: ConnStatus,
        viaContactUri: Bool,
        viaUserContactLink: Int64? = nil,
        groupLinkId: String? = nil,
        customUserProfileId: Int64? = nil,
        connLinkInv: CreatedConnLink? = nil,
        localAlias: String,
        createdAt: UTCTime,
        updatedAt: UTCTime
    ) {
        self.pccConnId = pccConnId
        self.pccAgentConnId = pccAgentConnId
        self.pccConnStatus = pccConnStatus
        self.viaContactUri = viaContactUri
        self.viaUserContactLink = viaUserContactLink
        self.groupLinkId = groupLinkId
        self.customUserProfileId = customUserProfileId
        self.connLinkInv = connLinkInv
        self.localAlias = localAlias
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}
