internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SMP
internal import SQLCipher

/// The servers that the agent uses.
extension CoreServices {
    /// Chooses the initial servers of a new profile.
    func chooseServers() -> [NewServer] {
        let presets = chooseServers(configuration.serverPresets)
        return presets.isEmpty ? chooseServers(.relay) : presets
    }

    private func chooseServers(_ presets: ServerPresets) -> [NewServer] {
        presets == .relay
            ? configuration.defaultServers.map {
                NewServer(scheme: $0.scheme, address: $0.str, isPreset: false, isEnabled: true)
            } : presets.operators.flatMap { $0.chooseServers() }
    }

    /// Chooses the servers of a new profile whose user wants other servers than those of the configuration. The chosen
    /// servers count as set by the user, so that the next start does not replace them.
    /// - Throws: `commandError` if the configuration has no server.
    func chooseServers(chosen presets: ServerPresets) throws(ChatFailure) -> [NewServer] {
        let chosen = chooseServers(presets)
        guard !chosen.isEmpty else { throw ChatFailure.commandError("this gateway has no relays of its own") }
        // The next start adds the presets of the configuration that the profile does not have. It does not change a
        // preset that the profile has, so unused presets are stored as disabled.
        let unused = configuration.serverPresets.operators.flatMap { $0.chooseServers() }.map { server in
            var server = server
            server.isEnabled = false
            return server
        }
        return (chosen + unused).map { server in
            var server = server
            server.isSetByUser = true
            return server
        }
    }

    /// Stores the preset chat relays of a new profile.
    /// - Parameter wanted: the servers that the user has chosen; nil for the servers of the configuration.
    func addChatRelays(_ wanted: InitialServers?, user userId: Int64, in db: StoreConnection) throws {
        let usual = configuration.serverPresets
        let chosen = wanted.map(ServerPresets.init) ?? usual
        try ChatRelays.addPresets(chosen.operators, areUsed: true, user: userId, in: db)
        // The next start adds presets that the profile does not have. So the relays that the user has not chosen are
        // stored as disabled.
        try ChatRelays.addPresets(usual.operators, areUsed: false, user: userId, in: db)
    }

    /// Stores the presets and the configured servers in the database, and passes the resulting servers to the agent.
    func configureServers(in store: some StoreAccess) async throws {
        let servers = try await store.write { tx in
            try ServerOperators.storePresets(self.configuration.serverPresets.operators, tx)
            for user in try UserRecord.all(in: tx.db) {
                try ServerRecord.storeConfiguredServers(self.chooseServers(), user: user.userId, in: tx.db)
                let operators = self.configuration.serverPresets.operators
                try ChatRelays.addPresets(operators, areUsed: true, user: user.userId, in: tx.db)
            }
            return try self.readAgentServers(in: tx.db)
        }
        try await withAgent { try await $0.setServers(servers) }
    }

    /// Passes the servers of each profile to the agent: file servers, and relays for new queues and for the forwarding
    /// of messages.
    func passServersToAgent(in store: some StoreAccess) async throws {
        // Without the lock, a command that has read older servers could pass them to the agent last.
        try await serversLock.runLocked {
            let servers = try await store.read { try self.readAgentServers(in: $0) }
            try await withAgent { try await $0.setServers(servers) }
        }
    }

    /// Reads the servers of each profile, and converts them to values of the agent.
    private func readAgentServers(in db: StoreConnection) throws -> [AgentUserServers] {
        let operators = try ServerOperators.findAll(in: db)
        return try UserRecord.all(in: db).map { user in
            let servers = try ServerRecord.findAll(user: user.userId, in: db).compactMap {
                $0.makeAgentServer(operators)
            }
            return AgentUserServers(
                user: user.agentUserId,
                relays: selectUsableServers(servers, .smp),
                fileServers: selectUsableServers(servers, .xftp)
            )
        }
    }

    /// Converts the servers of a new profile to values of the agent: relays and file servers.
    func makeAgentServers(
        _ new: [NewServer],
        in store: some StoreAccess
    ) async throws -> (relays: [AgentServer], files: [AgentServer]) {
        let operators = try await store.read { db in try ServerOperators.findAll(in: db) }
        let servers = new.compactMap { ServerRecord($0)?.makeAgentServer(operators) }
        return (selectUsableServers(servers, .smp), selectUsableServers(servers, .xftp))
    }

    /// Returns the servers that have the scheme `scheme`. If none of these servers has the storage role, the configured
    /// servers are added, since a profile must be reachable.
    private func selectUsableServers(_ servers: [AgentServer], _ scheme: ProtocolServer.Scheme) -> [AgentServer] {
        let servers = servers.filter { $0.server.scheme == scheme }
        return servers.contains(where: \.hasStorageRole)
            ? servers : servers + configuration.defaultServers.filter { $0.scheme == scheme }.map { AgentServer($0) }
    }
}
