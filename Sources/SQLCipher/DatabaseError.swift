/// Why a database could not do what was asked.
public enum DatabaseError: Error, Hashable, Sendable {
    /// The file is encrypted with another key, or is not a database at all: SQLCipher cannot tell these apart.
    case wrongKey
    /// A raw key that has not 32 bytes, an empty passphrase, or a key for a backup of a file that is not encrypted (or the reverse).
    case invalidKey
    /// The file was written by a newer version of this program: it has a migration that this one does not know.
    case newerSchema(migration: String)
    /// The file was written by an older version, lacks these migrations, and was not to be changed.
    case olderSchema(migrations: [String])
    /// There is no file at the path, and the caller did not ask to create one.
    case missing
    /// There is a file already where a new one was to be written.
    case exists
    case uniqueViolation(String)
    case foreignKeyViolation
    /// Another constraint (`NOT NULL`, `CHECK`) refused the change.
    case constraintViolation(String)
    /// The disk or the database's page limit is full. What was written in the transaction is rolled back; the database stays usable.
    case full
    /// Another process or a long read holds the database.
    case busy
    /// A write in the body of a read, or into a file that may not be written.
    case readOnly
    /// A page of the file was changed by something else than this library, or lost.
    case corrupt
    /// The system refused to open, read, write or sync a file. `code` is SQLite's extended result code (`SQLITE_IOERR_…`, `SQLITE_CANTOPEN`).
    /// The transaction is rolled back; the database stays usable when the cause is gone.
    case inputOutput(code: Int32)
    /// A row lacks the column, or the column has another type. A position is written in digits.
    case column(String)
    /// The file was deleted, or another one put in its place, while it was open. Nothing is written any more; reads see the old file.
    case replaced
    /// The database is closed.
    case closed
    /// Anything else: SQLite's extended result code and message (which quotes SQL, never values).
    case other(code: Int32, message: String)
}

extension DatabaseError {
    /// Whether the same write may succeed later without anybody changing anything in it: the disk has room again, who holds the database
    /// is done, or the file is in its place again.
    public var isTemporary: Bool {
        switch self {
        case .full, .busy, .inputOutput, .replaced: true
        default: false
        }
    }
}
