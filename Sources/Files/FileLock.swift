import Glibc

/// An exclusive lock on a file (`flock(2)`), held until the end of this value's life, and at most until the end of the process.
public struct FileLock: ~Copyable, Sendable {
    private let file: OpenFile

    /// Waits until the lock is free, and takes it.
    public static func wait(_ path: String) throws(FileSystemError) -> FileLock {
        let file = try OpenFile(path, O_RDWR | O_CREAT)
        try file.lock(LOCK_EX)
        return FileLock(file: file)
    }

    /// Nil when somebody else, in this process or another one, has the lock.
    public static func take(_ path: String) throws(FileSystemError) -> FileLock? {
        let file = try OpenFile(path, O_RDWR | O_CREAT)
        do throws(FileSystemError) { try file.lock(LOCK_EX | LOCK_NB) } catch {
            if error.code == EWOULDBLOCK { return nil }
            throw error
        }
        return FileLock(file: file)
    }
}

extension OpenFile {
    fileprivate borrowing func lock(_ operation: Int32) throws(FileSystemError) {
        while flock(descriptor, operation) != 0 {
            if errno != EINTR { throw FileSystemError(.lock, path) }
        }
    }
}
