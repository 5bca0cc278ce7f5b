import Clocks
import SMP
import SQLCipher

extension Agent {
    /// Deletes connections. The agent deletes their queues on the relays as soon as the relays are reachable, and
    /// reports each deletion by an event.
    /// - Parameters:
    ///   - waitDelivery: whether the messages in the outbox are sent first. If false, the connections disappear
    ///     immediately.
    ///   - deletingQueues: whether the queues on the relays are deleted.
    package func delete(connections: [ConnectionID], waitDelivery: Bool, deletingQueues: Bool = true) async throws {
        let (waiting, deleted) = try await database.write { db in
            var waiting: [ConnectionID] = [], deleted: [ConnectionID] = []
            for id in connections {
                try db.execute("UPDATE connections SET delete_when_sent = 1 WHERE conn_id = ?", id.bytes)
                guard db.changeCount > 0 else { continue }
                if waitDelivery, try !Self.isToBeDeletedNow(id, db) {
                    waiting.append(id)
                } else {
                    try db.execute(
                        """
                        INSERT OR REPLACE INTO deleted_queues (server, rcv_id, conn_id, user_id, rcv_key, rcv_dh_secret, deleted_at)
                        SELECT q.server, q.rcv_id, q.conn_id, c.user_id, q.rcv_key, q.rcv_dh_secret, strftime('%s', 'now')
                        FROM rcv_queues q JOIN connections c USING (conn_id) WHERE q.conn_id = ?
                        """,
                        id.bytes
                    )
                    try db.execute("DELETE FROM connections WHERE conn_id = ?", id.bytes)
                    deleted.append(id)
                }
            }
            return (waiting, deleted)
        }
        let ids = Set(deleted)
        let queues = try await database.read { db in try DeletedQueue.readAll(db) }
        let ended = queues.filter { ids.contains($0.connection) }
        if deletingQueues { deleteQueues(ended) } else { try await removeQueuesLocally(ended) }
        for connection in waiting { try? requireOnline().outbox.wakeWorker(connection) }
    }

    /// Removes queues from this agent, without deleting them on their relays.
    private func removeQueuesLocally(_ queues: [DeletedQueue]) async throws {
        if let run = try? requireOnline() {
            for queue in queues {
                run.clients.forgetQueue(
                    RelayClients.Key(user: queue.user, server: queue.server),
                    rcvID: queue.queue.rcvID
                )
            }
        }
        try await database.write { db in for queue in queues { try queue.remove(db) } }
    }

    /// Whether a connection is marked for deletion and has nothing left to send.
    static func isToBeDeletedNow(_ id: ConnectionID, _ db: DatabaseConnection) throws -> Bool {
        try db.firstRow(
            """
            SELECT 1 AS gone FROM connections c WHERE conn_id = :conn_id AND delete_when_sent = 1
              AND NOT EXISTS (SELECT 1 FROM snd_messages s WHERE s.conn_id = c.conn_id AND s.repetition < :repetition)
            """,
            ["conn_id": id.bytes, "repetition": MessageRepetition.dueAndReported.rawValue]
        ) != nil
    }

    /// Deletes queues on their relays. The agent tries unreachable relays again until
    /// ``AgentConfiguration/deletionTimeoutSeconds`` has passed.
    func deleteQueues(_ queues: [DeletedQueue]) {
        guard let run = try? requireOnline() else { return }
        let delays = configuration.sendRetry
        for queue in queues {
            let key = RelayClients.Key(user: queue.user, server: queue.server)
            run.clients.forgetQueue(key, rcvID: queue.queue.rcvID)
            run.tasks.startTask { [weak self] in
                var attempt = 0
                var refusal: AgentError?
                while !Task.isCancelled, let agent = self {
                    agent.statistics.updateCounts(queue.user, queue.server) { $0.connDelAttempts += 1 }
                    do {
                        try await run.clients.requireClient(queue.user, queue.server, for: queue.connection)
                            .deleteQueue(
                                queue.queue
                            )
                        agent.statistics.updateCounts(queue.user, queue.server) { $0.connDeleted += 1 }
                    } catch let error as SMPClientError
                        where (error.isTemporary || error.isHostFault)
                        && WallClock.seconds() - queue.deletedAtSeconds < agent.configuration.deletionTimeoutSeconds
                    {
                        try? await Task.sleep(for: delays.computeDelay(attempt: attempt))
                        attempt += 1
                        continue
                    } catch {
                        // The relay has refused the deletion, or its time limit has passed. The queue then counts as
                        // deleted.
                        agent.statistics.updateCounts(queue.user, queue.server) { $0.connDelErrs += 1 }
                        refusal = (error as? SMPClientError).map { AgentError($0, server: queue.server) }
                    }
                    return await agent.forgetDeletedQueue(queue, key, refusal)
                }
            }
        }
    }

    private func forgetDeletedQueue(_ queue: DeletedQueue, _ key: RelayClients.Key, _ refusal: AgentError?) async {
        let isLast: Bool? = try? await storeWithRetry { db in
            try queue.remove(db)
            // If the connection still exists, a rotation has replaced this queue, and its deletion is not reported.
            guard db.changeCount > 0, try AgentConnection.find(queue.connection, db) == nil else { return nil }
            return try !DeletedQueue.readAll(db).contains { $0.connection == queue.connection }
        }
        guard let isLast else { return }
        emit(
            .queueDeleted(
                queue.connection,
                server: queue.server.withoutPassword.str,
                rcvID: queue.queue.rcvID,
                refusal
            ),
            in: .relay(key)
        )
        guard isLast else { return }
        (try? requireOnline())?.clients.closeSeparateSession(queue.connection, key)
        emit(.connectionsDeleted([queue.connection]), in: .relay(key))
    }
}
