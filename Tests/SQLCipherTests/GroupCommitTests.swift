import Synchronization
import Testing

@testable import SQLCipher

private let schema = Migration(
    name: "notes",
    sql: """
        CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
        CREATE TABLE links (note INTEGER NOT NULL REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED);
        """
)

@Suite struct GroupCommitTests {
    struct LateFailure: Error {}

    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    func openDatabase() async throws -> Database {
        try await Database.open(
            at: folder.file("a.db"),
            key: .raw([UInt8](repeating: 7, count: 32)),
            migrations: [schema]
        )
    }

    /// Starts the writes while the writer is busy, so that they are committed together. Returns true for each success.
    func writeTogether(
        _ database: Database,
        _ bodies: [@Sendable (DatabaseConnection) throws -> Void]
    ) async throws -> [Bool] {
        let gate = Gate()
        let first = Task { try await database.write { _ in gate.waitUntilOpen() } }
        await gate.waitUntilReached()
        let tasks = bodies.map { body in
            Task.immediate {
                do {
                    try await database.write(body)
                    return true
                } catch { return false }
            }
        }
        gate.open()
        try await first.value
        var outcomes = [Bool]()
        for task in tasks { outcomes.append(await task.value) }
        return outcomes
    }

    func readTexts(_ database: Database) async throws -> [String] {
        try await database.read { try $0.query("SELECT text FROM notes ORDER BY text").map { try $0.string("text") } }
    }

    func insertion(_ text: String) -> @Sendable (DatabaseConnection) throws -> Void {
        { try $0.execute("INSERT INTO notes (text) VALUES (?)", text) }
    }

    @Test
    func `A database write that arrives while another write runs shares the commit of the running write`() async throws
    {
        let database = try await openDatabase()
        let before = database.commitCount
        let gate = Gate()
        let insert = insertion
        let first = Task {
            try await database.write { connection in
                gate.waitUntilOpen()
                try insert("a")(connection)
            }
        }
        await gate.waitUntilReached()
        let second = Task.immediate { try await database.write(insert("b")) }
        gate.open()
        try await first.value
        try await second.value
        #expect(database.commitCount == before + 1)
        #expect(try await readTexts(database) == ["a", "b"])
    }

    @Test
    func `All writes of a shared commit run before the first of them returns`() async throws {
        let database = try await openDatabase()
        let events = RecordedRuns()
        let gate = Gate()
        let first = Task { try await database.write { _ in gate.waitUntilOpen() } }
        await gate.waitUntilReached()
        let tasks = (0..<20).map { number in
            Task.immediate {
                try await database.write { connection in
                    try connection.execute("INSERT INTO notes (text) VALUES (?)", "\(number)")
                    events.add("run")
                }
                events.add("told")
            }
        }
        gate.open()
        try await first.value
        for task in tasks { try await task.value }
        #expect(events.all == Array(repeating: "run", count: 20) + Array(repeating: "told", count: 20))
    }

    @Test
    func `An error of one write in a shared commit undoes only the changes of this write`() async throws {
        let database = try await openDatabase()
        let outcomes = try await writeTogether(
            database,
            [
                insertion("a"),
                { connection in
                    try connection.execute("INSERT INTO notes (text) VALUES ('half')")
                    throw LateFailure()
                },
                insertion("b"),
            ]
        )
        #expect(outcomes == [true, false, true])
        #expect(try await readTexts(database) == ["a", "b"])
    }

    /// The body of `insert`, which also records each of its runs.
    func countedInsertion(_ text: String, _ runs: RecordedRuns) -> @Sendable (DatabaseConnection) throws -> Void {
        let insert = insertion(text)
        return { connection in
            runs.add(text)
            try insert(connection)
        }
    }

    /// Does the same as `countedInsertion`, but throws after its write.
    func failingInsertion(_ text: String, _ runs: RecordedRuns) -> @Sendable (DatabaseConnection) throws -> Void {
        let insert = countedInsertion(text, runs)
        return { connection in
            try insert(connection)
            throw LateFailure()
        }
    }

    @Test
    func `If a write throws an error before it changes anything, other writes of its commit run only once`()
        async throws
    {
        let database = try await openDatabase()
        let runs = RecordedRuns()
        let outcomes = try await writeTogether(
            database,
            [
                countedInsertion("a", runs),
                { _ in
                    runs.add("refused")
                    throw LateFailure()
                },
                countedInsertion("b", runs),
            ]
        )
        #expect(outcomes == [true, false, true])
        #expect(runs.all == ["a", "refused", "b"])
        #expect(try await readTexts(database) == ["a", "b"])
    }

