internal import Files
internal import Glibc

/// The file of an encrypted backup. It gets its name when it is complete, and it is locked until then. So when two
/// gateways write to the same target, the second is refused. Everything here blocks.
final class UnfinishedFile: Sendable {
    private let target: String
    private let unfinished: String
    private let file: OpenFile

    /// Creates the file. The remains of a killed gateway are removed first; a file that no backup has written stays,
    /// and is an error.
    init(_ target: String) throws {
        let path = target + ".partial"
        if DiskFiles.exists(path) {
            guard DiskFiles.isFile(path) else { throw ProblemDetails.occupied(path) }
            let left = try OpenFile(path, O_RDWR | O_NOFOLLOW)
            // The gateway that had the lock may have given the file its name, or removed it.
            guard try left.takeLock(), left.isAt(path) else { throw ProblemDetails.otherBackup(target) }
            guard try left.size() == 0 || BackupReader.isBackup(path) else { throw ProblemDetails.occupied(path) }
            DiskFiles.removeFile(path)
        }
        let file: OpenFile
        do throws(FileSystemError) { file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
            guard !error.isFull else { throw error }
            throw error.code == EEXIST
                ? ProblemDetails.otherBackup(target)
                : ProblemDetails(.invalidValue, "The file of the backup cannot be made: \(error)")
        }
        guard try file.takeLock(), file.isAt(path) else { throw ProblemDetails.otherBackup(target) }
        (self.target, unfinished) = (target, path)
        self.file = file
    }

    /// Removes the unfinished file of a killed gateway, and nothing else.
    static func removeLeft(_ target: String) {
        guard DiskFiles.isFile(target + ".partial"), let file = try? UnfinishedFile(target) else { return }
        file.discard()
    }

    func write(_ bytes: [UInt8]) throws(FileSystemError) { try file.write(bytes) }

    /// Gives the complete file its name.
    /// - Throws: `EEXIST` when another file has taken the name meanwhile.
    func publish() throws(FileSystemError) {
        try file.sync()
        try DiskFiles.rename(unfinished, toNew: target)
        DiskFiles.syncFolder(of: target)
    }

    func discard() { DiskFiles.removeFile(unfinished) }
}

extension ProblemDetails {
    static func otherBackup(_ target: String) -> ProblemDetails {
        ProblemDetails(.conflict, "Another gateway is making a backup at \(target).")
    }

    /// Problem of a path that something else than a backup has taken.
    static func occupied(_ path: String) -> ProblemDetails {
        ProblemDetails(
            .invalidValue,
            "There is something at \(path) already: move it away, the unfinished copy needs this path."
        )
    }
}
