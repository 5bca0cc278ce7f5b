internal import SQLCipher

/// A connection to the chat database.
typealias StoreConnection = DatabaseConnection

/// One argument of a statement.
typealias Argument = (any DatabaseBindable)?

extension DatabaseConnection {
    func execute(_ sql: String, _ arguments: [Argument]) throws {
        try execute(sql, arguments: arguments)
    }

    func query(_ sql: String, _ arguments: [Argument]) throws -> [Row] {
        try query(sql, arguments: arguments)
    }

    func first(_ sql: String, _ arguments: [Argument]) throws -> Row? {
        try query(sql, arguments: arguments).first
    }
}

extension Sequence where Element: DatabaseBindable {
    /// The elements as arguments of a statement.
    var arguments: [Argument] { map { $0 } }
}

/// The SQL of a table with a row for each of `count` values, for a `WITH` clause: `many(id) AS (VALUES (?),(?))`.
func many(_ count: Int) -> String {
    "many(id) AS (VALUES \(Array(repeating: "(?)", count: count).joined(separator: ",")))"
}

/// The SQL of `count` placeholders: `?,?,?`.
func placeholders(_ count: Int) -> String {
    String(repeating: "?,", count: max(0, count - 1)) + (count > 0 ? "?" : "")
}
