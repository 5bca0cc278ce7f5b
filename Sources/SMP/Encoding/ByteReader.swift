/// Reads the binary encoding of the SimpleX protocols from a byte array, front to back, without ever reading past its
/// end.
///
/// All integers are big endian.
public struct ByteReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    public init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.index = bytes.startIndex
    }

    /// Bytes not yet read.
    public var remaining: Int { bytes.endIndex - index }
    public var isAtEnd: Bool { index >= bytes.endIndex }
    /// Number of bytes read so far.
    public var offset: Int { index - bytes.startIndex }

    /// The next byte, left in place.
    public func peek() -> UInt8? {
        isAtEnd ? nil : bytes[index]
    }

    public mutating func byte() throws(SMPEncodingError) -> UInt8 {
        guard index < bytes.endIndex else { throw .unexpectedEnd }
        defer { index += 1 }
        return bytes[index]
    }

    /// Exactly `count` bytes.
    public mutating func slice(count: Int) throws(SMPEncodingError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else { throw .unexpectedEnd }
        defer { index += count }
        return bytes[index..<(index + count)]
    }

    /// Exactly `count` bytes, copied.
    public mutating func bytes(count: Int) throws(SMPEncodingError) -> [UInt8] {
        Array(try slice(count: count))
    }

    /// All that is left ("Tail" in the protocol's terms): no length is written.
    public mutating func tail() -> [UInt8] {
        defer { index = bytes.endIndex }
        return Array(bytes[index...])
    }

    /// The bytes read since `offset`, a value of ``offset`` taken earlier.
    public func consumed(since offset: Int) -> [UInt8] {
        let start = bytes.startIndex + offset
        guard offset >= 0, start <= index else { return [] }
        return Array(bytes[start..<index])
    }

    /// Consumes `byte` if it is next, and returns whether it was.
    public mutating func skip(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        index += 1
        return true
    }

    /// Consumes the ASCII `text` if it is next, and returns whether it was.
    public mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= remaining else { return false }
        let matches = text.withUTF8Buffer { bytes[index..<(index + count)].elementsEqual($0) }
        if matches { index += count }
        return matches
    }

    /// The bytes before the next `delimiter`, which is not consumed; all remaining bytes when there is none.
    public mutating func slice(until delimiter: UInt8) -> ArraySlice<UInt8> {
        slice { $0 != delimiter }
    }

    /// The longest run of bytes that satisfy `predicate`; may be empty.
    public mutating func slice(while predicate: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.endIndex, predicate(bytes[index]) { index += 1 }
        return bytes[start..<index]
    }

    /// Throws unless everything was read.
    public func finish() throws(SMPEncodingError) {
        guard isAtEnd else { throw .trailingBytes }
    }
}

// MARK: Primitives

extension ByteReader {
    public mutating func word16() throws(SMPEncodingError) -> UInt16 {
        let part = try slice(count: 2)
        return part.reduce(0) { $0 << 8 | UInt16($1) }
    }

    public mutating func word32() throws(SMPEncodingError) -> UInt32 {
        let part = try slice(count: 4)
        return part.reduce(0) { $0 << 8 | UInt32($1) }
    }

    public mutating func int64() throws(SMPEncodingError) -> Int64 {
        let part = try slice(count: 8)
        return Int64(bitPattern: part.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// `T` or `F`.
    public mutating func bool() throws(SMPEncodingError) -> Bool {
        switch try byte() {
        case UInt8(ascii: "T"): true
        case UInt8(ascii: "F"): false
        default: throw .invalidTag
        }
    }

    /// One length byte, then up to 255 bytes ("shortString").
    public mutating func shortBytes() throws(SMPEncodingError) -> [UInt8] {
        try bytes(count: Int(try byte()))
    }

    /// Two length bytes, then up to 65535 bytes ("Large").
    public mutating func largeBytes() throws(SMPEncodingError) -> [UInt8] {
        try bytes(count: Int(try word16()))
    }

    /// A short string that must be UTF-8.
    public mutating func shortText() throws(SMPEncodingError) -> String {
        guard let text = String(validating: try shortBytes(), as: UTF8.self) else { throw .invalidValue("text") }
        return text
    }

    /// `0`, or `1` and the value ("Maybe").
    public mutating func optional<T>(
        _ read: (inout ByteReader) throws(SMPEncodingError) -> T
    ) throws(SMPEncodingError) -> T? {
        switch try byte() {
        case UInt8(ascii: "0"): nil
        case UInt8(ascii: "1"): try read(&self)
        default: throw .invalidTag
        }
    }

    /// One count byte, then that many values.
    public mutating func list<T>(
        _ read: (inout ByteReader) throws(SMPEncodingError) -> T
    ) throws(SMPEncodingError) -> [T] {
        let count = Int(try byte())
        var items: [T] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try read(&self)) }
        return items
    }

    /// A list of one value at least ("NonEmpty").
    public mutating func nonEmptyList<T>(
        _ read: (inout ByteReader) throws(SMPEncodingError) -> T
    ) throws(SMPEncodingError) -> [T] {
        let items = try list(read)
        guard !items.isEmpty else { throw .emptyList }
        return items
    }

    public mutating func value<T: SMPCodable>(_ type: T.Type = T.self) throws(SMPEncodingError) -> T {
        try T(from: &self)
    }

    public mutating func optional<T: SMPCodable>(_ type: T.Type = T.self) throws(SMPEncodingError) -> T? {
        try optional { reader throws(SMPEncodingError) in try T(from: &reader) }
    }

    public mutating func nonEmptyList<T: SMPCodable>(of type: T.Type = T.self) throws(SMPEncodingError) -> [T] {
        try nonEmptyList { reader throws(SMPEncodingError) in try T(from: &reader) }
    }
}
