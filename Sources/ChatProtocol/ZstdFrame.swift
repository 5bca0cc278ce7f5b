internal import CZstd

/// Compression to zstd frames, and decompression of frames that declare their size.
package enum ZstdFrame {
    /// The first bytes of every frame (RFC 8878, section 3.1.1). No JSON text begins with them.
    package static let magic: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]

    /// - Parameter level: the compression level. The original uses 3.
    /// - Returns: nil when the library has no memory for the frame.
    package static func compress(_ bytes: [UInt8], level: Int32 = 3) -> [UInt8]? {
        var isWhole = false
        let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, initialized in
            let result = ZSTD_compress(buffer.baseAddress, buffer.count, bytes, bytes.count, level)
            isWhole = ZSTD_isError(result) == 0
            initialized = isWhole ? result : 0
        }
        return isWhole ? frame : nil
    }

    /// The decompressed size that the frame declares; nil if it declares none, or is not a frame.
    static func announcedSize(of frame: [UInt8]) -> Int? {
        // The two largest values mean an unknown size and an invalid frame.
        Int(exactly: ZSTD_getFrameContentSize(frame, frame.count))
    }

    /// Decompresses a frame that declares its size, at most `limit` bytes. Only the declared size is allocated.
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
