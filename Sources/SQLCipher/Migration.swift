package import CSchemas

/// A named change of the schema. Each migration runs once. All missing migrations run in order in one transaction.
package struct Migration: Sendable {
    package let name: String
    let sql: String

    /// Makes a migration.
    /// - Parameter sql: one or more SQL statements.
    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// The SQL statements without comments. SQLite keeps the text of each CREATE statement, and parses this text for
    /// each connection that it opens.
    var sqlWithoutComments: String {
        let (newline, space, dash) = (UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: "-"))
        let quotes = [UInt8(ascii: "'"), UInt8(ascii: "\"")]
        var kept: [UInt8] = [], quote: UInt8?
        var rest = Array(sql.utf8)[...]
        while let byte = rest.popFirst() {
            if quote == nil, byte == dash, rest.first == dash {
                rest = rest.drop { $0 != newline }
                while kept.last == newline || kept.last == space { kept.removeLast() }
                continue
            }
            if let open = quote {
                if byte == open { quote = nil }
            } else if quotes.contains(byte) {
                quote = byte
            }
            kept.append(byte)
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Returns the migrations of a database. The program contains them as compiled files of `Sources/CSchemas`.
    /// - Parameter list: a C function that returns the first file and sets the number of files.
    package static func loadAll(_ list: (UnsafeMutablePointer<Int>) -> UnsafePointer<sxgw_migration>?) -> [Migration] {
        var count = 0
        return UnsafeBufferPointer(start: list(&count), count: count).map { file in
            Migration(
                name: String(cString: file.name),
                sql: String(decoding: UnsafeBufferPointer(start: file.sql, count: file.size), as: UTF8.self)
            )
        }
    }
}

extension [Migration] {
    /// Checks that the first migration was applied to a database, and that no unknown migration was applied.
    func checkAppliedMigrations(_ applied: Set<String>) throws(DatabaseError) {
        if let first, !applied.contains(first.name) { throw .unknownSchema }
        if let unknown = applied.subtracting(map(\.name)).min() { throw .newerSchema(migration: unknown) }
    }
}

/// Migrates a database to the newest schema, and refuses a database that is newer than the program.
struct Migrator {
    let migrations: [Migration]
    /// Whether a database of an older version is migrated. A new database gets the newest schema in any case.
    let upgradesOldSchema: Bool

    func migrateSchema(on connection: DatabaseConnection) throws {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS migrations (
                  name TEXT PRIMARY KEY NOT NULL, applied_at INTEGER NOT NULL DEFAULT (strftime('%s','now')))
                """
            )
            let applied = try Set(connection.query("SELECT name FROM migrations").map { try $0.string("name") })
            if !applied.isEmpty { try migrations.checkAppliedMigrations(applied) }
            let missing = migrations.filter { !applied.contains($0.name) }
            guard upgradesOldSchema || applied.isEmpty || missing.isEmpty else {
                throw DatabaseError.olderSchema(migrations: missing.map(\.name))
            }
            for migration in missing {
                try connection.withLongLimit { () throws(DatabaseError) in
                    try connection.executeScript(migration.sqlWithoutComments)
                }
                try connection.insert(into: "migrations", ["name": migration.name])
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }
}
