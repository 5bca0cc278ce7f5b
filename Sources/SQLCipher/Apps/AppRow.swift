/// A row of a database of the apps. What a column has of another type than is asked for counts as nothing, and so does a column that this version of the
/// schema does not have: the tables are not this program's, and their maker may be anyone.
public struct AppRow: Sendable {
    public let row: Row

    init(_ row: Row) { self.row = row }

    public func int(_ column: String) -> Int64? { if case .integer(let value) = row[column] { value } else { nil } }
    public func flag(_ column: String) -> Bool { int(column).map { $0 != 0 } ?? false }

    /// Text, also where it is stored as bytes.
    public func text(_ column: String) -> String? {
        switch row[column] {
        case .text(let text): text
        case .blob(let bytes): String(validating: bytes, as: UTF8.self)
        case .null, .integer, .real: nil
        }
    }

    /// Bytes, also those of a text.
    public func blob(_ column: String) -> [UInt8]? {
        switch row[column] {
        case .blob(let bytes): bytes
        case .text(let text): Array(text.utf8)
        case .null, .integer, .real: nil
        }
    }
}
