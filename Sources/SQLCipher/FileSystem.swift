import CSQLCipher
import Glibc

/// A file, whatever its name is.
enum FileIdentity: Equatable, Sendable {
    case file(device: UInt64, number: UInt64)
    case missing
}

/// What is done to database files besides what SQLite does.
enum FileSystem {
    /// Creates an empty file that only its owner may read; false when there is one already.
    static func create(_ path: String) throws(DatabaseError) -> Bool {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            Glibc.close(descriptor)
            return true
        }
        if errno == EEXIST { return false }
        throw failure(SQLITE_CANTOPEN)
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Which file is at the path; nil when that cannot be told.
    static func identity(_ path: String) -> FileIdentity? {
        var status = stat()
        if stat(path, &status) == 0 { return .file(device: UInt64(status.st_dev), number: UInt64(status.st_ino)) }
        return errno == ENOENT || errno == ENOTDIR ? .missing : nil
    }

    /// In bytes; nil when there is no such file.
    static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Removes a database that is not open, with its journals.
    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    /// Puts `new`, entirely on the disk, in the place of `path` at one instant. When it throws, nothing is replaced.
    static func replace(_ path: String, with new: String) throws(DatabaseError) {
        try sync(new)
        guard rename(new, path) == 0 else { throw failure(SQLITE_IOERR) }
        // Too late to fail: should this not reach the disk, a power failure brings the old file back, whole.
        try? sync(folder(of: path))
    }

    private static func sync(_ path: String) throws(DatabaseError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(SQLITE_CANTOPEN) }
        defer { Glibc.close(descriptor) }
        // SQLITE_IOERR_FSYNC of sqlite3.h.
        guard fsync(descriptor) == 0 else { throw failure(SQLITE_IOERR | (4 << 8)) }
    }

    /// What the system's last refusal is.
    private static func failure(_ code: Int32) -> DatabaseError {
        isFull(errno) ? .full : .inputOutput(code: code)
    }

    /// Whether that is the reason: there is no room on the disk, or none for this user.
    static func isFull(_ reason: Int32) -> Bool { reason == ENOSPC || reason == EDQUOT }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
