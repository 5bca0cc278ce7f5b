import SQLCipher

/// Messages that are sent over both queues of a rotation.
///
/// The original deletes its old queue with the first message over the new one, and with it the messages that wait in
/// the old queue. It has read everything sent before QKEY, since QUSE is the answer to QKEY; messages sent between the
/// two may still wait. So these are sent over the new queue again, before anything new. Duplicates have the same
/// ciphertext, and both programs ignore them.
enum Repetition: Int64, Sendable {
    case none = 0
    /// The message was sent over the old queue and must also be sent over the new queue. Its result is not reported
    /// yet.
    case due = 1
    /// The message must also be sent over the new queue. Its result was reported.
    case dueAndReported = 2

    /// Maximum number of messages that can wait in a queue.
    private static let limit = 256
    /// Time in seconds for which a message is kept for an unfinished rotation. It is the time for which a message that
    /// cannot be sent is kept.
    private static let memory: Int64 = 2 * 86_400

    /// Records that a message was sent over a queue that is being replaced.
    static func note(_ id: AgentMessageID, of connection: ConnectionID, _ db: DatabaseConnection) throws {
        try db.execute(
            "UPDATE snd_messages SET repetition = ? WHERE conn_id = ? AND internal_id = ?",
            due.rawValue,
            connection.bytes,
            id
        )
        try db.execute(
            """
            DELETE FROM snd_messages WHERE conn_id = ? AND repetition = ? AND internal_id <= (
              SELECT internal_id FROM snd_messages WHERE conn_id = ? AND repetition = ? ORDER BY internal_id DESC LIMIT 1 OFFSET ?)
            """,
            connection.bytes,
            dueAndReported.rawValue,
            connection.bytes,
            dueAndReported.rawValue,
            limit
        )
    }

    /// The rotation is over: nothing has to be sent again any more.
    static func forget(_ connection: ConnectionID, _ db: DatabaseConnection) throws {
        try db.execute(
            "DELETE FROM snd_messages WHERE conn_id = ? AND repetition = ?",
            connection.bytes,
            dueAndReported.rawValue
        )
        try db.execute(
            "UPDATE snd_messages SET repetition = ? WHERE conn_id = ? AND repetition = ?",
            none.rawValue,
            connection.bytes,
            due.rawValue
        )
    }

    /// Deletes messages kept for rotations that their recipients abandoned, which is not reported to this side.
    static func forgetOld(at now: Int64, _ db: DatabaseConnection) throws {
        try db.execute(
            "DELETE FROM snd_messages WHERE repetition = ? AND created_at < ?",
            dueAndReported.rawValue,
            now - memory
        )
    }

    /// Removes a message whose result was reported, unless it has to be sent again.
    static func removeReported(_ id: AgentMessageID, of connection: ConnectionID, _ db: DatabaseConnection) throws {
        try db.execute(
            "DELETE FROM snd_messages WHERE conn_id = ? AND internal_id = ? AND repetition = ?",
            connection.bytes,
            id,
            none.rawValue
        )
        guard db.changes == 0 else { return }
        try db.execute(
            "UPDATE snd_messages SET repetition = ? WHERE conn_id = ? AND internal_id = ?",
            dueAndReported.rawValue,
            connection.bytes,
            id
        )
    }
}
