import Glibc
import Synchronization

/// Keeps a second relay out of the folder, also one of another process. Ends with the process in any case.
final class DirectoryLock: Sendable {
    private let descriptor: Mutex<Int32>

    init(_ directory: String) throws(StoreError) {
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw .inputOutput(path: directory, code: errno) }
        let path = directory + "/lock"
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw .inputOutput(path: path, code: errno) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            throw .inUse(path: directory)
        }
        descriptor = Mutex(opened)
    }

    deinit { release() }

    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}
