/// Reader of the binary forms of message bodies. Before each value, one or two bytes contain its length. Numbers are
/// big-endian.
struct BinaryReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func readByte() throws(ChatProtocolError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .invalidBinary }
        return byte
    }

    mutating func readBytes(_ count: Int) throws(ChatProtocolError) -> [UInt8] {
        guard rest.count >= count else { throw .invalidBinary }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
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
        defer { rest = [] }
        return Array(rest)
    }
}

/// Encoder of the forms that ``BinaryReader`` reads. Values that are too long are cut, so callers must check the
/// lengths of their values.
package enum BinaryForm {
    package static func shortBytes(_ bytes: [UInt8]) -> [UInt8] { [UInt8(clamping: bytes.count)] + bytes.prefix(255) }

    package static func largeBytes(_ bytes: [UInt8]) -> [UInt8] {
        word16(UInt16(clamping: bytes.count)) + bytes.prefix(Int(UInt16.max))
    }

    package static func word16(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)] }

    package static func int64(_ value: Int64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (Int64($0) * 8)) }
    }
}

/// A body of several elements: `=`, the number of elements, and each element after its length.
package enum BinaryBatch {
    /// The number of bytes that a batch adds: `overhead` for the mark and the count, and `perElement` for the length of
    /// each element.
    private static let overhead = 2, perElement = 2

    package static func encode(_ elements: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "="), UInt8(clamping: elements.count)]
            + elements.prefix(MessageElements.limit).flatMap(BinaryForm.largeBytes)
    }

    /// Splits a batch into its elements.
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
    /// - Returns: the indices of the elements in each batch, and the indices of the elements that are too large for a
    ///   batch.
    package static func split(
        sizes: [Int],
        limit: Int = ChatMessageLimits.message
    ) -> (batches: [Range<Int>], tooLarge: [Int]) {
        var (batches, tooLarge): ([Range<Int>], [Int]) = ([], [])
        var (start, bytes) = (0, overhead)
        func close(_ end: Int) { if start < end { batches.append(start..<end) } }
        for (index, size) in sizes.enumerated() {
            if overhead + perElement + size > limit {
                close(index)
                tooLarge.append(index)
                (start, bytes) = (index + 1, overhead)
            } else if bytes + perElement + size > limit || index - start == MessageElements.limit {
                close(index)
                (start, bytes) = (index, overhead + perElement + size)
            } else {
                bytes += perElement + size
            }
        }
        close(sizes.count)
        return (batches, tooLarge)
    }
}
