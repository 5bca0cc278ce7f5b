/// An operator of servers, and the user's acceptance of its conditions.
public struct ServerOperator: Codable, Hashable, Sendable {
    public var operatorId: Int64
    public var operatorTag: OperatorTag?
    public var tradeName: String
    public var legalName: String?
    public var serverDomains: [String]
    public var conditionsAcceptance: ConditionsAcceptance
    public var enabled: Bool
    public var smpRoles: ServerRoles
    public var xftpRoles: ServerRoles

    public init(
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
