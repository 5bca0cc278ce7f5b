import Glibc

/// Operations on files other than databases. All functions block: call them on a database's thread or in a thread pool.
///
/// - Properties of files: ``exists(_:)``, ``isFile(_:)``, ``checkReadable(_:)``, ``checkWritable(_:)``,
///   ``fileSize(_:)``, ``hasBytes(_:)``, ``readFreeBytes(at:)``.
/// - Reading: ``readFile(_:limit:)``, ``readFile(_:into:)``.
/// - Writing of files that exist completely or not at all: `DiskFiles+Writing.swift`.
/// - Folders and paths: `DiskFiles+Folders.swift`, `FilePaths.swift`.
package enum DiskFiles {
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    package static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

    /// Checks that this process may read a file.
    /// - Throws: when this process may not read the file, or there is none.
    package static func checkReadable(_ path: String) throws(FileSystemError) {
        guard isReadable(path) else { throw FileSystemError(.open, path) }
    }

    /// Checks that this process may read and write a file.
    /// - Throws: when this process may not read and write the file, or there is none.
    package static func checkWritable(_ path: String) throws(FileSystemError) {
        guard access(path, R_OK | W_OK) == 0 else { throw FileSystemError(.open, path) }
    }

    /// Returns whether a file, folder or symbolic link is at the path.
    /// - Throws: when this cannot be determined.
    package static func hasEntry(_ path: String) throws(FileSystemError) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return true }
        guard errno == ENOENT else { throw FileSystemError(.open, path) }
        return false
    }

    /// Returns whether a regular file is at the path. Returns false for a symbolic link.
    package static func isFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns whether a folder, or a symbolic link to a folder, is at the path.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns whether a pipe, or a symbolic link to a pipe, is at the path. A shell can pass the path of a pipe.
    package static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Returns whether another file system is mounted at a folder.
    package static func isMountPoint(_ folder: String) -> Bool {
        var (own, above) = (stat(), stat())
        return stat(folder, &own) == 0 && stat(folder + "/..", &above) == 0 && own.st_dev != above.st_dev
    }

    /// Returns whether a symbolic link is at the path.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Returns the size of a file in bytes; nil when there is no file at the path.
    package static func fileSize(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Returns the number of names (hard links) of a file; 0 for a missing file.
    package static func linkCount(of path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_nlink) : 0
    }

    /// Returns whether the file exists and is not empty.
    package static func hasBytes(_ path: String) -> Bool { fileSize(path) ?? 0 > 0 }

    /// Returns the number of bytes that can be written in the file system of `path`; 0 if it cannot be determined.
    package static func readFreeBytes(at path: String) -> UInt64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return 0 }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : bytes
    }

    // MARK: Reading

    /// Returns the contents of a small file; nil when it is missing.
    /// - Throws: `EFBIG` for a file of more than `limit` bytes.
    package static func readFile(_ path: String, limit: Int = 1 << 20) throws(FileSystemError) -> [UInt8]? {
        guard let file = try openForReading(path) else { return nil }
        var content: [UInt8] = []
        while true {
            let part = try file.read(upTo: 1 << 16)
            if part.isEmpty { return content }
            content += part
            guard content.count <= limit else { throw FileSystemError(.read, path, code: EFBIG) }
        }
    }

    /// Reads a file into the caller's memory, and leaves no other copy of the contents in memory.
    /// - Returns: the size of the file in bytes; nil when there is no file.
    /// - Throws: `EFBIG` when the file is larger than the buffer.
    package static func readFile(
        _ path: String,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) throws(FileSystemError) -> Int? {
        guard let file = try openForReading(path) else { return nil }
        var count = 0
        while count < buffer.count {
            let read = try file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
            )
            if read == 0 { return count }
            count += read
        }
        guard try file.readSize() <= Int64(count) else { throw FileSystemError(.read, path, code: EFBIG) }
        return count
    }

    /// Returns the first `count` bytes of a file; nil when it has fewer bytes or cannot be read.
    package static func readPrefix(of path: String, count: Int) -> [UInt8]? {
        guard let content = try? OpenFile.openForReading(path).read(upTo: count), content.count == count else {
            return nil
        }
        return content
    }

    /// Opens a file; returns nil when there is no such file.
    private static func openForReading(_ path: String) throws(FileSystemError) -> OpenFile? {
        do throws(FileSystemError) { return try OpenFile.openForReading(path) } catch {
            if error.errnoCode == ENOENT { return nil }
            throw error
        }
    }
}
