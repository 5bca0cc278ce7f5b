/// Where a connection's queues are.
public struct ConnectionServers: Hashable, Sendable {
    /// The version of the agent protocol that both sides speak.
    public var agentVersion: Int
    /// Addresses of the relays from which this side receives, and to which it sends.
    public var rcvServers: [String]
    public var sndServers: [String]
}

extension Agent {
    /// - Throws: `AgentError.connection(.notFound)` when there is no such connection.
    public func connectionServers(_ id: ConnectionID) async throws -> ConnectionServers {
        try await database.read { db in
            let connection = try ConnectionRecord.get(id, db)
            return ConnectionServers(
                agentVersion: Int(connection.agentVersion),
                rcvServers: try RcvQueue.of(id, db).map { [$0.server.withoutPassword.str] } ?? [],
                sndServers: try SndQueue.of(id, db).map { [$0.server.withoutPassword.str] } ?? [])
        }
    }
}
