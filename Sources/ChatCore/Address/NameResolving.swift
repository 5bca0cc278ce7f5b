internal import Agent
internal import ChatAPI
internal import SMP

/// Resolving of SimpleX names.
extension RunningCommand {
    /// Resolves a name at a relay of the user with the role `names`.
    /// - Throws: `NO_NAME_SERVERS` if no relay of the user has the role; `NAME NOT_FOUND` if the relay does not know
    ///   the name.
    func resolveName(_ name: NameDomain, user: UserRecord) async throws -> NameRecord {
        let resolvers = try await store.read { db in
            let operators = try ServerOperators.findAll(in: db)
            return try ServerRecord.findAll(user: user.userId, in: db).filter { $0.resolvesNames(operators) }.map(
                \.address
            )
        }
        guard !resolvers.isEmpty else { throw ChatFailure(ChatError.agentError(.noNameServers)) }
        return try await services.withAgent {
            try await $0.resolveName(name, user: user.agentUserId, at: resolvers, patience: .interactive)
        }
    }
}

extension ServerRecord {
    /// Whether the server may resolve names. A server with neither an operator nor roles of its own may resolve names.
    fileprivate func resolvesNames(_ operators: [ServerOperator]) -> Bool {
        guard scheme == .smp, api.enabled else { return false }
        guard let one = self.operator(among: operators) else { return api.roles?.names ?? true }
        return one.enabled && (api.roles?.names ?? one.smpRoles.names)
    }
}
