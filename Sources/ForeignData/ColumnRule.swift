import SQLCipher

/// What a column can have beyond what its declaration says.
public struct ColumnRule: Sendable {
    /// The value to take; nil where it is refused.
    let take: @Sendable (ForeignValue) -> ForeignValue?
    /// What is wrong with a value that is refused.
    let reason: String

    private init(_ reason: String, _ take: @escaping @Sendable (ForeignValue) -> ForeignValue?) {
        self.reason = reason
        self.take = take
    }

    private static func number(_ reason: String, _ take: @escaping @Sendable (Int64) -> Int64?) -> ColumnRule {
        ColumnRule(reason) { value in
            guard case .integer(let number) = value else { return value }
            return take(number).map { .integer($0) }
        }
    }

    private static func text(_ reason: String, _ take: @escaping @Sendable (String) -> String?) -> ColumnRule {
        ColumnRule(reason) { value in
            guard case .text(let bytes) = value else { return value }
            return take(String(decoding: bytes, as: UTF8.self)).map { .text(Array($0.utf8)) }
        }
    }

    /// A number of this range.
    public static func range(_ range: ClosedRange<Int64>) -> ColumnRule {
        number("is not from \(range.lowerBound) to \(range.upperBound)") { range.contains($0) ? $0 : nil }
    }

    /// A number that has no meaning beyond this range, and is moved into it.
    public static func clamped(to range: ClosedRange<Int64>) -> ColumnRule {
        number("") { min(max($0, range.lowerBound), range.upperBound) }
    }

    /// One of these words.
    public static func oneOf(_ words: [String]) -> ColumnRule {
        let known = Set(words)
        return text("is none of \(words.joined(separator: ", "))") { known.contains($0) ? $0 : nil }
    }

    /// A text that a parser takes.
    public static func parsed(as what: String, by parses: @escaping @Sendable (String) -> Bool) -> ColumnRule {
        text("is no \(what)") { parses($0) ? $0 : nil }
    }

    /// The name of a file in a folder of the store, or of one in a folder below it. A path to elsewhere is left out:
    /// there is no such file here.
    public static let localPath = ColumnRule("is a path to elsewhere") { value in
        guard case .text(let bytes) = value else { return value }
        return isLocal(bytes) ? value : .null
    }

    /// A path to a file in the folder of another store. It becomes the name of that file.
    public static let nameOfPath = ColumnRule("names no file") { value in
        guard case .text(let bytes) = value else { return value }
        let name = bytes.lastIndex(of: UInt8(ascii: "/")).map { Array(bytes[($0 + 1)...]) } ?? bytes
        return isLocal(name) ? .text(name) : nil
    }

    /// A value that is valid in its own store only. It is left out.
    public static let leftOut = ColumnRule("") { _ in .null }

    /// A text that a parser takes. Any other is left out, and its row with it where the value has to be there.
    public static func kept(where parses: @escaping @Sendable (String) -> Bool) -> ColumnRule {
        ColumnRule("") { value in
            guard case .text(let bytes) = value else { return value }
            return parses(String(decoding: bytes, as: UTF8.self)) ? value : .null
        }
    }

    /// The name of a file alone, for where it cannot be left out.
    public static let localName = ColumnRule("is a path to elsewhere") { value in
        guard case .text(let bytes) = value else { return value }
        return isLocal(bytes) && !bytes.contains(UInt8(ascii: "/")) ? value : nil
    }

    static func isLocal(_ path: [UInt8]) -> Bool {
        !path.isEmpty && path.count <= 4096 && !path.contains(0)
            && path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && Array($0) != [0x2E] && Array($0) != [0x2E, 0x2E]
            }
    }
}

/// What is taken over of a database, and what its values can be. The rest is found in the schema.
public struct DatabaseRules: Sendable {
    /// By `table.column`, `*.column`, or `*_ending` of a column's name; the first of these that there is.
    var columns: [String: ColumnRule]
    /// Whether the program makes the rows of a table anew, so that it is not read.
    var isDerived: @Sendable (_ table: String) -> Bool
    /// Whether tables and columns may be missing: an earlier version of another program has written it.
    var mayLack: Bool
    /// Tables whose rows are left out where a value of them is missing.
    var mayLackRows: Set<String>
    /// Bytes of the texts and blobs of a row.
    var rowBytes: Int
    /// Rows of tables that the program reads as a whole.
    var mostRows: [String: Int]
    /// Bytes of the texts of columns, which are named as in `columns`.
    var mostBytes: [String: Int]

    public init(
        columns: [String: ColumnRule], mayLack: Bool = false, mayLackRows: Set<String> = [],
        rowBytes: Int = ForeignLimits.row, mostRows: [String: Int] = [:], mostBytes: [String: Int] = [:],
        isDerived: @escaping @Sendable (_ table: String) -> Bool = { _ in false }
    ) {
        self.columns = columns
        self.mayLackRows = mayLackRows
        self.rowBytes = rowBytes
        self.mostRows = mostRows
        self.mostBytes = mostBytes
        self.isDerived = isDerived
        self.mayLack = mayLack
    }

    /// The rule of a column; nil where its declaration says all.
    func rule(_ table: String, _ column: String) -> ColumnRule? { Self.find(columns, table, column) }

    /// Bytes of a text of a column.
    func mostBytes(_ table: String, _ column: String) -> Int {
        Self.find(mostBytes, table, column) ?? ForeignLimits.text
    }

    private static func find<Value>(_ values: [String: Value], _ table: String, _ column: String) -> Value? {
        if let value = values["\(table).\(column)"] ?? values["*.\(column)"] { return value }
        return column.lastIndex(of: "_").flatMap { values["*\(column[$0...])"] }
    }
}

extension DatabaseRules {
    /// Databases of the apps: they are converted, and nothing of them is used before. So it is enough that numbers can be
    /// counted with.
    public static let app = DatabaseRules(
        columns: [
            "*_ttl": .clamped(to: 0...3_155_760_000), "*.file_size": .clamped(to: 0...(1 << 50)),
            "*.chunk_size": .clamped(to: 1...(1 << 30)),
        ], mayLack: true, rowBytes: AppDatabase.mostBytes,
        mostBytes: [
            "*_name": ForeignLimits.words, "*_alias": ForeignLimits.words, "*_link": ForeignLimits.words,
            "chat_tags.chat_tag_text": ForeignLimits.words, "chat_tags.chat_tag_emoji": ForeignLimits.words,
            "*.image": ForeignLimits.profile, "*_preferences": ForeignLimits.profile, "*_themes": ForeignLimits.profile,
        ])
}
