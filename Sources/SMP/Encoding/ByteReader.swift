/// Reads the binary encoding of the SimpleX protocols from a byte array, front to back, and never reads past the end of
/// the array.
///
/// All integers are big endian.
package struct ByteReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    package init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.index = bytes.startIndex
    }

    /// Number of bytes that are not read yet.
    package var remainingCount: Int { bytes.endIndex - index }
    package var isAtEnd: Bool { index >= bytes.endIndex }
    /// Number of bytes read so far.
    package var offset: Int { index - bytes.startIndex }

    /// Returns the next byte and does not consume it.
    package func peek() -> UInt8? {
        isAtEnd ? nil : bytes[index]
    }

    package mutating func readByte() throws(SMPEncodingError) -> UInt8 {
        guard index < bytes.endIndex else { throw .unexpectedEnd }
        defer { index += 1 }
        return bytes[index]
    }

    /// Reads exactly `count` bytes.
    package mutating func readSlice(count: Int) throws(SMPEncodingError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remainingCount else { throw .unexpectedEnd }
        defer { index += count }
        return bytes[index..<(index + count)]
    }

    /// Reads exactly `count` bytes, and returns a copy of them.
    package mutating func readBytes(count: Int) throws(SMPEncodingError) -> [UInt8] {
        Array(try readSlice(count: count))
    }

    /// Reads all remaining bytes ("Tail" in the protocol's terms), which have no length field.
    package mutating func readRest() -> [UInt8] {
        defer { index = bytes.endIndex }
        return Array(bytes[index...])
    }

    /// Returns the bytes that were read since the reader was at `offset`. The argument is an earlier value of the
    /// property ``offset``.
    package func consumedBytes(since offset: Int) -> [UInt8] {
        let start = bytes.startIndex + offset
        guard offset >= 0, start <= index else { return [] }
        return Array(bytes[start..<index])
    }

    /// Consumes the next byte if it equals `byte`. Returns whether the byte was consumed.
    package mutating func skip(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        index += 1
        return true
    }

    /// Consumes the next bytes if they equal the ASCII `text`. Returns whether the bytes were consumed.
    package mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= remainingCount else { return false }
        let matches = text.withUTF8Buffer { bytes[index..<(index + count)].elementsEqual($0) }
        if matches { index += count }
        return matches
    }

    /// Reads the bytes before the next `delimiter`, which is not consumed. If there is no delimiter, reads all
    /// remaining bytes.
    package mutating func readSlice(until delimiter: UInt8) -> ArraySlice<UInt8> {
        readSlice { $0 != delimiter }
    }

    /// Reads the longest run of bytes that satisfy `predicate`. The run may be empty.
    package mutating func readSlice(while predicate: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.endIndex, predicate(bytes[index]) { index += 1 }
        return bytes[start..<index]
    }

    /// Throws an error if bytes remain.
    package func requireEnd() throws(SMPEncodingError) {
        guard isAtEnd else { throw .trailingBytes }
    }
}

// MARK: Primitives

extension ByteReader {
    package mutating func readWord16() throws(SMPEncodingError) -> UInt16 {
        let part = try readSlice(count: 2)
        return part.reduce(0) { $0 << 8 | UInt16($1) }
    }

    package mutating func readWord32() throws(SMPEncodingError) -> UInt32 {
        let part = try readSlice(count: 4)
        return part.reduce(0) { $0 << 8 | UInt32($1) }
    }

    package mutating func readInt64() throws(SMPEncodingError) -> Int64 {
        let part = try readSlice(count: 8)
        return Int64(bitPattern: part.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Reads a truth value, which is encoded as `T` or `F`.
    package mutating func readBool() throws(SMPEncodingError) -> Bool {
        switch try readByte() {
        case UInt8(ascii: "T"): true
        case UInt8(ascii: "F"): false
        default: throw .invalidTag
        }
    }

    /// Reads one length byte, then up to 255 bytes ("shortString").
    package mutating func readShortBytes() throws(SMPEncodingError) -> [UInt8] {
        try readBytes(count: Int(try readByte()))
    }

    /// Reads two length bytes, then up to 65535 bytes ("Large").
    package mutating func readLargeBytes() throws(SMPEncodingError) -> [UInt8] {
        try readBytes(count: Int(try readWord16()))
    }

    /// Reads one length byte, then a text of up to 255 bytes that must be UTF-8.
    package mutating func readShortText() throws(SMPEncodingError) -> String {
        guard let text = String(validating: try readShortBytes(), as: UTF8.self) else { throw .invalidValue("text") }
        return text
    }

    /// Reads an optional value: `0` for none, or `1` and the value ("Maybe").
    package mutating func readOptional<T>(
        _ read: (inout ByteReader) throws(SMPEncodingError) -> T
    ) throws(SMPEncodingError) -> T? {
        switch try readByte() {
        case UInt8(ascii: "0"): nil
        case UInt8(ascii: "1"): try read(&self)
        default: throw .invalidTag
        }
    }

    /// Reads a count byte, then that many values.
    package mutating func readList<T>(
        _ read: (inout ByteReader) throws(SMPEncodingError) -> T
    ) throws(SMPEncodingError) -> [T] {
        let count = Int(try readByte())
        var items: [T] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try read(&self)) }
        return items
    }

    /// Reads a list of at least one value ("NonEmpty").
    package mutating func readNonEmptyList<T>(
        _ read: (inout ByteReader) throws(SMPEncodingError) -> T
    ) throws(SMPEncodingError) -> [T] {
        let items = try readList(read)
        guard !items.isEmpty else { throw .emptyList }
        return items
    }

    package mutating func readValue<T: SMPCodable>(_ type: T.Type = T.self) throws(SMPEncodingError) -> T {
        try T(from: &self)
    }

    package mutating func readOptional<T: SMPCodable>(_ type: T.Type = T.self) throws(SMPEncodingError) -> T? {
        try readOptional { reader throws(SMPEncodingError) in try T(from: &reader) }
    }

    package mutating func readNonEmptyList<T: SMPCodable>(of type: T.Type = T.self) throws(SMPEncodingError) -> [T] {
        try readNonEmptyList { reader throws(SMPEncodingError) in try T(from: &reader) }
    }
}
