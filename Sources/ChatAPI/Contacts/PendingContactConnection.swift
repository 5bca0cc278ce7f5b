/// A connection that has no contact yet.
package struct PendingContactConnection: Codable, Hashable, Sendable {
    package var pccConnId: Int64
    package var pccAgentConnId: String
    package var pccConnStatus: ConnStatus
    package var viaContactUri: Bool
    package var viaUserContactLink: Int64?
    package var groupLinkId: String?
    package var customUserProfileId: Int64?
    package var connLinkInv: CreatedConnLink?
    package var localAlias: String
    package var createdAt: UTCTime
    package var updatedAt: UTCTime

    package init(
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
