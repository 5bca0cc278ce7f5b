import Files
import Synchronization

/// The lock of a relay's folder. It prevents a second relay, in this or another process, from using the folder. The
/// lock ends with the process.
package final class DirectoryLock: Sendable {
    private let lock: Mutex<FileLock?>

    package init(_ directory: String) throws(RelayStoreError) {
        let taken: FileLock?
        do throws(FileSystemError) {
            try DiskFiles.makeFolder(directory)
            taken = try FileLock.tryAcquire(directory + "/lock")
        } catch {
            throw RelayStoreError(error)
        }
        guard let taken else { throw .inUse(path: directory) }
        lock = Mutex(taken)
    }

    package func releaseLock() { lock.withLock { $0 = nil } }
}
