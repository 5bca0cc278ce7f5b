import SQLCipher

/// The state in the database at a start: subscriptions to restore, and unfinished work of the last run.
struct ResumableWork: Sendable {
    struct OwnedQueue: Sendable {
        var user: AgentUserID
        var queue: RcvQueue
    }

    var queues: [OwnedQueue]
    var events: [Emission]
    /// Received messages that the handler has not acknowledged. The messages of one connection are in order.
    var messages: [Emission]
    var connectionsToAllow: [ConnectionID]
    var connectionsToJoin: [ConnectionID]
    var connectionsToSecure: [ConnectionID]
    /// Connections whose ratchets must be renegotiated before messages can be sent.
    var unsynchronizedConnections: Set<ConnectionID>
    var connectionsToRotate: [ConnectionID]
    var connectionsToSendFrom: [ConnectionID]
    /// Connections marked for deletion whose last message was sent before the end of the last run.
    var connectionsToEnd: [ConnectionID]
    var queuesToDelete: [DeletedQueue]

    /// Reads the unfinished work from the database, and deletes old data.
    init(at now: Int64, _ db: DatabaseConnection) throws {
        func connections(_ sql: String) throws -> [ConnectionID] {
            try db.query(sql).map { ConnectionID(bytes: try $0.blob("conn_id")) }
        }
        try AgentSchema.deleteOldData(at: now, db)
        queues = try Self.readQueues(db)
        events = try PendingEvent.readEmissions(db)
        messages = try StoredMessage.readEmissions(db)
        connectionsToAllow = try connections("SELECT conn_id FROM confirmations WHERE own_info IS NOT NULL")
        connectionsToJoin = try connections("SELECT conn_id FROM pending_joins")
        let unfinished = try db.query(
            """
            SELECT conn_id, ratchet_sync, pending_sender_key IS NOT NULL AS secures FROM connections
            WHERE pending_sender_key IS NOT NULL OR ratchet_sync <> 'ok'
            """
        ).map { row in
            (
                id: ConnectionID(bytes: try row.blob("conn_id")),
                sync: RatchetSync(rawValue: try row.string("ratchet_sync")),
                secures: try row.bool("secures")
            )
        }
        connectionsToSecure = unfinished.filter(\.secures).map(\.id)
        unsynchronizedConnections = Set(unfinished.filter { $0.sync?.prohibitsSending == true }.map(\.id))
        connectionsToRotate = try connections(
            """
            SELECT DISTINCT conn_id FROM rcv_queues
            WHERE switch_status IN ('switch_started', 'received_message') OR (is_replacement = 1 AND status = 'confirmed')
            """
        )
        connectionsToSendFrom = try connections("SELECT DISTINCT conn_id FROM snd_messages")
        connectionsToEnd = try connections("SELECT conn_id FROM connections WHERE delete_when_sent = 1").filter {
            try Agent.isToBeDeletedNow($0, db)
        }
        queuesToDelete = try DeletedQueue.readAll(db)
    }

    /// Returns all receive queues in the database, with their users.
    static func readQueues(_ db: DatabaseConnection) throws -> [OwnedQueue] {
        try db.query("SELECT q.*, c.user_id FROM rcv_queues q JOIN connections c USING (conn_id)").map {
            OwnedQueue(user: try $0.int64("user_id"), queue: try RcvQueue($0))
        }
    }
}
