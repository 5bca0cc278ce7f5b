import JSON
import SQLCipher

@testable import ChatCore

/// Recording of the messages that a core passes to its agent. The store keeps messages only until they are sent.
extension Core {
    func recordOutgoingMessages() async throws {
        try await controller.store.write { tx in
            try tx.db.execute("CREATE TABLE outgoing (body BLOB NOT NULL)")
            try tx.db.execute(
                "CREATE TRIGGER outgoing_recorded AFTER INSERT ON message_bodies BEGIN INSERT INTO outgoing VALUES (NEW.body); END"
            )
        }
    }

    /// The messages since ``recordOutgoingMessages()``, in order, sent separately or in a batch.
    func outgoingMessages() async throws -> [JSONValue] {
        try await controller.store.read { db in
            try db.query("SELECT body FROM outgoing ORDER BY rowid").map { try JSONValue(parsing: $0.blob("body")) }
        }
    }
}
