import Files
import Glibc
import SimpleXCrypto

/// An encrypted file in the work folder. Several tasks can read and write at any positions at the same time. All
/// functions block.
final class WorkFile: Sendable {
    /// Number of bytes that are processed in one step. It is small enough for the caches of the processor.
    static let partSize = 1 << 18

    private let file: OpenFile

    /// Opens the file, and creates it if it is missing.
    init(_ path: String, empty: Bool = false) throws(FileSystemError) {
        file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | (empty ? O_TRUNC : 0))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) {
        try file.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
        try file.write(bytes, at: offset)
    }

    func syncToDisk() throws(FileSystemError) { try file.sync() }

    /// Returns the SHA-256 of a chunk; nil when the file ends before the end of the chunk.
    func computeDigest(at offset: Int64, size: Int) throws -> [UInt8]? {
        let hash = try IncrementalDigest(.sha256)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(size, Self.partSize), alignment: 16)
        defer { buffer.deallocate() }
        var done = 0
        while done < size {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(size - done))
            do throws(FileSystemError) { try read(into: part, at: offset + Int64(done)) } catch {
                if error.errnoCode == ENODATA { return nil }
                throw error
            }
            try hash.update(UnsafeRawBufferPointer(part))
            done += part.count
        }
        return try hash.finalize()
    }
}
