internal import Files
internal import Glibc
internal import SimpleXCrypto

/// A file that can be read in parts.
package protocol FileContents: Sendable {
    var name: String { get }
    /// Size in bytes.
    var size: Int64 { get }
    /// A text that changes when the contents change.
    var version: String { get }
    /// Returns up to `count` bytes, or fewer at the end of the file. Blocks the thread.
    func read(at offset: Int64, count: Int) throws -> [UInt8]
}

/// Properties of a file that change with each write, so they identify a version of the contents.
struct FileVersionState {
    let size: Int64
    let versionText: String

    /// Reads the properties of an open file.
    /// - Throws: `ENOENT` if the path is not a regular file.
    init(_ file: borrowing OpenFile, _ path: String) throws(FileSystemError) {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw FileSystemError(.open, path, code: ENOENT)
        }
        size = Int64(status.st_size)
        let facts =
            "\(status.st_dev) \(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
        versionText = Hex.encode(Digest.sha256(Array(facts.utf8)).prefix(12))
    }
}
