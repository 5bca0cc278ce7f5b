internal import Files
internal import Glibc
internal import SimpleXCrypto

/// Small files that hold a secret.
enum SecretFile {
    /// The contents of a file of less than 4,096 bytes, without white space at the end, and without copies left in
    /// memory.
    /// - Returns: nil when there is no such file.
    static func read(_ path: String) throws(FileSystemError) -> SecretBytes? {
        var result = Result<Int?, FileSystemError>.success(nil)
        let content = SecretBytes(count: 4096) { buffer in
            result = Result { () throws(FileSystemError) in try DiskFiles.read(path, into: buffer) }
        }
        guard var count = try result.get() else { return nil }
        guard count < content.count else { throw FileSystemError(.read, path, code: EFBIG) }
        content.withBytes { while count > 0, [9, 10, 13, 32].contains($0[count - 1]) { count -= 1 } }
        return SecretBytes(count: count) { out in content.withBytes { _ = out.update(fromContentsOf: $0[..<count]) } }
    }
}
