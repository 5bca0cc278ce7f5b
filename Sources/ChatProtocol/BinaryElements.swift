/// Reader of the binary forms of message bodies. Before each value, one or two bytes contain its length. Numbers are
/// big-endian.
struct BinaryReader {
    private(set) var remainingBytes: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { remainingBytes = ArraySlice(bytes) }

    var isAtEnd: Bool { remainingBytes.isEmpty }

    mutating func readByte() throws(ChatProtocolError) -> UInt8 {
        guard let byte = remainingBytes.popFirst() else { throw .invalidBinary }
        return byte
    }

    mutating func readBytes(_ count: Int) throws(ChatProtocolError) -> [UInt8] {
        guard remainingBytes.count >= count else { throw .invalidBinary }
        defer { remainingBytes = remainingBytes.dropFirst(count) }
        return Array(remainingBytes.prefix(count))
    }

    mutating func readWord16() throws(ChatProtocolError) -> UInt16 {
        UInt16(try readByte()) << 8 | UInt16(try readByte())
    }

    mutating func readInt64() throws(ChatProtocolError) -> Int64 {
        Int64(bitPattern: try readBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// Reads up to 255 bytes. Their number is in the byte before them.
    mutating func readShortBytes() throws(ChatProtocolError) -> [UInt8] { try readBytes(Int(readByte())) }

    /// Reads up to 65,535 bytes. Their number is in the two bytes before them.
    mutating func readLargeBytes() throws(ChatProtocolError) -> [UInt8] { try readBytes(Int(readWord16())) }

    mutating func readMemberID() throws(ChatProtocolError) -> MemberID {
        let bytes = try readShortBytes()
        guard !bytes.isEmpty else { throw .invalidBinary }
        return MemberID(bytes: bytes)
    }

    mutating func readRest() -> [UInt8] {
        defer { remainingBytes = [] }
        return Array(remainingBytes)
    }
}

/// Encoder of the values that ``BinaryReader`` reads. Values that are too long are cut, so callers must check the
/// lengths of their values.
package enum BinaryEncoder {
    package static func encodeShortBytes(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(clamping: bytes.count)] + bytes.prefix(255)
    }

    package static func encodeLargeBytes(_ bytes: [UInt8]) -> [UInt8] {
        encodeWord16(UInt16(clamping: bytes.count)) + bytes.prefix(Int(UInt16.max))
    }

    package static func encodeWord16(_ value: UInt16) -> [UInt8] {
        [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    package static func encodeInt64(_ value: Int64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (Int64($0) * 8)) }
    }
}

/// A message body of several elements: the character `=`, the number of elements in one byte, and each element after
/// its length.
package enum BinaryBatch {
    /// The number of bytes that a batch needs in addition to its elements: `overheadBytes` for the character `=` and
    /// the count, and `bytesPerElement` for the length of each element.
    private static let overheadBytes = 2, bytesPerElement = 2

    package static func encodeElements(_ elements: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "="), UInt8(clamping: elements.count)]
            + elements.prefix(MessageElements.maxElements).flatMap(BinaryEncoder.encodeLargeBytes)
    }

    /// Splits a message body that is a batch into its elements.
    package static func parseElements(of body: [UInt8]) throws(ChatProtocolError) -> [[UInt8]] {
        var reader = BinaryReader(body)
        guard try reader.readByte() == UInt8(ascii: "=") else { throw .invalidBinary }
        let count = try reader.readByte()
        guard count > 0 else { throw .invalidBinary }
        var elements: [[UInt8]] = []
        for _ in 0..<count { elements.append(try reader.readLargeBytes()) }
        guard reader.isAtEnd else { throw .invalidBinary }
        return elements
    }

    /// Distributes elements to batches, in order. Each batch contains as many elements as fit into a message.
    /// - Parameter sizes: the sizes of the elements in bytes.
    /// - Returns: the indices of the elements in each batch, and the indices of the elements that are too large for a
    ///   batch.
    package static func splitIntoBatches(
        sizes: [Int],
        limit: Int = ChatMessageLimits.messageBytes
    ) -> (batches: [Range<Int>], tooLarge: [Int]) {
        var (batches, tooLarge): ([Range<Int>], [Int]) = ([], [])
        var (start, bytes) = (0, overheadBytes)
        func appendBatch(_ end: Int) { if start < end { batches.append(start..<end) } }
        for (index, size) in sizes.enumerated() {
            if overheadBytes + bytesPerElement + size > limit {
                appendBatch(index)
                tooLarge.append(index)
                (start, bytes) = (index + 1, overheadBytes)
            } else if bytes + bytesPerElement + size > limit || index - start == MessageElements.maxElements {
                appendBatch(index)
                (start, bytes) = (index, overheadBytes + bytesPerElement + size)
            } else {
                bytes += bytesPerElement + size
            }
        }
        appendBatch(sizes.count)
        return (batches, tooLarge)
    }
}
