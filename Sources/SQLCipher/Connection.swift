import CSQLCipher

/// One connection to a database, used by one thread at a time: the body of `Database.write` or `Database.read` gets
/// it and must not keep it.
///
/// - `execute`: a statement whose rows do not matter.
/// - `query`, `first`: all rows, the first row.
/// - `lastInsertRowID`, `changes`: what the last statement did.
public final class Connection {
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// More different statements than this at once are not worth their memory: the cache starts anew.
    private static let cachedStatements = 256

    enum Access { case reading, writing, creating }

    /// Opens the file and sets it up; a wrong key shows at the first read of the file, which is done here.
    init(path: String, key: DatabaseKey, access: Access, synchronous: Database.Synchronous, cacheKiB: Int) throws(DatabaseError) {
        let flags =
            switch access {
            case .reading: SQLITE_OPEN_READONLY
            case .writing: SQLITE_OPEN_READWRITE
            case .creating: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw code == SQLITE_CANTOPEN ? .missing : .of(code, nil)
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 5_000)
        try setUp(key: key, access: access, synchronous: synchronous, cacheKiB: cacheKiB)
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    private func setUp(key: DatabaseKey, access: Access, synchronous: Database.Synchronous, cacheKiB: Int) throws(DatabaseError) {
        if case .none = key {} else {
            let code = key.withKeyBytes { sqlite3_key(handle, $0.baseAddress, Int32(clamping: $0.count)) }
            guard code == SQLITE_OK else { throw .of(code, handle) }
            // The page size of SQLCipher 4; version 3 would take 1,024 and be slower for it.
            try execute("PRAGMA cipher_page_size = 4096")
        }
        _ = try query("SELECT count(*) FROM sqlite_master")
        try execute("PRAGMA foreign_keys = ON")
        try execute("PRAGMA temp_store = MEMORY")
        try execute("PRAGMA cache_size = -\(cacheKiB)")
        if access != .reading {
            try execute("PRAGMA journal_mode = WAL")
            try execute("PRAGMA synchronous = \(synchronous.rawValue)")
            try execute("PRAGMA journal_size_limit = 8388608")
        }
    }

    public func execute(_ sql: String, _ arguments: (any DatabaseBindable)?...) throws(DatabaseError) {
        _ = try query(sql, arguments: arguments)
    }

    public func execute(_ sql: String, arguments: [(any DatabaseBindable)?]) throws(DatabaseError) {
        _ = try query(sql, arguments: arguments)
    }

    public func query(_ sql: String, _ arguments: (any DatabaseBindable)?...) throws(DatabaseError) -> [Row] {
        try query(sql, arguments: arguments)
    }

    public func query(_ sql: String, arguments: [(any DatabaseBindable)?]) throws(DatabaseError) -> [Row] {
        try statement(sql).run(arguments)
    }

    public func first(_ sql: String, _ arguments: (any DatabaseBindable)?...) throws(DatabaseError) -> Row? {
        try query(sql, arguments: arguments).first
    }

    /// Runs several statements separated by `;`, without parameters: what a migration is made of.
    public func executeScript(_ sql: String) throws(DatabaseError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw .of(code, handle) }
    }

    public var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Rows changed, inserted or deleted by the last statement.
    public var changes: Int { Int(sqlite3_changes(handle)) }

    /// False when an error (a full disk) made SQLite roll the transaction back on its own.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Copies the whole database, page by page, into `target`, which has the same key.
    func copy(to target: Connection) throws(DatabaseError) {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw .of(sqlite3_errcode(target.handle), target.handle)
        }
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw .of(code, target.handle) }
    }

    private func statement(_ sql: String) throws(DatabaseError) -> Statement {
        if let cached = statements[sql] { return cached }
        if statements.count >= Self.cachedStatements { statements.removeAll() }
        let made = try Statement(sql, database: handle)
        statements[sql] = made
        return made
    }
}
