import Foundation
import SQLCipher
import TestSupport
import Testing

@testable import ChatCore

@Suite("Closing of a store during its work", .socketTimeLimit) struct EndlessStatementTests {
    @Test
    func `Closing a store interrupts an SQL statement that would never end`() async throws {
        let alice = try await World().core("alice") { $0.statementTimeout = .milliseconds(50) }
        let begun = AsyncStream.makeStream(of: Void.self)
        let write = Task {
            try await alice.controller.store.write { tx in
                begun.continuation.yield()
                try tx.db.execute(
                    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
                )
            }
        }
        for await _ in begun.stream { break }
        await alice.controller.close()
        await #expect(throws: DatabaseError.interrupted) { try await write.value }
    }

    @Test
    func `Closing a store interrupts the writing of an archive`() async throws {
        let alice = try await World().core("alice") { $0.statementTimeout = .milliseconds(50) }
        try await alice.createUser("alice")
        // The file is sparse and very large. An archive with this file takes minutes, so the archive is not complete at
        // the close.
        let large = alice.filesFolder + "/large"
        try FileManager.default.createDirectory(atPath: alice.filesFolder, withIntermediateDirectories: true)
        _ = FileManager.default.createFile(atPath: large, contents: nil)
        try #require(truncate(large, 64 << 30) == 0)
        let target = NSTemporaryDirectory() + "archive-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: target) }
        func contents() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: target) }
        let export = Task {
            try await alice.run(#"/_db export {"archivePath":"\#(target)/a.zip","whileRunning":true}"#)
        }
        try await waitUntil("the archive is being written") { try !contents().isEmpty }
        await alice.controller.close()
        #expect(try await export.value["errorType"]?["type"] == "chatStoreChanged")
        #expect(try contents().isEmpty)
    }
}
