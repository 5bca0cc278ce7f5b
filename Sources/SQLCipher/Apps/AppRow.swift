/// A row of a database of the apps. A missing column, or a column with another type than requested, counts as null. The
/// reason is that any program may have written the values, and any version of the app may have made the schema.
package struct AppRow: Sendable {
    package let row: Row

    init(_ row: Row) { self.row = row }

    package func int(_ column: String) -> Int64? { if case .integer(let value) = row[column] { value } else { nil } }
    package func flag(_ column: String) -> Bool { int(column).map { $0 != 0 } ?? false }

    /// Returns the text of a column, even if it is stored as bytes.
    package func text(_ column: String) -> String? {
        switch row[column] {
        case .text(let text): text
        case .blob(let bytes): String(validating: bytes, as: UTF8.self)
        case .null, .integer, .real: nil
        }
    }

    /// Returns the bytes of a blob or a text.
    package func blob(_ column: String) -> [UInt8]? {
        switch row[column] {
        case .blob(let bytes): bytes
        case .text(let text): Array(text.utf8)
        case .null, .integer, .real: nil
        }
    }
}
