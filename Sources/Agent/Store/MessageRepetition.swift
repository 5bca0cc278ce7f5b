import SQLCipher

/// Whether a message has to be sent over both queues of a rotation.
///
/// At the first message over the new queue, the original deletes the old queue with the messages that wait in it. The
/// old queue can contain only messages that were sent after QKEY, because the original answers QKEY with QUSE after it
/// has read all earlier messages. So this side sends these messages again over the new queue, before any new message.
/// Duplicates have the same ciphertext, and both programs ignore them.
enum MessageRepetition: Int64, Sendable {
    case none = 0
    /// The message was sent over the old queue, and must also be sent over the new queue. The handler does not have the
    /// result of the message yet.
    case dueUnreported = 1
    /// The message must also be sent over the new queue. The handler already has the result of the message.
    case dueAndReported = 2

    /// Maximal number of messages that can wait in a queue at a relay.
    private static let maxWaitingMessages = 256
    /// Seconds for which a message is kept for an unfinished rotation. A message that cannot be sent is kept for the
    /// same time.
    private static let messageLifetimeSeconds: Int64 = 2 * 86_400

    /// Marks a message that was sent over the old queue of a rotation, so that it is also sent over the new queue.
    /// Above a limit, deletes the oldest marked messages whose results were reported.
    static func recordSentMessage(_ id: AgentMessageID, of connection: ConnectionID, _ db: DatabaseConnection) throws {
        try db.execute(
            "UPDATE snd_messages SET repetition = :repetition WHERE conn_id = :conn_id AND internal_id = :internal_id",
            ["repetition": dueUnreported.rawValue, "conn_id": connection.bytes, "internal_id": id]
        )
        try db.execute(
            """
            DELETE FROM snd_messages WHERE conn_id = :conn_id AND repetition = :repetition AND internal_id <= (
              SELECT internal_id FROM snd_messages
              WHERE conn_id = :conn_id AND repetition = :repetition ORDER BY internal_id DESC LIMIT 1 OFFSET :offset)
            """,
            ["conn_id": connection.bytes, "repetition": dueAndReported.rawValue, "offset": maxWaitingMessages]
        )
    }

    /// Ends the repetitions after a rotation: deletes messages whose result was reported, and marks the other messages
    /// so that they are not repeated.
    static func endRepetitions(_ connection: ConnectionID, _ db: DatabaseConnection) throws {
        try db.execute(
            "DELETE FROM snd_messages WHERE conn_id = :conn_id AND repetition = :repetition",
            ["conn_id": connection.bytes, "repetition": dueAndReported.rawValue]
        )
        try db.execute(
            """
            UPDATE snd_messages SET repetition = :new_repetition WHERE conn_id = :conn_id AND repetition = :repetition
            """,
            ["new_repetition": none.rawValue, "conn_id": connection.bytes, "repetition": dueUnreported.rawValue]
        )
    }

    /// Deletes messages that were kept for rotations which the recipients have abandoned. A recipient does not tell the
    /// sender that it has abandoned a rotation.
    static func deleteOldMessages(at now: Int64, _ db: DatabaseConnection) throws {
        try db.execute(
            "DELETE FROM snd_messages WHERE repetition = :repetition AND created_at < :created_at",
            ["repetition": dueAndReported.rawValue, "created_at": now - messageLifetimeSeconds]
        )
    }

    /// Removes a message whose result was reported. If the message must be sent again, it is only marked as reported.
    static func removeReportedMessage(
        _ id: AgentMessageID,
        of connection: ConnectionID,
        _ db: DatabaseConnection
    ) throws {
        try db.execute(
            """
            DELETE FROM snd_messages
            WHERE conn_id = :conn_id AND internal_id = :internal_id AND repetition = :repetition
            """,
            ["conn_id": connection.bytes, "internal_id": id, "repetition": none.rawValue]
        )
        guard db.changeCount == 0 else { return }
        try db.execute(
            "UPDATE snd_messages SET repetition = :repetition WHERE conn_id = :conn_id AND internal_id = :internal_id",
            ["repetition": dueAndReported.rawValue, "conn_id": connection.bytes, "internal_id": id]
        )
    }
}
