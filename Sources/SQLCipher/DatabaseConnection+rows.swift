extension DatabaseConnection {
    /// The effect of an inserted row on a row with the same key.
    public enum Conflict: String, Sendable {
        /// `uniqueViolation` is thrown.
        case fail = "INSERT"
        /// The present row stays.
        case ignore = "INSERT OR IGNORE"
        /// The present row is deleted before.
        case replace = "INSERT OR REPLACE"
    }

    /// Inserts a row. Columns without a value get their defaults.
    /// - Parameter values: values by column. Only the names of columns become part of the statement.
    public func insert(
        into table: String,
        or conflict: Conflict = .fail,
        _ values: KeyValuePairs<String, (any DatabaseBindable)?>
    ) throws(DatabaseError) {
        try insert(into: table, or: conflict, columns: values.map { ($0.key, $0.value) })
    }

    /// Inserts a row of a table whose rows have different columns.
    public func insert(
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
    public enum UpdateConflict: String, Sendable {
        /// The changed rows are restored.
        case abort = "UPDATE"
        /// The changed rows stay. This form costs less for an update of one row (``execute(_:_:)``).
        case fail = "UPDATE OR FAIL"
    }

    /// Updates the rows of a key.
    /// - Parameters:
    ///   - values: new values by column. Only the names of columns become part of the statement.
    ///   - key: at least one column, with the value that the updated rows have in it.
    public func update(
        _ table: String,
        or conflict: UpdateConflict = .abort,
        set values: KeyValuePairs<String, (any DatabaseBindable)?>,
        where key: KeyValuePairs<String, any DatabaseBindable>
    ) throws(DatabaseError) {
        let changes = values.map { "\($0.key) = ?" }.joined(separator: ", ")
        let conditions = key.map { "\($0.key) = ?" }.joined(separator: " AND ")
        var arguments = values.map { $0.value }
        for column in key { arguments.append(column.value) }
        try execute("\(conflict.rawValue) \(table) SET \(changes) WHERE \(conditions)", arguments: arguments)
    }
}
