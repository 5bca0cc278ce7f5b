internal import Agent
internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Comparison of the chat database with the agent's database. An entry is reported as missing if only the chat database
/// has this entry, and as extra if only the agent's database has it.
extension RunningCommand {
    /// `/_connections diff`: returns the differences between the chat database and the agent's database.
    func showConnectionsDiff(showsIds: Bool) async throws -> ChatResponse {
        let (users, connections) = try await services.findDatabaseDiffs(in: store)
        return .connectionsDiff(showIds: showsIds, userIds: users, connIds: connections)
    }
}

extension CoreServices {
    /// Compares the databases at the first start of a store, and emits the differences. Nothing is deleted: an entry
    /// that only the agent has may belong to a request that is repeated later.
    func compareDatabases(in store: some StoreAccess) async throws {
        let isDone = try await store.read { db in
            try db.queryFirst("SELECT 1 FROM settings WHERE name = ?", [Self.databasesComparedName]) != nil
        }
        guard !isDone else { return }
        let (users, connections) = try await findDatabaseDiffs(in: store)
        try await store.write { tx in
            try tx.db.insert(into: "settings", or: .ignore, ["name": Self.databasesComparedName, "value": tx.now.api])
            try tx.emit(.connectionsDiff(userIds: users, connIds: connections), user: nil)
        }
    }

    private static let databasesComparedName = "databases_compared"

    func findDatabaseDiffs(in store: some StoreAccess) async throws -> (users: DatabaseDiff, connections: DatabaseDiff)
    {
        let known = try await withAgent { try await $0.fetchUsersAndConnections() }
        let (users, connections) = try await store.read { db in
            (
                Set(try db.query("SELECT agent_user_id FROM users").map { try $0.int64("agent_user_id") }),
                // A connection whose deletion was requested stays in both databases until the agent has deleted it.
                Set(
                    try (["connections", "retired_connections"] + LinkConnection.tables).flatMap { table in
                        try db.query("SELECT agent_conn_id FROM \(table)").map { try $0.string("agent_conn_id") }
                    }
                )
            )
        }
        func json(_ connections: Set<String>) -> [JSONValue] {
            connections.sorted().map { .string(BytesText.base64URL($0)) }
        }
        func json(_ users: Set<Int64>) -> [JSONValue] { users.sorted().map { .integer($0) } }
        let knownConnections = Set(known.connections.map(\.text))
        return (
            DatabaseDiff(
                missingIds: json(users.subtracting(known.users)),
                extraIds: json(known.users.subtracting(users))
            ),
            DatabaseDiff(
                missingIds: json(connections.subtracting(knownConnections)),
                extraIds: json(knownConnections.subtracting(connections))
            )
        )
    }
}
