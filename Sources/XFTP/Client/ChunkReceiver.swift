import NIOCore
import SMP
import SimpleXCrypto

/// Receives the answer to a download command (FGET) as it arrives: first the block, then the chunk. Decrypts the chunk,
/// and passes it on in parts.
///
/// The parts must not be used before ``verifyChunk()`` has succeeded.
final class ChunkReceiver: @unchecked Sendable {
    // Threads can share this object: the exchange calls this object from one thread at a time, and after the exchange
    // only its owner uses it.
    private let chunkSize: Int
    private let chunkDigest: [UInt8]
    private let hash: IncrementalDigest
    /// Parses the block of the answer, and returns the stream that decrypts the chunk.
    private let openBox: @Sendable (_ block: [UInt8]) throws(XFTPClientError) -> SecretBoxStream
    private let writePart: @Sendable (_ offset: Int, UnsafeRawBufferPointer) throws -> Void
    private var headBlock: [UInt8] = []
    private var decryptionStream: SecretBoxStream?
    private var receivedByteCount = 0
    private var tag: [UInt8] = []

    init(
        size: Int,
        digest: [UInt8],
        open: @escaping @Sendable (_ block: [UInt8]) throws(XFTPClientError) -> SecretBoxStream,
        write: @escaping @Sendable (_ offset: Int, UnsafeRawBufferPointer) throws -> Void
    ) throws(XFTPClientError) {
        self.chunkSize = size
        self.chunkDigest = digest
        self.openBox = open
        self.writePart = write
        do { hash = try IncrementalDigest(.sha256) } catch { throw .crypto(error) }
    }

    func receivePart(_ part: inout ByteBuffer) throws {
        if decryptionStream == nil {
            headBlock += part.readBytes(length: min(part.readableBytes, XFTPBlock.size - headBlock.count)) ?? []
            guard headBlock.count == XFTPBlock.size else { return }
            decryptionStream = try openBox(headBlock)
        }
        guard let decryptionStream else { return }
        let count = min(part.readableBytes, chunkSize - receivedByteCount)
        if count > 0, var body = part.readSlice(length: count) {
            try body.withUnsafeMutableReadableBytes { bytes in
                decryptionStream.decrypt(inPlace: bytes)
                try hash.update(UnsafeRawBufferPointer(bytes))
                try writePart(receivedByteCount, UnsafeRawBufferPointer(bytes))
            }
            receivedByteCount += count
        }
        tag += part.readBytes(length: part.readableBytes) ?? []
        guard tag.count <= ChunkEncryption.tagSize else { throw XFTPClientError.malformedAnswer(.size) }
    }

    /// Checks the size, the tag and the digest after the complete answer was received.
    func verifyChunk() throws(XFTPClientError) {
        // If no chunk has begun, the short answer may still be a valid answer, such as an error.
        guard let decryptionStream else {
            _ = try openBox(headBlock)
            throw .malformedAnswer(.block)
        }
        guard receivedByteCount > 0 else { throw .malformedAnswer(.noFile) }
        guard receivedByteCount == chunkSize, tag.count == ChunkEncryption.tagSize else {
            throw .malformedAnswer(.size)
        }
        guard decryptionStream.isTagValid(tag: tag) else { throw .malformedAnswer(.crypto) }
        let found: [UInt8]
        do { found = try hash.finalize() } catch { throw .crypto(error) }
        guard found == chunkDigest else { throw .malformedAnswer(.digest) }
    }
}
