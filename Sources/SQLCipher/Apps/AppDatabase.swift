package import SimpleXCrypto
import Synchronization

/// A read-only connection to a database with the tables of an official app. ``DatabaseFilling`` creates this database.
package final class AppDatabase: Sendable {
    private let connection: Mutex<DatabaseConnection>
    private let isReadingEnded = Atomic(false)

    package init(_ path: String, key: DatabaseKey) throws {
        connection = Mutex(
            try DatabaseConnection(
                path: path,
                key: FileKey(material: try KeyMaterial.make(key)),
                access: .reading,
                synchronous: .normal,
                cacheKiB: 4096
            )
        )
    }

    package func query(_ sql: String, _ arguments: (any DatabaseBindable)?...) throws -> [AppRow] {
        try query(sql, arguments: arguments)
    }

    /// Ends the use of the database. Later reads fail with `DatabaseError.interrupted`.
    package func endReading() { isReadingEnded.store(true, ordering: .relaxed) }

    private func query(_ sql: String, arguments: [(any DatabaseBindable)?]) throws -> [AppRow] {
        guard !isReadingEnded.load(ordering: .relaxed) else { throw DatabaseError.interrupted }
        return try connection.withLock { try $0.query(sql, arguments: arguments).map(AppRow.init) }
    }

    /// Number of rows in a batch. Each row has at most ``maxRowBytes``.
    private static let rowsPerBatch = 16
    /// Maximum size of a row in bytes.
    package static let maxRowBytes = 2 << 20

    /// Calls `body` with each row of a table. The rows are read in batches.
    /// - Parameters:
    ///   - id: an integer column that identifies each row and determines the order of the rows.
    ///   - condition: the condition for the rows, with `arguments`; nil for all rows.
    package func forEach(
        _ table: String,
        by id: String,
        where condition: String? = nil,
        _ arguments: (any DatabaseBindable)?...,
        body: (AppRow) throws -> Void
    ) throws {
        var last = Int64.min
        while true {
            let place = arguments.count + 1
            let rows = try query(
                """
                SELECT \(id) AS row_number, * FROM \(table) WHERE \(condition.map { "(\($0)) AND " } ?? "")\(id) > ?\(place) ORDER BY \(id) LIMIT \(Self.rowsPerBatch)
                """,
                arguments: arguments + [last]
            )
            for row in rows { try body(row) }
            guard let next = rows.last?.int("row_number") else { return }
            last = next
        }
    }

    package func countRows(
        _ table: String,
        where condition: String = "1",
        _ arguments: (any DatabaseBindable)?...
    ) throws -> Int {
        Int(
            try query("SELECT count(*) AS n FROM \(table) WHERE \(condition)", arguments: arguments).first?.int("n")
                ?? 0
        )
    }
}
