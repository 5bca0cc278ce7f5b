internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// The users of connections that were removed from the chat database. The database table has a row for each removed
/// connection until the agent has reported the deletion of the connection.
enum DeletedConnections {
    /// The age in seconds after which a row is deleted, even if the agent has not reported the end of the deletion. The
    /// agent itself gives up a deletion after two days.
    private static let lifetimeSeconds: Int64 = 30 * 86400

    static func add(_ agentConnId: String, user userId: Int64, _ tx: Transaction) throws {
        try tx.db.insert(
            into: "deleted_connections",
            or: .replace,
            ["agent_conn_id": agentConnId, "user_id": userId, "created_at": tx.now.seconds]
        )
    }

    /// Finds the user of a connection, including the connections of addresses and group links, and deleted connections.
    static func findUserId(of id: ConnectionID, in db: StoreConnection) throws -> Int64? {
        try ConnectionRecord.find(agent: id, in: db)?.userId ?? LinkConnection.find(agent: id, in: db)?.userId
            ?? db.queryFirst("SELECT user_id FROM deleted_connections WHERE agent_conn_id = ?", [id.text])?.int64(
                "user_id"
            )
    }

    /// Deletes the row of a connection, after the agent's last report about the connection. Also deletes rows that are
    /// too old.
    static func removeReportedAndOldRows(_ id: ConnectionID, _ tx: Transaction) throws {
        try tx.db.execute(
            "DELETE FROM deleted_connections WHERE agent_conn_id = :agent_conn_id OR created_at < :created_at",
            ["agent_conn_id": id.text, "created_at": tx.now.adding(seconds: -lifetimeSeconds).seconds]
        )
    }
}

extension Transaction {
    /// Emits an event about a queue that the agent deleted.
    func emitQueueDeleted(_ queue: DeletedRcvQueue, of id: ConnectionID) throws {
        try emit(
            .agentRcvQueuesDeleted(deletedRcvQueues: [queue]),
            user: nil,
            of: DeletedConnections.findUserId(of: id, in: db)
        )
    }

    /// Emits one event for each user about connections that the agent deleted, and deletes the rows of these
    /// connections.
    func emitConnectionsDeleted(_ ids: [ConnectionID]) throws {
        var connections: [Int64?: [ConnectionID]] = [:]
        for id in ids { connections[try DeletedConnections.findUserId(of: id, in: db), default: []].append(id) }
        for (user, ids) in connections.sorted(by: { ($0.key ?? 0) < ($1.key ?? 0) }) {
            try emit(.agentConnsDeleted(agentConnIds: ids.map(\.api)), user: nil, of: user)
            for id in ids { try DeletedConnections.removeReportedAndOldRows(id, self) }
        }
    }
}
