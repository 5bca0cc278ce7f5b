/// A table of a foreign database, and the columns that are wanted of it.
public struct ForeignTable: Sendable, Hashable {
    public let name: String
    public let columns: [String]

    public init(_ name: String, _ columns: [String]) {
        self.name = name
        self.columns = columns
    }
}

/// Bounds of what comes from a foreign database.
public enum ForeignLimits {
    /// Bytes of one text or blob, and of all that a row has.
    public static let value = 8 << 20
    public static let row = 12 << 20
    /// Bytes of a text, unless it is said otherwise.
    public static let text = 2 << 20
    /// Bytes of names, links and what people call something.
    public static let words = 64 << 10
    /// Bytes of profiles, which have pictures, and of other things that a chat has once.
    public static let profile = 256 << 10
    /// The least size of a row in a file: a pointer to it, its length, its number, and the length of its header.
    static let leastRowSize: UInt64 = 4
    /// Bytes of memory that the reader gets beyond what its program has at the start.
    static let memory: UInt64 = 256 << 20
    /// Bytes that SQLite writes when the schema is reduced: they are in the reader's memory.
    static let changes: UInt64 = 64 << 20
    /// Seconds of processor time that the reader gets for any file, and bytes for which it gets another second.
    static let leastSeconds: UInt64 = 60
    static let bytesPerSecond: UInt64 = 1 << 20
    /// Milliseconds for which the reader may say nothing.
    static let silence: Int32 = 60_000
    /// For how long a reader may go on with a file of this size: it may wait, which takes no processor time.
    static func patience(_ size: UInt64) -> Duration {
        .seconds(Int64(clamping: 10 * (leastSeconds + size / bytesPerSecond)))
    }
    /// Bytes of what the reader is asked.
    static let request = 1 << 20
    /// Things besides wanted tables that the reader names, and bytes of a name or reason.
    static let others = 256
    static let said = 200
}

/// What a reader says next.
public enum ForeignItem: Sendable, Equatable {
    /// Something that is in the database besides the wanted tables: a trigger, a view, another table. It is not read.
    case other(String)
    /// A wanted table begins: its place among the wanted ones, and the places of the columns that it has. Nil where
    /// there is no such ordinary table.
    case table(Int, columns: [Int]?)
    /// A row of the table, with the values of these columns.
    case row([ForeignValue])
}

/// A value of a foreign database. Texts need not be UTF-8.
public enum ForeignValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
}

extension ForeignValue {
    /// Bytes of a text or blob.
    var count: Int {
        switch self {
        case .text(let bytes), .blob(let bytes): bytes.count
        case .null, .integer, .real: 0
        }
    }
}
