import SMP
import SQLCipher

/// The progress of the worker of a connection: the messages that the worker has finished.
struct OutboxProgress: Sendable {
    /// The last message with a final result.
    var lastSettled: AgentMessageID = 0
    /// The last message that was sent over the new queue of a rotation. Later messages are repeated over the new queue
    /// if they were sent over the old queue and are marked for repetition.
    var lastSentOverNewQueue: AgentMessageID = 0

    func isReported(_ message: OutboxMessage) -> Bool {
        message.id <= lastSettled || message.repetition == .dueAndReported
    }

    mutating func recordSettledMessage(_ message: OutboxMessage, _ batch: OutboxBatch) {
        lastSettled = max(lastSettled, message.id)
        if batch.isReplacement { lastSentOverNewQueue = message.id }
    }
}

/// The next messages of a connection, with the data that is needed to send them.
struct OutboxBatch: Sendable {
    var user: AgentUserID
    /// Relays of the user.
    var servers: [AgentServer]
    var agentVersion: UInt16
    var queue: SndQueue
    /// Whether `queue` is the new queue of a rotation.
    var isReplacement: Bool
    var messages: [OutboxMessage]
    /// Number of messages that wait. It includes the messages that are left out of `messages` because of the limit.
    var waitingCount: Int
    /// The id of the QKEY message of a rotation; nil when the outbox does not contain the message.
    private var queueKeyMessageID: AgentMessageID?

    /// Maximal number of waiting messages that are counted beyond the batch. Further messages are not counted.
    private static let maxCountedMessages = 10_000

    /// Reads the next messages; nil while the connection cannot send. It cannot send without a send queue. It also
    /// cannot send before its receive queue is secured, because the peer could not answer. A connection that is deleted
    /// after its last message needs no answer, so it sends also before its receive queue is secured.
    init?(_ connection: ConnectionID, after progress: OutboxProgress, limit: Int, _ db: DatabaseConnection) throws {
        guard
            let record = try db.firstRow(
                "SELECT user_id, agent_version FROM connections WHERE conn_id = ? AND (pending_sender_key IS NULL OR delete_when_sent = 1)",
                connection.bytes
            ),
            let (queue, isReplacement) = try SndQueue.findForSending(connection, db)
        else { return nil }
        let user = try record.int64("user_id")
        self.user = user
        servers = try readServers(of: user, db)
        agentVersion = UInt16(clamping: try record.int64("agent_version"))
        self.queue = queue
        self.isReplacement = isReplacement
        messages = try Self.readMessages(of: connection, isReplacement, after: progress, limit: limit, db)
        waitingCount = messages.count
        if waitingCount == limit, let last = messages.last {
            // A long outbox is counted up to a limit, so that the count does not delay the sending.
            let further = try db.firstRow(
                """
                SELECT count(*) AS n FROM
                (SELECT 1 FROM snd_messages WHERE conn_id = :conn_id AND internal_id > :internal_id LIMIT :limit)
                """,
                ["conn_id": connection.bytes, "internal_id": last.id, "limit": Self.maxCountedMessages]
            )
            waitingCount += try further?.readCount("n") ?? 0
        }
        guard queue.switchStatus == .sendingQKEY else { return }
        queueKeyMessageID = try db.firstRow(
            """
            SELECT internal_id FROM snd_messages
            WHERE conn_id = :conn_id AND kind = :kind ORDER BY internal_id DESC LIMIT 1
            """,
            ["conn_id": connection.bytes, "kind": OutboxMessage.Kind.queueKey.rawValue]
        )?.int64("internal_id")
    }

    private static func readMessages(
        of connection: ConnectionID,
        _ isReplacement: Bool,
        after progress: OutboxProgress,
        limit: Int,
        _ db: DatabaseConnection
    ) throws -> [OutboxMessage] {
        let rows =
            if isReplacement {
                try db.query(
                    """
                    SELECT * FROM snd_messages
                    WHERE conn_id = :conn_id
                    AND (internal_id > :last_settled OR repetition > 0 AND internal_id > :last_sent_over_new)
                    ORDER BY internal_id LIMIT :limit
                    """,
                    [
                        "conn_id": connection.bytes, "last_settled": progress.lastSettled,
                        "last_sent_over_new": progress.lastSentOverNewQueue, "limit": limit,
                    ]
                )
            } else {
                try db.query(
                    """
                    SELECT * FROM snd_messages
                    WHERE conn_id = :conn_id AND internal_id > :internal_id AND repetition < :repetition
                    ORDER BY internal_id LIMIT :limit
                    """,
                    [
                        "conn_id": connection.bytes, "internal_id": progress.lastSettled,
                        "repetition": MessageRepetition.dueAndReported.rawValue, "limit": limit,
                    ]
                )
            }
        return try rows.map(OutboxMessage.init)
    }

    /// Whether the recipient, who is changing the queue, may delete the old queue before reading the message.
    func mayBeDeletedUnread(_ message: OutboxMessage) -> Bool {
        !isReplacement && queue.switchStatus == .sendingQKEY && message.id > queueKeyMessageID ?? 0
    }
}
