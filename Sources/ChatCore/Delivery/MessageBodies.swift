internal import SQLCipher

/// The bodies of messages to send: one row for a message, whatever the number of its recipients. The row is deleted
/// with the result of the last recipient: the content is in the item, as long as that exists.
enum MessageBodies {
    static func store(_ body: [UInt8], deliveries: Int, in db: StoreConnection) throws -> Int64 {
        try db.execute("INSERT INTO message_bodies (deliveries, body) VALUES (?, ?)", [Int64(deliveries), body])
        return db.lastInsertRowID
    }

    /// Releases the body of a finished delivery.
    static func release(_ bodyId: Int64, in db: StoreConnection) throws {
        try db.execute("DELETE FROM message_bodies WHERE body_id = ? AND deliveries <= 1", [bodyId])
        if db.changes == 0 {
            try db.execute("UPDATE OR FAIL message_bodies SET deliveries = deliveries - 1 WHERE body_id = ?", [bodyId])
        }
    }
}
