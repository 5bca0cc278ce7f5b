internal import SQLCipher

/// The bodies of messages to send: one row for a message, whatever the number of its recipients. The row is deleted
/// with the result of the last recipient: the content is in the item, as long as that exists.
enum MessageBodies {
    static let migration = Migration(
        name: "20261122_message_bodies",
        up: """
            ALTER TABLE deliveries RENAME TO deliveries_before;
            DROP INDEX idx_deliveries_pending;
            DROP INDEX idx_deliveries_agent_msg;
            CREATE TABLE message_bodies (
              body_id INTEGER PRIMARY KEY,
              -- how many deliveries have it
              deliveries INTEGER NOT NULL,
              body BLOB NOT NULL
            );
            CREATE TABLE deliveries (
              delivery_id INTEGER PRIMARY KEY AUTOINCREMENT,
              connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
              -- until it is known what became of it
              body_id INTEGER,
              -- of an item that may be gone
              chat_item_id INTEGER,
              msg_flags INTEGER NOT NULL DEFAULT 0,
              agent_msg_id INTEGER,
              delivery_status TEXT NOT NULL DEFAULT 'pending',
              -- in the first of several that go together
              last_delivery_id INTEGER,
              created_at INTEGER NOT NULL
            );
            INSERT INTO message_bodies SELECT delivery_id, 1, msg_body FROM deliveries_before
              WHERE delivery_status = 'pending' AND msg_body IS NOT NULL;
            INSERT INTO deliveries SELECT delivery_id, connection_id, CASE WHEN delivery_status = 'pending' AND msg_body IS NOT NULL THEN delivery_id END,
              chat_item_id, msg_flags, agent_msg_id, delivery_status, last_delivery_id, created_at FROM deliveries_before ORDER BY delivery_id;
            DELETE FROM sqlite_sequence WHERE name = 'deliveries';
            UPDATE sqlite_sequence SET name = 'deliveries' WHERE name = 'deliveries_before';
            -- They refer to the deliveries, and would follow them under their new name.
            ALTER TABLE delivery_items RENAME TO delivery_items_before;
            \(MessageBatches.schema)
            INSERT INTO delivery_items SELECT delivery_id, chat_item_id FROM delivery_items_before;
            DROP TABLE delivery_items_before;
            DROP TABLE deliveries_before;
            CREATE INDEX idx_deliveries_pending ON deliveries (delivery_id) WHERE delivery_status = 'pending';
            CREATE INDEX idx_deliveries_agent_msg ON deliveries (connection_id, agent_msg_id) WHERE agent_msg_id IS NOT NULL;
            -- Deliveries go with their connection.
            CREATE TRIGGER delivery_gone AFTER DELETE ON deliveries WHEN OLD.body_id IS NOT NULL BEGIN
              DELETE FROM message_bodies WHERE body_id = OLD.body_id AND deliveries <= 1;
              UPDATE message_bodies SET deliveries = deliveries - 1 WHERE body_id = OLD.body_id;
            END;
            """)

    static func store(_ body: [UInt8], deliveries: Int, in db: StoreConnection) throws -> Int64 {
        try db.execute("INSERT INTO message_bodies (deliveries, body) VALUES (?, ?)", [Int64(deliveries), body])
        return db.lastInsertRowID
    }

    /// Releases the body of a finished delivery.
    static func release(_ bodyId: Int64, in db: StoreConnection) throws {
        try db.execute("DELETE FROM message_bodies WHERE body_id = ? AND deliveries <= 1", [bodyId])
        if db.changes == 0 { try db.execute("UPDATE OR FAIL message_bodies SET deliveries = deliveries - 1 WHERE body_id = ?", [bodyId]) }
    }
}
