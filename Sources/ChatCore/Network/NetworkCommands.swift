internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SMP
internal import SQLCipher

/// Commands for the settings and connections of the network.
extension RunningCommand {
    /// `/_network`: stores the network configuration, and uses it from now on. If the configuration has changed, the
    /// sessions with all servers are replaced.
    func setNetworkConfig(_ config: NetworkConfig) async throws -> ChatResponse {
        if let fault = config.errorText { throw ChatFailure.commandError("network configuration: \(fault)") }
        let normalized = config.normalizedConfig
        let before = try await readNetworkConfig()
        try await store.write { try normalized.store(to: $0.db) }
        if normalized != before {
            services.agent.setNetworkSettings(
                normalized.agentSettings(
                    services.configuration.clientConfiguration,
                    webDomains: NetworkConfig.webPortDomains
                )
            )
        }
        return .cmdOk(user_: nil)
    }

    /// `/network`: returns the network configuration.
    func getNetworkConfig() async throws -> ChatResponse {
        .networkConfig(networkConfig: try await readNetworkConfig())
    }

    /// `/_network info`: sets the type of the device's network, and whether the device is online.
    func setNetworkInfo(_ info: UserNetworkInfo) throws -> ChatResponse {
        guard UserNetworkType.knownValues.contains(info.networkType) else {
            throw ChatFailure.commandError("network type \(info.networkType.rawValue) is not known")
        }
        services.networkInformation.withLock { $0 = info }
        recordExternalChange()
        services.agent.setNetworkInfo(
            isOnline: info.online && info.networkType != .none,
            isSlow: info.networkType == .cellular || info.networkType == .none
        )
        return .cmdOk(user_: nil)
    }

    /// `/reconnect`: reconnects all servers.
    func reconnectAllServers() async throws -> ChatResponse {
        try await services.withAgent { try $0.replaceAllSessions() }
        return .cmdOk(user_: nil)
    }

    /// `/reconnect` with a user and a server: reconnects one SMP server.
    func reconnectServer(_ address: String, user: UserRecord) async throws -> ChatResponse {
        guard let server = try? ProtocolServer(parsing: address), server.scheme == .smp else {
            throw ChatFailure.commandError("\(address) is not the address of an SMP server")
        }
        try await services.withAgent { try $0.replaceSessions(user.agentUserId, server) }
        return .cmdOk(user_: nil)
    }

    func readNetworkConfig() async throws -> NetworkConfig {
        try await NetworkConfig.findStored(in: store) ?? services.configuration.networkConfig
    }
}

extension NetworkConfig {
    /// Suffixes of host names of relays that also listen at the web port.
    static let webPortDomains = [".simplex.im", ".simplexonflux.com"]

    fileprivate static let storedName = "network_config"

    func store(to db: StoreConnection) throws {
        try db.insert(into: "settings", or: .replace, ["name": Self.storedName, "value": try StoredJSON.encode(self)])
    }

    /// Finds the stored configuration; nil if no configuration is stored, or if a later version has stored a
    /// configuration that this version cannot use.
    static func findStored(in store: some StoreAccess) async throws -> NetworkConfig? {
        try await store.read { try findStored(in: $0) }
    }

    static func findStored(in db: StoreConnection) throws -> NetworkConfig? {
        let stored = try db.queryFirst("SELECT value FROM settings WHERE name = ?", [storedName])?.string("value")
        guard let stored, let config = try? StoredJSON.decode(NetworkConfig.self, stored), config.errorText == nil
        else {
            return nil
        }
        return config
    }
}
