package import Files
internal import Glibc

/// The contents of a relay's log at one moment. Later records and compactions do not change these contents.
package final class LogSnapshot: Sendable {
    private let file: OpenFile
    /// Size of the contents in bytes.
    package let size: Int64

    fileprivate init(path: String, size: Int64) throws(FileSystemError) {
        file = try OpenFile(path, O_RDONLY)
        self.size = size
    }

    /// Writes the contents to a new file.
    package func writeFile(to path: String) throws(FileSystemError) {
        let target = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL)
        var offset: off_t = 0
        while offset < off_t(size) {
            let count = sendfile(
                target.descriptor,
                file.descriptor,
                &offset,
                Int(min(Int64(1 << 20), size - Int64(offset)))
            )
            guard count > 0 || errno == EINTR else {
                throw FileSystemError(.write, path, code: count == 0 ? ENODATA : errno)
            }
        }
    }
}

extension LogWriter {
    /// Returns a snapshot of the log, with all records that were appended before the call.
    package func takeSnapshot() async throws(RelayStoreError) -> LogSnapshot {
        try await runBetweenWrites { (file: inout LogFile) throws(RelayStoreError) in
            do throws(FileSystemError) { return try LogSnapshot(path: file.path, size: file.completeBytes) } catch {
                throw RelayStoreError(error)
            }
        }
    }
}
