internal import Agent
internal import ChatProtocol
internal import ChatStore
internal import Concurrency
internal import Logging
internal import SQLCipher

/// Deletes retired connections in the agent: connections that were already removed from the chat. If the contact is to
/// be notified, the agent sends the notice before it deletes the connection. The worker repeats a failed deletion after
/// a while.
final class RetiredConnectionWorker: Worker {
    let followUpWork = FollowUp.retiredConnections
    private let store: ChatStore
    private let agent: Agent
    private let outbox: Outbox
    private let logger: Logger
    let signal = WakeSignal()

    private struct RetiredConnection: Sendable {
        let id: Int64
        let connection: ConnectionID?
        let deletionMode: DeletionMode
    }

    init(store: ChatStore, agent: Agent, outbox: Outbox, logger: Logger) {
        self.store = store
        self.agent = agent
        self.outbox = outbox
        self.logger = logger
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        try db.hasRow("SELECT 1 FROM retired_connections UNION ALL SELECT 1 FROM retired_users") ? .zero : nil
    }

    func run(from start: WorkerStart) async {
        await signal.run(logger, .warning, after: start.pause, whenFailed: "agent connections not deleted") {
            try await deleteRetiredConnections()
            try await deleteRetiredUsers()
            return nil
        }
    }

    private func deleteRetiredConnections() async throws {
        let all = try await store.read { db in
            try db.query("SELECT retired_id, agent_conn_id, farewell FROM retired_connections ORDER BY retired_id").map
            { row in
                RetiredConnection(
                    id: try row.int64("retired_id"),
                    connection: ConnectionID(text: try row.string("agent_conn_id")),
                    deletionMode: DeletionMode(rawValue: try row.int64("farewell")) ?? .silent
                )
            }
        }
        for retired in all {
            if let connection = retired.connection {
                // The deletion waits until the messages in the outbox are sent. If the core is stopping, the deletion
                // continues after the next start.
                guard await outbox.flush() else { return }
                if retired.deletionMode == .withNotice { try await sendDeletionNotice(to: connection, retired.id) }
                try await agent.delete(connections: [connection], waitDelivery: retired.deletionMode != .silent)
                outbox.removeConnection(connection)
            }
            try await store.write { tx in
                try tx.db.execute("DELETE FROM retired_connections WHERE retired_id = ?", [retired.id])
                // The row of a contact's or a member's connection is kept as a record of the earlier connection. Other
                // rows are deleted.
                try tx.db.execute(
                    "DELETE FROM connections WHERE agent_conn_id = ? AND conn_status = 'deleted' AND contact_id IS NULL AND group_member_id IS NULL",
                    [retired.connection?.text]
                )
            }
        }
    }

    /// Deletes in the agent the users that were already removed from the chat database.
    private func deleteRetiredUsers() async throws {
        let all = try await store.read { db in
            try db.query("SELECT agent_user_id, del_smp_queues FROM retired_users ORDER BY agent_user_id").map { row in
                (id: try row.int64("agent_user_id"), deletesQueues: try row.bool("del_smp_queues"))
            }
        }
        for retired in all {
            guard await outbox.flush() else { return }
            try await agent.deleteUser(retired.id, deletingQueues: retired.deletesQueues)
            try await store.write { tx in
                try tx.db.execute("DELETE FROM retired_users WHERE agent_user_id = ?", [retired.id])
            }
        }
    }

    private func sendDeletionNotice(to connection: ConnectionID, _ retiredId: Int64) async throws {
        let message = ChatMessage(sharedID: .random(), event: .directDelete)
        _ = try await agent.sendMessages([
            OutgoingMessage(
                connection: connection,
                notify: false,
                body: try message.encoded(),
                externalID: "\(store.journal.epoch)-retired-\(retiredId)"
            )
        ])
    }
}
