import Foundation
import SimpleXCrypto
import SQLCipher
import Testing

@testable import ChatCore

@Suite struct FileMigrationTests {
    @Test("Files offered before this program supported files are shown, and cannot be received")
    func offers() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("files-\(UUID().uuidString).db").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))
        let older = Array(ChatSchema.migrations.prefix { $0.name != FileSchema.migration.name })
        let before = try await Database.open(at: path, key: key, migrations: older, readers: 1)
        try await before.write { db in
            try db.execute("INSERT INTO contact_profiles (display_name, profile, created_at, updated_at) VALUES ('a', '{}', 1, 1)")
            try db.execute(
                "INSERT INTO users (agent_user_id, contact_profile_id, local_display_name, created_at, updated_at) VALUES (1, 1, 'a', 1, 1)")
            for offer in [#"'{"fileName":"../f.txt","fileSize":3}'"#, "'{'", "NULL"] {
                try db.execute(
                    """
                    INSERT INTO chat_items (user_id, chat_type, chat_id, item_sent, item_ts, item_status, item_content, item_text, file_invitation, order_ts,
                      created_at, updated_at) VALUES (1, 0, 1, 0, 1, 'rcvRead', '{}', '', \(offer), 1, 1, 1)
                    """)
            }
        }
        await before.close()
        let store = try await ChatStore.open(at: path, key: key, retention: JournalRetention())
        let items = try await store.read { db in
            try db.query("SELECT chat_item_id, file_id FROM chat_items ORDER BY chat_item_id").map { row in
                try row.int64OrNil("file_id").flatMap { try FileRecord.find($0, in: db) }
            }
        }
        #expect(items.map { $0?.name } == ["f.txt", "_", nil])
        #expect(items.map { $0?.status } == [.rcvCancelled, .rcvCancelled, nil])
        #expect(items[0]?.itemId == 1 && items[0]?.size == 3 && items[0]?.transfer == .cancelled)
        await store.database.close()
    }
}
