/// A table of a foreign database, and the columns to read.
package struct ForeignTable: Sendable, Hashable {
    package let name: String
    package let columns: [String]

    package init(_ name: String, _ columns: [String]) {
        self.name = name
        self.columns = columns
    }
}

/// Limits of sizes and times for reading a foreign database.
package enum ForeignLimits {
    /// Maximal number of bytes of one text or blob (`maxValueBytes`), and of a whole row (`maxRowBytes`).
    package static let maxValueBytes = 8 << 20
    package static let maxRowBytes = 12 << 20
    /// Maximal number of bytes of a text without a special limit.
    package static let maxTextBytes = 2 << 20
    /// Maximal number of bytes of names, links and labels.
    package static let maxNameBytes = 64 << 10
    /// Maximal number of bytes of a profile, which may contain a picture, and of other values that exist once for each
    /// chat.
    package static let maxProfileBytes = 256 << 10
    /// The smallest size of a row in a file, in bytes: the pointer to the row, its length, its number, and the length
    /// of its header.
    static let minRowBytes: UInt64 = 4
    /// Number of bytes of memory that the reader may use in addition to the memory at its start.
    static let extraMemoryBytes: UInt64 = 256 << 20
    /// Maximal number of bytes that SQLite writes, in the reader's memory, when the schema is reduced to the wanted
    /// tables.
    static let maxSchemaChangeBytes: UInt64 = 64 << 20
    /// The processor time in seconds that the reader may use for any file (`minProcessorSeconds`), and the number of
    /// bytes of the file that allow one more second (`fileBytesPerSecond`).
    static let minProcessorSeconds: UInt64 = 60
    static let fileBytesPerSecond: UInt64 = 1 << 20
    /// Milliseconds without output after which the reader counts as failed.
    static let maxSilenceMilliseconds: Int32 = 60_000
    /// Returns the maximal duration of the reading of a file of this size. It is ten times the limit of processor time,
    /// because a reader also waits.
    static func computeTimeLimit(_ size: UInt64) -> Duration {
        .seconds(Int64(clamping: 10 * (minProcessorSeconds + size / fileBytesPerSecond)))
    }
    /// Maximal number of bytes of the request to the reader.
    static let maxRequestBytes = 1 << 20
    /// Maximal number of unread objects, such as triggers, that the reader reports (`maxOtherObjects`), and maximal
    /// number of bytes of a name or reason (`maxReasonBytes`).
    static let maxOtherObjects = 256
    static let maxReasonBytes: UInt16 = 200
}

/// An item of a foreign database, as the reader sends it.
package enum ForeignItem: Sendable, Equatable {
    /// An object in the database that is not a wanted table: a trigger, a view, another table. It is not read.
    case otherObject(String)
    /// The beginning of a wanted table: its index in the list of wanted tables, and the indices of the columns that it
    /// has. The indices are nil when the database has no ordinary table of this name.
    case table(Int, columns: [Int]?)
    /// A row of the table whose beginning was sent last, with the values of the columns that this table has.
    case row([ForeignValue])
}

/// A value of a foreign database. Texts may be invalid UTF-8.
package enum ForeignValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
}

extension ForeignValue {
    /// Number of bytes of a text or blob.
    var byteCount: Int {
        switch self {
        case .text(let bytes), .blob(let bytes): bytes.count
        case .null, .integer, .real: 0
        }
    }
}
