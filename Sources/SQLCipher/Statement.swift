import CSQLCipher

/// A prepared statement. Its connection caches it, and it is always reset and unbound after use.
final class Statement {
    private let handle: OpaquePointer
    private let databaseHandle: OpaquePointer
    private let caches: ConnectionCaches
    private var cachedNames: ColumnNames?
    private var cachedParameterNames: [String]?

    init(_ sql: String, database: OpaquePointer, _ caches: ConnectionCaches) throws(DatabaseError) {
        var prepared: OpaquePointer?
        var hasMore = false
        let code = sql.withCString { text in
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v2(database, text, -1, &prepared, &rest)
            if code == SQLITE_OK, let rest, rest.pointee != 0 { hasMore = Self.hasStatement(rest, database) }
            return code
        }
        guard code == SQLITE_OK else { throw .makeError(code, database) }
        guard !hasMore, let prepared else {
            sqlite3_finalize(prepared)
            throw .other(code: SQLITE_MISUSE, message: hasMore ? "more than one statement" : "no statement")
        }
        handle = prepared
        self.databaseHandle = database
        self.caches = caches
    }

    deinit { sqlite3_finalize(handle) }

    /// Whether the statement makes no direct changes to the database file (`sqlite3_stmt_readonly`).
    var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Returns whether the text contains a statement, and not only spaces and comments.
    private static func hasStatement(_ text: UnsafePointer<CChar>, _ database: OpaquePointer) -> Bool {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(database, text, -1, &statement, nil)
        sqlite3_finalize(statement)
        return code != SQLITE_OK || statement != nil
    }

    /// Runs the statement to its end and returns its rows.
    func runToEnd(_ arguments: [(any DatabaseBindable)?]) throws(DatabaseError) -> [Row] {
        defer { reset() }
        try bindArguments(arguments)
        var rows = [Row]()
        while try stepToNextRow() { rows.append(readCurrentRow()) }
        return rows
    }

    /// Runs the statement to its first row. Returns whether it has a row.
    func hasRow(_ arguments: [(any DatabaseBindable)?]) throws(DatabaseError) -> Bool {
        defer { reset() }
        try bindArguments(arguments)
        return try stepToNextRow()
    }

    /// Runs the statement to its end and passes the first two columns of each row to `body`.
    func forEachBlob(_ arguments: [(any DatabaseBindable)?], _ body: (Int64, Span<UInt8>) -> Void) throws(DatabaseError)
    {
        defer { reset() }
        try bindArguments(arguments)
        guard sqlite3_column_count(handle) == 2 else {
            throw .other(code: SQLITE_RANGE, message: "the statement does not have two columns")
        }
        while try stepToNextRow() {
            let blob = columnBytes(sqlite3_column_blob(handle, 1), 1).bindMemory(to: UInt8.self)
            body(sqlite3_column_int64(handle, 0), blob.span)
        }
    }

    private func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func bindArguments(_ arguments: [(any DatabaseBindable)?]) throws(DatabaseError) {
        guard sqlite3_bind_parameter_count(handle) == arguments.count else {
            throw .other(code: SQLITE_RANGE, message: "the statement needs another number of arguments")
        }
        for (index, argument) in arguments.enumerated() {
            try bindValue(argument?.databaseValue ?? .null, Int32(index + 1))
        }
    }

    /// Returns the values in the order of the statement's parameters. Throws if the names of the parameters and the
    /// names of the values differ.
    /// - Parameter list: the values of the parameters without a name, in their order.
    func orderArguments(
        _ values: KeyValuePairs<String, (any DatabaseBindable)?>,
        list: [(any DatabaseBindable)?] = []
    ) throws(DatabaseError) -> [(any DatabaseBindable)?] {
        let names = parameterNames()
        guard names.count == values.count + list.count else {
            throw .other(code: SQLITE_RANGE, message: "the statement needs another number of arguments")
        }
        var arguments = [(any DatabaseBindable)?]()
        arguments.reserveCapacity(names.count)
        var rest = list[...]
        for name in names {
            if name.isEmpty, let value = rest.popFirst() {
                arguments.append(value)
                continue
            }
            guard let index = values.firstIndex(where: { $0.key == name }) else {
                throw .other(code: SQLITE_RANGE, message: "the statement needs an argument \(name)")
            }
            arguments.append(values[index].value)
        }
        return arguments
    }

    private func parameterNames() -> [String] {
        if let cachedParameterNames { return cachedParameterNames }
        let count = sqlite3_bind_parameter_count(handle)
        // SQLite numbers parameters from 1, and includes the colon in the name.
        let made = (0..<count).map { index in
            sqlite3_bind_parameter_name(handle, index + 1).map { String(String(cString: $0).dropFirst()) } ?? ""
        }
        cachedParameterNames = made
        return made
    }

    /// Runs the statement to its next row.
    /// - Returns: whether there is a row.
    private func stepToNextRow() throws(DatabaseError) -> Bool {
        let code = sqlite3_step(handle)
        guard code == SQLITE_ROW || code == SQLITE_DONE else { throw .makeError(code, databaseHandle) }
        return code == SQLITE_ROW
    }

    private func bindValue(_ value: DatabaseValue, _ index: Int32) throws(DatabaseError) {
        // With the value of the C macro SQLITE_TRANSIENT, SQLite copies the bytes before the call returns.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(handle, index)
        case .integer(let integer): code = sqlite3_bind_int64(handle, index, integer)
        case .real(let real): code = sqlite3_bind_double(handle, index, real)
        case .text(var text):
            // The address of an empty Swift text may be null, which would bind NULL. So an empty text is bound as a
            // literal.
            code =
                text.isEmpty
                ? sqlite3_bind_text64(handle, index, "", 0, transient, UInt8(SQLITE_UTF8))
                : text.withUTF8 { utf8 in
                    utf8.withMemoryRebound(to: CChar.self) {
                        sqlite3_bind_text64(
                            handle,
                            index,
                            $0.baseAddress,
                            UInt64($0.count),
                            transient,
                            UInt8(SQLITE_UTF8)
                        )
                    }
                }
        case .blob(let bytes):
            code =
                bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : bytes.withUnsafeBytes {
                    sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), transient)
                }
        }
        guard code == SQLITE_OK else { throw .makeError(code, databaseHandle) }
    }

    private func readCurrentRow() -> Row {
        let count = sqlite3_column_count(handle)
        let names = columnNames(count)
        var values = [DatabaseValue]()
        values.reserveCapacity(Int(count))
        for column in 0..<count { values.append(readValue(column)) }
        return Row(columns: names, values: values)
    }

    private func readValue(_ column: Int32) -> DatabaseValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            .text(String(decoding: columnBytes(sqlite3_column_text(handle, column), column), as: UTF8.self))
        case SQLITE_BLOB: .blob(Array(columnBytes(sqlite3_column_blob(handle, column), column)))
        default: .null
        }
    }

    private func columnBytes(_ pointer: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: pointer, count: pointer == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    private func columnNames(_ count: Int32) -> ColumnNames {
        // SQLite prepares the statement again after a schema change, and `SELECT *` may then have other columns.
        if let cachedNames, cachedNames.count == Int(count) { return cachedNames }
        let texts = (0..<count).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
        let made = ColumnNames(texts, caches)
        cachedNames = made
        return made
    }
}
