import SMP
import SimpleXCrypto

/// The layout of an encrypted file over all its chunks: the length of header and contents (8 bytes), the header, the
/// contents, `#` as padding, and the tag of the box. The whole file is encrypted once.
package struct FileLayout: Hashable, Sendable {
    /// Number of bytes in addition to header, contents and padding: length and tag.
    package static let overheadBytes = 8 + SecretBox.tagSize

    /// The beginning of the plaintext: the length of header and contents (8 bytes), and the header.
    let prefixBytes: [UInt8]
    /// The size of the contents in bytes.
    package let contentsSize: Int64
    /// The sizes of the chunks in bytes, in order.
    package let chunkSizes: [Int]

    /// Total size of all chunks, in bytes.
    package var size: Int64 { chunkSizes.reduce(0) { $0 + Int64($1) } }

    init(lead: [UInt8], contentsSize: Int64, chunkSizes: [Int]) {
        self.prefixBytes = lead
        self.contentsSize = contentsSize
        self.chunkSizes = chunkSizes
    }

    /// Chooses the chunks for a file.
    /// - Parameter isSingle: whether the file must have exactly one chunk.
    /// - Returns: nil for contents that are too large.
    package init?(header: FileHeader, contentsSize: Int64, isSingle: Bool = false) {
        guard contentsSize >= 0, contentsSize <= ChunkSizes.maxEncryptedFileBytes, let header = try? header.smpEncoded()
        else {
            return nil
        }
        let payload = Int64(Self.overheadBytes + header.count) + contentsSize
        let chunks =
            isSingle ? ChunkSizes.singleChunkSize(for: payload).map { [$0] } : ChunkSizes.chunkSizes(for: payload)
        guard let chunks, payload <= ChunkSizes.maxEncryptedFileBytes else { return nil }
        prefixBytes = FilePadding.lengthPrefix(contentsSize: Int64(header.count) + contentsSize) + header
        self.contentsSize = contentsSize
        chunkSizes = chunks
    }
}
