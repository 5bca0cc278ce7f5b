import CSQLCipher
import Files

extension DatabaseError {
    /// Returns the error for a result code of SQLite. The message comes from the connection's last error.
    static func makeError(_ code: Int32, _ database: OpaquePointer?) -> DatabaseError {
        let extended = database.map { sqlite3_extended_errcode($0) } ?? code
        switch code & 0xff {
        case SQLITE_NOTADB, SQLITE_CORRUPT: return .corrupt
        case SQLITE_FULL: return .diskFull
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy
        case SQLITE_READONLY: return .readOnly
        case SQLITE_INTERRUPT: return .interrupted
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            // SQLite reports a full disk with SQLITE_IOERR or SQLITE_CANTOPEN when a new file, or the index of the
            // write-ahead log, needs space. When a page needs space, SQLite reports SQLITE_FULL.
            let reason = database.map { sqlite3_system_errno($0) } ?? 0
            return FileSystemError.isFullDiskCode(reason) ? .diskFull : .inputOutput(code: extended)
        case SQLITE_CONSTRAINT:
            // The values of these C macros without their lower eight bits: SQLITE_CONSTRAINT_PRIMARYKEY (6), …_UNIQUE
            // (8), …_ROWID (10), …_FOREIGNKEY (3).
            switch extended >> 8 {
            case 6, 8, 10: return .uniqueViolation(lastMessage(database))
            case 3: return .foreignKeyViolation
            default: return .constraintViolation(lastMessage(database))
            }
        default: return .other(code: extended, message: lastMessage(database))
        }
    }

    private static func lastMessage(_ database: OpaquePointer?) -> String {
        database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? ""
    }
}
