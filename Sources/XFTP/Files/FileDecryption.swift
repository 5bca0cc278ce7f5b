import SMP
package import SimpleXCrypto

/// Decrypts a file in parts of any size, in order, in the caller's memory. The decrypted parts are not authenticated
/// before ``verifyTag()``.
package final class FileDecryption {
    package enum Failure: Error, Hashable, Sendable {
        /// The length at the beginning of the file, or its header, is invalid.
        case invalidHeader
        /// The tag is wrong: the key belongs to another file, or the file was changed.
        case invalidTag
        /// The file has more or fewer bytes than the given size.
        case invalidSize
    }

    private let decryptionStream: SecretBoxStream
    /// Number of bytes of the file before its tag.
    private let plainSize: Int64
    private var position: Int64 = 0
    /// The decrypted bytes at the beginning of the file, until the header is complete.
    private var headerBytes: [UInt8] = []
    private var header: FileHeader?
    /// Number of bytes of the contents that are not decrypted yet.
    private var remainingBytes: Int64 = 0
    private var tag: [UInt8] = []

    /// Prepares the decryption of a file.
    /// - Parameter size: the size of the encrypted file, in bytes.
    package init(size: Int64, key: SymmetricKey, nonce: BoxNonce) {
        decryptionStream = SecretBoxStream(key: key, nonce: nonce)
        plainSize = size - Int64(SecretBox.tagSize)
    }

    /// Decrypts the next bytes of the encrypted file in place.
    /// - Parameter contents: gets the next bytes of the contents, and may change them.
    package func decryptNext(
        _ buffer: UnsafeMutableRawBufferPointer,
        contents: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        let plain = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: max(0, plainSize - position))))
        tag += buffer[plain.count...]
        guard tag.count <= SecretBox.tagSize else { throw Failure.invalidSize }
        guard !plain.isEmpty else { return }
        decryptionStream.decrypt(inPlace: plain)
        position += Int64(plain.count)
        guard header == nil else { return try passContents(plain, contents) }
        headerBytes += plain
        guard Int64(headerBytes.count) >= min(plainSize, Int64(8 + FileHeader.maxBytes)) else { return }
        var rest = try readHeader()
        defer { headerBytes = [] }
        try rest.withUnsafeMutableBytes { try passContents($0, contents) }
    }

    private func passContents(
        _ plain: UnsafeMutableRawBufferPointer,
        _ contents: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        let part = UnsafeMutableRawBufferPointer(rebasing: plain.prefix(Int(clamping: remainingBytes)))
        remainingBytes -= Int64(part.count)
        if !part.isEmpty { try contents(part) }
    }

    /// Reads the length and the header at the beginning of the file. Returns the bytes after the header.
    private func readHeader() throws(Failure) -> [UInt8] {
        var reader = ByteReader(headerBytes)
        guard let length = try? reader.readInt64(), length >= 0, length <= plainSize - 8,
            let window = try? reader.readSlice(
                count: min(reader.remainingCount, FileHeader.maxBytes, Int(clamping: length))
            )
        else { throw .invalidHeader }
        var headerReader = ByteReader(window)
        guard let header = try? FileHeader(from: &headerReader) else { throw .invalidHeader }
        self.header = header
        remainingBytes = length - Int64(headerReader.offset)
        return Array(headerBytes.dropFirst(8 + headerReader.offset))
    }

    /// Verifies the tag after all bytes have been decrypted. Returns the header.
    package func verifyTag() throws(Failure) -> FileHeader {
        guard position == plainSize, tag.count == SecretBox.tagSize else { throw .invalidSize }
        guard decryptionStream.isTagValid(tag: tag) else { throw .invalidTag }
        guard let header, remainingBytes == 0 else { throw .invalidHeader }
        return header
    }
}
