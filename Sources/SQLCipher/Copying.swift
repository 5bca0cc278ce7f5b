import CSQLCipher
import SimpleXCrypto

// Functions that copy a whole database to a new file.
extension DatabaseConnection {
    /// Copies the committed content, page by page, into an empty database. Either both databases are encrypted or
    /// neither of them. Their keys may differ.
    /// - Parameters:
    ///   - mayContinue: a function that is called before every 4 MiB. When it returns false, `copyContent` throws.
    ///   - copied: a function that is called after each step with the number of pages that the step has copied.
    func copyContent(
        to target: DatabaseConnection,
        while mayContinue: () -> Bool,
        copied: (_ pages: Int64) -> Void = { _ in }
    ) throws(DatabaseError) {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw .makeError(sqlite3_errcode(target.handle), target.handle)
        }
        var code = SQLITE_OK
        var done: Int32 = 0
        while code == SQLITE_OK, mayContinue() {
            code = sqlite3_backup_step(backup, 1024)
            let now = sqlite3_backup_pagecount(backup) - sqlite3_backup_remaining(backup)
            copied(Int64(max(0, now - done)))
            done = max(done, now)
        }
        sqlite3_backup_finish(backup)
        guard code != SQLITE_OK else { throw .other(code: SQLITE_INTERRUPT, message: "the copying was stopped") }
        guard code == SQLITE_DONE else { throw .makeError(code, target.handle) }
    }

    /// Writes the whole database into the empty file at `path`, with a key of any kind or without a key (SQLCipher API,
    /// `sqlcipher_export`).
    func exportDatabase(to path: String, key: KeyMaterial) throws(DatabaseError) {
        // While foreign keys are on, tables are copied row by row, and rows without an integer key get new row ids. So
        // foreign keys are turned off.
        try execute("PRAGMA foreign_keys = OFF")
        defer { try? execute("PRAGMA foreign_keys = ON") }
        try attachDatabase(path, key)
        defer { KeyMemory.withKeyArea { _ = try? execute("DETACH DATABASE target") } }
        if key.isEncrypting {
            try KeyMemory.withKeyArea { () throws(DatabaseError) in
                try execute("PRAGMA target.cipher_page_size = 4096")
                // This statement writes the first page of the empty file. At this write, the library makes the keys of
                // the file.
                try execute("PRAGMA target.user_version = 0")
            }
        }
        do { try withLongLimit { () throws(DatabaseError) in try execute("SELECT sqlcipher_export('target')") } } catch
        {
            throw error.asExportError
        }
        for name in ["user_version", "application_id"] {
            try execute("PRAGMA target.\(name) = \(try firstRow("PRAGMA main.\(name)")?.int64(0) ?? 0)")
        }
    }

    private func attachDatabase(_ path: String, _ key: KeyMaterial) throws(DatabaseError) {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_prepare_v2(handle, "ATTACH DATABASE ? AS target KEY ?", -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw .makeError(code, handle) }
        code = path.withCString { path in
            key.withSQLCipherForm { key in
                // Without a destructor (SQLITE_STATIC), SQLite makes no copies of the path and the key. SQLite would
                // not overwrite such a copy of the key, so the key would stay in memory.
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
                return KeyMemory.withKeyArea { sqlite3_step(statement) }
            }
        }
        guard code == SQLITE_DONE else { throw .makeError(code, handle) }
    }
}

extension DatabaseError {
    /// `diskFull` if the message of this error says that the disk is full; otherwise the unchanged error. The function
    /// `sqlcipher_export` reports only a message when one of its own statements fails.
    fileprivate var asExportError: DatabaseError {
        guard case .other(SQLITE_ERROR, let message) = self, let full = sqlite3_errstr(SQLITE_FULL),
            message == String(cString: full)
        else { return self }
        return .diskFull
    }
}
