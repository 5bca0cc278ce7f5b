/// The step at which the test of a server failed, and the error.
public struct ProtocolTestFailure: Codable, Hashable, Sendable {
    public var testStep: ProtocolTestStep
    public var testError: AgentErrorType

    public init(testStep: ProtocolTestStep, testError: AgentErrorType) {
        self.testStep = testStep
        self.testError = testError
    }
}

/// The operators with the conditions of use, and the action that the user has to take.
public struct ServerOperatorConditions: Codable, Hashable, Sendable {
    public var serverOperators: [ServerOperator]
    public var currentConditions: UsageConditions
    public var conditionsAction: UsageConditionsAction?

    public init(
        serverOperators: [ServerOperator],
        currentConditions: UsageConditions,
        conditionsAction: UsageConditionsAction? = nil
    ) {
        self.serverOperators = serverOperators
        self.currentConditions = currentConditions
        self.conditionsAction = conditionsAction
    }
}

/// The purposes for which servers are used. Version 7 of the original added `names`.
public struct ServerRoles: Codable, Hashable, Sendable {
    public var storage: Bool
    public var proxy: Bool
    public var names: Bool

    public init(storage: Bool, proxy: Bool, names: Bool) {
        self.storage = storage
        self.proxy = proxy
        self.names = names
    }

    /// Decodes the roles. Version 6 does not write `names`, so a missing value is false.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        storage = try fields.decode(Bool.self, forKey: .storage)
        proxy = try fields.decode(Bool.self, forKey: .proxy)
        names = try fields.decodeIfPresent(Bool.self, forKey: .names) ?? false
    }
}

/// The roles of a server that differ from the roles of its operator.
public struct ServerRolesOverride: Codable, Hashable, Sendable {
    public var storage: Bool?
    public var proxy: Bool?
    public var names: Bool?
}

/// A version of the conditions of use, and the time at which the user was notified of it.
public struct UsageConditions: Codable, Hashable, Sendable {
    public var conditionsId: Int64
    public var conditionsCommit: String
    public var notifiedAt: UTCTime?
    public var createdAt: UTCTime

    public init(conditionsId: Int64, conditionsCommit: String, notifiedAt: UTCTime? = nil, createdAt: UTCTime) {
        self.conditionsId = conditionsId
        self.conditionsCommit = conditionsCommit
        self.notifiedAt = notifiedAt
        self.createdAt = createdAt
    }
}

/// The servers of one operator in a profile, or the servers without an operator. The first version of the original with
/// channels added `chatRelays`.
public struct UserOperatorServers: Codable, Hashable, Sendable {
    public var `operator`: ServerOperator?
    public var smpServers: [UserServer]
    public var xftpServers: [UserServer]
    public var chatRelays: [UserChatRelay]?

    public init(
        `operator`: ServerOperator? = nil,
        smpServers: [UserServer],
        xftpServers: [UserServer],
        chatRelays: [UserChatRelay]? = nil
    ) {
        self.operator = `operator`
        self.smpServers = smpServers
        self.xftpServers = xftpServers
        self.chatRelays = chatRelays
    }
}
