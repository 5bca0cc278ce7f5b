import SQLCipher

/// A restriction on the values that are copied into a column, in addition to the column's declaration.
package struct ColumnRule: Sendable {
    /// A function that returns the value to store; nil for a refused value.
    let convertValue: @Sendable (ForeignValue) -> ForeignValue?
    /// The reason why a value is refused.
    let reason: String

    private init(_ reason: String, _ take: @escaping @Sendable (ForeignValue) -> ForeignValue?) {
        self.reason = reason
        self.convertValue = take
    }

    private static func makeNumberRule(_ reason: String, _ take: @escaping @Sendable (Int64) -> Int64?) -> ColumnRule {
        ColumnRule(reason) { value in
            guard case .integer(let number) = value else { return value }
            return take(number).map { .integer($0) }
        }
    }

    private static func makeTextRule(_ reason: String, _ take: @escaping @Sendable (String) -> String?) -> ColumnRule {
        ColumnRule(reason) { value in
            guard case .text(let bytes) = value else { return value }
            return take(String(decoding: bytes, as: UTF8.self)).map { .text(Array($0.utf8)) }
        }
    }

    /// Returns a rule that refuses numbers outside of this range. Null is not refused by this rule.
    package static func inRange(_ range: ClosedRange<Int64>) -> ColumnRule {
        makeNumberRule("is not from \(range.lowerBound) to \(range.upperBound)") { range.contains($0) ? $0 : nil }
    }

    /// Returns a rule that accepts any number, and replaces a number outside of this range by the nearest number of the
    /// range.
    package static func clampedNumber(to range: ClosedRange<Int64>) -> ColumnRule {
        makeNumberRule("") { min(max($0, range.lowerBound), range.upperBound) }
    }

    /// Returns a rule that refuses texts that are not values of an enumeration. Null is not refused by this rule.
    /// `kind` names the value in the reason of a refusal, for example "status of a queue".
    package static func enumerationValue<Value: RawRepresentable<String> & SendableMetatype>(
        of type: Value.Type,
        _ kind: String
    ) -> ColumnRule {
        parsedText(as: kind) { Value(rawValue: $0) != nil }
    }

    /// Returns a rule that refuses texts for which the function `parses` returns false. Null is not refused by this
    /// rule.
    /// - Parameter what: the kind of the text, for the reason of a refusal.
    package static func parsedText(as what: String, by parses: @escaping @Sendable (String) -> Bool) -> ColumnRule {
        makeTextRule("is not a valid \(what)") { parses($0) ? $0 : nil }
    }

    /// A rule that accepts the name of a file in a folder of the store, or a relative path to a file below this folder.
    /// Any other path is replaced by null, because no file of this store has such a path.
    package static let localPath = ColumnRule("is a path out of its folder") { value in
        guard case .text(let bytes) = value else { return value }
        return isLocalPath(bytes) ? value : .null
    }

    /// A rule that replaces a path to a file in the folder of another store by the name of the file.
    package static let nameOfPath = ColumnRule("does not name a file") { value in
        guard case .text(let bytes) = value else { return value }
        let name = bytes.lastIndex(of: UInt8(ascii: "/")).map { Array(bytes[($0 + 1)...]) } ?? bytes
        return isLocalPath(name) ? .text(name) : nil
    }

    /// A rule that replaces each value by null, for values that are valid only in the store from which they come.
    package static let replacedByNull = ColumnRule("") { _ in .null }

    /// Returns a rule that accepts texts for which `parses` returns true, and replaces any other text by null. If the
    /// column requires a value, the row is left out in the tables of ``DatabaseRules/tablesWithOptionalRows``.
    package static func validTextOrNull(where parses: @escaping @Sendable (String) -> Bool) -> ColumnRule {
        ColumnRule("") { value in
            guard case .text(let bytes) = value else { return value }
            return parses(String(decoding: bytes, as: UTF8.self)) ? value : .null
        }
    }

    /// Returns a rule that accepts bytes for which `isAccepted` returns true, and replaces any other value by null. If
    /// the column requires a value, the row is left out in the tables of ``DatabaseRules/tablesWithOptionalRows``.
    package static func validBytesOrNull(where isAccepted: @escaping @Sendable ([UInt8]) -> Bool) -> ColumnRule {
        ColumnRule("") { value in
            guard case .blob(let bytes) = value else { return .null }
            return isAccepted(bytes) ? value : .null
        }
    }

    /// A rule that accepts only file names without a folder, for columns whose value cannot be left out.
    package static let localFileName = ColumnRule("is a path out of its folder") { value in
        guard case .text(let bytes) = value else { return value }
        return isLocalPath(bytes) && !bytes.contains(UInt8(ascii: "/")) ? value : nil
    }

    static func isLocalPath(_ path: [UInt8]) -> Bool {
        !path.isEmpty && path.count <= 4096 && !path.contains(0)
            && path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && Array($0) != [0x2E] && Array($0) != [0x2E, 0x2E]
            }
    }
}

