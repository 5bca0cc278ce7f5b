internal import CZstd

/// Compression to zstd frames, and decompression of frames that declare their size.
package enum ZstdFrame {
    /// The first bytes of every zstd frame (RFC 8878, section 3.1.1). No JSON text begins with them.
    package static let magic: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]

    /// Compresses bytes to a zstd frame.
    /// - Parameter level: the compression level. simplexmq uses 3.
    /// - Returns: the frame; nil if the zstd library has no memory for it.
    package static func compress(_ bytes: [UInt8], level: Int32 = 3) -> [UInt8]? {
        var isWhole = false
        let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, initialized in
            let result = ZSTD_compress(buffer.baseAddress, buffer.count, bytes, bytes.count, level)
            isWhole = ZSTD_isError(result) == 0
            initialized = isWhole ? result : 0
        }
        return isWhole ? frame : nil
    }

    /// Returns the size that a zstd frame declares for its decompressed bytes; nil if the frame declares no size, or if
    /// the bytes are not a frame.
    static func announcedSize(of frame: [UInt8]) -> Int? {
        // The two largest values of the library mean an unknown size and an invalid frame. `Int` cannot represent these
        // values, so the result is nil.
        Int(exactly: ZSTD_getFrameContentSize(frame, frame.count))
    }

    /// Decompresses a zstd frame that declares a size of at most `limit` bytes. Only the declared size is allocated.
    /// - Throws: `invalidCompression` for any other frame.
    package static func decompress(_ frame: [UInt8], limit: Int) throws(ChatProtocolError) -> [UInt8] {
        guard let announced = announcedSize(of: frame), announced <= limit else {
            throw .invalidCompression(reason: "not a zstd frame, or its size is unknown or above the limit")
        }
        var length = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: announced) { buffer, initialized in
            let result = ZSTD_decompress(buffer.baseAddress, buffer.count, frame, frame.count)
            length = ZSTD_isError(result) == 0 ? result : -1
            initialized = max(0, length)
        }
        guard length == bytes.count else { throw .invalidCompression(reason: "damaged zstd frame") }
        return bytes
    }
}
