import Glibc

/// A folder that is filled under a name of its own, and gets its real name when it is complete. A file in it marks it, and is locked as long as somebody
/// fills it: so what a process that was killed has left is known, and is removed by the next one. Nothing else is ever removed. Everything here blocks.
public final class UnfinishedFolder: Sendable {
    /// Why none can be made.
    public enum Fault: Error {
        /// Somebody fills it now.
        case inUse
        /// There is something of somebody else.
        case occupied
        case file(FileSystemError)
    }

    public let path: String
    /// A name that no file has that is put into the folder.
    private let mark: String
    private let lock: FileLock
    private let removing: @Sendable (_ path: String) -> Void

    /// Makes the folder, after removing what a process that was killed has left of it.
    /// - Parameter removing: called before what is in the folder is removed: secrets are overwritten first.
    public static func make(_ path: String, mark: String, removing: @escaping @Sendable (_ path: String) -> Void = { _ in }) throws(Fault) -> UnfinishedFolder {
        if isLeft(path, mark) { try take(path, mark, removing).remove() }
        // The process was killed before it could mark the folder.
        DiskFiles.removeFolder(path)
        guard !DiskFiles.exists(path), !DiskFiles.isLink(path) else { throw .occupied }
        do throws(FileSystemError) { try DiskFiles.makeNewFolder(path) } catch { throw .file(error) }
        return try take(path, mark, removing)
    }

    /// Removes what a process that was killed has left.
    public static func removeLeft(_ path: String, mark: String, removing: @escaping @Sendable (_ path: String) -> Void = { _ in }) {
        if isLeft(path, mark) { (try? take(path, mark, removing))?.remove() }
    }

    private static func take(_ path: String, _ mark: String, _ removing: @escaping @Sendable (String) -> Void) throws(Fault) -> UnfinishedFolder {
        do throws(FileSystemError) {
            guard let lock = try FileLock.take(path + "/" + mark) else { throw FileSystemError(.lock, path, code: EBUSY) }
            return UnfinishedFolder(path, mark, lock, removing)
        } catch { throw error.code == EBUSY ? .inUse : .file(error) }
    }

    private static func isLeft(_ path: String, _ mark: String) -> Bool {
        DiskFiles.isFolder(path) && !DiskFiles.isLink(path) && DiskFiles.isFile(path + "/" + mark)
    }

    private init(_ path: String, _ mark: String, _ lock: consuming FileLock, _ removing: @escaping @Sendable (String) -> Void) {
        (self.path, self.mark, self.removing) = (path, mark, removing)
        self.lock = lock
    }

    /// Gives the folder its name, which nothing else has.
    public func publish(as target: String) throws(FileSystemError) {
        try DiskFiles.rename(path, toNew: target)
        DiskFiles.removeFile(target + "/" + mark)
        DiskFiles.syncFolder(of: target)
    }

    /// The mark goes last: what is left of this is known as well.
    public func remove() {
        removing(path)
        for name in DiskFiles.entries(path) where name != mark { DiskFiles.remove(path + "/" + name) }
        DiskFiles.remove(path)
    }
}
