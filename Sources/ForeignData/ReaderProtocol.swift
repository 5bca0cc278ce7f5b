/// The protocol between the reader process and its parent process. Numbers are little-endian.
///
/// The parent sends one request: the key with its length, then the tables with their columns. The reader answers with
/// records, which begin with a tag.
enum ReaderProtocol {
    static let version: UInt8 = 1

    enum Tag: UInt8 {
        case otherObject = 0x6F
        case table = 0x74
        case row = 0x72
        case end = 0x65
        case failure = 0x66
    }

    enum ValueKind: UInt8 { case null, integer, real, text, blob }

    enum Fault: UInt8 { case wrongKey = 1, damaged, tooLarge, unconfined, badRequest }

    /// The number of columns that the reader reports for a table that the database does not have.
    static let columnCountOfMissingTable: UInt16 = .max

    static func encodeRequest(key: UnsafeRawBufferPointer, _ tables: [ForeignTable]) -> [UInt8] {
        var bytes = [version]
        bytes.putNumber(UInt32(key.count))
        bytes += key
        bytes.putNumber(UInt16(tables.count))
        for table in tables {
            bytes.putText(table.name)
            bytes.putNumber(UInt16(table.columns.count))
            for column in table.columns { bytes.putText(column) }
        }
        return bytes
    }
}

extension [UInt8] {
    mutating func putNumber<Number: FixedWidthInteger>(_ number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends a text with its length before it.
    /// - Parameter most: the maximal number of bytes; a longer text is cut.
    mutating func putText(_ text: String, most: UInt16 = .max) {
        let bytes = text.utf8.prefix(Int(most))
        putNumber(UInt16(bytes.count))
        self += bytes
    }
}

/// The request to a reader. The bytes come from the parent, which is trusted.
struct ReaderRequest {
    let key: [UInt8]
    let tables: [ForeignTable]

    /// Parses a request. Returns nil for bytes that are not a request of this version.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        func readBytes(_ count: Int) -> ArraySlice<UInt8>? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func readNumber(_ size: Int) -> Int? { readBytes(size).map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } } }
        func readText() -> String? {
            readNumber(2).flatMap(readBytes).flatMap { String(validating: $0, as: UTF8.self) }
        }
        guard readBytes(1)?.first == ReaderProtocol.version, let key = readNumber(4).flatMap(readBytes),
            let count = readNumber(2)
        else {
            return nil
        }
        var tables: [ForeignTable] = []
        for _ in 0..<count {
            guard let name = readText(), let columns = readNumber(2) else { return nil }
            var names: [String] = []
            for _ in 0..<columns {
                guard let name = readText() else { return nil }
                names.append(name)
            }
            tables.append(ForeignTable(name, names))
        }
        guard rest.isEmpty else { return nil }
        (self.key, self.tables) = (Array(key), tables)
    }
}
