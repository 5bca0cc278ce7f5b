package import SimpleXCrypto
package import SQLCipher

extension Agent {
    /// Creates an empty agent database with the present schema, and closes it. A later start of an agent can use this
    /// database.
    package static func makeDatabase(at path: String, key: DatabaseKey) async throws {
        await (try await Database.open(at: path, key: key, migrations: AgentSchema.migrations)).close()
    }

    /// The names of all migrations of the agent's database schema.
    package static var migrationNames: [String] { AgentSchema.migrations.map(\.name) }

    /// Returns the users of the agent, except users that wait for deletion.
    package func fetchUsers() async throws -> Set<AgentUserID> {
        try await database.read { db in
            Set(try db.query("SELECT user_id FROM users WHERE deleted = 0").map { try $0.int64("user_id") })
        }
    }

    /// Returns the users and connections of the agent, except the ones that wait for deletion.
    package func fetchUsersAndConnections() async throws -> (users: Set<AgentUserID>, connections: Set<ConnectionID>) {
        try await database.read { db in
            let users = try db.query("SELECT user_id FROM users WHERE deleted = 0").map { try $0.int64("user_id") }
            let connections = try db.query("SELECT conn_id FROM connections WHERE delete_when_sent = 0").map {
                ConnectionID(bytes: try $0.blob("conn_id"))
            }
            return (Set(users), Set(connections))
        }
    }

    /// Returns the number of bytes that the database uses, without its free pages.
    package func measureDatabaseBytes() async throws -> Int64 { try await database.read { try $0.computeUsedBytes() } }

    /// Returns the state of the queues of a connection.
    /// - Throws: `AgentError.connection(.notFound)` for an unknown connection.
    package func fetchConnectionQueueStates(_ id: ConnectionID) async throws -> ConnectionQueueStates {
        try await database.read { db in try ConnectionQueueStates(AgentConnection.get(id, db), db) }
    }

    /// Returns the present state of the subscription to a queue.
    package func subscriptionState(
        of queue: ConnectionQueueStates.RcvQueueState
    ) -> ConnectionQueueStates.SubscriptionState {
        let summaries = (try? requireOnline())?.clients.summaries ?? []
        if summaries.contains(where: { $0.1.activeQueueIDs.contains(queue.rcvID) }) { return .active }
        return summaries.contains { $0.1.pendingQueueIDs.contains(queue.rcvID) } ? .pending : .none
    }
}

extension Agent {
    /// The slow SQL statements of the agent's database since the database was opened.
    package var slowStatements: SlowStatements { database.slowStatements }
}
