import Files
package import SimpleXCrypto

/// A new database file that one thread fills with rows from another database. The calls block.
///
/// All rows are inserted in one transaction. Triggers do not run, and references are checked at the end, so tables can
/// be filled in any order.
package final class DatabaseFilling {
    package let connection: DatabaseConnection
    private let triggers: [(name: String, sql: String)]
    private let limit = StatementLimit(Database.longStatementLimit)
    /// A function that another thread calls to interrupt the running statement, and later statements that take long.
    package var interruptStatements: @Sendable () -> Void { { [limit] in limit.endStatements() } }
    /// The names of the triggers that the finished database will have.
    package var triggerNames: [String] { triggers.map(\.name) }

    /// Creates the file and its tables.
    /// - Parameters:
    ///   - path: the path of the new file. No file may exist there.
    ///   - make: a function that creates the tables.
    package init(at path: String, key: DatabaseKey, _ make: (DatabaseConnection) throws -> Void) throws {
        guard try DatabaseFiles.createEmptyFile(path) else { throw DatabaseError.fileExists }
        do {
            connection = try DatabaseConnection(
                path: path,
                key: FileKey(material: try KeyMaterial.make(key)),
                access: .copying,
                synchronous: .normal,
                cacheKiB: 8192,
                limit: limit
            )
            try connection.execute("PRAGMA foreign_keys = OFF")
            try make(connection)
            try connection.execute("BEGIN")
            triggers = try connection.query("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").map {
                (try $0.string("name"), try $0.string("sql"))
            }
            for trigger in triggers { try connection.execute("DROP TRIGGER \(trigger.name)") }
        } catch {
            DatabaseFiles.removeWithJournals(path)
            throw error
        }
    }

    /// Creates a database file with the schema that results from the migrations in `names`.
    /// - Parameter names: the names of the migrations of the database from which the rows come.
    package convenience init(
        at path: String,
        key: DatabaseKey,
        migrations: [Migration],
        applied names: Set<String>
    ) throws {
        try migrations.checkAppliedMigrations(names)
        let applied = migrations.filter { names.contains($0.name) }
        try self.init(at: path, key: key) {
            try Migrator(migrations: applied, upgradesOldSchema: true).migrateSchema(on: $0)
        }
    }

    /// Creates the triggers, and commits the transaction.
    /// - Throws: `.foreignKeyViolation` for a row that refers to a missing row.
    package func commitRows() throws {
        guard try !connection.hasRow("PRAGMA foreign_key_check") else { throw DatabaseError.foreignKeyViolation }
        for trigger in triggers { try connection.execute(trigger.sql) }
        try connection.execute("COMMIT")
    }
}
