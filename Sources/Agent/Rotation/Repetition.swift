import SQLCipher

/// Messages that go over both queues of a rotation.
///
/// A recipient of the original deletes its old queue with the first message that comes over the new one, together with what waits in the old
/// one. It has read what was sent before QKEY, to which QUSE is its answer; what was sent between the two may wait there still. So that is
/// sent over the new queue too, before anything new. What comes twice has the same ciphertext, and both programs pass over it in silence.
enum Repetition: Int64, Sendable {
    case none = 0
    /// Sent over the old queue, to be sent over the new one too; its sender has not been told yet.
    case due = 1
    /// The same, and its sender has been told.
    case dueAndTold = 2

    /// More than this many cannot wait in a queue.
    private static let limit = 256
    /// How long a message is kept for a change that is not finished, in seconds: as long as one that cannot be sent.
    private static let memory: Int64 = 2 * 86_400

    /// Notes that a message was sent over a queue for which there is to be another.
    static func note(_ id: AgentMessageID, of connection: ConnectionID, _ db: Connection) throws {
        try db.execute("UPDATE snd_messages SET repetition = ? WHERE conn_id = ? AND internal_id = ?", due.rawValue, connection.bytes, id)
        try db.execute(
            """
            DELETE FROM snd_messages WHERE conn_id = ? AND repetition = ? AND internal_id <= (
              SELECT internal_id FROM snd_messages WHERE conn_id = ? AND repetition = ? ORDER BY internal_id DESC LIMIT 1 OFFSET ?)
            """, connection.bytes, dueAndTold.rawValue, connection.bytes, dueAndTold.rawValue, limit)
    }

    /// Whatever was to be sent again has been, or need not be: the rotation is over.
    static func forget(_ connection: ConnectionID, _ db: Connection) throws {
        try db.execute("DELETE FROM snd_messages WHERE conn_id = ? AND repetition = ?", connection.bytes, dueAndTold.rawValue)
        try db.execute("UPDATE snd_messages SET repetition = ? WHERE conn_id = ? AND repetition = ?", none.rawValue, connection.bytes, due.rawValue)
    }

    /// Forgets what was kept for changes that their recipients have given up, of which nobody is told.
    static func forgetOld(at now: Int64, _ db: Connection) throws {
        try db.execute("DELETE FROM snd_messages WHERE repetition = ? AND created_at < ?", dueAndTold.rawValue, now - memory)
    }

    /// Removes a message whose sender has been told of it, if it is not to be sent again.
    static func removeTold(_ id: AgentMessageID, of connection: ConnectionID, _ db: Connection) throws {
        try db.execute("DELETE FROM snd_messages WHERE conn_id = ? AND internal_id = ? AND repetition = ?", connection.bytes, id, none.rawValue)
        guard db.changes == 0 else { return }
        try db.execute("UPDATE snd_messages SET repetition = ? WHERE conn_id = ? AND internal_id = ?", dueAndTold.rawValue, connection.bytes, id)
    }
}
