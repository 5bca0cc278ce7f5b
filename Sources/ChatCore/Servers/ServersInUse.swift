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

    /// Passes to the agent the servers for each profile's new queues and for forwarding its messages, and those for its files.
    func useServers(in store: some StoreAccess) async throws {
        let users = try await store.read { db in
            let operators = try OperatorRecord.all(in: db)
            return try UserRecord.all(in: db).map { user in
                (user.agentUserId, try ServerRecord.all(user: user.userId, in: db).compactMap { $0.agentServer(operators) })
            }
        }
        for (user, servers) in users {
            try await withAgent { agent in
                try await agent.setServers(user, servers: self.usable(servers, .smp))
                try await agent.setFileServers(user, servers: self.usable(servers, .xftp))
            }
        }
    }

    /// The agent's servers for a new profile with these servers: relays, and servers of files.
    func agentServers(_ new: [NewServer], in store: some StoreAccess) async throws -> (relays: [AgentServer], files: [AgentServer]) {
        let operators = try await store.read { db in try OperatorRecord.all(in: db) }
        let servers = new.compactMap { ServerRecord($0)?.agentServer(operators) }
        return (usable(servers, .smp), usable(servers, .xftp))
    }

    /// Without any to make queues on, those of the configuration too: a profile must be reachable.
    private func usable(_ servers: [AgentServer], _ scheme: ProtocolServer.Scheme) -> [AgentServer] {
        let servers = servers.filter { $0.server.scheme == scheme }
        return servers.contains(where: \.isStorage) ? servers : servers + configuration.servers.filter { $0.scheme == scheme }.map { AgentServer($0) }
    }
}
