import SQLCipher

/// Where a connection's queues are, and how it is with them and the ratchet.
public struct ConnectionServers: Hashable, Sendable {
    /// The version of the agent protocol that both sides speak.
    public var agentVersion: Int
    /// Addresses of the relays from which this side receives, and to which it sends.
    public var rcvServers: [String]
    public var sndServers: [String]
    public var ratchetSync: RatchetSync
    /// Whether the peer's program can renegotiate the ratchet.
    public var supportsRatchetSync: Bool { agentVersion >= Int(AgentVersions.ratchetSync) }
}

extension ConnectionServers {
    init(_ connection: ConnectionRecord, _ db: Connection) throws {
        self.init(
            agentVersion: Int(connection.agentVersion),
            rcvServers: try RcvQueue.of(connection.id, db).map { [$0.server.withoutPassword.str] } ?? [],
            sndServers: try SndQueue.of(connection.id, db).map { [$0.server.withoutPassword.str] } ?? [], ratchetSync: connection.ratchetSync)
    }
}

extension Agent {
    /// - Throws: `AgentError.connection(.notFound)` when there is no such connection.
    public func connectionServers(_ id: ConnectionID) async throws -> ConnectionServers {
        try await database.read { db in try ConnectionServers(ConnectionRecord.get(id, db), db) }
    }
}
