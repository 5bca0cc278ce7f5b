/// Several transmissions in one block: a count byte, then each transmission after its two-byte length.
///
/// simplexmq `protocol/simplex-messaging.md`, "SMP transmission and transport block structure".
package enum TransmissionBatch {
    /// Number of bytes that transmissions, with their lengths, may use in a block: the block size less 2 bytes of
    /// padding length, 1 byte of the count and 16 bytes of the tag. The number is the same for blocks that are not
    /// encrypted.
    package static let capacity = BlockCipher.blockSize - 19
    /// Maximal number of transmissions in one block.
    package static let maxCount = 255

    /// One element of the result of ``splitIntoBlocks(_:capacity:)``.
    package enum SplitPart: Hashable, Sendable {
        /// The content of a block with the transmissions in this range of positions.
        case block([UInt8], Range<Int>)
        /// The transmission at this position is too large for a block.
        case tooLarge(Int)
    }

    /// Returns the number of bytes that transmissions, with their lengths, may use in a block of `blockSize` bytes.
    package static func capacity(blockSize: Int) -> Int { blockSize - 19 }

    /// Splits `transmissions` into as few blocks as possible, without a change of their order. Blocks are filled
    /// from the end of the list, as in the original, so the first block may have free space.
    /// - Parameter capacity: the number of bytes in a block for transmissions.
    package static func splitIntoBlocks(_ transmissions: [[UInt8]], capacity: Int = Self.capacity) -> [SplitPart] {
        var parts: [SplitPart] = []
        var end = transmissions.count
        var start = end
        var length = 0
        func appendBlock(_ parts: inout [SplitPart]) {
            if start < end { parts.append(.block(makeContent(transmissions[start..<end], capacity), start..<end)) }
        }
        for index in transmissions.indices.reversed() {
            let size = transmissions[index].count + 2
            if size > capacity {
                appendBlock(&parts)
                parts.append(.tooLarge(index))
                (start, end, length) = (index, index, 0)
            } else if length + size <= capacity, end - start < maxCount {
                (start, length) = (index, length + size)
            } else {
                appendBlock(&parts)
                (start, end, length) = (index, index + 1, size)
            }
        }
        appendBlock(&parts)
        return parts.reversed()
    }

    private static func makeContent(_ transmissions: ArraySlice<[UInt8]>, _ capacity: Int) -> [UInt8] {
        var writer = ByteWriter(capacity: capacity + 1)
        writer.writeByte(UInt8(truncatingIfNeeded: transmissions.count))
        for transmission in transmissions { writer.writeLargeBytes(transmission) }
        return writer.bytes
    }

    /// Returns the transmissions in the content of a block, at least one. Throws ``SMPTransportError/badBlock`` for a
    /// malformed block.
    package static func parseTransmissions(_ content: [UInt8]) throws(SMPTransportError) -> [ArraySlice<UInt8>] {
        var reader = ByteReader(content)
        do throws(SMPEncodingError) {
            let transmissions = try reader.readNonEmptyList { reader throws(SMPEncodingError) in
                try reader.readSlice(count: Int(try reader.readWord16()))
            }
            try reader.requireEnd()
            return transmissions
        } catch {
            throw .badBlock
        }
    }
}
