extension DatabaseConnection {
    /// The effect of an insertion when a row with the same key exists.
    package enum Conflict: String, Sendable {
        /// The insertion fails with `uniqueViolation`.
        case fail = "INSERT"
        /// The existing row is kept, and the new row is not inserted.
        case ignore = "INSERT OR IGNORE"
        /// The existing row is deleted, and the new row is inserted.
        case replace = "INSERT OR REPLACE"
    }

    /// Inserts a row. Columns without a value get their defaults.
    /// - Parameter values: the values with their columns. Only the column names become part of the SQL text; the values
    ///   are bound as parameters.
    package func insert(
        into table: String,
        or conflict: Conflict = .fail,
        _ values: KeyValuePairs<String, (any DatabaseBindable)?>
    ) throws(DatabaseError) {
        try insert(into: table, or: conflict, columns: values.map { ($0.key, $0.value) })
    }

    /// Inserts a row with the values in `columns`, whose names may be computed at run time. Other columns get their
    /// defaults.
    package func insert(
        into table: String,
        or conflict: Conflict = .fail,
        columns: [(String, (any DatabaseBindable)?)]
    ) throws(DatabaseError) {
        let names = columns.map(\.0).joined(separator: ", ")
        let marks = repeatElement("?", count: columns.count).joined(separator: ", ")
        try execute("\(conflict.rawValue) INTO \(table) (\(names)) VALUES (\(marks))", arguments: columns.map(\.1))
    }
}

extension DatabaseConnection {
    /// The effect of an update that fails after it has changed some rows.
    package enum UpdateConflict: String, Sendable {
        /// The changes of the failed update are undone.
        case abort = "UPDATE"
        /// The rows that were changed before the error stay changed. For an update of one row this form costs less,
        /// because SQLite then copies no pages (``execute(_:_:)``).
        case fail = "UPDATE OR FAIL"
    }

    /// Updates the rows whose key columns have the given values.
    /// - Parameters:
    ///   - values: the new values with their columns. Only the column names become part of the SQL text; the values are
    ///     bound as parameters.
    ///   - key: at least one column with a value. All rows with these values are updated.
    package func update(
        _ table: String,
        or conflict: UpdateConflict = .abort,
        set values: KeyValuePairs<String, (any DatabaseBindable)?>,
        where key: KeyValuePairs<String, any DatabaseBindable>
    ) throws(DatabaseError) {
        let changes = values.map { "\($0.key) = ?" }.joined(separator: ", ")
        var arguments = values.map { $0.value }
        for column in key { arguments.append(column.value) }
        try execute(
            "\(conflict.rawValue) \(table) SET \(changes) WHERE \(Self.makeConditions(key))",
            arguments: arguments
        )
    }
}

extension DatabaseConnection {
    /// Deletes the rows whose key columns have the given values.
    /// - Parameter key: at least one column with a value. All rows with these values are deleted.
    package func delete(
        from table: String,
        where key: KeyValuePairs<String, any DatabaseBindable>
    ) throws(DatabaseError) {
        try execute("DELETE FROM \(table) WHERE \(Self.makeConditions(key))", arguments: key.map { $0.value })
    }

    private static func makeConditions(_ key: KeyValuePairs<String, any DatabaseBindable>) -> String {
        key.map { "\($0.key) = ?" }.joined(separator: " AND ")
    }
}

/// Functions for statements with named parameters: the value of `"user_id"` is bound to `:user_id`, wherever the
/// statement has it. Each parameter needs a value, and each value needs a parameter.
extension DatabaseConnection {
    package func execute(
        _ sql: String,
        _ values: KeyValuePairs<String, (any DatabaseBindable)?>
    ) throws(DatabaseError) {
        _ = try query(sql, values)
    }

    /// Runs a statement with named parameters and a list of values, as in `… AND chat_item_id IN (?,?,?)`.
    /// - Parameter list: the values of the parameters without a name, in their order.
    package func execute(
        _ sql: String,
        _ values: KeyValuePairs<String, (any DatabaseBindable)?>,
        list: [(any DatabaseBindable)?]
    ) throws(DatabaseError) {
        defer { recordSlowRun(sql) }
        let statement = try prepareStatement(sql)
        _ = try statement.runToEnd(statement.orderArguments(values, list: list))
    }

    package func query(
        _ sql: String,
        _ values: KeyValuePairs<String, (any DatabaseBindable)?>
    ) throws(DatabaseError) -> [Row] {
        defer { recordSlowRun(sql) }
        let statement = try prepareStatement(sql)
        return try statement.runToEnd(statement.orderArguments(values))
    }

    package func firstRow(
        _ sql: String,
        _ values: KeyValuePairs<String, (any DatabaseBindable)?>
    ) throws(DatabaseError) -> Row? {
        try query(sql, values).first
    }

    package func hasRow(
        _ sql: String,
        _ values: KeyValuePairs<String, (any DatabaseBindable)?>
    ) throws(DatabaseError) -> Bool {
        defer { recordSlowRun(sql) }
        let statement = try prepareStatement(sql)
        return try statement.hasRow(statement.orderArguments(values))
    }
}
