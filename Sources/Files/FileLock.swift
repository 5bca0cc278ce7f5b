import Glibc

/// An exclusive lock on a file (`flock(2)`). The lock is released when this value is destroyed, or when the process
/// ends.
package struct FileLock: ~Copyable, Sendable {
    private let file: OpenFile

    /// Waits until the lock is free, and acquires it.
    package static func acquire(_ path: String) throws(FileSystemError) -> FileLock {
        let file = try OpenFile(path, O_RDWR | O_CREAT)
        try file.applyLock(LOCK_EX)
        return FileLock(file: file)
    }

    /// Acquires the lock; returns nil when another holder, in this process or another one, has the lock.
    package static func tryAcquire(_ path: String) throws(FileSystemError) -> FileLock? {
        let file = try OpenFile(path, O_RDWR | O_CREAT)
        // If the former holder has removed or replaced the file, the lock would be on a file that is no longer at the
        // path.
        guard try file.tryLock(), file.isAt(path) else { return nil }
        return FileLock(file: file)
    }
}

extension OpenFile {
    /// Locks the file until it is closed.
    /// - Returns: false when another holder, in this process or another one, has the lock.
    package borrowing func tryLock() throws(FileSystemError) -> Bool {
        do throws(FileSystemError) { try applyLock(LOCK_EX | LOCK_NB) } catch {
            if error.errnoCode == EWOULDBLOCK { return false }
            throw error
        }
        return true
    }

    fileprivate borrowing func applyLock(_ operation: Int32) throws(FileSystemError) {
        while flock(descriptor, operation) != 0 {
            if errno != EINTR { throw FileSystemError(.lock, path) }
        }
    }
}
