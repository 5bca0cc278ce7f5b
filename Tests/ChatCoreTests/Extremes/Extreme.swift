@testable import SQLCipher

/// Values for which no column is designed, as SQL.
enum Extreme {
    /// Extreme values of the type of most columns. In a text column they become digits.
    static let extremeNumbers = ["9223372036854775807", "-9223372036854775808", "-1", "1e300"]
    /// NULL, another type, a mebibyte of text, bytes that are not UTF-8, and no bytes.
    static let otherValues = ["NULL", "'x'", "hex(zeroblob(524288))", "CAST(x'FFFE80C0' AS TEXT)", "x''"]

    /// Number of rows of a table that get extreme values. The commands read the first rows.
    static let rowLimit = 4
}

/// A column whose rows each get a different extreme value.
struct ExtremeColumn: Hashable, Sendable, CustomStringConvertible {
    enum DatabaseHalf: String, Sendable, CaseIterable { case chat, agent }

    let half: DatabaseHalf
    let table: String
    let column: String
    /// The columns that identify a row of the table.
    let keyColumns: [String]
    let values: [String]
    /// The index in `values` of the value for the first row. A table with few rows is tried several times, each time
    /// from another value on.
    let firstValueIndex: Int

    var name: String { "\(half).\(table).\(column)" }
    var description: String { "\(name) = \(values[firstValueIndex % values.count]) and on" }

    func applyValues(to database: DatabaseConnection) throws {
        let columns = keyColumns.joined(separator: ", ")
        let rows = try database.query("SELECT \(columns) FROM \(table) LIMIT \(Extreme.rowLimit)")
        for (index, row) in rows.enumerated() {
            let place = keyColumns.map { "\($0) IS ?" }.joined(separator: " AND ")
            let value = values[(index + firstValueIndex) % values.count]
            // The statement can fail: another row may have the value, or an id cannot be text.
            try? database.execute("UPDATE \(table) SET \(column) = \(value) WHERE \(place)", arguments: row.values)
        }
    }

    /// Returns the tables and columns of a database.
    static func listColumns(of half: DatabaseHalf, _ database: DatabaseConnection) throws -> [ExtremeColumn] {
        var found: [ExtremeColumn] = []
        for table in try listTables(of: database) + ["sqlite_sequence"] {
            let about = try database.query("PRAGMA table_info(\(table))")
            let rows = try database.query("SELECT * FROM \(table) LIMIT \(Extreme.rowLimit)").count
            let primary = try about.filter { try $0.int64("pk") > 0 }.map { try $0.string("name") }
            let hasNumbers = (try? database.query("SELECT rowid FROM \(table) LIMIT 1")) != nil
            for column in about {
                for values in [Extreme.extremeNumbers, Extreme.otherValues] {
                    for turn in stride(from: 0, to: values.count, by: max(rows, 1)) {
                        found.append(
                            ExtremeColumn(
                                half: half,
                                table: table,
                                column: try column.string("name"),
                                keyColumns: hasNumbers ? ["rowid"] : primary,
                                values: values,
                                firstValueIndex: turn
                            )
                        )
                    }
                }
            }
        }
        return found
    }

    static func listTables(of database: DatabaseConnection) throws -> [String] {
        try database.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
        ).map { try $0.string("name") }
    }
}
