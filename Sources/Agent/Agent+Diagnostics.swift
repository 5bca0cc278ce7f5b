import SQLCipher

/// Where a connection's queues are, and how it is with them and the ratchet.
public struct ConnectionServers: Hashable, Sendable {
    public struct Rcv: Hashable, Sendable {
        /// Address of the relay.
        public var server: String
        public var switchStatus: QueueSwitch.RcvStatus?
    }
    public struct Snd: Hashable, Sendable {
        public var server: String
        public var switchStatus: QueueSwitch.SndStatus?
    }

    /// The version of the agent protocol that both sides speak.
    public var agentVersion: Int
    /// The queues from which this side receives, and to which it sends: one of each, and while they are changed the new one behind it.
    public var rcvQueues: [Rcv]
    public var sndQueues: [Snd]
    public var ratchetSync: RatchetSync
    /// Whether the peer's program can renegotiate the ratchet.
    public var supportsRatchetSync: Bool { agentVersion >= Int(AgentVersions.ratchetSync) }
}

extension ConnectionServers {
    init(_ connection: ConnectionRecord, _ db: Connection) throws {
        let rcvQueues = try [RcvQueue.of(connection.id, db), .replacement(of: connection.id, db)]
        let sndQueues = try [SndQueue.of(connection.id, db), .replacement(of: connection.id, db)]
        self.init(
            agentVersion: Int(connection.agentVersion),
            rcvQueues: rcvQueues.compactMap { $0.map { Rcv(server: $0.server.withoutPassword.str, switchStatus: $0.switchStatus) } },
            sndQueues: sndQueues.compactMap { $0.map { Snd(server: $0.server.withoutPassword.str, switchStatus: $0.switchStatus) } },
            ratchetSync: connection.ratchetSync)
    }
}

extension Agent {
    /// The steps by which its database has come to its present form.
    public static var migrationNames: [String] { AgentSchema.migrations.map(\.name) }

    /// The users and connections that it has; those that only wait to be deleted are none.
    public func contents() async throws -> (users: Set<AgentUserID>, connections: Set<ConnectionID>) {
        try await database.read { db in
            let users = try db.query("SELECT user_id FROM users WHERE deleted = 0").map { try $0.int64("user_id") }
            let connections = try db.query("SELECT conn_id FROM connections WHERE delete_when_sent = 0").map { ConnectionID(bytes: try $0.blob("conn_id")) }
            return (Set(users), Set(connections))
        }
    }

    /// - Throws: `AgentError.connection(.notFound)` when there is no such connection.
    public func connectionServers(_ id: ConnectionID) async throws -> ConnectionServers {
        try await database.read { db in try ConnectionServers(ConnectionRecord.get(id, db), db) }
    }
}
