/// A table of a foreign database, and its wanted columns.
public struct ForeignTable: Sendable, Hashable {
    public let name: String
    public let columns: [String]

    public init(_ name: String, _ columns: [String]) {
        self.name = name
        self.columns = columns
    }
}

/// Limits of the data of a foreign database.
public enum ForeignLimits {
    /// Maximal number of bytes of one text or blob, and of a whole row.
    public static let value = 8 << 20
    public static let row = 12 << 20
    /// Maximal number of bytes of a text, where no other limit applies.
    public static let text = 2 << 20
    /// Maximal number of bytes of names, links and labels.
    public static let words = 64 << 10
    /// Maximal number of bytes of profiles, which contain pictures, and of other data that a chat has once.
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
    /// Milliseconds of silence after which the reader has failed.
    static let silence: Int32 = 60_000
    /// The time limit of a reader for a file of this size. It includes waiting, which takes no processor time.
    static func patience(_ size: UInt64) -> Duration {
        .seconds(Int64(clamping: 10 * (leastSeconds + size / bytesPerSecond)))
    }
    /// Maximal number of bytes of the request to the reader.
    static let request = 1 << 20
    /// Maximal number of other objects that the reader names, and of bytes of a name or reason.
    static let others = 256
    static let said: UInt16 = 200
}

/// The next item that the reader sends.
public enum ForeignItem: Sendable, Equatable {
    /// An object in the database other than the wanted tables: a trigger, a view, another table. It is not read.
    case other(String)
    /// A wanted table begins: its index among the wanted ones, and the indices of the columns that it has. Nil when
    /// there is no such ordinary table.
    case table(Int, columns: [Int]?)
    /// A row of the table, with the values of the columns that the table has.
    case row([ForeignValue])
}

/// A value of a foreign database. Texts may be invalid UTF-8.
public enum ForeignValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
}

extension ForeignValue {
    /// Number of bytes of a text or blob.
    var count: Int {
        switch self {
        case .text(let bytes), .blob(let bytes): bytes.count
        case .null, .integer, .real: 0
        }
    }
}