    @Test
    func `If a write throws after a change, the writes of its shared commit run again, and later ones run once`()
        async throws
    {
        let database = try await openDatabase()
        let runs = RecordedRuns()
        #expect(
            try await writeTogether(
                database,
                [
                    countedInsertion("a", runs), failingInsertion("x", runs), countedInsertion("b", runs),
                    failingInsertion("y", runs),
                ]
            )
                == [true, false, true, false]
        )
        #expect(runs.all == ["a", "x", "a", "x", "b", "y"])
        for round in 0..<3 {
            let later = RecordedRuns()
            let bodies = [
                countedInsertion("c\(round)", later), failingInsertion("x", later),
                countedInsertion("d\(round)", later),
            ]
            #expect(try await writeTogether(database, bodies) == [true, false, true])
            #expect(later.all == ["c\(round)", "x", "d\(round)"])
        }
        #expect(try await readTexts(database) == ["a", "b", "c0", "c1", "c2", "d0", "d1", "d2"])
    }

    @Test
    func `In a commit with savepoints, a write that rolls back the shared transaction fails alone`() async throws {
        let database = try await openDatabase()
        let runs = RecordedRuns()
        _ = try await writeTogether(database, [countedInsertion("a", runs), failingInsertion("x", runs)])
        let outcomes = try await writeTogether(
            database,
            [
                insertion("b"), { try $0.execute("INSERT OR ROLLBACK INTO notes (text) VALUES ('a')") },
                { try $0.execute("ROLLBACK") }, insertion("c"),
            ]
        )
        #expect(outcomes == [true, false, false, true])
        #expect(try await readTexts(database) == ["a", "b", "c"])
    }

    @Test
    func `If a statement of one write rolls back the shared transaction, only this write fails`() async throws {
        let database = try await openDatabase()
        let outcomes = try await writeTogether(
            database,
            [
                insertion("a"), { try $0.execute("INSERT OR ROLLBACK INTO notes (text) VALUES ('a')") }, insertion("b"),
            ]
        )
        #expect(outcomes == [true, false, true])
        #expect(try await readTexts(database) == ["a", "b"])
    }

    @Test
    func `If one write ends the shared transaction, only this write fails`() async throws {
        let database = try await openDatabase()
        let outcomes = try await writeTogether(
            database,
            [insertion("a"), { try $0.execute("ROLLBACK") }, insertion("b")]
        )
        #expect(outcomes == [true, false, true])
        #expect(try await readTexts(database) == ["a", "b"])
    }

    @Test
    func `If a constraint fails at the shared commit, only the write that violates the constraint fails`() async throws
    {
        let database = try await openDatabase()
        let outcomes = try await writeTogether(
            database,
            [insertion("a"), { try $0.execute("INSERT INTO links (note) VALUES (99)") }, insertion("b")]
        )
        #expect(outcomes == [true, false, true])
        #expect(try await readTexts(database) == ["a", "b"])
    }

    @Test
    func `If one write of a shared commit is too large for the database, only this write fails`() async throws {
        let database = try await openDatabase()
        try await database.write { try $0.execute("PRAGMA max_page_count = 20") }
        let outcomes = try await writeTogether(
            database,
            [insertion("a"), insertion(String(repeating: "x", count: 200_000)), insertion("b")]
        )
        #expect(outcomes == [true, false, true])
        #expect(try await readTexts(database) == ["a", "b"])
    }

    @Test
    func `Each write of a shared commit reads its own row id and number of changes`() async throws {
        let database = try await openDatabase()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await database.write { connection in
                        try connection.execute("INSERT INTO notes (text) VALUES (?)", "\(number)")
                        let found = try connection.firstRow(
                            "SELECT text FROM notes WHERE id = ?",
                            connection.lastInsertRowID
                        )
                        return try found?.string("text") == "\(number)" && connection.changeCount == 1
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test
    func `Three thousand concurrent database writes are all kept, in the order in which they were started`()
        async throws
    {
        let database = try await openDatabase()
        let tasks = (0..<3_000).map { number in
            Task.immediate {
                try await database.write { try $0.execute("INSERT INTO notes (text) VALUES (?)", "\(number)") }
            }
        }
        for task in tasks { try await task.value }
        let rows = try await database.read {
            try $0.query("SELECT text FROM notes ORDER BY id").map { try $0.string(0) }
        }
        #expect(rows == (0..<3_000).map { "\($0)" })
    }

    @Test
    func `A database read neither sees an uncommitted write nor waits for it`() async throws {
        let database = try await openDatabase()
        let gate = Gate()
        let writing = Task {
            try await database.write { connection in
                try connection.execute("INSERT INTO notes (text) VALUES ('a')")
                gate.waitUntilOpen()
            }
        }
        await gate.waitUntilReached()
        #expect(try await readTexts(database) == [])
        gate.open()
        try await writing.value
        #expect(try await readTexts(database) == ["a"])
    }
}

final class RecordedRuns: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ event: String) { list.withLock { $0.append(event) } }
}
