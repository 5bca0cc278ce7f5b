internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SMP
internal import SQLCipher

/// A stored server of a profile.
struct ServerRecord: Sendable {
    var scheme: ProtocolServer.Scheme
    var address: ProtocolServer
    var api: UserServer

    private init?(_ row: Row) throws {
        let text = try row.string("server")
        guard let address = try? ProtocolServer(parsing: text) else { return nil }
        self.address = address
        scheme = address.scheme
        api = UserServer(
            serverId: try row.int64("server_id"),
            server: text,
            preset: try row.bool("preset"),
            tested: try row.int64OrNil("tested").map { $0 != 0 },
            enabled: try row.bool("enabled"),
            deleted: false,
            roles: try StoredJSON.decodeIfPresent(ServerRolesOverride.self, row.stringOrNil("roles"))
        )
    }

    /// Makes the record of a new server; nil if its address is invalid.
    init?(_ new: NewServer) {
        guard let address = try? ProtocolServer(parsing: new.address) else { return nil }
        self.address = address
        scheme = address.scheme
        api = UserServer(server: new.address, preset: new.isPreset, enabled: new.isEnabled, deleted: false)
    }

    static func findAll(user userId: Int64, in db: StoreConnection) throws -> [ServerRecord] {
        try db.query("SELECT * FROM protocol_servers WHERE user_id = ? ORDER BY server_id", [userId]).compactMap(
            ServerRecord.init
        )
    }

    static func insert(_ new: NewServer, user userId: Int64, in db: StoreConnection) throws {
        try db.insert(
            into: "protocol_servers",
            or: .ignore,
            [
                "user_id": userId, "protocol": new.scheme.rawValue, "server": new.address, "preset": new.isPreset,
                "enabled": new.isEnabled, "configured": !new.isSetByUser,
            ]
        )
    }

    /// Replaces the servers of a profile by the configured servers. If a user has changed the profile's servers, only
    /// new presets are added. The function does not insert servers that are already stored, because SQLite also writes
    /// when it ignores a row in a table with AUTOINCREMENT.
    static func storeConfiguredServers(_ servers: [NewServer], user userId: Int64, in db: StoreConnection) throws {
        let rows = try db.query(
            "SELECT server_id, server, configured FROM protocol_servers WHERE user_id = ?",
            [userId]
        )
        let wasSet = try rows.contains { try !$0.bool("configured") }
        var missing = wasSet ? servers.filter(\.isPreset) : servers
        let addresses = Set(servers.map(\.address))
        for row in rows {
            let address = try row.string("server")
            missing.removeAll { $0.address == address }
            guard !wasSet, !addresses.contains(address) else { continue }
            try db.execute("DELETE FROM protocol_servers WHERE server_id = ?", [try row.int64("server_id")])
        }
        for server in missing { try insert(server, user: userId, in: db) }
    }

    /// Stores a server that a user has set.
    static func store(_ server: UserServer, user userId: Int64, in db: StoreConnection) throws {
        let roles = try server.roles.map { try StoredJSON.encode($0) }
        guard let id = server.serverId else {
            guard !server.deleted, let address = try? ProtocolServer(parsing: server.server) else { return }
            try db.insert(
                into: "protocol_servers",
                or: .replace,
                [
                    "user_id": userId, "protocol": address.scheme.rawValue, "server": server.server,
                    "preset": server.preset, "tested": server.tested, "enabled": server.enabled, "roles": roles,
                ]
            )
            return
        }
        if server.deleted {
            return try db.execute(
                "DELETE FROM protocol_servers WHERE user_id = :user_id AND server_id = :server_id AND preset = 0",
                ["user_id": userId, "server_id": id]
            )
        }
        try db.update(
            "protocol_servers",
            set: [
                "server": server.server, "tested": server.tested, "enabled": server.enabled, "roles": roles,
                "configured": false,
            ],
            where: ["user_id": userId, "server_id": id]
        )
        guard db.changeCount > 0 else { throw ChatFailure.commandError("server \(id) does not belong to this profile") }
    }

    /// Finds the operator of the server: the first operator with a domain that is the end of a host name of the server.
    func `operator`(among operators: [ServerOperator]) -> ServerOperator? {
        operators.first { one in
            address.hosts.contains { host in
                if case .domain(let name) = host { one.serverDomains.contains { name.hasSuffix($0) } } else { false }
            }
        }
    }

    /// Makes the agent's value for the server, with its roles; nil if the server or its operator is disabled.
    func makeAgentServer(_ operators: [ServerOperator]) -> AgentServer? {
        guard api.enabled else { return nil }
        let one = self.operator(among: operators)
        guard one?.enabled != false else { return nil }
        let roles = scheme == .xftp ? one?.xftpRoles : one?.smpRoles
        return AgentServer(
            address,
            operatorID: one?.operatorId,
            hasStorageRole: api.roles?.storage ?? roles?.storage ?? true,
            isProxy: api.roles?.proxy ?? roles?.proxy ?? true
        )
    }

    /// Groups the servers and relays of a profile by operator. The last group has no operator.
    static func groupByOperator(
        _ servers: [ServerRecord],
        _ relays: [UserChatRelay],
        _ operators: [ServerOperator]
    ) -> [UserOperatorServers] {
        let owners = servers.map { $0.operator(among: operators)?.operatorId }
        func makeGroup(_ one: ServerOperator?) -> UserOperatorServers {
            let own = zip(servers, owners).filter { $1 == one?.operatorId }.map(\.0)
            return UserOperatorServers(
                operator: one,
                smpServers: own.filter { $0.scheme == .smp }.map(\.api),
                xftpServers: own.filter { $0.scheme == .xftp }.map(\.api),
                chatRelays: relays.filter { $0.operator(among: operators)?.operatorId == one?.operatorId }
            )
        }
        return operators.map(makeGroup) + [makeGroup(nil)]
    }
}
