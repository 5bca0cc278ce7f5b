import Glibc

/// A folder that is filled under a temporary name, and renamed when it is complete. While the folder is being filled, a
/// mark file in it is locked. So the next process recognizes the remains of a killed process, and removes them.
/// Unmarked contents are never removed. All functions block.
package final class UnfinishedFolder: Sendable {
    /// The reason why an ``UnfinishedFolder`` cannot be created.
    package enum Fault: Error {
        /// Another process is filling the folder.
        case inUse
        /// A file or folder is already at the path, and it is not the remains of an earlier run.
        case pathOccupied
        case fileError(FileSystemError)
    }

    package let path: String
    /// The name of the mark file. No file of the contents has this name.
    private let unfinishedMarkName: String
    private let lock: FileLock
    private let prepareRemoval: @Sendable (_ path: String) -> Void

    /// Makes the folder, and first removes the remains of a killed process.
    /// - Parameter removing: a function that is called before the contents of the folder are removed, and can overwrite
    ///   secrets in them.
    package static func makeFolder(
        _ path: String,
        mark: String,
        removing: @escaping @Sendable (_ path: String) -> Void = { _ in }
    ) throws(Fault) -> UnfinishedFolder {
        if isUnfinished(path, mark) { try claimFolder(path, mark, removing).removeFolder() }
        // Removes an empty folder, which a process leaves when it is killed before it can mark the folder.
        DiskFiles.removeEmptyFolder(path)
        guard !DiskFiles.exists(path), !DiskFiles.isLink(path) else { throw .pathOccupied }
        do throws(FileSystemError) { try DiskFiles.makeNewFolder(path) } catch { throw .fileError(error) }
        return try claimFolder(path, mark, removing)
    }

    /// Removes a folder that a killed process has left unfinished.
    package static func removeUnfinished(
        _ path: String,
        mark: String,
        removing: @escaping @Sendable (_ path: String) -> Void = { _ in }
    ) {
        if isUnfinished(path, mark) { (try? claimFolder(path, mark, removing))?.removeFolder() }
    }

    private static func claimFolder(
        _ path: String,
        _ mark: String,
        _ removing: @escaping @Sendable (String) -> Void
    ) throws(Fault) -> UnfinishedFolder {
        do throws(FileSystemError) {
            guard let lock = try FileLock.tryAcquire(path + "/" + mark) else {
                throw FileSystemError(.lock, path, code: EBUSY)
            }
            return UnfinishedFolder(path, mark, lock, removing)
        } catch { throw error.errnoCode == EBUSY ? .inUse : .fileError(error) }
    }

    private static func isUnfinished(_ path: String, _ mark: String) -> Bool {
        DiskFiles.isFolder(path) && !DiskFiles.isLink(path) && DiskFiles.isFile(path + "/" + mark)
    }

    private init(
        _ path: String,
        _ mark: String,
        _ lock: consuming FileLock,
        _ removing: @escaping @Sendable (String) -> Void
    ) {
        (self.path, self.unfinishedMarkName, self.prepareRemoval) = (path, mark, removing)
        self.lock = lock
    }

    /// Renames the folder to its final name, which must be unused.
    package func renameToFinal(as target: String) throws(FileSystemError) {
        try DiskFiles.rename(path, toNew: target)
        DiskFiles.removeFile(target + "/" + unfinishedMarkName)
        DiskFiles.syncParentFolder(of: target)
    }

    /// Removes the folder. The mark is removed last, so that an interrupted removal is also recognized.
    package func removeFolder() {
        prepareRemoval(path)
        for name in DiskFiles.listEntries(path) where name != unfinishedMarkName {
            DiskFiles.removeTree(path + "/" + name)
        }
        DiskFiles.removeTree(path)
    }
}