/// The rules for the tables, rows and values that are copied from a foreign database. All other rules come from the
/// schema.
package struct DatabaseRules: Sendable {
    /// The rules for columns. A key has one of three forms: `table.column`, `*.column`, or `*_ending` for the end of a
    /// column's name. If keys of several forms match a column, the earliest form in this list decides.
    var columns: [String: ColumnRule]
    /// Returns whether this program computes the rows of a table, so that the table is not read from the foreign
    /// database.
    var isDerivedTable: @Sendable (_ table: String) -> Bool
    /// Whether tables and columns may be missing, because an earlier version of another program has written the
    /// database.
    var mayLackColumns: Bool
    /// Tables whose rows are left out when a required value is missing.
    var tablesWithOptionalRows: Set<String>
    /// Maximal number of bytes of the texts and blobs in a row.
    var maxRowBytes: Int
    /// Maximal number of rows of a table that the program reads completely into memory, by the name of the table.
    var maxRows: [String: Int]
    /// Maximal number of bytes of the texts in columns. The keys have the same form as in `columns`.
    var maxBytes: [String: Int]

    package init(
        columns: [String: ColumnRule],
        mayLack: Bool = false,
        mayLackRows: Set<String> = [],
        rowBytes: Int = ForeignLimits.maxRowBytes,
        maxRows: [String: Int] = [:],
        maxBytes: [String: Int] = [:],
        isDerivedTable: @escaping @Sendable (_ table: String) -> Bool = { _ in false }
    ) {
        self.columns = columns
        self.tablesWithOptionalRows = mayLackRows
        self.maxRowBytes = rowBytes
        self.maxRows = maxRows
        self.maxBytes = maxBytes
        self.isDerivedTable = isDerivedTable
        self.mayLackColumns = mayLack
    }

    /// Returns the rule for a column; nil when the declaration of the column is sufficient.
    func findRule(_ table: String, _ column: String) -> ColumnRule? { Self.findValue(columns, table, column) }

    /// Returns the maximal number of bytes of a text in a column.
    func findMaxBytes(_ table: String, _ column: String) -> Int {
        Self.findValue(maxBytes, table, column) ?? ForeignLimits.maxTextBytes
    }

    private static func findValue<Value>(_ values: [String: Value], _ table: String, _ column: String) -> Value? {
        if let value = values["\(table).\(column)"] ?? values["*.\(column)"] { return value }
        return column.lastIndex(of: "_").flatMap { values["*\(column[$0...])"] }
    }
}

extension DatabaseRules {
    /// Returns rules for databases of the apps. The code that converts such a database checks the values that it reads.
    /// So the rules limit only sizes, and the numbers with which the conversion calculates.
    /// - Parameter columns: rules for values that the conversion copies unchanged.
    package static func forApps(copying columns: [String: ColumnRule] = [:]) -> DatabaseRules {
        let numbers: [String: ColumnRule] = [
            "*_ttl": .clampedNumber(to: 0...3_155_760_000), "*.file_size": .clampedNumber(to: 0...(1 << 50)),
            "*.chunk_size": .clampedNumber(to: 1...(1 << 30)),
        ]
        return DatabaseRules(
            columns: columns.merging(numbers) { copied, _ in copied },
            mayLack: true,
            rowBytes: AppDatabase.maxRowBytes,
            maxBytes: [
                "*_name": ForeignLimits.maxNameBytes, "*_alias": ForeignLimits.maxNameBytes,
                "*_link": ForeignLimits.maxNameBytes,
                "chat_tags.chat_tag_text": ForeignLimits.maxNameBytes,
                "chat_tags.chat_tag_emoji": ForeignLimits.maxNameBytes,
                "*.image": ForeignLimits.maxProfileBytes, "*_preferences": ForeignLimits.maxProfileBytes,
                "*_themes": ForeignLimits.maxProfileBytes,
            ]
        )
    }
}
