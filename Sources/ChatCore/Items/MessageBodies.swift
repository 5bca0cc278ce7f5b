internal import ChatStore
internal import SQLCipher

/// The stored bodies of messages to send: one row for each message, for any number of recipients. The row is deleted
/// after the result for the last recipient, since the chat item keeps the content.
enum MessageBodies {
    static func store(_ body: [UInt8], deliveries: Int, in db: StoreConnection) throws -> Int64 {
        try db.execute(
            "INSERT INTO message_bodies (deliveries, body) VALUES (:deliveries, :body)",
            ["deliveries": Int64(deliveries), "body": body]
        )
        return db.lastInsertRowID
    }

    /// Subtracts a finished delivery from the number of deliveries of a body, and deletes the body after the last
    /// delivery.
    static func release(_ bodyId: Int64, in db: StoreConnection) throws {
        try db.execute("DELETE FROM message_bodies WHERE body_id = ? AND deliveries <= 1", [bodyId])
        if db.changeCount == 0 {
            try db.execute("UPDATE OR FAIL message_bodies SET deliveries = deliveries - 1 WHERE body_id = ?", [bodyId])
        }
    }
}
