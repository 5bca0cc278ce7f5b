import CSQLCipher
import SimpleXCrypto

// Whole databases written to a new file.
extension DatabaseConnection {
    /// Copies the committed content, page by page, into an empty database. The target must be encrypted exactly if this
    /// database is; its key may differ.
    /// - Parameter mayContinue: called before every 4 MiB; when it returns false, the function throws.
    func copy(to target: DatabaseConnection, while mayContinue: () -> Bool) throws(DatabaseError) {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw .of(sqlite3_errcode(target.handle), target.handle)
        }
        var code = SQLITE_OK
        while code == SQLITE_OK, mayContinue() { code = sqlite3_backup_step(backup, 1024) }
        sqlite3_backup_finish(backup)
        guard code != SQLITE_OK else { throw .other(code: SQLITE_INTERRUPT, message: "the copying was stopped") }
        guard code == SQLITE_DONE else { throw .of(code, target.handle) }
    }

    /// Writes everything into the empty file at `path`, with a key of any kind or none (SQLCipher API,
    /// `sqlcipher_export`).
    func export(to path: String, key: KeyMaterial) throws(DatabaseError) {
        // With foreign keys on, tables would be copied row by row, and rows without an integer key get new row ids.
        try execute("PRAGMA foreign_keys = OFF")
        defer { try? execute("PRAGMA foreign_keys = ON") }
        try attach(path, key)
        defer { try? execute("DETACH DATABASE target") }
        if key.isEncrypting { try execute("PRAGMA target.cipher_page_size = 4096") }
        do { try atLength { () throws(DatabaseError) in try execute("SELECT sqlcipher_export('target')") } } catch {
            throw error.ofExport
        }
        for name in ["user_version", "application_id"] {
            try execute("PRAGMA target.\(name) = \(try first("PRAGMA main.\(name)")?.int64(0) ?? 0)")
        }
    }

    private func attach(_ path: String, _ key: KeyMaterial) throws(DatabaseError) {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_prepare_v2(handle, "ATTACH DATABASE ? AS target KEY ?", -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw .of(code, handle) }
        code = path.withCString { path in
            key.withForm { key in
                // No destructor (SQLITE_STATIC): SQLite then makes no copies, which would not be wiped.
                sqlite3_bind_text(statement, 1, path, -1, nil)
                if let start = key.baseAddress, !key.isEmpty {
                    sqlite3_bind_text(
                        statement,
                        2,
                        start.assumingMemoryBound(to: CChar.self),
                        Int32(clamping: key.count),
                        nil
                    )
                } else {
                    sqlite3_bind_text(statement, 2, "", 0, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                }
                return sqlite3_step(statement)
            }
        }
        guard code == SQLITE_DONE else { throw .of(code, handle) }
    }
}

extension DatabaseError {
    /// The error of `sqlcipher_export` in its typed form. `sqlcipher_export` reports only the message of an error of
    /// its own statements.
    fileprivate var ofExport: DatabaseError {
        guard case .other(SQLITE_ERROR, let message) = self, let full = sqlite3_errstr(SQLITE_FULL),
            message == String(cString: full)
        else { return self }
        return .full
    }
}
