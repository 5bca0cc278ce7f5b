/// One row of an answer, copied out of the database. Columns are named by the query.
///
/// - `int64`, `double`, `string`, `blob`, `bool`: a value that must be there and of that type, else `DatabaseError.column`.
/// - `…OrNil`: nil for NULL; another type is still an error.
public struct Row: Sendable {
    let columns: ColumnNames
    /// The values in the order of the query.
    public let values: [DatabaseValue]

    /// The value of a column, `.null` when there is none of that name.
    public subscript(_ column: String) -> DatabaseValue {
        guard let index = columns.index[column], values.indices.contains(index) else { return .null }
        return values[index]
    }

    private func value(_ column: String) throws(DatabaseError) -> DatabaseValue {
        guard let index = columns.index[column], values.indices.contains(index) else { throw .column(column) }
        return values[index]
    }

    public func int64OrNil(_ column: String) throws(DatabaseError) -> Int64? {
        switch try value(column) {
        case .integer(let value): value
        case .null: nil
        default: throw .column(column)
        }
    }

    public func doubleOrNil(_ column: String) throws(DatabaseError) -> Double? {
        switch try value(column) {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .null: nil
        default: throw .column(column)
        }
    }

    public func stringOrNil(_ column: String) throws(DatabaseError) -> String? {
        switch try value(column) {
        case .text(let value): value
        case .null: nil
        default: throw .column(column)
        }
    }

    public func blobOrNil(_ column: String) throws(DatabaseError) -> [UInt8]? {
        switch try value(column) {
        case .blob(let value): value
        case .null: nil
        default: throw .column(column)
        }
    }

    public func boolOrNil(_ column: String) throws(DatabaseError) -> Bool? {
        try int64OrNil(column).map { $0 != 0 }
    }

    public func int64(_ column: String) throws(DatabaseError) -> Int64 { try present(int64OrNil(column), column) }
    public func double(_ column: String) throws(DatabaseError) -> Double { try present(doubleOrNil(column), column) }
    public func string(_ column: String) throws(DatabaseError) -> String { try present(stringOrNil(column), column) }
    public func blob(_ column: String) throws(DatabaseError) -> [UInt8] { try present(blobOrNil(column), column) }
    public func bool(_ column: String) throws(DatabaseError) -> Bool { try present(boolOrNil(column), column) }

    private func present<T>(_ value: T?, _ column: String) throws(DatabaseError) -> T {
        guard let value else { throw .column(column) }
        return value
    }
}

/// The column names of a statement, shared by all its rows.
final class ColumnNames: Sendable {
    let index: [String: Int]

    init(_ names: [String]) {
        index = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
