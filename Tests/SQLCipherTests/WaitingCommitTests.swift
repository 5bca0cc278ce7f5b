import Files
import Foundation
import Synchronization
import Testing

@testable import SQLCipher

private let schema = Migration(
    name: "notes",
    sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)"
)

/// Tests of writes that wait for the commit of another write.
@Suite(.timeLimit(.minutes(3))) struct WaitingCommitTests {
    struct BodyFailure: Error {}

    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    func openDatabase(fence: WriteFence? = nil) async throws -> Database {
        try await Database.open(
            at: folder.file("a.db"),
            key: .raw([UInt8](repeating: 7, count: 32)),
            migrations: [schema],
            fence: fence
        )
    }

    func readTexts(_ database: Database) async throws -> [String] {
        try await database.read { try $0.query("SELECT text FROM notes ORDER BY id").map { try $0.string("text") } }
    }

    func insertion(_ text: String) -> @Sendable (DatabaseConnection) throws -> Void {
        { try $0.execute("INSERT INTO notes (text) VALUES (?)", text) }
    }

    /// Starts a write that may wait an hour for its commit, and returns when its body has run.
    func startWaitingWrite(
        _ database: Database,
        _ body: @escaping @Sendable (DatabaseConnection) throws -> Void
    ) async -> Task<Void, any Error> {
        let (ran, running) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await database.write(within: .seconds(3600)) { connection in
                defer { running.yield() }
                try body(connection)
            }
        }
        for await _ in ran { break }
        return task
    }

    @Test
    func `A write whose commit may be delayed is committed together with the next urgent write`() async throws {
        let database = try await openDatabase()
        let before = database.commitCount
        let waiting = [
            await startWaitingWrite(database, insertion("a")), await startWaitingWrite(database, insertion("b")),
        ]
        #expect(try await readTexts(database) == [])
        #expect(database.commitCount == before)
        try await database.write(insertion("c"))
        #expect(try await readTexts(database) == ["a", "b", "c"])
        for write in waiting { try await write.value }
        #expect(database.commitCount == before + 1)
    }

    @Test
    func `A write whose commit may be delayed is committed at its time limit`() async throws {
        let database = try await openDatabase()
        try await database.write(within: .milliseconds(5), insertion("a"))
        #expect(try await readTexts(database) == ["a"])
    }

    @Test
    func `All writes with delayed commits are committed at the shortest of their time limits`() async throws {
        let database = try await openDatabase()
        let waiting = await startWaitingWrite(database, insertion("a"))
        try await database.write(within: .milliseconds(5), insertion("b"))
        try await waiting.value
        #expect(try await readTexts(database) == ["a", "b"])
    }

    @Test
    func `The time limit of a delayed commit can depend on the results of the write`() async throws {
        let database = try await openDatabase()
        let waiting = await startWaitingWrite(database, insertion("a"))
        let found = try await database.write(
            { try $0.query("SELECT text FROM notes").count },
            within: { $0 == 1 ? .zero : .seconds(3600) }
        )
        #expect(found == 1)
        try await waiting.value
    }

    @Test
    func `A write with a delayed commit reports the commit before the urgent write that shares the commit`()
        async throws
    {
        let database = try await openDatabase()
        let events = RecordedRuns()
        let (ran, running) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            try await database.write(
                { _ in running.yield() },
                within: { _ in .seconds(3600) },
                committed: { events.add("waiting") }
            )
        }
        for await _ in ran { break }
        try await database.write(insertion("a"), committed: { events.add("urgent") })
        try await waiting.value
        #expect(events.all == ["waiting", "urgent"])
    }

    @Test
    func `A write with 'writeLast' runs after all other writes of its commit`() async throws {
        let database = try await openDatabase()
        let before = database.commitCount
        let waiting = ["last", "b"].map { text in
            Task.immediate { try await database.writeLast(within: { .seconds(3600) }, insertion(text)) }
        }
        let earlier = await startWaitingWrite(database, insertion("a"))
        try await database.write(insertion("b"))
        try await earlier.value
        try await waiting[0].value
        await #expect(throws: DatabaseError.self) { try await waiting[1].value }
        #expect(try await readTexts(database) == ["a", "b", "last"])
        #expect(database.commitCount == before + 1)
        try await database.writeLast(within: { .milliseconds(5) }, insertion("c"))
        try await database.writeLast(within: { .zero }, insertion("d"))
        let closing = Task.immediate { try await database.writeLast(within: { .seconds(3600) }, insertion("e")) }
        await database.close()
        try await closing.value
        #expect(try await readTexts(openDatabase()) == ["a", "b", "last", "c", "d", "e"])
    }

    @Test
    func `Closing the database commits writes whose commits were delayed`() async throws {
        let database = try await openDatabase()
        let waiting = await startWaitingWrite(database, insertion("a"))
        await database.close()
        try await waiting.value
        #expect(try await readTexts(openDatabase()) == ["a"])
    }

    @Test
    func `Delayed commits of writes are done before a checkpoint and before a change of the database key`() async throws
    {
        let database = try await openDatabase()
        let waiting = await startWaitingWrite(database, insertion("a"))
        try await database.checkpoint()
        try await waiting.value
        let other = await startWaitingWrite(database, insertion("b"))
        try await database.rekey(to: .raw([UInt8](repeating: 8, count: 32)))
        try await other.value
        #expect(try await readTexts(database) == ["a", "b"])
    }

    @Test(arguments: [
        "INSERT INTO notes (text) VALUES ('a')", "INSERT OR ROLLBACK INTO notes (text) VALUES ('a')", "ROLLBACK",
    ])
    func `A write that fails or ends the transaction does not undo a write whose commit is delayed`(
        statement: String
    ) async throws {
        let database = try await openDatabase()
        let waiting = await startWaitingWrite(database, insertion("a"))
        await #expect(throws: (any Error).self) {
            try await database.write { connection in
                try connection.execute("INSERT INTO notes (text) VALUES ('half')")
                try connection.execute(statement)
                throw BodyFailure()
            }
        }
        try await waiting.value
        #expect(try await readTexts(database) == ["a"])
    }

    @Test
    func `A failing write with a delayed commit does not undo a second write with a delayed commit`() async throws {
        let database = try await openDatabase()
        let waiting = await startWaitingWrite(database, insertion("a"))
        await #expect(throws: DatabaseError.self) { try await database.write(within: .seconds(3600), insertion("a")) }
        try await waiting.value
        #expect(try await readTexts(database) == ["a"])
    }

    @Test
    func `A write that is too large for the disk fails, and a write with a delayed commit is committed`() async throws {
        let database = try await openDatabase()
        try await database.write { try $0.execute("PRAGMA max_page_count = 20") }
        let waiting = await startWaitingWrite(database, insertion("a"))
        await #expect(throws: DatabaseError.diskFull) {
            try await database.write(insertion(String(repeating: "x", count: 200_000)))
        }
        try await waiting.value
        #expect(try await readTexts(database) == ["a"])
    }

    @Test
    func `A write with a delayed commit fails if the database file is moved before the commit`() async throws {
        let database = try await openDatabase()
        let waiting = await startWaitingWrite(database, insertion("a"))
        try FileManager.default.moveItem(atPath: folder.file("a.db"), toPath: folder.file("b.db"))
        await #expect(throws: DatabaseError.fileReplaced) { try await database.write(insertion("b")) }
        await #expect(throws: DatabaseError.fileReplaced) { try await waiting.value }
        try FileManager.default.moveItem(atPath: folder.file("b.db"), toPath: folder.file("a.db"))
        try await database.write(insertion("c"))
        #expect(try await readTexts(database) == ["c"])
    }

    @Test
    func `A delayed commit holds no lock on a shared database file, and is done with the next write`() async throws {
        let fence = try WriteFence.claimFiles(folder.file("fence"), token: 1) { true }
        let database = try await openDatabase(fence: fence), other = try await openDatabase()
        let before = database.commitCount, runs = Mutex(0)
        let waiting = await startWaitingWrite(database) { connection in
            runs.withLock { $0 += 1 }
            try connection.execute("INSERT INTO notes (text) VALUES ('waiting')")
        }
        // The other process waits for a lock for at most five seconds.
        try await other.write(insertion("other"))
        #expect(try await readTexts(database) == ["other"])
        try await database.write(insertion("next"))
        try await waiting.value
        #expect(try await readTexts(database) == ["other", "waiting", "next"])
        #expect(database.commitCount == before + 1 && runs.withLock { $0 } == 2)
    }

    @Test
    func `A delayed commit to a shared database file is done at its time limit and before a close`()
        async throws
    {
        let fence = try WriteFence.claimFiles(folder.file("fence"), token: 1) { true }
        let database = try await openDatabase(fence: fence)
        try await database.write(within: .milliseconds(1), insertion("a"))
        let held = await startWaitingWrite(database, insertion("b"))
        let hold = try await database.holdWrites()
        try await held.value
        hold.endHold()
        let last = await startWaitingWrite(database, insertion("c"))
        await database.close()
        try await last.value
        #expect(try await readTexts(try await openDatabase()) == ["a", "b", "c"])
    }

    @Test
    func `When 256 writes wait for a delayed commit, they are committed before their time limit`() async throws {
        let database = try await openDatabase()
        let before = database.commitCount
        let tasks = (0..<300).map { number in
            Task.immediate { try await database.write(within: .seconds(3600), insertion("\(number)")) }
        }
        for task in tasks.prefix(256) { try await task.value }
        #expect(database.commitCount > before)
        await database.close()
        for task in tasks { try await task.value }
        #expect(try await readTexts(openDatabase()).count == 300)
    }

    @Test
    func `A database transaction without changes is not counted as a commit`() async throws {
        let database = try await openDatabase()
        let before = database.commitCount
        try await database.write { _ = try $0.query("SELECT * FROM notes") }
        #expect(database.commitCount == before)
        try await database.write(insertion("a"))
        #expect(database.commitCount == before + 1)
    }
}
