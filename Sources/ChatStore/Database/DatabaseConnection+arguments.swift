package import SQLCipher

/// A connection to the chat database.
package typealias StoreConnection = DatabaseConnection

/// One argument of an SQL statement.
package typealias Argument = (any DatabaseBindable)?

extension DatabaseConnection {
    package func execute(_ sql: String, _ arguments: [Argument]) throws {
        try execute(sql, arguments: arguments)
    }

    package func query(_ sql: String, _ arguments: [Argument]) throws -> [Row] {
        try query(sql, arguments: arguments)
    }

    package func queryFirst(_ sql: String, _ arguments: [Argument]) throws -> Row? {
        try query(sql, arguments: arguments).first
    }
}

extension Sequence where Element: DatabaseBindable {
    /// The values of this sequence as arguments of an SQL statement.
    package var arguments: [Argument] { map { $0 } }
}

/// Returns the SQL of a table with a row for each of `count` values, for a `WITH` clause: `many(id) AS (VALUES
/// (?),(?))`.
package func valuesTable(_ count: Int) -> String {
    "many(id) AS (VALUES \(Array(repeating: "(?)", count: count).joined(separator: ",")))"
}

/// Returns the SQL of `count` placeholders: `?,?,?`.
package func placeholders(_ count: Int) -> String {
    String(repeating: "?,", count: max(0, count - 1)) + (count > 0 ? "?" : "")
}
