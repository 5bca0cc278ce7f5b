import CForeignData
import CSQLCipher
import SQLCipher

/// The foreign database, as the reader process uses it.
///
/// First the schema is reduced to the wanted tables, without triggers, views, virtual tables, statistics, and indices
/// other than those of constraints. Then the database is opened again, and the tables are read from beginning to end,
/// without an index. The changes of the schema are in memory: the file is not changed.
final class ForeignSource {
    private let databaseHandle: OpaquePointer

    static func readDatabase(_ request: ReaderRequest, _ answer: inout ReaderAnswer) throws(ReaderFailure) {
        guard sxgw_register_file(ForeignReader.fileDescriptor, ForeignLimits.maxSchemaChangeBytes) == SQLITE_OK else {
            throw ReaderFailure(.badRequest, "SQLite cannot use the file")
        }
        let usesSQLCipher3 = try openAndReduceSchema(request, &answer)
        let source = try ForeignSource(request.key, usesSQLCipher3: usesSQLCipher3, reduces: false)
        sxgw_defend(UnsafeMutableRawPointer(source.databaseHandle))
        try source.runSQL("SELECT count(*) FROM sqlite_master")
        for (number, table) in request.tables.enumerated() { try source.readTable(table, number, &answer) }
    }

    /// Opens the foreign database, and reduces its schema to the requested tables.
    /// - Returns: whether version 3 of SQLCipher has written the file.
    private static func openAndReduceSchema(
        _ request: ReaderRequest,
        _ answer: inout ReaderAnswer
    ) throws(ReaderFailure) -> Bool {
        for usesSQLCipher3 in request.key.isEmpty ? [false] : [false, true] {
            do {
                let source = try ForeignSource(request.key, usesSQLCipher3: usesSQLCipher3, reduces: true)
                try source.runSQL("SELECT count(*) FROM sqlite_master")
                try source.runSQL("PRAGMA journal_mode = OFF")
                try source.reduceSchema(Set(request.tables.map(\.name)), &answer)
                return usesSQLCipher3
            } catch  where error.fault == .wrongKey {}
        }
        throw ReaderFailure(.wrongKey, "")
    }

