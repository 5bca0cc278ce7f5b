import SQLCipher

/// A column of a table in a new database of this program, and the values that may be copied into the column.
struct ColumnFacts: Sendable {
    enum Affinity: Sendable {
        case integer, real, text, blob

        /// Determines the affinity of a column, which is the type of its values.
        /// - Parameter type: the declared type, in capitals.
        init(declared type: String) {
            let words: [(String, Affinity)] = [("INT", .integer), ("CHAR", .text), ("TEXT", .text), ("REAL", .real)]
            self = words.first { type.contains($0.0) }?.1 ?? .blob
        }
    }

    let name: String
    private let affinity: Affinity
    private let isRequired: Bool
    private let isIDColumn: Bool
    private let columnRule: ColumnRule?
    private let maxBytes: Int

    static let missingReason = "is missing"

    static let idRange = 0...ForeignDatabase.maxCounter
    /// The range of integers that JSON represents exactly.
    static let exactIntegerRange: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    /// Converts a value to the type of the column, and checks it with the rule of the column.
    func convertAndCheck(_ value: ForeignValue, in table: String) throws(ForeignDataError) -> DatabaseValue {
        func makeError(_ reason: String) -> ForeignDataError { .badValue(column: "\(table).\(name)", reason: reason) }
        guard let typed = convertToAffinity(value) else { throw makeError("has a value of another type") }
        var taken = typed
        if let columnRule {
            guard let value = columnRule.convertValue(typed) else { throw makeError(columnRule.reason) }
            taken = value
        }
        switch taken {
        case .null:
            guard !isRequired else { throw makeError(Self.missingReason) }
            return .null
        case .integer(let number):
            let range = isIDColumn ? Self.idRange : Self.exactIntegerRange
            guard columnRule != nil || range.contains(number) else {
                throw makeError("is not from \(range.lowerBound) to \(range.upperBound)")
            }
            return .integer(number)
        case .real(let number): return .real(number)
        case .text(let bytes):
            guard bytes.count <= maxBytes else { throw makeError("has more than \(maxBytes) bytes") }
            return .text(String(decoding: bytes, as: UTF8.self))
        case .blob(let bytes): return .blob(bytes)
        }
    }

    /// Converts the value to the type of the column, if this does not change its meaning.
    private func convertToAffinity(_ value: ForeignValue) -> ForeignValue? {
        switch (affinity, value) {
        case (_, .null), (.integer, .integer), (.real, .integer), (.text, .text), (.blob, .blob): value
        case (.real, .real(let number)): number.isFinite ? value : nil
        case (.text, .blob(let bytes)): .text(bytes)
        case (.blob, .text(let bytes)): .blob(bytes)
        default: nil
        }
    }
}

extension ColumnFacts {
    /// Returns the columns of a table, in the order of the table.
    static func readColumns(_ table: String, _ db: DatabaseConnection, _ rules: DatabaseRules) throws -> [ColumnFacts] {
        let references = Set(try db.query("PRAGMA foreign_key_list(\(table))").map { try $0.string("from") })
        return try db.query("PRAGMA table_info(\(table))").map { row in
            let name = try row.string("name"), type = try row.string("type").uppercased()
            let isKey = try row.int64("pk") > 0
            let affinity = Affinity(declared: type)
            return ColumnFacts(
                name: name,
                affinity: affinity,
                isRequired: try row.bool("notnull") || isKey && affinity == .integer,
                isIDColumn: isKey || references.contains(name) || name.hasSuffix("_id"),
                columnRule: rules.findRule(table, name),
                maxBytes: rules.findMaxBytes(table, name)
            )
        }
    }
}
