internal import Agent
internal import ChatAPI
internal import SMP
internal import SQLCipher

/// How the network is used.
extension ChatController {
    /// Endings of the names of relays that listen at the web's port too.
    static let webDomains = [".simplex.im", ".simplexonflux.com"]

    /// `/_network`: is kept, and used from now on. A change makes all sessions anew.
    func setNetworkConfig(_ config: NetworkConfig) async throws -> ChatResponse {
        if let fault = config.fault { throw ChatFailure.command("network configuration: \(fault)") }
        let normalized = config.normalized
        let before = try await networkConfig()
        try await store.write { tx in
            try tx.db.execute(
                "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", [Self.networkConfigName, try StoredJSON.encode(normalized)])
        }
        if normalized != before { agent.setNetwork(normalized.settings(configuration.network, webDomains: Self.webDomains)) }
        return .cmdOk(user_: nil)
    }

    /// `/network`
    func getNetworkConfig() async throws -> ChatResponse {
        .networkConfig(networkConfig: try await networkConfig())
    }

    /// `/_network info`
    func setNetworkInfo(_ info: UserNetworkInfo) throws -> ChatResponse {
        guard UserNetworkType.known.contains(info.networkType) else {
            throw ChatFailure.command("network type \(info.networkType.rawValue) is not known")
        }
        networkInformation.withLock { $0 = info }
        // Nothing is written, and it is told all the same.
        CommandContext.current?.note(told: false)
        agent.setNetworkInfo(
            isOnline: info.online && info.networkType != .none, isSlow: info.networkType == .cellular || info.networkType == .none)
        return .cmdOk(user_: nil)
    }

    /// `/reconnect`
    func reconnectAllServers() async throws -> ChatResponse {
        try await withAgent { try $0.reconnectAll() }
        return .cmdOk(user_: nil)
    }

    /// `/reconnect` with a user and a server
    func reconnectServer(_ address: String, user: UserRecord) async throws -> ChatResponse {
        guard let server = try? ProtocolServer(parsing: address), server.scheme == .smp else {
            throw ChatFailure.command("\(address) is not the address of an SMP server")
        }
        try await withAgent { try $0.reconnect(user.agentUserId, server) }
        return .cmdOk(user_: nil)
    }

    private static let networkConfigName = "network_config"

    func networkConfig() async throws -> NetworkConfig {
        try await Self.networkConfig(in: store) ?? configuration.networkConfig
    }

    /// What somebody has set; nil for nothing, or for what a later version has set and this one cannot do.
    static func networkConfig(in store: ChatStore) async throws -> NetworkConfig? {
        let stored = try await store.read { db in
            try db.first("SELECT value FROM settings WHERE name = ?", [networkConfigName])?.string("value")
        }
        guard let stored, let config = try? StoredJSON.decode(NetworkConfig.self, stored), config.fault == nil else { return nil }
        return config
    }
}