    /// Opens the foreign database.
    /// - Parameter reduces: whether the schema will be changed. If so, errors of the schema are ignored.
    private init(_ key: [UInt8], usesSQLCipher3: Bool, reduces: Bool) throws(ReaderFailure) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2("foreign", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw ReaderFailure(.damaged, "it cannot be opened")
        }
        databaseHandle = opened
        sqlite3_limit(databaseHandle, SQLITE_LIMIT_LENGTH, Int32(ForeignLimits.maxValueBytes))
        sqlite3_limit(databaseHandle, SQLITE_LIMIT_ATTACHED, 0)
        if !key.isEmpty {
            guard sqlite3_key(databaseHandle, key, Int32(key.count)) == SQLITE_OK else {
                throw ReaderFailure(.wrongKey, "")
            }
            if usesSQLCipher3 { try runSQL("PRAGMA cipher_compatibility = 3") }
            try runSQL("PRAGMA cipher_page_size = 4096")
        }
        if reduces { try runSQL("PRAGMA writable_schema = ON") }
        // These settings come before the first read of the file. With the exclusive locking mode, SQLite then needs no
        // shared memory for a write-ahead log.
        for setting in [
            "locking_mode = EXCLUSIVE", "temp_store = MEMORY", "cache_size = -8192", "mmap_size = 0",
            "synchronous = OFF",
            "cell_size_check = ON", "automatic_index = OFF", "recursive_triggers = OFF", "foreign_keys = OFF",
        ] { try runSQL("PRAGMA \(setting)") }
    }

    deinit { sqlite3_close_v2(databaseHandle) }

    // MARK: The schema

    private func reduceSchema(_ wanted: Set<String>, _ answer: inout ReaderAnswer) throws(ReaderFailure) {
        var changes: [(rowid: Int64, sql: String?)] = [], kept: Set<String> = [], named = 0
        let statement = try prepareStatement("SELECT rowid, type, name, tbl_name, sql FROM sqlite_master")
        defer { sqlite3_finalize(statement) }
        while try stepStatement(statement) {
            let rowid = sqlite3_column_int64(statement, 0)
            let (type, name, owner) = (
                readText(statement, 1) ?? "", readText(statement, 2) ?? "", readText(statement, 3) ?? ""
            )
            let sql = readText(statement, 4)
            if type == "table", wanted.contains(name), let sql, sql.prefix(13).uppercased() == "CREATE TABLE ",
                kept.insert(name).inserted
            {
                if let plain = StrictTables.removeStrictKeyword(sql) { changes.append((rowid, plain)) }
            } else if type == "index", sql == nil, wanted.contains(owner) {
                // This index is kept, because a constraint of its table needs it.
            } else {
                changes.append((rowid, nil))
                guard type != "index", !name.hasPrefix("sqlite_"), named < ForeignLimits.maxOtherObjects else {
                    continue
                }
                named += 1
                answer.writeOtherObject("\(type) \(name)")
            }
        }
        try runSQL("BEGIN")
        for (rowid, sql) in changes {
            let change = try prepareStatement(
                sql == nil
                    ? "DELETE FROM sqlite_master WHERE rowid = ?1"
                    : "UPDATE sqlite_master SET sql = ?2 WHERE rowid = ?1"
            )
            defer { sqlite3_finalize(change) }
            sqlite3_bind_int64(change, 1, rowid)
            if let sql { sqlite3_bind_text(change, 2, sql, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self)) }
            _ = try stepStatement(change)
        }
        try runSQL("COMMIT")
    }

    // MARK: The rows

    private func readTable(_ table: ForeignTable, _ number: Int, _ answer: inout ReaderAnswer) throws(ReaderFailure) {
        let existing = try readColumns(of: table.name)
        guard !existing.isEmpty else { return answer.writeTable(number, columns: nil) }
        let present = table.columns.indices.filter { existing.contains(table.columns[$0]) }
        answer.writeTable(number, columns: present)
        guard !present.isEmpty else { return }
        let names = present.map { Self.quoteName(table.columns[$0]) }.joined(separator: ", ")
        let statement = try prepareStatement("SELECT \(names) FROM \(Self.quoteName(table.name)) NOT INDEXED")
        defer { sqlite3_finalize(statement) }
        while try stepStatement(statement) {
            answer.writeRow()
            var size = 0
            for column in 0..<Int32(present.count) {
                switch sqlite3_column_type(statement, column) {
                case SQLITE_INTEGER: answer.writeInteger(sqlite3_column_int64(statement, column))
                case SQLITE_FLOAT: answer.writeReal(sqlite3_column_double(statement, column))
                case SQLITE_TEXT:
                    answer.writeBytes(
                        .text,
                        valueBytes(sqlite3_column_text(statement, column), statement, column, &size)
                    )
                case SQLITE_BLOB:
                    answer.writeBytes(
                        .blob,
                        valueBytes(sqlite3_column_blob(statement, column), statement, column, &size)
                    )
                default: answer.writeNull()
                }
                // The parent would refuse the row, so it is not sent.
                guard size <= ForeignLimits.maxRowBytes else {
                    throw ReaderFailure(.tooLarge, "a row of \(table.name)")
                }
            }
        }
    }

    private func valueBytes(
        _ start: UnsafeRawPointer?,
        _ statement: OpaquePointer,
        _ column: Int32,
        _ size: inout Int
    ) -> UnsafeRawBufferPointer {
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
        size += count
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Returns the names of the columns of a table; an empty set if the table does not exist. The table is no virtual
    /// table, because `reduceSchema` has removed the virtual tables from the schema.
    private func readColumns(of table: String) throws(ReaderFailure) -> Set<String> {
        let statement = try prepareStatement("PRAGMA table_info(\(Self.quoteName(table)))")
        defer { sqlite3_finalize(statement) }
        var names: Set<String> = []
        while try stepStatement(statement) { if let name = readText(statement, 1) { names.insert(name) } }
        return names
    }

    private static func quoteName(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    // MARK: SQLite

    private func runSQL(_ sql: String) throws(ReaderFailure) {
        let code = sqlite3_exec(databaseHandle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw makeFailure(code) }
    }

    private func prepareStatement(_ sql: String) throws(ReaderFailure) -> OpaquePointer {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(databaseHandle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw makeFailure(code) }
        return statement
    }

    private func stepStatement(_ statement: OpaquePointer) throws(ReaderFailure) -> Bool {
        let code = sqlite3_step(statement)
        guard code == SQLITE_ROW || code == SQLITE_DONE else { throw makeFailure(code) }
        return code == SQLITE_ROW
    }

    private func readText(_ statement: OpaquePointer, _ column: Int32) -> String? {
        sqlite3_column_text(statement, column).map { String(cString: $0) }
    }

    private func makeFailure(_ code: Int32) -> ReaderFailure {
        let reason = sqlite3_errmsg(databaseHandle).map { String(cString: $0) } ?? "code \(code)"
        return switch code & 0xff {
        case SQLITE_NOTADB: ReaderFailure(.wrongKey, "")
        case SQLITE_TOOBIG: ReaderFailure(.tooLarge, "a value, or a statement of its schema")
        default: ReaderFailure(.damaged, reason)
        }
    }
}
