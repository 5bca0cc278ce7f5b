internal import Files

/// The reason why a database operation failed.
package enum DatabaseError: StorageError, Hashable {
    /// The file is encrypted with another key, or is not a database. SQLCipher cannot distinguish these cases.
    case wrongKey
    /// The key does not have the right form: it is an empty passphrase, or a raw key that does not have 32 bytes. A
    /// backup also throws this error if the database is encrypted and the backup would not be encrypted, or the
    /// reverse.
    case invalidKey
    /// A newer version of this program wrote the file, which has a migration that this version does not know.
    case newerSchema(migration: String)
    /// No released version of this program wrote the file: it lacks the first migration.
    case unknownSchema
    /// An older version of this program wrote the file, which lacks these migrations. The caller did not allow an
    /// upgrade.
    case olderSchema(migrations: [String])
    /// There is no file at the path, and the caller did not ask to create one.
    case fileMissing
    /// A file already exists at the path of a new file.
    case fileExists
    case uniqueViolation(String)
    case foreignKeyViolation
    /// A constraint other than a key or a reference (`NOT NULL`, `CHECK`) refused the change.
    case constraintViolation(String)
    /// The disk or the database's page limit is full. The transaction is rolled back; the database stays usable.
    case diskFull
    /// Another process or a long read has a lock on the database.
    case busy
    /// The maximal number of stores use their open databases, and no place became free in the time that the caller may
    /// wait. The operation may succeed later. If `isFirst` is true, nothing was read or written for the whole request.
    /// Otherwise earlier operations of the request, or of work in the background, may have had effects.
    case poolExhausted(isFirst: Bool)
    /// The body of a read tried to write, or the file may not be written.
    case readOnly
    /// A page of the file was lost, or changed by another program.
    case corrupt
    /// The system failed to open, read, write or sync a file. `code` is SQLite's extended result code
    /// (`SQLITE_IOERR_…`, `SQLITE_CANTOPEN`). The transaction is rolled back. The database can be used again when the
    /// cause has ended.
    case inputOutput(code: Int32)
    /// A row lacks the column, or the column has another type. A column that was requested by its position is named by
    /// the number.
    case invalidColumn(String)
    /// The file was deleted or replaced by another file while it was open. No write is accepted until the file is back
    /// at its path; reads use the open file.
    case fileReplaced
    /// Another process has taken the file over, or the time for which this process may write is over. No more writes
    /// are accepted.
    case refusedByFence
    /// The statement took longer than its limit, or the database is about to be closed. The transaction is rolled back.
    case interrupted
    /// The database was closed by this program.
    case closed
    /// Any other error, with SQLite's extended result code and its message. The message may quote SQL, but never
    /// values.
    case other(code: Int32, message: String)
}

extension DatabaseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wrongKey: "the key does not open it, or it is not a database"
        case .invalidKey: "the key does not have the form of a key"
        case .newerSchema(let migration): "a later version of this program has written it (\(migration))"
        case .unknownSchema:
            "a development version of this program has written it: export its stores with that version, and import the archives"
        case .olderSchema(let migrations):
            "an earlier version of this program has written it, and its schema lacks \(migrations.joined(separator: ", "))"
        case .fileMissing: "the file is missing"
        case .fileExists: "the file exists already"
        case .uniqueViolation(let columns): "a row with the same values exists already (\(columns))"
        case .foreignKeyViolation: "a row refers to a missing row"
        case .constraintViolation(let constraint): "a row violates a constraint (\(constraint))"
        case .diskFull: "the disk is full"
        case .busy: "it is in use"
        case .poolExhausted(isFirst: true): "too many stores use their databases at this moment"
        case .poolExhausted(isFirst: false):
            "too many stores use their databases at this moment, and a part of the work may be done"
        case .readOnly: "it cannot be written"
        case .corrupt: "it is damaged: a part of it differs from what this program has written"
        case .inputOutput(let code): "the system refuses to read or write it (SQLite's code \(code))"
        case .invalidColumn(let column): "a row lacks the column \(column), or the column has a value of another type"
        case .fileReplaced: "another file has replaced it"
        case .refusedByFence: "another process has taken it over"
        case .interrupted: "a statement took too long and was stopped"
        case .closed: "it is closed"
        case .other(let code, let message): "\(message) (SQLite's code \(code))"
        }
    }
}

extension DatabaseError {
    package var isStorageFull: Bool { self == .diskFull }
    package var isOverload: Bool { self == .poolExhausted(isFirst: true) }

    /// Whether a repetition of the failed write may succeed later: when the disk has free space, when another process
    /// or other stores have finished, or when the file is back at its path.
    package var isTemporary: Bool {
        switch self {
        case .diskFull, .busy, .poolExhausted, .inputOutput, .fileReplaced: true
        default: false
        }
    }
}
