/// Reason why a database of the apps cannot be imported.
package enum AppArchiveError: Error, Hashable, Sendable {
    /// A later app version has written the database. This program does not know the migration.
    case newerDatabase(migration: String)
    /// An app version before 6.4 has written the database. The database lacks this migration.
    case olderDatabase(migration: String)
    /// A key, a queue or a message is invalid. The error does not contain the invalid data, because the data may be
    /// secret.
    case unreadable

    /// Checks that this program can import a database with these migrations.
    /// - Parameters:
    ///   - names: names of the migrations of the database.
    ///   - known: the names of all known migrations.
    ///   - oldest: the migration that the database must have.
    package static func checkMigrations(_ names: Set<String>, known: [String], oldest: String) throws(AppArchiveError) {
        if let unknown = names.subtracting(known).min() { throw AppArchiveError.newerDatabase(migration: unknown) }
        guard names.contains(oldest) else { throw AppArchiveError.olderDatabase(migration: oldest) }
    }
}
