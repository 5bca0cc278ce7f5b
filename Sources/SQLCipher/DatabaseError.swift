/// Why a database could not do what was asked.
public enum DatabaseError: Error, Hashable, Sendable {
    /// The file is encrypted with another key, or is not a database at all: SQLCipher cannot tell these apart.
    case wrongKey
    /// The file was written by a newer version of this program: it has a migration that this one does not know.
    case newerSchema(migration: String)
    /// There is no file at the path, and the caller did not ask to create one.
    case missing
    case uniqueViolation(String)
    case foreignKeyViolation
    /// Another constraint (`NOT NULL`, `CHECK`) refused the change.
    case constraintViolation(String)
    /// The disk or the database's page limit is full. What was written in the transaction is rolled back; the database stays usable.
    case full
    /// Another process holds the database.
    case busy
    case inputOutput(code: Int32)
    /// A row lacks the column, or the column has another type.
    case column(String)
    /// The database is closed.
    case closed
    /// Anything else: SQLite's extended result code and message (which quotes SQL, never values).
    case other(code: Int32, message: String)
}
