import Concurrency
import Foundation
import SimpleXCrypto
import Synchronization
import Testing

@testable import SQLCipher

private let notes = Migration(
    name: "notes",
    sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)"
)

@Suite struct FilesTests {
    let folder: TemporaryFolder
    let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))
    init() throws { folder = try TemporaryFolder() }

    func openDatabase(_ name: String = "a.db", migrations: [Migration] = [notes]) async throws -> Database {
        try await Database.open(at: folder.file(name), key: key, migrations: migrations)
    }

    func listFiles() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

    func countNotes(_ database: Database) async throws -> Int {
        try await database.read { try $0.query("SELECT id FROM notes").count }
    }

    func addNote(_ text: String, to database: Database) async throws {
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES (?)", text) }
    }

    @Test
    func `A copy of the database file and its log contains all finished writes`() async throws {
        let database = try await openDatabase()
        for number in 0..<10 { try await addNote("\(number)", to: database) }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: folder.file("a.db\(suffix)"), toPath: folder.file("b.db\(suffix)"))
        }
        #expect(try await countNotes(openDatabase("b.db")) == 10)
    }

    @Test
    func `A transaction whose part of the write-ahead log is incomplete is undone as a whole`() async throws {
        let database = try await openDatabase()
        try await addNote("first", to: database)
        try await addNote(String(repeating: "x", count: 50_000), to: database)
        let log = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db-wal")))
        try FileManager.default.copyItem(atPath: folder.file("a.db"), toPath: folder.file("b.db"))
        try log.dropLast(6_000).write(to: URL(fileURLWithPath: folder.file("b.db-wal")))
        let torn = try await openDatabase("b.db")
        #expect(try await torn.read { try $0.query("SELECT text FROM notes").map { try $0.string(0) } } == ["first"])
    }

    @Test
    func `By default a database has WAL, synchronous FULL, foreign keys, a bounded log and small caches`() async throws
    {
        let database = try await openDatabase()
        let settings = try await database.write { connection in
            try ["journal_mode", "synchronous", "foreign_keys", "journal_size_limit", "cache_size"]
                .map { try connection.firstRow("PRAGMA \($0)")?.values.first }
        }
        // Within a transaction the pragma `synchronous` can only be read: 2 is FULL.
        #expect(settings == [.text("wal"), .integer(2), .integer(1), .integer(16_777_216), .integer(-2_048)])
        // SQLCipher 4 returns the page size as text.
        let pageSize = try await database.read { try $0.firstRow("PRAGMA page_size")?.values }
        #expect(pageSize == [.integer(4_096)] || pageSize == [.text("4096")])
        #expect(try await database.read { try $0.firstRow("PRAGMA cache_size")?.int64(0) } == -1_024)
    }

    @Test
    func `A new database file and its log are accessible to their owner only`() async throws {
        let database = try await openDatabase()
        try await addNote("a", to: database)
        for name in ["a.db", "a.db-wal"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test
    func `After a close, only the main file of the database remains in its folder`() async throws {
        for round in 0..<5 {
            let database = try await openDatabase()
            try await addNote("\(round)", to: database)
            #expect(try await countNotes(database) == round + 1)
            await database.close()
            await database.close()
            #expect(try listFiles() == ["a.db"])
        }
    }

    @Test
    func `Writes that wait when the database is closed are committed before the close`() async throws {
        let database = try await openDatabase()
        let tasks = (0..<50).map { number in Task.immediate { try await addNote("\(number)", to: database) } }
        await database.close()
        for task in tasks { try await task.value }
        #expect(try await countNotes(openDatabase()) == 50)
    }

    @Test
    func `A failed creation of a database leaves no file`() async throws {
        let bad = Migration(name: "bad", sql: "CREATE TABLE more (id INTEGER); INSERT INTO absent VALUES (1)")
        await #expect(throws: DatabaseError.self) { _ = try await openDatabase(migrations: [notes, bad]) }
        #expect(try listFiles() == [])
        await #expect(throws: DatabaseError.self) { _ = try await openDatabase("no-such-folder/a.db") }
        #expect(try listFiles() == [])
    }

    @Test
    func `Opening a folder as a database fails with an input/output error`() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("a.db"), withIntermediateDirectories: false)
        let error = await #expect(throws: DatabaseError.self) { _ = try await openDatabase() }
        guard case .inputOutput = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test
    func `Database migrations run once, in order, and are listed with their time`() async throws {
        await (try openDatabase()).close()
        let more = Migration(
            name: "more",
            sql: "ALTER TABLE notes ADD COLUMN extra TEXT; INSERT INTO notes (text, extra) VALUES ('a', 'b')"
        )
        for _ in 0..<2 { await (try openDatabase(migrations: [notes, more])).close() }
        let database = try await openDatabase(migrations: [notes, more])
        #expect(try await countNotes(database) == 1)
        let listed = try await database.read { try $0.query("SELECT name, applied_at FROM migrations ORDER BY rowid") }
        #expect(try listed.map { try $0.string("name") } == ["notes", "more"])
        #expect(try listed.allSatisfy { try $0.int64("applied_at") > 1_700_000_000 })
    }

    @Test
    func `The stored schema has no comments of a migration, and its strings keep their text`() async throws {
        let remarks = Migration(
            name: "remarks",
            sql: """
                -- A table's remark.
                CREATE TABLE others (
                  -- It's the key.
                  id INTEGER PRIMARY KEY, -- One row.
                  text TEXT NOT NULL DEFAULT 'it''s -- no "remark',
                  "a--b" INTEGER
                );
                INSERT INTO others (id) VALUES (1); -- the end
                """
        )
        let database = try await openDatabase(migrations: [remarks])
        let row = try await database.read { try $0.firstRow("SELECT text, \"a--b\" FROM others") }
        #expect(try row?.string(0) == "it's -- no \"remark")
        let sql = try await database.read { try $0.firstRow("SELECT sql FROM sqlite_master WHERE name = 'others'") }
        let stored = """
            CREATE TABLE others (
              id INTEGER PRIMARY KEY,
              text TEXT NOT NULL DEFAULT 'it''s -- no "remark',
              "a--b" INTEGER
            )
            """
        #expect(try sql?.string(0) == stored)
    }

    @Test
    func `A checkpoint empties the write-ahead log, and fails with busy during a long read`() async throws {
        let database = try await openDatabase()
        try await addNote("a", to: database)
        try await database.checkpoint()
        #expect(try FileManager.default.attributesOfItem(atPath: folder.file("a.db-wal"))[.size] as? Int == 0)

        let gate = Gate()
        let reading = Task {
            try await database.read { connection in
                try connection.execute("SELECT count(*) FROM notes")
                gate.waitUntilOpen()
            }
        }
        await gate.waitUntilReached()
        try await addNote("b", to: database)
        await #expect(throws: DatabaseError.busy) { try await database.checkpoint() }
        gate.open()
        try await reading.value
        try await database.checkpoint()
    }

    @Test
    func `Concurrent writes through two instances of the same database are all kept`() async throws {
        let first = try await openDatabase(), second = try await openDatabase()
        let tasks = (0..<40).map { number in
            Task { try await addNote("\(number)", to: number.isMultiple(of: 2) ? first : second) }
        }
        for task in tasks { try await task.value }
        #expect(try await countNotes(second) == 40)
    }

    @Test
    func `A database backup during writes is one intact file with the key of the database`() async throws {
        let database = try await openDatabase()
        for number in 0..<20 { try await addNote("\(number)", to: database) }
        let writes = (20..<60).map { number in Task { try await addNote("\(number)", to: database) } }
        try await database.backUp(to: folder.file("b.db"))
        for task in writes { try await task.value }
        await database.close()
        #expect(try listFiles() == ["a.db", "b.db"])
        let copy = try await openDatabase("b.db")
        #expect(try await countNotes(copy) >= 20)
        #expect(try await copy.read { try $0.firstRow("PRAGMA integrity_check")?.string(0) } == "ok")
        #expect(
            try FileManager.default.attributesOfItem(atPath: folder.file("b.db"))[.posixPermissions] as? Int == 0o600
        )
    }

    @Test
    func `A backup that begins while writes are suspended does not contain the waiting writes`() async throws {
        let database = try await openDatabase()
        try await addNote("before", to: database)
        let begun = Gate()
        let isAwaited = WakeSignal()
        let hold = try await database.holdWrites { isAwaited.wake() }
        let copying = Task { try await database.backUp(to: folder.file("b.db"), begun: { begun.waitUntilOpen() }) }
        await begun.waitUntilReached()
        let waiting = Task { try await addNote("after", to: database) }
        _ = await isAwaited.waitForSignal()
        #expect(try await countNotes(database) == 1)
        hold.endHold()
        try await waiting.value
        #expect(try await countNotes(database) == 2)
        begun.open()
        try await copying.value
        await database.close()
        await #expect(throws: DatabaseError.closed) { _ = try await database.holdWrites() }
        #expect(try await countNotes(try await openDatabase("b.db")) == 1)
    }

    @Test
    func `A database backup that its caller stops fails and leaves no file`() async throws {
        let database = try await openDatabase()
        // Writes more data than the backup copies in one step.
        for number in 0..<8 { try await addNote("\(number)" + String(repeating: "x", count: 1 << 20), to: database) }
        let asked = Mutex(0)
        await #expect(throws: DatabaseError.self) {
            try await database.backUp(
                to: folder.file("b.db"),
                while: {
                    asked.withLock {
                        $0 += 1; return $0 < 2
                    }
                }
            )
        }
        #expect(asked.withLock { $0 } == 2)
        await database.close()
        #expect(try listFiles() == ["a.db"])
    }

    @Test
    func `A refused database backup replaces no file and leaves no file`() async throws {
        let database = try await openDatabase()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.file("b.db")))
        await #expect(throws: DatabaseError.fileExists) { try await database.backUp(to: folder.file("b.db")) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("b.db"))) == Data("mine".utf8))
        await #expect(throws: DatabaseError.invalidKey) {
            try await database.backUp(to: folder.file("c.db"), key: DatabaseKey.none)
        }
        await #expect(throws: DatabaseError.self) { try await database.backUp(to: folder.file("no-such-folder/c.db")) }
        await database.close()
        #expect(try listFiles() == ["a.db", "b.db"])
    }
}
