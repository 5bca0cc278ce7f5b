import Foundation
import SimpleXCrypto
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore

@Suite("Texts kept of messages", .overSockets)
struct UnhandledMessagesTests {
    @Test("A deleted or disappeared message leaves its text in no table of either side")
    func deleted() async throws {
        let (alice, bob) = try await World().pair()
        try await alice.run("/_send @1 text quokka everywhere")
        try await alice.run("/_send @1 text quokka here")
        try await alice.run("/_send @1 text last")
        try await waitForText("last", bob)
        _ = try await alice.waitForStatus("sndRcvd", of: ["quokka everywhere", "quokka here", "last"])
        #expect(try await tables(with: "quokka", alice) == ["chat_items"])
        #expect(try await tables(with: "quokka", bob) == ["chat_items"])
        let items = try await alice.run("/_get chat @1 count=3").itemIds
        try await alice.run("/_delete item @1 \(items[0]) broadcast")
        try await bob.wait(for: "chatItemsDeleted")
        for core in [alice, bob] {
            // A message that the other side deleted is only marked as deleted. The user's own deletion removes the
            // text.
            let items = try await core.run("/_get chat @1 count=3").itemIds
            for item in items.dropLast() { try await core.run("/_delete item @1 \(item) internal") }
            #expect(try await tables(with: "quokka", core) == [])
        }
        for core in [alice, bob] { await core.controller.close() }
    }

    /// The tables that hold the text, but for the journal, which is compressed and has tests of its own.
    private func tables(with text: String, _ core: Core) async throws -> [String] {
        try await core.controller.store.read { db in
            let tables = try db.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'events' ORDER BY name").map { try $0.string("name") }
            return try tables.filter { table in
                let columns = try db.query("PRAGMA table_info(\(table))").map { try $0.string("name") }
                let holds = columns.map { "instr(CAST(\($0) AS TEXT), '\(text)') > 0" }.joined(separator: " OR ")
                return try db.first("SELECT 1 FROM \(table) WHERE \(holds)") != nil
            }
        }
    }

    @Test("A store that kept every message keeps the unhandled ones, and sends the waiting ones")
    func migrates() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("chats-\(UUID().uuidString).db").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))
        let older = Array(ChatSchema.migrations.prefix { $0.name != UnhandledMessages.migration.name })
        let before = try await Database.open(at: path, key: key, migrations: older, readers: 1)
        try await before.write { db in
            try db.execute(
                "INSERT INTO users (agent_user_id, contact_profile_id, local_display_name, created_at, updated_at) VALUES (1, 1, 'alice', 0, 0)")
            try db.execute(
                """
                INSERT INTO connections (user_id, agent_conn_id, conn_status, chat_version, created_at, updated_at) VALUES (1, 'AAAA', 'ready', 9, 0, 0)
                """)
            for (isSent, event, body) in [
                (false, "x.msg.new", "received"), (false, "x.future", "unknown"), (false, "", "garbage"), (true, "x.msg.new", "sent"),
                (true, "x.msg.new", "waiting"),
            ] {
                try db.execute(
                    "INSERT INTO messages (connection_id, msg_sent, chat_msg_event, msg_body, created_at) VALUES (1, ?, ?, ?, 0)",
                    isSent, event, Array(body.utf8))
                guard isSent else { continue }
                try db.execute(
                    "INSERT INTO deliveries (connection_id, message_id, delivery_status, created_at) VALUES (1, ?, ?, 0)", db.lastInsertRowID,
                    body == "sent" ? "sent" : "pending")
            }
        }
        await before.close()

        let store = try await ChatStore.open(at: path, key: key, retention: JournalRetention())
        try await store.read { db throws in
            #expect(try db.query("SELECT msg_body FROM messages ORDER BY message_id").map { try row($0) } == ["unknown", "garbage"])
            #expect(try db.query("SELECT body AS msg_body FROM message_bodies").map { try row($0) } == ["waiting"])
            #expect(try Shipment.pending(in: db).map { $0.deliveries.map { String(decoding: $0.body, as: UTF8.self) } } == [["waiting"]])
        }
        await store.database.close()
    }

    private func row(_ row: Row) throws -> String { String(decoding: try row.blob("msg_body"), as: UTF8.self) }
}
