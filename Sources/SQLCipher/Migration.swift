/// A named change of the schema. Migrations run once each, in order, all in one transaction.
public struct Migration: Sendable {
    public let name: String
    let apply: @Sendable (Connection) throws -> Void

    /// `up` is one or more SQL statements.
    public init(name: String, up: String) {
        self.name = name
        apply = { try $0.executeScript(up) }
    }

    public init(name: String, apply: @escaping @Sendable (Connection) throws -> Void) {
        self.name = name
        self.apply = apply
    }
}

/// Brings a database to the newest schema and refuses one that is newer than the program.
struct Migrator {
    let migrations: [Migration]
    /// Whether a database of an older version is changed; a new one gets its schema in any case.
    let upgrades: Bool

    func run(on connection: Connection) throws {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            try connection.execute(
                "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY NOT NULL, applied_at INTEGER NOT NULL DEFAULT (strftime('%s','now')))")
            let known = Set(migrations.map(\.name))
            var applied = Set<String>()
            for row in try connection.query("SELECT name FROM migrations ORDER BY rowid") {
                let name = try row.string("name")
                guard known.contains(name) else { throw DatabaseError.newerSchema(migration: name) }
                applied.insert(name)
            }
            let missing = migrations.map(\.name).filter { !applied.contains($0) }
            guard upgrades || applied.isEmpty || missing.isEmpty else { throw DatabaseError.olderSchema(migrations: missing) }
            for migration in migrations where !applied.contains(migration.name) {
                try connection.atLength { try migration.apply(connection) }
                try connection.execute("INSERT INTO migrations (name) VALUES (?)", migration.name)
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }
}
