extension Connection {
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
        into table: String, or conflict: Conflict = .fail, _ values: KeyValuePairs<String, (any DatabaseBindable)?>
    ) throws(DatabaseError) {
        let columns = values.map(\.key).joined(separator: ", ")
        let marks = repeatElement("?", count: values.count).joined(separator: ", ")
        try execute("\(conflict.rawValue) INTO \(table) (\(columns)) VALUES (\(marks))", arguments: values.map(\.value))
    }
}
