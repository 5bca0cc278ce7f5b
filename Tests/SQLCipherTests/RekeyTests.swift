import Foundation
import SimpleXCrypto
import Testing

@testable import SQLCipher

private let schema = Migration(
    name: "schema",
    sql: """
        CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE);
        CREATE TABLE links (note INTEGER NOT NULL REFERENCES notes (id), label TEXT);
        CREATE INDEX links_label ON links (label);
        CREATE VIEW labels AS SELECT label FROM links;
        CREATE TABLE deleted (id INTEGER);
        CREATE TRIGGER remember AFTER DELETE ON notes BEGIN INSERT INTO deleted VALUES (old.id); END;
        """
)

@Suite struct RekeyTests {
    let folder: TemporaryFolder
    let key = DatabaseKey.raw([UInt8](repeating: 7, count: 32))
    let otherKey = DatabaseKey.raw([UInt8](repeating: 9, count: 32))
    init() throws { folder = try TemporaryFolder() }

    func openDatabase(_ key: DatabaseKey) async throws -> Database {
        try await Database.open(at: folder.file("a.db"), key: key, migrations: [schema])
    }

    func fillTables(_ database: Database) async throws {
        try await database.write { connection in
            for number in 1...20 {
                try connection.execute("INSERT INTO notes (text) VALUES (?)", "note \(number)")
                try connection.execute("INSERT INTO links (note, label) VALUES (?, ?)", number, "label \(number)")
            }
            try connection.execute("DELETE FROM links WHERE note > 15")
            try connection.execute("DELETE FROM notes WHERE id > 15")
            try connection.execute("DELETE FROM links WHERE note < 5")
            try connection.execute("PRAGMA user_version = 42")
        }
    }

    /// Returns the contents of the database: schema, rows, row ids and settings.
    func readContents(_ database: Database) async throws -> [[DatabaseValue]] {
        try await database.read { connection in
            var all = [[DatabaseValue]]()
            for query in [
                "SELECT type, name, sql FROM sqlite_master ORDER BY name", "SELECT * FROM sqlite_sequence",
                "SELECT * FROM notes",
                "SELECT rowid, * FROM links", "SELECT * FROM labels", "SELECT * FROM deleted",
                "SELECT * FROM migrations",
                "PRAGMA user_version", "PRAGMA foreign_keys", "PRAGMA journal_mode", "PRAGMA integrity_check",
            ] { all += try connection.query(query).map(\.values) }
            return all
        }
    }

    @Test(arguments: [
        (DatabaseKey.raw([UInt8](repeating: 7, count: 32)), DatabaseKey.raw([UInt8](repeating: 9, count: 32))),
        (.raw([UInt8](repeating: 7, count: 32)), .passphrase("it's")),
        (.raw([UInt8](repeating: 7, count: 32)), .none),
        (.none, .raw([UInt8](repeating: 7, count: 32))),
    ])
    func `After a change of the database key, only the new key opens the file with its contents`(
        from old: DatabaseKey,
        to new: DatabaseKey
    ) async throws {
        let database = try await openDatabase(old)
        try await fillTables(database)
        let before = try await readContents(database)
        try await database.rekey(to: new)
        #expect(try await readContents(database) == before)
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('after')") }
        await #expect(throws: DatabaseError.foreignKeyViolation) {
            try await database.write { try $0.execute("INSERT INTO links (note) VALUES (999)") }
        }
        await database.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.db"])

        await #expect(throws: DatabaseError.wrongKey) { _ = try await openDatabase(old) }
        let again = try await openDatabase(new)
        #expect(try await again.read { try $0.firstRow("SELECT id FROM notes WHERE text = 'after'")?.int64(0) } == 21)
    }

    @Test
    func `Reads and writes during a change of the database key succeed`() async throws {
        let database = try await openDatabase(key)
        let writes = (0..<200).map { number in
            Task { try await database.write { try $0.execute("INSERT INTO notes (text) VALUES (?)", "\(number)") } }
        }
        let reads = (0..<200).map { _ in Task { try await database.read { try $0.query("SELECT * FROM notes").count } }
        }
        for turn in 0..<4 { try await database.rekey(to: turn.isMultiple(of: 2) ? otherKey : key) }
        for task in writes { try await task.value }
        for task in reads { _ = try await task.value }
        #expect(try await database.read { try $0.firstRow("SELECT count(*) FROM notes")?.int64(0) } == 200)
    }

    @Test
    func `A change of the database key that cannot create its file keeps the old key`() async throws {
        let database = try await openDatabase(key)
        try await fillTables(database)
        let before = try await readContents(database)
        try FileManager.default.createDirectory(atPath: folder.file("a.db.rekey"), withIntermediateDirectories: false)
        await #expect(throws: DatabaseError.fileExists) { try await database.rekey(to: otherKey) }
        #expect(try await readContents(database) == before)
        try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('after')") }
        await database.close()
        #expect(
            try await openDatabase(key).read { try $0.firstRow("SELECT text FROM notes WHERE text = 'after'") } != nil
        )
    }

    @Test
    func `The temporary file of an interrupted change of the database key is removed at the next start`() async throws {
        await (try openDatabase(key)).close()
        try Data("half".utf8).write(to: URL(fileURLWithPath: folder.file("a.db.rekey")))
        await (try openDatabase(key)).close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.db"])
    }

    @Test
    func `A change of the database key to an invalid key is refused, and the old key stays`() async throws {
        let database = try await openDatabase(key)
        await #expect(throws: DatabaseError.invalidKey) { try await database.rekey(to: .raw([1])) }
        await database.close()
        await (try openDatabase(key)).close()
    }
}
