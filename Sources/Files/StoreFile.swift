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
        guard let status = (try? openEntry())?.readStatus(), status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status
    }

    package var isFile: Bool { status != nil }

    /// The size in bytes; nil when there is no regular file.
    package var size: Int64? { status.map { Int64($0.st_size) } }

    /// Whether a file, folder or symbolic link is at the path.
    package var exists: Bool { (try? openEntry())?.readStatus() != nil }

    /// Opens the file.
    /// - Parameter flags: the flags of `open(2)`; a symbolic link is not followed.
    package func openFile(_ flags: Int32) throws(FileSystemError) -> OpenFile { try openEntry().openFile(flags) }

    /// Replaces the contents of the file. At any time, the file has either the old or the new contents, as with
    /// ``DiskFiles/replaceFile(_:with:)``.
    package func replaceContent(with content: [UInt8]) throws(FileSystemError) {
        let place = try openEntry(), name = place.name
        let new = place.makeSibling(name + ".new")
        new.removeFile()
        do throws(FileSystemError) {
            let file = try new.openFile(O_WRONLY | O_CREAT | O_EXCL)
            try file.write(content)
            try file.sync()
            try new.renameFile(to: name)
        } catch {
            new.removeFile()
            throw error
        }
        new.syncFolder()
    }

    /// Creates and opens a new file in the folder of this file. ``completeFile(from:)`` renames the new file to the
    /// name of this file.
    package func createPartialFile(_ name: String) throws(FileSystemError) -> OpenFile {
        let partial = try openEntry().makeSibling(name)
        partial.removeFile()
        return try partial.openFile(O_WRONLY | O_CREAT | O_EXCL)
    }

    /// Replaces this file by the new file that ``createPartialFile(_:)`` has created with the same `name`.
    package func completeFile(from name: String) throws(FileSystemError) {
        let place = try openEntry(), target = place.name
        let partial = place.makeSibling(name)
        try partial.renameFile(to: target)
        partial.syncFolder()
    }

    package func removePartialFile(_ name: String) { (try? openEntry())?.makeSibling(name).removeFile() }

    /// Replaces this file by a file that this program has made at another path of the same disk.
    package func replaceFile(withFileAt other: String) throws(FileSystemError) {
        try openEntry().replaceFile(withFileAt: other)
    }

    /// Sets the times of the last access and of the last change.
    package func setTimes(_ times: [timespec]) throws(FileSystemError) { try openEntry().setTimes(times) }

    /// Removes the file if it is a regular file. Errors are ignored.
    package func removeFile() {
        guard let place = try? openEntry(), let status = place.readStatus(), status.st_mode & S_IFMT == S_IFREG else {
            return
        }
        place.removeFile()
    }
}
