package import SimpleXCrypto
package import SQLCipher

/// State of the queues and of the ratchet of a connection. Each queue names its relay.
package struct ConnectionQueueStates: Hashable, Sendable {
    package struct RcvQueueState: Hashable, Sendable {
        /// Address of the relay.
        package var server: String
        /// Step of the queue in the connection procedure: `new`, `secured`, `confirmed` or `active`.
        package var status: String
        package var switchStatus: QueueSwitch.RcvStatus?
        let rcvID: [UInt8]
    }
    package struct SndQueueState: Hashable, Sendable {
        package var server: String
        package var status: String
        package var switchStatus: QueueSwitch.SndStatus?
    }

    /// State of the subscription to a queue: subscribed, waiting to be subscribed, or not subscribed.
    package enum SubscriptionState: Int, Sendable { case active, pending, none }

    /// The version of the agent protocol in this connection.
    package var agentVersion: Int
    /// The queues from which this side receives. Usually there is one queue. During a rotation, the list contains the
    /// old queue, and then the new queue.
    package var rcvQueues: [RcvQueueState]
    /// The queues to which this side sends. Usually there is one queue. During a rotation, the list contains the old
    /// queue, and then the new queue.
    package var sndQueues: [SndQueueState]
    package var ratchetSync: RatchetSync
    /// Whether the peer's program can renegotiate the ratchet.
    package var supportsRatchetSync: Bool { agentVersion >= Int(AgentVersions.firstWithRatchetSync) }
}

extension ConnectionQueueStates {
    init(_ connection: AgentConnection, _ db: DatabaseConnection) throws {
        let rcvQueues = try [RcvQueue.findCurrent(connection.id, db), .findReplacement(of: connection.id, db)]
        let sndQueues = try [SndQueue.findCurrent(connection.id, db), .findReplacement(of: connection.id, db)]
        self.init(
            agentVersion: Int(connection.agentVersion),
            rcvQueues: rcvQueues.compactMap(\.self).map {
                RcvQueueState(
                    server: $0.server.withoutPassword.str,
                    status: $0.status.rawValue,
                    switchStatus: $0.switchStatus,
                    rcvID: $0.rcvID
                )
            },
            sndQueues: sndQueues.compactMap(\.self).map {
                SndQueueState(
                    server: $0.server.withoutPassword.str,
                    status: $0.status.rawValue,
                    switchStatus: $0.switchStatus
                )
            },
            ratchetSync: connection.ratchetSync
        )
    }
}

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
