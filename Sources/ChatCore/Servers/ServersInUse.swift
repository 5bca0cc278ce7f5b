internal import Agent
internal import SMP
internal import SQLCipher

/// The servers that the agent uses.
extension ChatController {
    /// The servers with which a new profile begins.
    func newServers() -> [NewServer] {
        let presets = configuration.serverPresets.operators.flatMap { $0.servers() }
        return presets.isEmpty
            ? configuration.servers.map { NewServer(scheme: $0.scheme, address: $0.str, isPreset: false, isEnabled: true) } : presets
    }

    /// Brings presets and configuration into the database, and what follows from them to the agent.
    func configureServers() async throws {
        try await store.write { tx in
            try OperatorRecord.update(self.configuration.serverPresets.operators, tx)
            for user in try UserRecord.all(in: tx.db) { try ServerRecord.configure(self.newServers(), user: user.userId, in: tx.db) }
        }
        try await useServers(in: store)
    }

    /// Passes to the agent the servers for each profile's new queues and for forwarding its messages.
    func useServers(in store: some StoreAccess) async throws {
        let users = try await store.read { db in
            let operators = try OperatorRecord.all(in: db)
            return try UserRecord.all(in: db).map { user in
                (user.agentUserId, try ServerRecord.all(user: user.userId, in: db).compactMap { $0.agentServer(operators) })
            }
        }
        for (user, servers) in users { try await withAgent { try await $0.setServers(user, servers: self.usable(servers)) } }
    }

    /// The agent's servers for a new profile with these servers.
    func agentServers(_ new: [NewServer], in store: some StoreAccess) async throws -> [AgentServer] {
        let operators = try await store.read { db in try OperatorRecord.all(in: db) }
        return usable(new.compactMap { ServerRecord($0)?.agentServer(operators) })
    }

    /// Without any to make queues on, those of the configuration too: a profile must be reachable.
    private func usable(_ servers: [AgentServer]) -> [AgentServer] {
        servers.contains(where: \.isStorage) ? servers : servers + configuration.servers.filter { $0.scheme == .smp }.map { AgentServer($0) }
    }
}
