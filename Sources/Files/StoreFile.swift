package import Glibc

/// A file whose path is in a database. Each operation resolves the path again, beneath the folders of the store. All
/// functions block.
package struct StoreFile: Sendable {
    package let path: StoredPath
    private let roots: FileRoots

    package init(_ path: StoredPath, in roots: FileRoots) {
        self.path = path
        self.roots = roots
    }

    private func openEntry() throws(FileSystemError) -> FolderEntry { try roots.openEntry(path) }

    /// The status of a regular file; nil when there is no regular file.
    package var status: stat? {
        guard let status = (try? openEntry())?.status(), status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status
    }

    package var isFile: Bool { status != nil }

    /// The size in bytes; nil when there is no regular file.
    package var size: Int64? { status.map { Int64($0.st_size) } }

    /// Whether a file, folder or symbolic link is at the path.
    package var exists: Bool { (try? openEntry())?.status() != nil }

    /// Opens the file.
    /// - Parameter flags: the flags of `open(2)`; a symbolic link is not followed.
    package func open(_ flags: Int32) throws(FileSystemError) -> OpenFile { try openEntry().open(flags) }

    /// Writes the file like ``DiskFiles/replace(_:with:)``.
    package func replace(with content: [UInt8]) throws(FileSystemError) {
        let place = try openEntry(), name = place.name
        let new = place.sibling(name + ".new")
        new.remove()
        do throws(FileSystemError) {
            let file = try new.open(O_WRONLY | O_CREAT | O_EXCL)
            try file.write(content)
            try file.sync()
            try new.rename(to: name)
        } catch {
            new.remove()
            throw error
        }
        new.syncFolder()
    }

    /// Opens a new file in the same folder. ``complete(from:)`` renames the new file to the name of this file.
    package func createPartial(_ name: String) throws(FileSystemError) -> OpenFile {
        let partial = try openEntry().sibling(name)
        partial.remove()
        return try partial.open(O_WRONLY | O_CREAT | O_EXCL)
    }

    /// Replaces this file by the file `name` of ``createPartial(_:)``.
    package func complete(from name: String) throws(FileSystemError) {
        let place = try openEntry(), target = place.name
        let partial = place.sibling(name)
        try partial.rename(to: target)
        partial.syncFolder()
    }

    package func removePartial(_ name: String) { (try? openEntry())?.sibling(name).remove() }

    /// Replaces this file by a file that this program has made at another path of the same disk.
    package func replace(withFileAt other: String) throws(FileSystemError) {
        try openEntry().replace(withFileAt: other)
    }

    /// Sets the times of the last access and of the last change.
    package func setTimes(_ times: [timespec]) throws(FileSystemError) { try openEntry().setTimes(times) }

    /// Removes a regular file.
    package func remove() {
        guard let place = try? openEntry(), let status = place.status(), status.st_mode & S_IFMT == S_IFREG else {
            return
        }
        place.remove()
    }
}
