internal import Agent
internal import SimpleXCrypto
internal import SQLCipher

/// The two databases of a store.
enum StorePair {
    private static let connectionsPerRead = 500

    /// Returns whether both databases belong to one store. The database of the agent must have all users of the chat
    /// database. If the chat database has connections, the database of the agent must know at least one of them. With
    /// databases of different stores, or of very different times, all connections would be lost.
    static func belongsTogether(chat: String, agent: String, key: DatabaseKey) async throws -> Bool {
        guard try await DatabaseInspection.agentHasAllUsers(chat: chat, agent: agent, key: key) else { return false }
        var last: Int64 = -1
        while true {
            let after = last
            let used = try await Database.read(at: chat, key: key) { db in
                try db.query(
                    "SELECT connection_id, agent_conn_id FROM connections WHERE connection_id > ? ORDER BY connection_id LIMIT \(connectionsPerRead)",
                    after
                )
                .map { row in
                    (
                        number: try row.int64("connection_id"),
                        id: ConnectionID(text: try row.string("agent_conn_id"))
                    )
                }
            }
            guard let end = used.last else { return last == -1 }
            let ids = used.compactMap(\.id)
            let isKnown = try await Database.read(at: agent, key: key) { db in
                try ids.contains { try db.hasRow("SELECT 1 FROM connections WHERE conn_id = ?", $0.bytes) }
            }
            if isKnown { return true }
            last = end.number
        }
    }
}
