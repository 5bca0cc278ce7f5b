/// The operators of servers with their conditions of use, and the action that the user has to take.
package struct ServerOperatorConditions: Codable, Hashable, Sendable {
    package var serverOperators: [ServerOperator]
    package var currentConditions: UsageConditions
    package var conditionsAction: UsageConditionsAction?

    package init(
        serverOperators: [ServerOperator],
        currentConditions: UsageConditions,
        conditionsAction: UsageConditionsAction? = nil
    ) {
        self.serverOperators = serverOperators
        self.currentConditions = currentConditions
        self.conditionsAction = conditionsAction
    }
}

/// The purposes for which a server is used. Version 7 of the original added `names`.
package struct ServerRoles: Codable, Hashable, Sendable {
    package var storage: Bool
    package var proxy: Bool
    package var names: Bool

    package init(storage: Bool, proxy: Bool, names: Bool) {
        self.storage = storage
        self.proxy = proxy
        self.names = names
    }

    /// Decodes the purposes of a server. Version 6 of the original does not write `names`, so a missing value is false.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        storage = try fields.decode(Bool.self, forKey: .storage)
        proxy = try fields.decode(Bool.self, forKey: .proxy)
        names = try fields.decodeIfPresent(Bool.self, forKey: .names) ?? false
    }
}

/// The purposes of a server that differ from the purposes of its operator's servers.
package struct ServerRolesOverride: Codable, Hashable, Sendable {
    package var storage: Bool?
    package var proxy: Bool?
    package var names: Bool?
}

/// A version of the conditions of use, and the time at which the user was notified of this version.
package struct UsageConditions: Codable, Hashable, Sendable {
    package var conditionsId: Int64
    package var conditionsCommit: String
    package var notifiedAt: UTCTime?
    package var createdAt: UTCTime

    package init(conditionsId: Int64, conditionsCommit: String, notifiedAt: UTCTime? = nil, createdAt: UTCTime) {
        self.conditionsId = conditionsId
        self.conditionsCommit = conditionsCommit
        self.notifiedAt = notifiedAt
        self.createdAt = createdAt
    }
}

/// The servers of one operator in a profile, or the servers without an operator. Versions of the original without
/// channels do not have the member `chatRelays`.
package struct UserOperatorServers: Codable, Hashable, Sendable {
    package var `operator`: ServerOperator?
    package var smpServers: [UserServer]
    package var xftpServers: [UserServer]
    package var chatRelays: [UserChatRelay]?

    package init(
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
