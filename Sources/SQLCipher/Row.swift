/// One row of a result, copied from the database. The query names the columns.
///
/// - `int64`, `double`, `string`, `blob`, `bool`: a value that must exist with that type, otherwise
///   `DatabaseError.invalidColumn`.
/// - `…OrNil`: nil for NULL; another type is still an error.
package struct Row: Sendable {
    let columns: ColumnNames
    /// The values of the columns, in the order of the columns in the query.
    package let values: [DatabaseValue]

    /// Returns the value of a column; `.null` when no column has the name.
    package subscript(_ column: String) -> DatabaseValue {
        guard let index = columns.indexByName[column], values.indices.contains(index) else { return .null }
        return values[index]
    }

    private func value(_ column: String) throws(DatabaseError) -> DatabaseValue {
        guard let index = columns.indexByName[column], values.indices.contains(index) else {
            throw .invalidColumn(column)
        }
        return values[index]
    }

    private func value(_ position: Int) throws(DatabaseError) -> DatabaseValue {
        guard values.indices.contains(position) else { throw .invalidColumn("\(position)") }
        return values[position]
    }

    package func int64OrNil(_ column: String) throws(DatabaseError) -> Int64? { try value(column).int64OrNil(column) }
    package func doubleOrNil(_ column: String) throws(DatabaseError) -> Double? {
        try value(column).doubleOrNil(column)
    }
    package func stringOrNil(_ column: String) throws(DatabaseError) -> String? {
        try value(column).stringOrNil(column)
    }
    package func blobOrNil(_ column: String) throws(DatabaseError) -> [UInt8]? { try value(column).blobOrNil(column) }
    package func boolOrNil(_ column: String) throws(DatabaseError) -> Bool? { try int64OrNil(column).map { $0 != 0 } }

    package func int64(_ column: String) throws(DatabaseError) -> Int64 { try requireValue(int64OrNil(column), column) }
    package func double(_ column: String) throws(DatabaseError) -> Double {
        try requireValue(doubleOrNil(column), column)
    }
    package func string(_ column: String) throws(DatabaseError) -> String {
        try requireValue(stringOrNil(column), column)
    }
    package func blob(_ column: String) throws(DatabaseError) -> [UInt8] { try requireValue(blobOrNil(column), column) }
    package func bool(_ column: String) throws(DatabaseError) -> Bool { try requireValue(boolOrNil(column), column) }

    // Functions that read values by their position in the query, from 0.
    package func int64OrNil(_ position: Int) throws(DatabaseError) -> Int64? {
        try value(position).int64OrNil("\(position)")
    }
    package func doubleOrNil(_ position: Int) throws(DatabaseError) -> Double? {
        try value(position).doubleOrNil("\(position)")
    }
    package func stringOrNil(_ position: Int) throws(DatabaseError) -> String? {
        try value(position).stringOrNil("\(position)")
    }
    package func blobOrNil(_ position: Int) throws(DatabaseError) -> [UInt8]? {
        try value(position).blobOrNil("\(position)")
    }
    package func boolOrNil(_ position: Int) throws(DatabaseError) -> Bool? { try int64OrNil(position).map { $0 != 0 } }

    package func int64(_ position: Int) throws(DatabaseError) -> Int64 {
        try requireValue(int64OrNil(position), "\(position)")
    }
    package func double(_ position: Int) throws(DatabaseError) -> Double {
        try requireValue(doubleOrNil(position), "\(position)")
    }
    package func string(_ position: Int) throws(DatabaseError) -> String {
        try requireValue(stringOrNil(position), "\(position)")
    }
    package func blob(_ position: Int) throws(DatabaseError) -> [UInt8] {
        try requireValue(blobOrNil(position), "\(position)")
    }
    package func bool(_ position: Int) throws(DatabaseError) -> Bool {
        try requireValue(boolOrNil(position), "\(position)")
    }

    func requireValue<T>(_ value: T?, _ column: @autoclosure () -> String) throws(DatabaseError) -> T {
        guard let value else { throw .invalidColumn(column()) }
        return value
    }
}

extension DatabaseValue {
    fileprivate func int64OrNil(_ column: @autoclosure () -> String) throws(DatabaseError) -> Int64? {
        switch self {
        case .integer(let value): value
        case .null: nil
        default: throw .invalidColumn(column())
        }
    }

    fileprivate func doubleOrNil(_ column: @autoclosure () -> String) throws(DatabaseError) -> Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .null: nil
        default: throw .invalidColumn(column())
        }
    }

    fileprivate func stringOrNil(_ column: @autoclosure () -> String) throws(DatabaseError) -> String? {
        switch self {
        case .text(let value): value
        case .null: nil
        default: throw .invalidColumn(column())
        }
    }

    fileprivate func blobOrNil(_ column: @autoclosure () -> String) throws(DatabaseError) -> [UInt8]? {
        switch self {
        case .blob(let value): value
        case .null: nil
        default: throw .invalidColumn(column())
        }
    }
}

/// The column names of a statement, shared by all its rows.
final class ColumnNames: Sendable {
    let indexByName: [String: Int]
    let count: Int
    /// The caches of the database connection, for code that processes the rows.
    let caches: ConnectionCaches

    init(_ names: [String], _ caches: ConnectionCaches) {
        self.caches = caches
        count = names.count
        indexByName = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
