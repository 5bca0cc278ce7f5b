import ChatStore
import SQLCipher
import Testing

@testable import ChatCore

/// Updates of one file, for which the database makes no copies of the changed pages
/// (``DatabaseConnection/execute(_:_:)``).
@Suite(.socketTimeLimit) struct FileUpdateTests {
    private struct Discarded: Error {}

    /// Runs an update that fails after it has changed its row. Returns whether the change stays, because the database
    /// has no copy of the page.
    private func keepsChange(
        of table: String,
        _ core: Core,
        _ change: @escaping @Sendable (FileRecord, Transaction) throws -> Void,
        isChanged: @escaping @Sendable (Transaction) throws -> Bool
    ) async throws -> Bool {
        let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
        await #expect(throws: Discarded.self) {
            try await core.controller.store.write { tx in
                let file = try #require(try FileRecord.find(1, in: tx.db))
                try tx.db.execute("CREATE TEMP TABLE taken (number INTEGER UNIQUE)", [])
                try tx.db.execute("INSERT INTO taken VALUES (1)", [])
                try tx.db.execute(
                    "CREATE TEMP TRIGGER refusal AFTER UPDATE ON main.\(table) BEGIN INSERT INTO taken VALUES (1); END",
                    []
                )
                #expect(throws: DatabaseError.self) { try change(file, tx) }
                continuation.yield(try isChanged(tx))
                throw Discarded()
            }
        }
        continuation.finish()
        return await results.first { _ in true } ?? false
    }

    @Test
    func `Updates of the rows of a file and of its description make the database copy no pages`() async throws {
        let alice = try await World.makeAlice()
        try alice.writeFile("note.bin", sampleBytes(100))
        _ = try await alice.run(
            #"/_create *1 json [{"msgContent":{"type":"file","text":""},"mentions":{},"fileSource":{"filePath":"note.bin"}}]"#
        )
        try await alice.controller.store.write { tx in
            _ = try FileDescriptionRecord.create("first", partNo: 0, isComplete: false, of: 1, tx)
        }
        let storesFile = try await keepsChange(of: "files", alice) { file, tx in
            var file = file
            file.isCancelled = true
            try file.store(tx)
        } isChanged: { tx in
            try FileRecord.find(1, in: tx.db)?.isCancelled == true
        }
        #expect(storesFile)
        let setsStatus = try await keepsChange(of: "files", alice) { file, tx in
            var file = file
            try file.setStatus(.sndComplete, tx)
        } isChanged: { tx in
            try FileRecord.find(1, in: tx.db)?.status == .sndComplete
        }
        #expect(setsStatus)
        let storesDescription = try await keepsChange(of: "file_descriptions", alice) { _, tx in
            var description = try #require(try FileDescriptionRecord.find(1, in: tx.db))
            description.text = "second"
            try description.store(tx)
        } isChanged: { tx in
            try FileDescriptionRecord.find(1, in: tx.db)?.text == "second"
        }
        #expect(storesDescription)
        await alice.controller.close()
    }
}
