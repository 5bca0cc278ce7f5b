package import SimpleXCrypto

/// Makes the encrypted form of a file in parts of any size, in order, in the caller's memory. The same key and nonce
/// result in the same bytes.
package final class FileEncryption {
    private let layout: FileLayout
    private let size: Int64
    private let encryptionStream: SecretBoxStream
    private var position: Int64 = 0

    package init(_ layout: FileLayout, key: SymmetricKey, nonce: BoxNonce) {
        self.layout = layout
        size = layout.size
        encryptionStream = SecretBoxStream(key: key, nonce: nonce)
    }

    /// Fills `buffer` with the next bytes of the encrypted file. `buffer` must not be longer than the bytes that are
    /// left.
    /// - Parameter contents: fills its whole buffer with the next bytes of the contents.
    package func encryptNext(
        _ buffer: UnsafeMutableRawBufferPointer,
        contents: (UnsafeMutableRawBufferPointer) throws -> Void
    ) rethrows {
        let plainSize = size - Int64(SecretBox.tagSize)
        let plain = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: max(0, plainSize - position))))
        var filled = 0
        func takePart(upTo end: Int64) -> UnsafeMutableRawBufferPointer {
            let count = max(0, min(plain.count - filled, Int(clamping: end - position - Int64(filled))))
            defer { filled += count }
            return UnsafeMutableRawBufferPointer(rebasing: plain[filled..<filled + count])
        }
        let lead = layout.prefixBytes.dropFirst(Int(clamping: position))
        takePart(upTo: Int64(layout.prefixBytes.count)).copyBytes(from: lead.prefix(plain.count))
        let read = takePart(upTo: Int64(layout.prefixBytes.count) + layout.contentsSize)
        if !read.isEmpty { try contents(read) }
        takePart(upTo: plainSize).initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "#"))
        encryptionStream.encrypt(inPlace: plain)
        position += Int64(plain.count)
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[plain.count...])
        guard !rest.isEmpty else { return }
        let tag = encryptionStream.computeTag().dropFirst(Int(clamping: position - plainSize)).prefix(rest.count)
        rest.copyBytes(from: tag)
        position += Int64(tag.count)
    }
}
