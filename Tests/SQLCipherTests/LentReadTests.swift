import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import SQLCipher

/// Reads on the connection of the writer.
@Suite struct LentReadTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func openDatabase(writerLendingTime: Duration = .seconds(600)) async throws -> Database {
        try await Database.open(
            at: folder.file("a.db"),
            key: .raw([UInt8](repeating: 7, count: 32)),
            migrations: [Migration(name: "first", sql: "CREATE TABLE notes (text TEXT NOT NULL)")],
            writerLendingTime: writerLendingTime
        )
    }

    private func findWriter(_ database: Database) async throws -> ObjectIdentifier {
        try await database.write { ObjectIdentifier($0) }
    }

    private func findReader(_ database: Database) async throws -> ObjectIdentifier {
        try await database.read { ObjectIdentifier($0) }
    }

    private func countNotes(_ database: Database) async throws -> Int {
        try await database.read { try $0.query("SELECT text FROM notes").count }
    }

    @Test
    func `Database reads use the connection of the writer while the writer is idle`() async throws {
        let database = try await openDatabase()
        let writer = try await findWriter(database)
        for _ in 0..<3 { #expect(try await findReader(database) == writer) }
        try await database.write { try $0.execute("INSERT INTO notes VALUES ('a')") }
        #expect(try await countNotes(database) == 1)
        await database.close()
    }

    @Test
    func `A database that does not lend its writer's connection opens a separate connection for reads`() async throws {
        let database = try await openDatabase(writerLendingTime: .zero)
        #expect(try await findReader(database) != findWriter(database))
        await database.close()
    }

    @Test
    func `When the writer has lent its connection for the permitted time, reads get a separate connection`()
        async throws
    {
        let database = try await openDatabase(writerLendingTime: .nanoseconds(1))
        #expect(try await findReader(database) == findWriter(database))
        #expect(try await findReader(database) != findWriter(database))
        #expect(await database.closeConnections())
        #expect(try await findReader(database) == findWriter(database))
        await database.close()
    }

    @Test
    func `A database read during a write neither waits for the write nor sees its changes`() async throws {
        let database = try await openDatabase()
        let gate = Gate()
        let write = Task {
            try await database.write { db in
                try db.execute("INSERT INTO notes VALUES ('a')")
                gate.waitUntilOpen()
            }
        }
        await gate.waitUntilReached()
        #expect(try await countNotes(database) == 0)
        gate.open()
        try await write.value
        #expect(try await countNotes(database) == 1)
        await database.close()
    }

    @Test
    func `A database read does not see changes that wait for a later commit`() async throws {
        let database = try await openDatabase()
        let gate = Gate()
        gate.open()
        let write = Task {
            try await database.write(within: .seconds(600)) { db in
                try db.execute("INSERT INTO notes VALUES ('a')")
                gate.waitUntilOpen()
            }
        }
        await gate.waitUntilReached()
        #expect(try await countNotes(database) == 0)
        try await database.write { _ in }
        try await write.value
        #expect(try await countNotes(database) == 1)
        await database.close()
    }

    @Test
    func `A statement that writes is refused in a read that uses the connection of the writer`() async throws {
        let database = try await openDatabase()
        for statement in ["INSERT INTO notes VALUES ('a')", "CREATE TABLE others (id INTEGER)"] {
            await #expect(throws: DatabaseError.readOnly) { try await database.read { try $0.execute(statement) } }
        }
        await #expect(throws: DatabaseError.readOnly) {
            try await database.read { try $0.executeScript("INSERT INTO notes VALUES ('a'); COMMIT") }
        }
        #expect(try await countNotes(database) == 0)
        try await database.write { try $0.execute("INSERT INTO notes VALUES ('b')") }
        #expect(try await countNotes(database) == 1)
        await database.close()
    }

    @Test
    func `A long read on the connection of the writer is run again on a separate connection`() async throws {
        let database = try await openDatabase(writerLendingTime: .nanoseconds(1))
        let used = Mutex<[ObjectIdentifier]>([])
        let count = try await database.read { db in
            used.withLock { $0.append(ObjectIdentifier(db)) }
            let numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000)"
            return try db.firstRow("\(numbers) SELECT count(*) AS count FROM n")?.int64("count")
        }
        #expect(count == 100_000)
        let writer = try await findWriter(database)
        #expect(used.withLock { $0.map { $0 == writer } } == [true, false])
        await database.close()
    }

    @Test
    func `A read with many short statements moves from the writer's connection to a separate connection`() async throws
    {
        let database = try await openDatabase(writerLendingTime: .nanoseconds(1))
        let used = Mutex<[ObjectIdentifier]>([])
        try await database.read { db in
            used.withLock { $0.append(ObjectIdentifier(db)) }
            // The error of a refused statement is ignored.
            for _ in 0..<3 { _ = try? db.hasRow("SELECT 1") }
        }
        let writer = try await findWriter(database)
        #expect(used.withLock { $0.map { $0 == writer } } == [true, false])
        try await database.write { try $0.execute("INSERT INTO notes VALUES ('a')") }
        #expect(try await countNotes(database) == 1)
        await database.close()
    }

    @Test
    func `A read that waits for the writer's connection gets a separate connection when the lending time ends`()
        async throws
    {
        let database = try await openDatabase(writerLendingTime: .nanoseconds(1))
        let gate = Gate()
        let first = Task {
            try await database.read { db in
                gate.waitUntilOpen()
                return ObjectIdentifier(db)
            }
        }
        await gate.waitUntilReached()
        let second = Task { try await findReader(database) }
        try await waitUntil("the second read waits for the writer") { database.writeQueue.pendingJobCount == 1 }
        gate.open()
        #expect(try await first.value != second.value)
        await database.close()
    }

    @Test
    func `Reads that wait for the connection of the writer run before the database is closed`() async throws {
        let database = try await openDatabase(writerLendingTime: .nanoseconds(1))
        let gate = Gate()
        let first = Task { try await database.read { _ in gate.waitUntilOpen() } }
        await gate.waitUntilReached()
        let second = Task { try await countNotes(database) }
        try await waitUntil("the second read waits for the writer") { database.writeQueue.pendingJobCount == 1 }
        let closing = Task { await database.close() }
        try await waitUntil("the readers are closed") { database.readQueue.refusesJobs }
        gate.open()
        try await first.value
        #expect(try await second.value == 0)
        await closing.value
    }

    @Test
    func `A read that fails on the connection of the writer leaves no open transaction`() async throws {
        struct Stop: Error {}
        let database = try await openDatabase()
        await #expect(throws: Stop.self) { try await database.read { _ in throw Stop() } }
        try await database.write { try $0.execute("INSERT INTO notes VALUES ('a')") }
        #expect(try await countNotes(database) == 1)
        await database.close()
    }
}
