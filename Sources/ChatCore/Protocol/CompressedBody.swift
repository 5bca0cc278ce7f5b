internal import CZstd

/// The compressed form of a message body: `X`, the number of parts, and each part as it is (`0`, one length byte) or as a zstd frame
/// (`1`, two length bytes).
enum CompressedBody {
    enum Part: Sendable, Hashable {
        case passthrough([UInt8])
        case zstd([UInt8])

        /// The bytes of the part, at most `limit` of them.
        func decompressed(limit: Int) throws(ChatProtocolError) -> [UInt8] {
            switch self {
            case .passthrough(let bytes): bytes
            case .zstd(let frame): try CompressedBody.decompress(frame, limit: limit)
            }
        }
    }

    /// `body` in the compressed form when it is longer than `limit`, and as it is otherwise.
    /// - Throws: `largeMessage` when the compressed form is still longer.
    static func fitting(_ body: [UInt8], limit: Int) throws(ChatProtocolError) -> [UInt8] {
        guard body.count > limit else { return body }
        let bound = ZSTD_compressBound(body.count)
        var length = 0
        let frame = [UInt8](unsafeUninitializedCapacity: bound) { buffer, initialized in
            let result = ZSTD_compress(buffer.baseAddress, buffer.count, body, body.count, level)
            length = ZSTD_isError(result) == 0 ? result : -1
            initialized = max(0, length)
        }
        guard length >= 0, 5 + frame.count <= limit else { throw .largeMessage(length: body.count) }
        return [UInt8(ascii: "X"), 1, UInt8(ascii: "1"), UInt8(truncatingIfNeeded: frame.count >> 8), UInt8(truncatingIfNeeded: frame.count)] + frame
    }

    /// What the original uses.
    private static let level: Int32 = 3

    static func parts(of body: [UInt8]) throws(ChatProtocolError) -> [Part] {
        var rest = body.dropFirst()
        guard let count = rest.popFirst(), count > 0 else { throw .invalidCompression(reason: "no parts") }
        var parts: [Part] = []
        for _ in 0..<count {
            switch rest.popFirst() {
            case UInt8(ascii: "0"): parts.append(.passthrough(try take(1, &rest)))
            case UInt8(ascii: "1"): parts.append(.zstd(try take(2, &rest)))
            default: throw .invalidCompression(reason: "unknown form of a part")
            }
        }
        guard rest.isEmpty else { throw .invalidCompression(reason: "bytes after the last part") }
        return parts
    }

    private static func take(_ lengthBytes: Int, _ rest: inout ArraySlice<UInt8>) throws(ChatProtocolError) -> [UInt8] {
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

    /// The frame must say its size, and say no more than `limit`: memory is given only for what was announced.
    static func decompress(_ frame: [UInt8], limit: Int) throws(ChatProtocolError) -> [UInt8] {
        let announced = ZSTD_getFrameContentSize(frame, frame.count)
        guard announced <= UInt64(limit) else { throw .invalidCompression(reason: "no frame, or one of unknown or excessive size") }
        var length = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(announced)) { buffer, initialized in
            let result = ZSTD_decompress(buffer.baseAddress, buffer.count, frame, frame.count)
            length = ZSTD_isError(result) == 0 ? result : -1
            initialized = max(0, length)
        }
        guard length == bytes.count else { throw .invalidCompression(reason: "broken frame") }
        return bytes
    }
}
