import SQLCipher
import Testing

@testable import ChatCore

@Suite(.overSockets) struct EndlessStatementTests {
    @Test("A store whose statement goes on for ever closes, and the statement fails")
    func closing() async throws {
        let alice = try await World().core("alice") { $0.statementPatience = .milliseconds(50) }
        let begun = AsyncStream.makeStream(of: Void.self)
        let write = Task {
            try await alice.controller.store.write { tx in
                begun.continuation.yield()
                try tx.db.execute("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c")
            }
        }
        for await _ in begun.stream { break }
        await alice.controller.close()
        await #expect(throws: DatabaseError.interrupted) { try await write.value }
    }
}
