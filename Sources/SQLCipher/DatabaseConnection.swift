import CSQLCipher
import Files

/// One connection to a database, used by one thread at a time. The body of `Database.write` or `Database.read` gets the
/// connection, and must not use it after the body has returned.
///
/// - `execute`: a statement whose rows are not needed.
/// - `query`, `firstRow`: all rows, the first row.
/// - `insert`, `update`, `delete`: rows are written by the names of their columns.
/// - `forEachBlob`: many rows of a number and bytes, without a copy of each row.
/// - `executeScript`: several statements.
/// - `lastInsertRowID`, `changeCount`: the results of the last statement.
package final class DatabaseConnection {
    let handle: OpaquePointer
    private let clock: StatementClock
    /// The record of statements that ran slowly; nil if this connection records none.
    private let slowStatements: SlowStatements?
    private(set) var statements = StatementCache(capacity: maxCachedStatements)
    /// Whether a read now uses this connection, which belongs to the writer. Statements that write are then refused.
    private var isLent = false

    static let maxCachedStatements = 256
    /// Maximal number of milliseconds for which a statement waits for a lock that another process holds.
    private static let lockTimeoutMilliseconds: Int32 = 5_000

    enum Access {
        case reading
        /// Access of the only writer. The journal mode is set to WAL.
        case writing
        /// Access to a file that is being created. The default journal is kept, so that the closed database is one
        /// file.
        case copying
        /// Access for rewriting a schema that this version of SQLite cannot read. Errors of the schema are ignored.
        case rewriting
    }

    /// Opens an existing file, and configures the connection. The first read of the file detects a wrong key.
    init(
        path: String,
        key: FileKey,
        access: Access,
        synchronous: Database.Synchronous,
        cacheKiB: Int,
        limit: StatementLimit = StatementLimit(Database.longStatementLimit),
        slow: SlowStatements? = nil
    ) throws(DatabaseError) {
        KeyMemory.configureOnce
        var opened: OpaquePointer?
        let flags = access == .reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw code == SQLITE_CANTOPEN && !DiskFiles.exists(path) ? .fileMissing : .makeError(code, nil)
        }
        handle = opened
        clock = StatementClock(limit)
        slowStatements = slow
        clock.startMeasuring()
        clock.installCheck(handle)
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Self.lockTimeoutMilliseconds)
        try unlock(key, rewrites: access == .rewriting)
        try execute("PRAGMA foreign_keys = ON")
        try execute("PRAGMA temp_store = MEMORY")
        try execute("PRAGMA cache_size = -\(cacheKiB)")
        guard access != .reading else { return }
        // Deleted data is overwritten, as in the original. Some builds of the library do not overwrite it by default.
        try execute("PRAGMA secure_delete = ON")
        try execute("PRAGMA synchronous = \(synchronous.rawValue)")
        if key.material.isEncrypting, !DiskFiles.hasBytes(path) { try writeFirstPage(access) }
        guard access == .writing else { return }
        try setJournalMode("wal")
        // A checkpoint writes each page once, however often the page has changed since the last checkpoint: few and
        // large checkpoints save work. A log of 4,000 pages has 16 MB. After a checkpoint, SQLite writes the log again
        // from its beginning.
        try execute("PRAGMA wal_autocheckpoint = 4000")
        try execute("PRAGMA journal_size_limit = 16777216")
    }

    deinit {
        statements.removeAll()
        KeyMemory.withKeyArea { _ = sqlite3_close_v2(handle) }
    }

    private func unlock(_ key: FileKey, rewrites: Bool) throws(DatabaseError) {
        if key.material.isEncrypting {
            let code = KeyMemory.withKeyArea { setKey(key) }
            guard code == SQLITE_OK else { throw .makeError(code, handle) }
        }
        if rewrites { try execute("PRAGMA writable_schema = ON") }
        let code = sqlite3_exec(handle, "SELECT count(*) FROM sqlite_master", nil, nil, nil)
        guard code & 0xff != SQLITE_NOTADB else { throw .wrongKey }
        guard code == SQLITE_OK else { throw .makeError(code, handle) }
    }

    private func setKey(_ key: FileKey) -> Int32 {
        let code = key.material.withSQLCipherForm { sqlite3_key(handle, $0.baseAddress, Int32(clamping: $0.count)) }
        guard code == SQLITE_OK else { return code }
        // SQLCipher 4 also uses this page size. The default of version 3 is 1,024 bytes, which is slower.
        let settings = (key.usesSQLCipher3 ? "PRAGMA cipher_compatibility = 3;" : "") + "PRAGMA cipher_page_size = 4096"
        let result = sqlite3_exec(handle, settings, nil, nil, nil)
        // The first read of the file makes the keys of the pages. So this function reads the file now, while the
        // library allocates in the memory area for keys. The statement reads no schema, because the schema would be
        // allocated in this area too. Errors are ignored, because the next read has the same errors.
        sqlite3_exec(handle, "PRAGMA schema_version", nil, nil, nil)
        return result
    }

    /// Writes the first page of an empty file. The library makes the keys of an empty file at this first write.
    private func writeFirstPage(_ access: Access) throws(DatabaseError) {
        let sql = access == .writing ? "PRAGMA journal_mode = wal" : "PRAGMA user_version = 0"
        let code = KeyMemory.withKeyArea { sqlite3_exec(handle, sql, nil, nil, nil) }
        guard code == SQLITE_OK else { throw .makeError(code, handle) }
    }

    /// Runs one statement, and ignores its rows.
    ///
    /// An `UPDATE` of one row that runs for each message should have the form `UPDATE OR FAIL`. For other statements
    /// SQLite copies every page that they change. With the copies, SQLite can undo a statement that fails after some
    /// changes. SQLCipher also encrypts the copies. The change of one row needs no copies.
    package func execute(_ sql: String, _ arguments: (any DatabaseBindable)?...) throws(DatabaseError) {
        _ = try query(sql, arguments: arguments)
    }

    package func execute(_ sql: String, arguments: [(any DatabaseBindable)?]) throws(DatabaseError) {
        _ = try query(sql, arguments: arguments)
    }

    package func query(_ sql: String, _ arguments: (any DatabaseBindable)?...) throws(DatabaseError) -> [Row] {
        try query(sql, arguments: arguments)
    }

    package func query(_ sql: String, arguments: [(any DatabaseBindable)?]) throws(DatabaseError) -> [Row] {
        defer { recordSlowRun(sql) }
        return try prepareStatement(sql).runToEnd(arguments)
    }

    /// Returns the prepared statement, and starts the clock for its time limit.
    func prepareStatement(_ sql: String) throws(DatabaseError) -> Statement {
        clock.startMeasuring()
        let statement = try statements.findOrPrepareStatement(sql, database: handle)
        guard isLent else { return statement }
        guard statement.isReadOnly else { throw .readOnly }
        // A short statement is not interrupted, so many short statements together could use the writer's connection for
        // a long time. Therefore the time is also checked before each statement.
        if isInTransaction, clock.endLentReadIfOver() { throw .interrupted }
        return statement
    }

    /// Runs a read on the connection of the writer. A statement that writes fails with `.readOnly`, as on a connection
    /// of a reader.
    /// - Returns: nil if a statement was ended or refused because the time was over. The read then needs another
    ///   connection.
    func runLentRead<T>(
        within time: Duration,
        _ body: (DatabaseConnection) throws -> T
    ) -> Result<T, any Error>? {
        isLent = true
        defer { isLent = false }
        return clock.runLentRead(within: time) { Result { try body(self) } }
    }

    func recordSlowRun(_ sql: String) {
        slowStatements?.recordRun(of: sql, nanoseconds: clock.elapsedNanoseconds)
    }

    /// Runs a query whose rows consist of a number and a blob. Calls `body` for each row, with the bytes in SQLite's
    /// memory. `body` must not use the connection.
    package func forEachBlob(
        _ sql: String,
        arguments: [(any DatabaseBindable)?],
        _ body: (_ number: Int64, _ bytes: Span<UInt8>) -> Void
    ) throws(DatabaseError) {
        defer { recordSlowRun(sql) }
        try prepareStatement(sql).forEachBlob(arguments, body)
    }

    package func firstRow(_ sql: String, _ arguments: (any DatabaseBindable)?...) throws(DatabaseError) -> Row? {
        try query(sql, arguments: arguments).first
    }

    /// Returns whether the query has a row. Reads only the first row.
    package func hasRow(_ sql: String, _ arguments: (any DatabaseBindable)?...) throws(DatabaseError) -> Bool {
        defer { recordSlowRun(sql) }
        return try prepareStatement(sql).hasRow(arguments)
    }

    /// Returns the size of the database in bytes without its free pages. Inside a transaction the size includes the
    /// changes of the transaction.
    package func computeUsedBytes() throws(DatabaseError) -> Int64 {
        func pragma(_ name: String) throws(DatabaseError) -> Int64 { try firstRow("PRAGMA \(name)")?.int64(0) ?? 0 }
        return try (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
    }

    /// Runs several statements separated by `;`, without parameters, such as a migration.
    package func executeScript(_ sql: String) throws(DatabaseError) {
        guard !isLent else { throw .readOnly }
        clock.startMeasuring()
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw .makeError(code, handle) }
    }

    /// Runs `body`, for example a migration or a copy, with the long time limit for its statements.
    func withLongLimit<T, E>(_ body: () throws(E) -> T) throws(E) -> T { try clock.withLongLimit(body) }

    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The number of rows that the last statement changed, inserted or deleted.
    package var changeCount: Int { Int(sqlite3_changes(handle)) }

    /// The number of rows changed, inserted or deleted since the connection was opened, including changes that were
    /// rolled back.
    var totalChangeCount: Int32 { sqlite3_total_changes(handle) }

    /// The number of pages written to the file or its log since the connection was opened.
    var writtenPageCount: Int32 {
        var (count, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0)
        return count
    }

    /// Whether a transaction is open. After an error such as a full disk, SQLite itself may have rolled the transaction
    /// back.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    func rollBackIfNeeded() {
        // A rollback has few steps, so no time limit ends it.
        if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    /// Rolls back to the savepoint and releases it. Returns false if this fails, for example when the savepoint is
    /// missing.
    func rollBackToSavepoint(_ name: String) -> Bool {
        do {
            try execute("ROLLBACK TO \(name)")
            try execute("RELEASE \(name)")
            return true
        } catch { return false }
    }

    /// Sets the journal mode, or throws `.busy`. If SQLite cannot set the mode, it reports no error but returns the
    /// current mode.
    func setJournalMode(_ mode: String) throws(DatabaseError) {
        guard try firstRow("PRAGMA journal_mode = \(mode)")?.string(0) == mode else { throw .busy }
    }

    /// Moves the whole write-ahead log into the file and empties the log. Throws `.busy` while a reader needs the log.
    /// Writes must wait for this function, so its wait for readers is limited to 250 ms.
    func checkpoint() throws(DatabaseError) {
        sqlite3_busy_timeout(handle, 250)
        defer { sqlite3_busy_timeout(handle, Self.lockTimeoutMilliseconds) }
        guard try firstRow("PRAGMA wal_checkpoint(TRUNCATE)")?.int64(0) == 0 else { throw .busy }
    }

    /// Releases the prepared statements, and all pages that are in memory.
    func releaseMemory() {
        statements.removeAll()
        sqlite3_db_release_memory(handle)
    }
}
