internal import CZstd
import Synchronization

/// A zstd dictionary for short texts that are mostly equal to a known text. A frame that was compressed with a
/// dictionary can be decompressed only with this dictionary, but does not name it.
package final class ZstdDictionary: Sendable {
    /// A context of the zstd library, and the dictionary that this library has prepared. A lock guards them, because
    /// two threads must not use a context at the same time.
    private struct NativeContext: @unchecked Sendable {
        let context: OpaquePointer
        let dictionary: OpaquePointer
    }

    private let compressor: Mutex<NativeContext?>
    private let decompressor: Mutex<NativeContext?>

    /// Makes a dictionary from a known text.
    /// - Parameter level: the compression level of zstd.
    package init(_ text: [UInt8], level: Int32) {
        compressor = Mutex(Self.makeNativeContext(ZSTD_createCCtx(), ZSTD_createCDict(text, text.count, level)))
        decompressor = Mutex(Self.makeNativeContext(ZSTD_createDCtx(), ZSTD_createDDict(text, text.count)))
    }

    deinit {
        compressor.withLock { parts in
            ZSTD_freeCCtx(parts?.context)
            ZSTD_freeCDict(parts?.dictionary)
        }
        decompressor.withLock { parts in
            ZSTD_freeDCtx(parts?.context)
            ZSTD_freeDDict(parts?.dictionary)
        }
    }

    private static func makeNativeContext(_ context: OpaquePointer?, _ dictionary: OpaquePointer?) -> NativeContext? {
        guard let context, let dictionary else { return nil }
        return NativeContext(context: context, dictionary: dictionary)
    }

    /// Compresses bytes to a zstd frame.
    /// - Returns: the frame; nil if the zstd library has no memory for it.
    package func compress(_ bytes: [UInt8]) -> [UInt8]? {
        compressor.withLock { parts in
            guard let parts else { return nil }
            var isWhole = false
            let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, initialized in
                let result = ZSTD_compress_usingCDict(
                    parts.context,
                    buffer.baseAddress,
                    buffer.count,
                    bytes,
                    bytes.count,
                    parts.dictionary
                )
                isWhole = ZSTD_isError(result) == 0
                initialized = isWhole ? result : 0
            }
            return isWhole ? frame : nil
        }
    }

    /// Decompresses a zstd frame that declares a size of at most `limit` bytes. Only the declared size is allocated.
    /// - Throws: `invalidCompression` for any other frame.
    package func decompress(_ frame: [UInt8], limit: Int) throws(ChatProtocolError) -> [UInt8] {
        guard let announced = ZstdFrame.announcedSize(of: frame), announced <= limit else {
            throw .invalidCompression(reason: "not a zstd frame, or its size is unknown or above the limit")
        }
        let bytes: [UInt8] = decompressor.withLock { parts in
            guard let parts else { return [] }
            return [UInt8](unsafeUninitializedCapacity: announced) { buffer, initialized in
                let result = ZSTD_decompress_usingDDict(
                    parts.context,
                    buffer.baseAddress,
                    buffer.count,
                    frame,
                    frame.count,
                    parts.dictionary
                )
                initialized = ZSTD_isError(result) == 0 ? result : 0
            }
        }
        guard bytes.count == announced else { throw .invalidCompression(reason: "damaged zstd frame") }
        return bytes
    }
}
