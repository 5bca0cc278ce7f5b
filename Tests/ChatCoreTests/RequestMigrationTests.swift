import Foundation
import SimpleXCrypto
import SQLCipher
import Testing

@testable import ChatCore

@Suite("Migration of a store that committed effects before their answers")
struct RequestMigrationTests {
    @Test("A request executed without a kept answer has an empty one, and is not executed again")
    func withoutAnswer() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("requests-\(UUID().uuidString).db").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))
        let older = Array(ChatSchema.migrations.prefix { $0.name != RequestClaim.progress.name })
        let before = try await Database.open(at: path, key: key, migrations: older, readers: 1)
        try await before.write { db in
            try db.execute("INSERT INTO requests (request_key, fingerprint, answer, created_at) VALUES (x'01', x'02', NULL, 1), (x'03', x'04', x'05', 1)")
        }
        await before.close()
        let store = try await ChatStore.open(at: path, key: key, retention: JournalRetention())
        let answers = try await store.read { db in try db.query("SELECT answer FROM requests ORDER BY request_key").map { try $0.blobOrNil("answer") } }
        #expect(answers == [[], [5]])
        await store.database.close()
    }
}
