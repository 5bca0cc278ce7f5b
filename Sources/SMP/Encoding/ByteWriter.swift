/// Appends values in the binary encoding of the SimpleX protocols. All integers are big endian.
///
/// A byte string or list that is too long for its length field is never cut: the writer remembers the failure, and
/// ``finish()`` throws it. Encoders therefore need no error handling.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// The first value that could not be encoded, if any.
    package private(set) var failure: SMPEncodingError?

    package init() {}

    package init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    package var count: Int { bytes.count }

    /// Returns the written bytes. Throws ``SMPEncodingError/tooLong`` when a value was too long for its length field.
    package consuming func finish() throws(SMPEncodingError) -> [UInt8] {
        if let failure { throw failure }
        return bytes
    }

    /// Makes ``finish()`` throw `error`, for a value that has no encoding.
    package mutating func recordFailure(_ error: SMPEncodingError) {
        if failure == nil { failure = error }
    }

    package mutating func writeByte(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Writes bytes without a length ("Tail").
    package mutating func writeRaw(_ content: some Sequence<UInt8>) {
        bytes.append(contentsOf: content)
    }

    /// Writes ASCII text without a length.
    package mutating func writeASCII(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    package mutating func writeWord16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    package mutating func writeWord32(_ value: UInt32) {
        writeWord16(UInt16(truncatingIfNeeded: value >> 16))
        writeWord16(UInt16(truncatingIfNeeded: value))
    }

    package mutating func writeInt64(_ value: Int64) {
        let bits = UInt64(bitPattern: value)
        writeWord32(UInt32(truncatingIfNeeded: bits >> 32))
        writeWord32(UInt32(truncatingIfNeeded: bits))
    }

    /// Writes a truth value as `T` or `F`.
    package mutating func writeBool(_ value: Bool) {
        bytes.append(value ? UInt8(ascii: "T") : UInt8(ascii: "F"))
    }

    /// Writes one length byte, then up to 255 bytes ("shortString").
    package mutating func writeShortBytes(_ content: some Collection<UInt8>) {
        guard let count = UInt8(exactly: content.count) else { return recordFailure(.tooLong) }
        bytes.append(count)
        bytes.append(contentsOf: content)
    }

    /// Writes two length bytes, then up to 65535 bytes ("Large").
    package mutating func writeLargeBytes(_ content: some Collection<UInt8>) {
        guard let count = UInt16(exactly: content.count) else { return recordFailure(.tooLong) }
        writeWord16(count)
        bytes.append(contentsOf: content)
    }

    package mutating func writeShortText(_ text: String) {
        writeShortBytes(text.utf8)
    }

    /// Writes an optional value: `0` for none, or `1` and the value ("Maybe").
    package mutating func writeOptional<T>(_ value: T?, _ write: (inout ByteWriter, T) -> Void) {
        guard let value else { return writeByte(UInt8(ascii: "0")) }
        writeByte(UInt8(ascii: "1"))
        write(&self, value)
    }

    /// Writes one count byte, then the values. The protocol's "NonEmpty" has the same form, but must not be empty: see
    /// ``writeNonEmptyList(_:_:)``.
    package mutating func writeList<T>(_ items: [T], _ write: (inout ByteWriter, T) -> Void) {
        guard let count = UInt8(exactly: items.count) else { return recordFailure(.tooLong) }
        writeByte(count)
        for item in items { write(&self, item) }
    }

    /// Writes a list like ``writeList(_:_:)``. An empty list makes ``finish()`` throw.
    package mutating func writeNonEmptyList<T>(_ items: [T], _ write: (inout ByteWriter, T) -> Void) {
        guard !items.isEmpty else { return recordFailure(.emptyList) }
        writeList(items, write)
    }

    package mutating func writeValue(_ value: some SMPCodable) {
        value.encode(to: &self)
    }

    package mutating func writeOptional<T: SMPCodable>(_ value: T?) {
        writeOptional(value) { writer, value in value.encode(to: &writer) }
    }

    package mutating func writeNonEmptyList<T: SMPCodable>(_ items: [T]) {
        writeNonEmptyList(items) { writer, item in item.encode(to: &writer) }
    }
}
