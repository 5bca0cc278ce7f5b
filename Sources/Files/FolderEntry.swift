import CFileCalls
import Glibc

/// An open folder, and the name of a file in it. Symbolic links, or another folder at the same path, cannot redirect an
/// operation to another file.
struct FolderEntry: ~Copyable {
    static let folderFlags = O_DIRECTORY | SXGW_O_PATH

    let folder: OpenFile
    let name: String
    /// The path for error messages.
    let path: String

    init(_ folder: consuming OpenFile, name: String, path: String) {
        self.folder = folder
        self.name = name
        self.path = path
    }

    borrowing func openFile(_ flags: Int32) throws(FileSystemError) -> OpenFile {
        try OpenFile(name, in: folder.descriptor, path: path, flags | O_NOFOLLOW)
    }

    /// Returns the status of the file; nil when the file is missing.
    borrowing func readStatus() -> stat? {
        var status = stat()
        return fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    borrowing func removeFile() { unlinkat(folder.descriptor, name, 0) }

    /// Renames the file. The file stays in its folder.
    borrowing func renameFile(to new: String) throws(FileSystemError) {
        guard renameat(folder.descriptor, name, folder.descriptor, new) == 0 else {
            throw FileSystemError(.rename, path)
        }
    }

    borrowing func replaceFile(withFileAt other: String) throws(FileSystemError) {
        guard renameat(AT_FDCWD, other, folder.descriptor, name) == 0 else { throw FileSystemError(.rename, path) }
    }

    borrowing func setTimes(_ times: [timespec]) throws(FileSystemError) {
        guard utimensat(folder.descriptor, name, times, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw FileSystemError(.write, path)
        }
    }

    /// Syncs the folder. A failure is not reported, as in ``DiskFiles/syncParentFolder(of:)``.
    borrowing func syncFolder() { try? OpenFile(".", in: folder.descriptor, path: path, O_RDONLY | O_DIRECTORY).sync() }

    /// Returns an entry for another name in this folder.
    consuming func makeSibling(_ name: String) -> FolderEntry { FolderEntry(folder, name: name, path: path) }
}

extension OpenFile {
    /// Opens a folder beneath `root`. The first of the names is a folder in `root`, and each further name is a folder
    /// in the previous one.
    static func openFolder(
        _ names: [String],
        beneath root: consuming OpenFile,
        path: String
    ) throws(FileSystemError) -> OpenFile {
        guard !names.isEmpty else { return root }
        let descriptor = sxgw_open_beneath(root.descriptor, names.joined(separator: "/"))
        if descriptor >= 0 { return OpenFile(descriptor: descriptor, path: path) }
        // An old kernel lacks `openat2`, and a filter of system calls may not know it. In both cases, the folders are
        // opened one by one.
        if errno == ENOSYS || errno == EPERM { return try openFolder(names, stepwiseBeneath: root, path: path) }
        throw FileSystemError(errno == ENOENT ? .open : .resolve, path, code: ENOENT)
    }

    /// Opens a folder beneath `root`, with one system call for each name of the path. This form is for kernels without
    /// `openat2`.
    static func openFolder(
        _ names: [String],
        stepwiseBeneath root: consuming OpenFile,
        path: String
    ) throws(FileSystemError) -> OpenFile {
        var folder = root
        for name in names {
            let descriptor = openat(folder.descriptor, name, FolderEntry.folderFlags | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileSystemError(errno == ENOENT ? .open : .resolve, path, code: ENOENT) }
            folder = OpenFile(descriptor: descriptor, path: path)
        }
        return folder
    }
}
