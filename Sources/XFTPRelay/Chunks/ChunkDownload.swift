import Files
import Glibc
import NIOCore
import SimpleXCrypto
import XFTP

/// Reads the contents of a file while a recipient downloads the file, and encrypts the contents for the recipient. The
/// file is closed between parts, so a slow client uses no descriptor. If the file is deleted during the download, the
/// download is aborted.
final class ChunkDownload: @unchecked Sendable {
    // The class is `@unchecked Sendable`: the request makes one call at a time, on threads of the pool.
    private let path: String
    private let fileSize: Int
    private let chunkCipher: SecretBoxStream
    private var offset = 0
    /// Whether the last part of the file was read.
    private(set) var isAtEnd = false

    /// Number of bytes that are read in one step.
    static let partBytes = 128 << 10

    init(_ path: String, size: UInt32, secret: X25519.SharedSecret, nonce: BoxNonce) {
        self.path = path
        self.fileSize = Int(size)
        chunkCipher = SecretBoxStream(secret: secret, nonce: nonce)
    }

    /// Reads and encrypts the next part. The authentication tag follows the last part. Throws AUTH when the contents
    /// are missing.
    func readNextPart() throws(XFTPServerError) -> ByteBuffer {
        let part: [UInt8]
        do throws(FileSystemError) {
            part = try OpenFile(path, O_RDONLY | O_NOFOLLOW).read(
                at: offset,
                count: min(Self.partBytes, fileSize - offset)
            )
        } catch {
            throw error.errnoCode == ENOENT ? .auth : .fileIO
        }
        guard !part.isEmpty else { throw .fileIO }
        offset += part.count
        isAtEnd = offset == fileSize
        var buffer = ByteBuffer(bytes: chunkCipher.encrypt(part))
        if isAtEnd { buffer.writeBytes(chunkCipher.computeTag()) }
        return buffer
    }
}

extension OpenFile {
    /// Reads `count` bytes from `offset`. Returns fewer bytes only at the end of the file.
    fileprivate borrowing func read(at offset: Int, count: Int) throws(FileSystemError) -> [UInt8] {
        guard lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset) else {
            throw FileSystemError(.read, "", code: errno)
        }
        return try read(upTo: count)
    }
}
