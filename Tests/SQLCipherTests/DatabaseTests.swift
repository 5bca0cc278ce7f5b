import Foundation
import SimpleXCrypto
import Testing

@testable import SQLCipher

private let notes = Migration(
    name: "notes",
    sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)"
)

@Suite struct DatabaseTests {
    let folder: TemporaryFolder
    let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))

    init() throws { folder = try TemporaryFolder() }

    func openDatabase(_ name: String = "a.db", migrations: [Migration] = [notes]) async throws -> Database {
        try await Database.open(at: folder.file(name), key: key, migrations: migrations)
    }

    @Test
    func `Rows in a database survive a close and a reopening with each kind of key`() async throws {
        for key in [key, .passphrase("correct horse"), .none] {
            let path = folder.file("\(UUID().uuidString).db")
            let first = try await Database.open(at: path, key: key, migrations: [notes])
            try await first.write { try $0.execute("INSERT INTO notes (text) VALUES (?)", "hello") }
            await first.close()
            let second = try await Database.open(at: path, key: key, migrations: [notes])
            #expect(try await second.read { try $0.firstRow("SELECT text FROM notes")?.string("text") } == "hello")
        }
    }

    @Test
    func `An encrypted database file contains neither the text of a row nor the header of SQLite`() async throws {
        let database = try await openDatabase()
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('needle in the hay')") }
        await database.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db")))
        #expect(bytes.count > 4096)
        #expect(bytes.range(of: Data("needle".utf8)) == nil)
        #expect(!bytes.starts(with: Data("SQLite format 3".utf8)))
    }

    @Test
    func `Writes to a database whose file was moved or replaced fail until the file is back at its path`() async throws
    {
        // With only one reader, the connection for reads is opened before the file is moved.
        let database = try await Database.open(at: folder.file("a.db"), key: key, migrations: [notes], readers: 1)
        func write() async throws {
            try await database.write { try $0.execute("INSERT INTO notes (text) VALUES (hex(randomblob(8)))") }
        }
        func count() async throws -> Int { try await database.read { try $0.query("SELECT * FROM notes").count } }
        try await write()
        #expect(try await count() == 1)
        try FileManager.default.moveItem(atPath: folder.file("a.db"), toPath: folder.file("moved.db"))
        await #expect(throws: DatabaseError.fileReplaced) { try await write() }
        try Data("another".utf8).write(to: URL(fileURLWithPath: folder.file("a.db")))
        await #expect(throws: DatabaseError.fileReplaced) { try await write() }
        #expect(try await count() == 1 && database.isReplaced)
        try FileManager.default.removeItem(atPath: folder.file("a.db"))
        try FileManager.default.moveItem(atPath: folder.file("moved.db"), toPath: folder.file("a.db"))
        try await write()
        #expect(try await count() == 2 && !database.isReplaced)
        await database.close()
    }

    @Test
    func `A read that needs a new connection is refused if the database file was deleted`() async throws {
        let database = try await openDatabase()
        try FileManager.default.removeItem(atPath: folder.file("a.db"))
        await #expect(throws: DatabaseError.fileReplaced) {
            try await database.read { try $0.query("SELECT * FROM notes").count }
        }
        #expect(database.isReplaced)
        await database.close()
    }

    @Test
    func `Deleted rows are overwritten in the database file`() async throws {
        let database = try await Database.open(at: folder.file("a.db"), key: .none, migrations: [notes])
        #expect(try await database.write { try $0.firstRow("PRAGMA secure_delete")?.int64(0) } == 1)
        // The texts are on pages of the table and of the index, and on overflow pages.
        let texts = ["needle in the hay", "needle " + String(repeating: "in the hay ", count: 2_000)]
        try await database.write { db in
            for text in texts { try db.execute("INSERT INTO notes (text) VALUES (?)", text) }
        }
        try await database.checkpoint()
        func needles() throws -> Bool {
            try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db"))).range(of: Data("needle".utf8)) != nil
        }
        #expect(try needles())
        try await database.write { try $0.execute("DELETE FROM notes") }
        try await database.checkpoint()
        #expect(try !needles())
        await database.close()
    }

    @Test
    func `Opening a database with a wrong key fails with wrongKey and leaves the file unchanged`() async throws {
        await (try openDatabase()).close()
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db")))
        for other in [DatabaseKey.raw([UInt8](repeating: 8, count: 32)), .passphrase("x"), .none] {
            await #expect(throws: DatabaseError.wrongKey) {
                _ = try await Database.open(at: folder.file("a.db"), key: other, migrations: [notes])
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db"))) == before)
    }

    @Test
    func `Opening a file that is not a database is refused with the error wrongKey`() async throws {
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: folder.file("a.db")))
        await #expect(throws: DatabaseError.wrongKey) { _ = try await openDatabase() }
    }

    @Test
    func `Opening a missing database file with 'create: false' fails and creates no file`() async throws {
        await #expect(throws: DatabaseError.fileMissing) {
            _ = try await Database.open(at: folder.file("none.db"), key: key, create: false)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("none.db")))
    }

    @Test
    func `The changes of a write that throws an error are rolled back`() async throws {
        struct Stop: Error {}
        let database = try await openDatabase()
        await #expect(throws: Stop.self) {
            try await database.write { connection in
                try connection.execute("INSERT INTO notes (text) VALUES ('a')")
                throw Stop()
            }
        }
        #expect(try await database.read { try $0.query("SELECT * FROM notes").count } == 0)
    }

    @Test
    func `Failed writes do not affect successful writes at the same time`() async throws {
        let database = try await openDatabase()
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<300 {
                group.addTask {
                    do {
                        // Every tenth write repeats the text of the write before it, so one of the two fails.
                        try await database.write {
                            try $0.execute(
                                "INSERT INTO notes (text) VALUES (?)",
                                "\(number % 10 == 9 ? number - 1 : number)"
                            )
                        }
                        return false
                    } catch { return true }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(failures == 30)
        #expect(try await database.read { try $0.query("SELECT * FROM notes").count } == 270)
    }

    @Test
    func `A write that failed in a full database succeeds when the size limit of the database is raised`() async throws
    {
        let database = try await openDatabase()
        try await database.write { try $0.execute("PRAGMA max_page_count = 20") }
        await #expect(throws: DatabaseError.diskFull) {
            try await database.write {
                try $0.execute("INSERT INTO notes (text) VALUES (?)", String(repeating: "x", count: 200_000))
            }
        }
        try await database.write { try $0.execute("PRAGMA max_page_count = 100000") }
        try await database.write {
            try $0.execute("INSERT INTO notes (text) VALUES (?)", String(repeating: "x", count: 200_000))
        }
        #expect(try await database.read { try $0.query("SELECT id FROM notes").count } == 1)
    }

    @Test
    func `A read sees an unchanged snapshot of the database while other connections write`() async throws {
        let database = try await openDatabase()
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('a')") }
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            try await database.read { connection in
                let first = try connection.query("SELECT * FROM notes").count
                start.finish()
                let waiting = DispatchSemaphore(value: 0)
                Task {
                    for await _ in ended {}; waiting.signal()
                }
                waiting.wait()
                return (first, try connection.query("SELECT * FROM notes").count)
            }
        }
        for await _ in started {}
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('b')") }
        end.finish()
        let (first, second) = try await reading.value
        #expect(first == 1 && second == 1)
    }

    @Test
    func `A write through a database connection for reading is refused`() async throws {
        let database = try await openDatabase()
        await #expect(throws: DatabaseError.self) {
            try await database.read { try $0.execute("INSERT INTO notes (text) VALUES ('a')") }
        }
    }

    @Test
    func `Each kind of violated constraint causes its specific error`() async throws {
        let links = Migration(name: "links", sql: "CREATE TABLE links (note INTEGER NOT NULL REFERENCES notes (id))")
        let database = try await openDatabase(migrations: [notes, links])
        await #expect(throws: DatabaseError.foreignKeyViolation) {
            try await database.write { try $0.execute("INSERT INTO links (note) VALUES (5)") }
        }
        await #expect(throws: DatabaseError.constraintViolation("NOT NULL constraint failed: links.note")) {
            try await database.write { try $0.execute("INSERT INTO links (note) VALUES (?)", nil) }
        }
        await #expect(throws: DatabaseError.uniqueViolation("UNIQUE constraint failed: notes.text")) {
            try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('a'), ('a')") }
        }
    }

    @Test
    func `A database query returns values of every type unchanged`() async throws {
        let database = try await openDatabase()
        let values: [DatabaseValue] = [
            .null, .integer(.min), .integer(.max), .real(0.1), .text(""), .text("a\0b"), .text("😀‮"), .blob([]),
            .blob([0, 1, 255]),
        ]
        for value in values {
            let back = try await database.read { try $0.firstRow("SELECT ? AS v", value)?["v"] }
            #expect(back == value)
        }
    }

    @Test
    func `Reading a column that is absent, NULL or of an unexpected type causes an error`() async throws {
        let database = try await openDatabase()
        let row = try #require(try await database.read { try $0.firstRow("SELECT 1 AS number, NULL AS absent") })
        #expect(try row.int64("number") == 1)
        #expect(try row.stringOrNil("absent") == nil)
        #expect(throws: DatabaseError.invalidColumn("number")) { try row.string("number") }
        #expect(throws: DatabaseError.invalidColumn("absent")) { try row.string("absent") }
        #expect(throws: DatabaseError.invalidColumn("other")) { try row.int64OrNil("other") }
    }

    @Test
    func `An insert that violates a unique constraint fails, is ignored or replaces the row, as requested`()
        async throws
    {
        let database = try await openDatabase()
        try await database.write { db in
            try db.insert(into: "notes", ["text": "one", "id": Int64(7)])
            #expect(throws: DatabaseError.uniqueViolation("UNIQUE constraint failed: notes.id")) {
                try db.insert(into: "notes", ["id": Int64(7), "text": "two"])
            }
            try db.insert(into: "notes", or: .ignore, ["id": Int64(7), "text": "two"])
            #expect(try db.query("SELECT id, text FROM notes").map(\.values) == [[.integer(7), .text("one")]])
            try db.insert(into: "notes", or: .replace, ["id": Int64(7), "text": "two"])
            #expect(try db.query("SELECT id, text FROM notes").map(\.values) == [[.integer(7), .text("two")]])
        }
    }

    @Test
    func `A database update changes only the named columns of the matching rows`() async throws {
        let database = try await openDatabase()
        try await database.write { db in
            for (id, text) in [(1, "one"), (2, "two")] { try db.insert(into: "notes", ["id": id, "text": text]) }
            try db.update("notes", set: ["text": "three"], where: ["id": 1, "text": "one"])
            #expect(db.changeCount == 1)
            let prepared = db.statements.count
            try db.update("notes", set: ["text": "four"], where: ["id": 1, "text": "one"])
            #expect(db.changeCount == 0 && db.statements.count == prepared)
            #expect(try db.query("SELECT text FROM notes ORDER BY id").map { try $0.string(0) } == ["three", "two"])
            for conflict in [DatabaseConnection.UpdateConflict.abort, .fail] {
                #expect(throws: DatabaseError.uniqueViolation("UNIQUE constraint failed: notes.text")) {
                    try db.update("notes", or: conflict, set: ["text": "two"], where: ["id": 1])
                }
            }
            #expect(throws: DatabaseError.self) { try db.update("notes", set: ["text": "five"], where: [:]) }
            #expect(throws: DatabaseError.self) { try db.update("notes", set: ["text": nil], where: ["id": 2]) }
        }
    }

    @Test
    func `A database deletion deletes only the rows that match all key columns`() async throws {
        let database = try await openDatabase()
        try await database.write { db in
            for (id, text) in [(1, "one"), (2, "two")] { try db.insert(into: "notes", ["id": id, "text": text]) }
            try db.delete(from: "notes", where: ["id": 1, "text": "two"])
            #expect(db.changeCount == 0)
            try db.delete(from: "notes", where: ["id": 1, "text": "one"])
            #expect(try db.query("SELECT id FROM notes").map(\.values) == [[.integer(2)]])
            #expect(throws: DatabaseError.self) { try db.delete(from: "notes", where: [:]) }
        }
    }

    @Test
    func `A named parameter gets the value of its name in every place of the statement`() async throws {
        let database = try await openDatabase()
        try await database.write { db in
            try db.execute("INSERT INTO notes (id, text) VALUES (:id, :text)", ["text": "one", "id": 7])
            #expect(try db.query("SELECT id, text FROM notes").map(\.values) == [[.integer(7), .text("one")]])
            let sql = "SELECT :a AS first, :b AS second, :a AS third"
            for _ in 1...2 {
                let row = try db.firstRow(sql, ["b": "two", "a": nil])
                #expect(row?.values == [.null, .text("two"), .null])
            }
            #expect(try db.hasRow("SELECT 1 FROM notes WHERE id = :id AND text = :text", ["id": 7, "text": "one"]))
        }
    }

    @Test
    func `Parameters without a name get the values of the list in their order`() async throws {
        let database = try await openDatabase()
        try await database.write { db in
            for (id, text) in [(1, "one"), (2, "two"), (3, "three")] {
                try db.insert(into: "notes", ["id": id, "text": text])
            }
            let sql = "UPDATE notes SET text = :text WHERE id IN (?, ?) AND id <> :other"
            try db.execute(sql, ["other": 2, "text": "new"], list: [3, 2])
            #expect(
                try db.query("SELECT text FROM notes ORDER BY id").map(\.values) == [
                    [.text("one")], [.text("two")], [.text("new")],
                ]
            )
            #expect(throws: DatabaseError.self) { try db.execute(sql, ["other": 2, "text": "new"], list: [3]) }
            #expect(throws: DatabaseError.self) { try db.execute(sql, ["other": 2], list: [3, 2, 1]) }
        }
    }

    @Test
    func `A statement whose parameters have other names than the values is refused`() async throws {
        let database = try await openDatabase()
        try await database.read { db in
            let named = "SELECT :a, :b"
            #expect(throws: DatabaseError.self) { try db.query(named, ["a": 1]) }
            #expect(throws: DatabaseError.self) { try db.query(named, ["a": 1, "c": 2]) }
            #expect(throws: DatabaseError.self) { try db.query(named, ["a": 1, "a": 2]) }
            #expect(throws: DatabaseError.self) { try db.query(named, ["a": 1, "b": 2, "c": 3]) }
            #expect(throws: DatabaseError.self) { try db.hasRow("SELECT ?", ["a": 1]) }
        }
    }

    @Test
    func `A failing migration leaves the schema and the list of migrations of the database unchanged`() async throws {
        await (try openDatabase()).close()
        let bad = Migration(name: "bad", sql: "CREATE TABLE more (id INTEGER); INSERT INTO absent VALUES (1)")
        await #expect(throws: DatabaseError.self) { _ = try await openDatabase(migrations: [notes, bad]) }
        let database = try await openDatabase()
        #expect(
            try await database.read { try $0.query("SELECT name FROM sqlite_master WHERE name = 'more'").count } == 0
        )
    }

    @Test
    func `A database with migrations of a newer program is refused`() async throws {
        await (try openDatabase(migrations: [notes, Migration(name: "next", sql: "SELECT 1")])).close()
        await #expect(throws: DatabaseError.newerSchema(migration: "next")) { _ = try await openDatabase() }
    }

    @Test
    func `A database that lacks the program's first migration is refused and stays unchanged`() async throws {
        await (try openDatabase(migrations: [Migration(name: "earlier", sql: "CREATE TABLE earlier (id INTEGER)")]))
            .close()
        await #expect(throws: DatabaseError.unknownSchema) { _ = try await openDatabase() }
        let tables = try await Database.read(at: folder.file("a.db"), key: key) {
            try $0.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").map { try $0.string(0) }
        }
        #expect(tables == ["earlier", "migrations"])
    }

    @Test
    func `A database backup with a new key contains the rows of the database`() async throws {
        let database = try await openDatabase()
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('kept')") }
        let other = DatabaseKey.raw([UInt8](repeating: 9, count: 32))
        try await database.backUp(to: folder.file("b.db"), key: other)
        let copy = try await Database.open(at: folder.file("b.db"), key: other, migrations: [notes], create: false)
        #expect(try await copy.read { try $0.firstRow("SELECT text FROM notes")?.string("text") } == "kept")
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('still writable')") }
    }

    @Test
    func `Database reads and writes after a close fail with the error closed`() async throws {
        let database = try await openDatabase()
        await database.close()
        await #expect(throws: DatabaseError.closed) { try await database.write { _ in } }
        await #expect(throws: DatabaseError.closed) { try await database.read { _ in } }
    }

    @Test
    func `An idle database has no open connection and no log, and opens them for the next write or read`() async throws
    {
        let path = folder.file("a.db")
        func descriptors() -> Int {
            let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return links.count { link in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + link))?
                    .hasPrefix(path) == true
            }
        }
        let database = try await openDatabase()
        func write(_ text: String) async throws {
            try await database.write { try $0.execute("INSERT INTO notes (text) VALUES (?)", text) }
        }
        func count() async throws -> Int { try await database.read { try $0.query("SELECT text FROM notes").count } }
        try await write("first")
        #expect(try await count() == 1 && descriptors() > 4)
        // The reader may still be about to give its connection back.
        #expect(await database.closeConnections())
        // One descriptor holds the identity of the file.
        #expect(descriptors() == 1)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(try await count() == 1)
        try await write("second")
        #expect(try await count() == 2)
        await database.releaseResources()
        try await write("third")
        #expect(try await count() == 3)
        await database.close()
        #expect(descriptors() == 0)
    }

    @Test
    func `An idle database refuses a write if its file was replaced by a copy`() async throws {
        let database = try await openDatabase()
        func write() async throws {
            try await database.write { try $0.execute("INSERT INTO notes (text) VALUES (hex(randomblob(8)))") }
        }
        try await write()
        await database.releaseResources()
        try FileManager.default.copyItem(atPath: folder.file("a.db"), toPath: folder.file("copy.db"))
        try FileManager.default.removeItem(atPath: folder.file("a.db"))
        try FileManager.default.moveItem(atPath: folder.file("copy.db"), toPath: folder.file("a.db"))
        await #expect(throws: DatabaseError.fileReplaced) { try await write() }
        #expect(database.isReplaced)
    }

    @Test
    func `During a long read, an idle database closes its writer, and empties its log after the read`()
        async throws
    {
        let database = try await openDatabase()
        let gate = Gate()
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('a')") }
        let read = Task {
            try await database.read { connection in
                let count = try connection.query("SELECT text FROM notes").count
                gate.waitUntilOpen()
                return count
            }
        }
        await gate.waitUntilReached()
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('b')") }
        #expect(await database.releaseResources() && database.idleCloseCount == 1)
        #expect(FileManager.default.fileExists(atPath: folder.file("a.db-wal")))
        gate.open()
        #expect(try await read.value == 1)
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('c')") }
        #expect(await database.releaseResources())
        #expect(!FileManager.default.fileExists(atPath: folder.file("a.db-wal")))
        #expect(try await database.read { try $0.query("SELECT text FROM notes").count } == 3)
    }
}
