/// An operator of servers, and whether the user has accepted the operator's conditions.
package struct ServerOperator: Codable, Hashable, Sendable {
    package var operatorId: Int64
    package var operatorTag: OperatorTag?
    package var tradeName: String
    package var legalName: String?
    package var serverDomains: [String]
    package var conditionsAcceptance: ConditionsAcceptance
    package var enabled: Bool
    package var smpRoles: ServerRoles
    package var xftpRoles: ServerRoles

    package init(
        operatorId: Int64,
        operatorTag: OperatorTag? = nil,
        tradeName: String,
        legalName: String? = nil,
        serverDomains: [String],
        conditionsAcceptance: ConditionsAcceptance,
        enabled: Bool,
        smpRoles: ServerRoles,
        xftpRoles: ServerRoles
    ) {
        self.operatorId = operatorId
        self.operatorTag = operatorTag
        self.tradeName = tradeName
        self.legalName = legalName
        self.serverDomains = serverDomains
        self.conditionsAcceptance = conditionsAcceptance
        self.enabled = enabled
        self.smpRoles = smpRoles
        self.xftpRoles = xftpRoles
    }
}
