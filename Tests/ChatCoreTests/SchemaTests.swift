import Foundation
import Testing

@testable import Agent
@testable import ChatCore
@testable import ChatStore
@testable import SQLCipher

@Suite struct SchemaTests {
    @Test(arguments: [
        "order_ts / \(ChatCounts.dayNanoseconds)", "chat_item_id / \(SearchSpan.largeSize)",
        "0), \(FileRecord.maxSize))",
        "OLD.chat_type = \(ChatKey.Kind.support.rawValue) AND",
        "NEW.chat_type = \(ChatKey.Kind.group.rawValue) AND",
    ])
    func `The triggers of the database schema contain the same numbers as the constants of the program`(text: String) {
        #expect(ChatSchema.migrations.contains { $0.sql.contains(text) })
    }

    @Test(arguments: [ChatSchema.migrations, AgentSchema.migrations])
    func `A new database contains no SQL comments of its schema`(migrations: [Migration]) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID().uuidString).db").path
        defer { for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + part) } }
        let database = try await Database.open(at: path, key: .none, migrations: migrations)
        let texts = try await database.read {
            try $0.query("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").map { try $0.string("sql") }
        }
        #expect(texts.count > 20)
        #expect(texts.filter { $0.contains("--") } == [])
        await database.close()
    }

    @Test
    func `A migration of the database counts the recipients of an existing broadcast by their state`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID().uuidString).db").path
        defer { for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + part) } }
        let earlier = ChatSchema.migrations.prefix { $0.name != "chat_0003_planned_counts" }
        let old = try await Database.open(at: path, key: .none, migrations: Array(earlier))
        try await old.write { db in
            for sql in [
                "INSERT INTO contact_profiles (display_name, profile, created_at, updated_at) VALUES ('a', '{}', 0, 0)",
                """
                INSERT INTO users (agent_user_id, contact_profile_id, local_display_name, created_at, updated_at)
                VALUES (1, 1, 'a', 0, 0)
                """,
                """
                INSERT INTO planned_messages (planned_id, user_id, broadcasts, key_id, send_rate, created_at)
                VALUES (7, 1, 1, 'key', 1, 0)
                """,
            ] { try db.execute(sql) }
            for (number, state) in ["sent", "sent", "failed", "waiting"].enumerated() {
                try db.execute(
                    """
                    INSERT INTO planned_receivers (planned_id, receiver_no, user_id, chat_type, chat_id, state)
                    VALUES (7, ?, 1, 0, 1, ?)
                    """,
                    Int64(number + 1),
                    state
                )
            }
        }
        await old.close()
        let new = try await Database.open(at: path, key: .none, migrations: ChatSchema.migrations)
        let counts = try await new.read { try PlannedMessage.find(7, in: $0)?.receiverCounts }
        #expect(counts == [.sent: 2, .failed: 1, .waiting: 1])
        await new.close()
    }

    @Test
    func `A migration of the database marks a wallpaper as waiting for a theme only if no theme uses the wallpaper`()
        async throws
    {
        let path = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID().uuidString).db").path
        defer { for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + part) } }
        let earlier = ChatSchema.migrations.prefix { $0.name != "chat_0012_waiting_wallpapers" }
        let old = try await Database.open(at: path, key: .none, migrations: Array(earlier))
        try await old.write { db in
            for sql in [
                "INSERT INTO contact_profiles (display_name, profile, created_at, updated_at) VALUES ('a', '{}', 0, 0)",
                """
                INSERT INTO users (agent_user_id, contact_profile_id, local_display_name, ui_themes, created_at, updated_at)
                VALUES (1, 1, 'a', '{"light":{"wallpaper":{"imageFile":"named.jpg"}}}', 0, 0)
                """,
            ] { try db.execute(sql) }
            for name in ["named.jpg", "other.jpg"] {
                try db.execute(
                    "INSERT INTO wallpapers (user_id, file_name, created_at, content) VALUES (1, ?, 7, x'ffd8ff')",
                    name
                )
            }
        }
        await old.close()
        let new = try await Database.open(at: path, key: .none, migrations: ChatSchema.migrations)
        let waiting = try await new.read { db in
            try db.query("SELECT file_name FROM wallpapers WHERE created_at = 7").map { try $0.string("file_name") }
        }
        #expect(waiting == ["other.jpg"])
        await new.close()
    }

    @Test
    func `Insertions for each message or file run no trigger, since a trigger would copy each changed page`()
        async throws
    {
        let path = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID().uuidString).db").path
        defer { for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + part) } }
        let database = try await Database.open(at: path, key: .none, migrations: ChatSchema.migrations)
        let triggered = try await database.read { db in
            try db.query("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '% INSERT ON %'")
                .map { try $0.string("tbl_name") }
        }
        let tables: Set = [
            "chat_items", "deliveries", "events", "file_descriptions", "files", "message_bodies", "snd_files",
        ]
        #expect(!triggered.isEmpty && tables.isDisjoint(with: triggered))
        await database.close()
    }
}
