internal import SimpleXCrypto

#if canImport(Glibc)
internal import Glibc
#endif

public struct FileError: Error, Sendable, CustomStringConvertible {
    public let path: String
    public let reason: String
    /// Whether there is no room on the disk.
    let isFull: Bool

    init(path: String, code: Int32) {
        self.path = path
        isFull = code == ENOSPC || code == EDQUOT
        self.reason = String(cString: strerror(code))
    }

    public var description: String { "\(path): \(reason)" }
}

/// Small files that only their owner may read.
public enum SecureFile {
    /// - Returns: the content, `nil` when there is no such file.
    public static func read(_ path: String, limit: Int = 1 << 20) throws(FileError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(path: path, code: errno)
        }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw FileError(path: path, code: errno) }
            if count == 0 { return content }
            content.append(contentsOf: chunk[..<count])
            guard content.count <= limit else { throw FileError(path: path, code: EFBIG) }
        }
    }

    /// What is in a small file, without white space at its end, and without leaving copies of it in memory.
    static func readSecret(_ path: String) throws(FileError) -> SecretBytes? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(path: path, code: errno)
        }
        defer { close(descriptor) }
        var count = 0
        let content = SecretBytes(count: 4096) { out in count = Glibc.read(descriptor, out.baseAddress, out.count) }
        guard count >= 0 else { throw FileError(path: path, code: errno) }
        guard count < content.count else { throw FileError(path: path, code: EFBIG) }
        content.withBytes { while count > 0, [9, 10, 13, 32].contains($0[count - 1]) { count -= 1 } }
        return SecretBytes(count: count) { out in content.withBytes { _ = out.update(fromContentsOf: $0[..<count]) } }
    }

    /// Writes a file beside `path` with mode 0600, synchronizes it, and puts it in place of `path` in one step.
    public static func replace(_ path: String, with content: [UInt8]) throws(FileError) {
        let temporary = "\(path).new"
        unlink(temporary)
        try create(temporary, content)
        guard rename(temporary, path) == 0 else {
            let error = FileError(path: path, code: errno)
            unlink(temporary)
            throw error
        }
        synchronizeFolder(of: path)
    }

    /// Writes a new file with mode 0600; an existing one is an error. What cannot be written in full is not left there.
    public static func create(_ path: String, _ content: [UInt8]) throws(FileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
        defer { close(descriptor) }
        do throws(FileError) { try write(content, to: descriptor, path) } catch {
            unlink(path)
            throw error
        }
    }

    private static func write(_ content: [UInt8], to descriptor: Int32, _ path: String) throws(FileError) {
        var written = 0
        while written < content.count {
            let count = content.withUnsafeBytes { bytes -> Int in
                guard let base = bytes.baseAddress else { return 0 }
                return Glibc.write(descriptor, base + written, bytes.count - written)
            }
            guard count > 0 else { throw FileError(path: path, code: errno) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw FileError(path: path, code: errno) }
    }

    /// Waits until the names in the folder of a file are on the disk.
    public static func synchronizeFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
