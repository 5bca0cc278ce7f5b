/// The compressed form of a message body: `X`, the number of parts, and the parts. A part is plain bytes (`0`, one
/// length byte) or a zstd frame (`1`, two length bytes).
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "Compressed format".
package enum CompressedBody {
    package enum Part: Sendable, Hashable {
        case passthrough([UInt8])
        case zstd([UInt8])

        /// The bytes of the part, as the body contains them.
        package var bytes: [UInt8] {
            switch self {
            case .passthrough(let bytes), .zstd(let bytes): bytes
            }
        }

        /// The size of the part in bytes after decompression; nil for a zstd frame that does not declare its size.
        var announcedSize: Int? {
            switch self {
            case .passthrough(let bytes): bytes.count
            case .zstd(let frame): ZstdFrame.announcedSize(of: frame)
            }
        }

        /// Returns the decompressed bytes of the part.
        /// - Parameter limit: the maximum number of bytes of a decompressed zstd frame.
        package func decompressed(limit: Int) throws(ChatProtocolError) -> [UInt8] {
            switch self {
            case .passthrough(let bytes): bytes
            case .zstd(let frame): try ZstdFrame.decompress(frame, limit: limit)
            }
        }
    }

    /// Returns `body` unchanged if it has at most `limit` bytes, otherwise the compressed form.
    /// - Throws: `largeMessage` if the compressed form has more than `limit` bytes.
    package static func compressIfNeeded(_ body: [UInt8], limit: Int) throws(ChatProtocolError) -> [UInt8] {
        guard body.count > limit else { return body }
        guard let frame = ZstdFrame.compress(body), 5 + frame.count <= limit else {
            throw .largeMessage(length: body.count)
        }
        return [
            UInt8(ascii: "X"), 1, UInt8(ascii: "1"), UInt8(truncatingIfNeeded: frame.count >> 8),
            UInt8(truncatingIfNeeded: frame.count),
        ] + frame
    }

    /// Reads the parts of a compressed body. A body has at most 255 parts, since their number is in one byte. All parts
    /// together have at most 65,536 bytes after decompression, as in core 7.0.0.6.
    package static func parseParts(of body: [UInt8]) throws(ChatProtocolError) -> [Part] {
        var rest = body.dropFirst()
        guard let count = rest.popFirst(), count > 0 else { throw .invalidCompression(reason: "no parts") }
        var parts: [Part] = []
        for _ in 0..<count {
            switch rest.popFirst() {
            case UInt8(ascii: "0"): parts.append(.passthrough(try takeLengthPrefixedBytes(1, &rest)))
            case UInt8(ascii: "1"): parts.append(.zstd(try takeLengthPrefixedBytes(2, &rest)))
            default: throw .invalidCompression(reason: "a part has an unknown form")
            }
        }
        guard rest.isEmpty else { throw .invalidCompression(reason: "bytes after the last part") }
        // The sum of the sizes is checked before any part is decompressed, since many small parts can exceed the limit
        // together.
        var size = 0
        for part in parts {
            guard let announced = part.announcedSize else {
                throw .invalidCompression(reason: "not a zstd frame, or its size is unknown")
            }
            guard announced <= ChatMessageLimits.decompressedBodyBytes - size else {
                throw .invalidCompression(reason: "the message is too large when decompressed")
            }
            size += announced
        }
        return parts
    }

    private static func takeLengthPrefixedBytes(
        _ lengthBytes: Int,
        _ rest: inout ArraySlice<UInt8>
    ) throws(ChatProtocolError) -> [UInt8] {
        var length = 0
        for _ in 0..<lengthBytes {
            guard let byte = rest.popFirst() else { throw .invalidCompression(reason: "part cut short") }
            length = length << 8 | Int(byte)
        }
        guard rest.count >= length else { throw .invalidCompression(reason: "part cut short") }
        let bytes = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        return bytes
    }
}
