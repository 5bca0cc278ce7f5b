import Foundation
import SimpleXCrypto

@testable import ForeignData
@testable import SQLCipher

final class Folder: Sendable {
    private let path = FileManager.default.temporaryDirectory.appending(path: "foreign-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}

/// A database file of an attacker, and a database that gets its rows.
struct HostileDatabase {
    static let schema = """
        CREATE TABLE people (
          person_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, picture BLOB, weight REAL, friend_id INTEGER REFERENCES people, file_path TEXT,
          joined_at INTEGER NOT NULL DEFAULT 0, kind TEXT);
        CREATE TABLE words (word TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
        CREATE TABLE seen (n INTEGER NOT NULL);
        INSERT INTO seen VALUES (0);
        CREATE TRIGGER people_seen AFTER INSERT ON people BEGIN UPDATE seen SET n = n + 1; END;
        """
    static let migrations = [Migration(name: "one", sql: schema)]
    enum Kind: String { case a, b }
    static let rules = DatabaseRules(columns: [
        "*_path": .localPath, "*_at": .clampedNumber(to: 0...1000),
        "people.kind": .enumerationValue(of: Kind.self, "kind of a person"),
    ])

    let folder: Folder
    let key: DatabaseKey
    var path: String { folder.file("foreign.db") }

    init(key: DatabaseKey = .none) async throws {
        folder = try Folder()
        self.key = key
        await (try await Database.open(at: folder.file("foreign.db"), key: key, migrations: Self.migrations)).close()
    }

    /// Runs statements on the file.
    /// - Parameter rewrites: whether the statements may write to the schema.
    func runStatements(_ statements: String..., rewrites: Bool = false) throws {
        let connection = try DatabaseConnection(
            path: path,
            key: FileKey(material: KeyMaterial(key)),
            access: rewrites ? .rewriting : .copying,
            synchronous: .normal,
            cacheKiB: 64
        )
        try connection.execute("PRAGMA foreign_keys = OFF")
        for statement in statements { try connection.execute(statement) }
    }

    func makeForeignDatabase(_ program: ReaderProgram = .installedProgram) throws -> ForeignDatabase {
        ForeignDatabase(path, key: try KeyMaterial(key), program: program)
    }

    /// Reads the rows.
    /// - Returns: the new database, and the names of objects that were left out.
    func readRows(
        _ rules: DatabaseRules = Self.rules,
        by program: ReaderProgram = .installedProgram
    ) throws -> (database: DatabaseConnection, others: [String]) {
        let target = folder.file("new-\(UUID().uuidString).db")
        let filling = try DatabaseFilling(at: target, key: .none, migrations: Self.migrations, applied: ["one"])
        let others = try makeForeignDatabase(program).fillDatabase(filling, rules)
        try filling.commitRows()
        return (filling.connection, others)
    }

    /// Makes a shell program that replaces the reader.
    func makeScript(_ body: String, silence: Int32 = 60_000) throws -> ReaderProgram {
        let file = folder.file("script-\(UUID().uuidString)")
        try Data("\(body)\n".utf8).write(to: URL(filePath: file))
        return ReaderProgram("/bin/sh", arguments: [file], silence: silence)
    }
}

extension DatabaseConnection {
    func queryTexts(_ sql: String) throws -> [String] { try query(sql).map { try $0.string(0) } }
    func queryNumber(_ sql: String) throws -> Int64? { try firstRow(sql)?.int64OrNil(0) }
}
