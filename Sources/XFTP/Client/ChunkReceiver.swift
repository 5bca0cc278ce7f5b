import NIOCore
import SMP
import SimpleXCrypto

/// Receives the answer to FGET as it arrives: first the block, then the chunk. Decrypts the chunk, and passes it on in
/// parts.
///
/// The parts must not be used before ``finish()`` has succeeded.
final class ChunkReceiver: @unchecked Sendable {
    // Threads can share this object: the exchange calls this object from one thread at a time, and after the exchange
    // only its owner uses it.
    private let size: Int
    private let digest: [UInt8]
    private let hash: IncrementalDigest
    /// Opens the box of the chunk. `block` is the block of the answer.
    private let open: @Sendable (_ block: [UInt8]) throws(XFTPClientError) -> SecretBoxStream
    private let write: @Sendable (_ offset: Int, UnsafeRawBufferPointer) throws -> Void
    private var block: [UInt8] = []
    private var box: SecretBoxStream?
    private var receivedCount = 0
    private var tag: [UInt8] = []

    init(
        size: Int,
        digest: [UInt8],
        open: @escaping @Sendable (_ block: [UInt8]) throws(XFTPClientError) -> SecretBoxStream,
        write: @escaping @Sendable (_ offset: Int, UnsafeRawBufferPointer) throws -> Void
    ) throws(XFTPClientError) {
        self.size = size
        self.digest = digest
        self.open = open
        self.write = write
        do { hash = try IncrementalDigest(.sha256) } catch { throw .crypto(error) }
    }

    func receive(_ part: inout ByteBuffer) throws {
        if box == nil {
            block += part.readBytes(length: min(part.readableBytes, XFTPBlock.size - block.count)) ?? []
            guard block.count == XFTPBlock.size else { return }
            box = try open(block)
        }
        guard let box else { return }
        let count = min(part.readableBytes, size - receivedCount)
        if count > 0, var body = part.readSlice(length: count) {
            try body.withUnsafeMutableReadableBytes { bytes in
                box.decrypt(inPlace: bytes)
                try hash.update(UnsafeRawBufferPointer(bytes))
                try write(receivedCount, UnsafeRawBufferPointer(bytes))
            }
            receivedCount += count
        }
        tag += part.readBytes(length: part.readableBytes) ?? []
        guard tag.count <= ChunkEncryption.tagSize else { throw XFTPClientError.response(.size) }
    }

    /// Checks the size, the tag and the digest after the complete answer was received.
    func finish() throws(XFTPClientError) {
        // If no chunk has begun, the short answer may still be a valid answer, such as an error.
        guard let box else {
            _ = try open(block)
            throw .response(.block)
        }
        guard receivedCount > 0 else { throw .response(.noFile) }
        guard receivedCount == size, tag.count == ChunkEncryption.tagSize else { throw .response(.size) }
        guard box.verify(tag: tag) else { throw .response(.crypto) }
        let found: [UInt8]
        do { found = try hash.finalize() } catch { throw .crypto(error) }
        guard found == digest else { throw .response(.digest) }
    }
}
