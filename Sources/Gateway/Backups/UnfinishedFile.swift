internal import Files
internal import Glibc

/// The file of an encrypted backup. It is locked until it is complete, and is then renamed to the target. So when two
/// gateways write to the same target, the second gateway is refused. All functions block the thread.
final class UnfinishedFile: Sendable {
    private let target: String
    private let unfinishedPath: String
    private let file: OpenFile

    /// Creates the file. The remains of a killed gateway are removed first. Any other file at this path is kept, and
    /// causes an error.
    init(_ target: String) throws {
        let path = target + ".partial"
        if DiskFiles.exists(path) {
            guard DiskFiles.isFile(path) else { throw ProblemDetails.occupiedPathProblem(path) }
            let left = try OpenFile(path, O_RDWR | O_NOFOLLOW)
            // Between the opening and the lock, the gateway that had the lock may have renamed the file to the target,
            // or removed it.
            guard try left.tryLock(), left.isAt(path) else { throw ProblemDetails.otherBackupRunningProblem(target) }
            guard try left.readSize() == 0 || BackupReader.isBackup(path) else {
                throw ProblemDetails.occupiedPathProblem(path)
            }
            DiskFiles.removeFile(path)
        }
        let file: OpenFile
        do throws(FileSystemError) { file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
            guard !error.isStorageFull else { throw error }
            throw error.errnoCode == EEXIST
                ? ProblemDetails.otherBackupRunningProblem(target)
                : ProblemDetails(.invalidValue, "The file of the backup cannot be made: \(error)")
        }
        guard try file.tryLock(), file.isAt(path) else { throw ProblemDetails.otherBackupRunningProblem(target) }
        (self.target, unfinishedPath) = (target, path)
        self.file = file
    }

    /// Removes the unfinished file of a killed gateway, but no other file.
    static func removeLeftoverFile(_ target: String) {
        guard DiskFiles.isFile(target + ".partial"), let file = try? UnfinishedFile(target) else { return }
        file.discard()
    }

    func write(_ bytes: [UInt8]) throws(FileSystemError) { try file.write(bytes) }

    /// Renames the complete file to the target.
    /// - Throws: `EEXIST` when another file exists at the target by now.
    func publish() throws(FileSystemError) {
        try file.sync()
        try DiskFiles.rename(unfinishedPath, toNew: target)
        DiskFiles.syncParentFolder(of: target)
    }

    func discard() { DiskFiles.removeFile(unfinishedPath) }
}

extension ProblemDetails {
    static func otherBackupRunningProblem(_ target: String) -> ProblemDetails {
        ProblemDetails(.conflict, "Another gateway is making a backup at \(target).")
    }

    /// Makes the problem for a path at which something other than a backup exists.
    static func occupiedPathProblem(_ path: String) -> ProblemDetails {
        ProblemDetails(
            .invalidValue,
            "There is something at \(path) already: move it away, the unfinished copy needs this path."
        )
    }
}
