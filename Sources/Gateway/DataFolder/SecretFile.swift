internal import Files
internal import Glibc
internal import SimpleXCrypto

/// Small files with a secret.
enum SecretFile {
    /// Reads a secret from a file of less than 4,096 bytes, and removes white space at its end. Leaves no copies of the
    /// secret in memory.
    /// - Returns: nil when the file does not exist.
    static func read(_ path: String) throws(FileSystemError) -> SecretBytes? {
        var result = Result<Int?, FileSystemError>.success(nil)
        let content = SecretBytes(count: 4096) { buffer in
            result = Result { () throws(FileSystemError) in try DiskFiles.readFile(path, into: buffer) }
        }
        guard var count = try result.get() else { return nil }
        guard count < content.count else { throw FileSystemError(.read, path, code: EFBIG) }
        content.withBytes { while count > 0, [9, 10, 13, 32].contains($0[count - 1]) { count -= 1 } }
        return SecretBytes(count: count) { out in content.withBytes { _ = out.update(fromContentsOf: $0[..<count]) } }
    }
}
