import CFileCalls
import Glibc

extension DiskFiles {
    /// Writes a file that only its owner can access (mode 0600), and replaces an existing file. At any time, even after
    /// a crash of the machine, the path has either the old contents or the new contents.
    ///
    /// The new contents are first written to the path with the ending `.new`. This file is removed if this function
    /// throws.
    package static func replaceFile(_ path: String, with content: [UInt8]) throws(FileSystemError) {
        let new = path + ".new"
        unlink(new)
        try createFile(new, content)
        do throws(FileSystemError) { try rename(new, to: path) } catch {
            unlink(new)
            throw error
        }
        syncParentFolder(of: path)
    }

    /// Syncs the file `new`, and renames it to `path`. After an error, the old file stays at `path`.
    package static func replaceFile(_ path: String, withFile new: String) throws(FileSystemError) {
        try syncEntry(new)
        try rename(new, to: path)
        syncParentFolder(of: path)
    }

    /// Writes a new file with mode 0600, and returns when it is on the disk. An existing file is an error. After an
    /// error there is no new file.
    package static func createFile(_ path: String, _ content: [UInt8]) throws(FileSystemError) {
        let file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        do throws(FileSystemError) {
            try file.write(content)
            try file.sync()
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Creates an empty file with mode 0600. Returns false when the file exists.
    package static func createEmptyFile(_ path: String) throws(FileSystemError) -> Bool {
        do throws(FileSystemError) { _ = try OpenFile(path, O_RDWR | O_CREAT | O_EXCL) } catch {
            if error.errnoCode == EEXIST { return false }
            throw error
        }
        return true
    }

    /// Renames a file or a folder, and replaces an existing file or empty folder. Does not sync the folder.
    package static func rename(_ path: String, to target: String) throws(FileSystemError) {
        guard Glibc.rename(path, target) == 0 else { throw FileSystemError(.rename, target) }
    }

    /// Renames a file or a folder to an unused name. A used name is an error (`EEXIST`). Does not sync the folder.
    package static func rename(_ path: String, toNew target: String) throws(FileSystemError) {
        if renameat2(AT_FDCWD, path, AT_FDCWD, target, SXGW_RENAME_NOREPLACE) == 0 { return }
        guard errno == EINVAL || errno == ENOSYS else { throw FileSystemError(.rename, target) }
        // This file system, for example a network file system, cannot refuse a used target by itself. So the target is
        // checked before the rename.
        guard !exists(target) else { throw FileSystemError(.rename, target, code: EEXIST) }
        // A renamed folder replaces only an empty folder, but a renamed file would replace any file. So the file first
        // gets a second name (a hard link), if the file system supports hard links.
        if isFile(path) {
            if link(path, target) == 0 { return removeFile(path) }
            guard errno == EPERM || errno == EOPNOTSUPP else { throw FileSystemError(.rename, target) }
        }
        try rename(path, to: target)
    }

    /// Moves a file, even to another disk, and replaces an existing file.
    package static func moveFile(_ path: String, to target: String) throws(FileSystemError) {
        do throws(FileSystemError) { return try rename(path, to: target) } catch {
            guard error.errnoCode == EXDEV else { throw error }
        }
        let partial = target + ".partial"
        try copyFile(path, to: partial)
        try syncEntry(partial)
        try rename(partial, to: target)
        unlink(path)
    }

    /// Copies a file, and replaces an existing file. Does not sync the copy.
    /// - Parameter mayContinue: a function that is called before each MiB. When it returns false, `copyFile` throws
    ///   `ECANCELED`, and the target contains the part that was copied before.
    package static func copyFile(
        _ path: String,
        to target: String,
        while mayContinue: () -> Bool = { true }
    ) throws(FileSystemError) {
        let source = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
        unlink(target)
        let made = try OpenFile(target, O_WRONLY | O_CREAT | O_EXCL)
        while true {
            guard mayContinue() else { throw FileSystemError(.write, target, code: ECANCELED) }
            let count = sendfile(made.descriptor, source.descriptor, nil, 1 << 20)
            if count == 0 { break }
            guard count > 0 || errno == EINTR else { throw FileSystemError(.write, target) }
        }
    }

    /// Gives a file its own contents, if other names lead to the same contents (hard links). Otherwise writing to the
    /// file would change the contents under all these names. A killed process may leave a part of the contents at the
    /// path with the ending `.own`.
    package static func breakHardLinks(_ path: String) throws(FileSystemError) {
        guard isFile(path), linkCount(of: path) > 1 else { return }
        let own = path + ".own"
        do throws(FileSystemError) {
            try copyFile(path, to: own)
            try replaceFile(path, withFile: own)
        } catch {
            unlink(own)
            throw error
        }
    }

    /// Waits until the contents of a file, or the names in a folder, are on the disk.
    package static func syncEntry(_ path: String) throws(FileSystemError) { try OpenFile(path, O_RDONLY).sync() }

    /// Syncs the names in a file's folder. A failure is not reported: the preceding operation has happened, and a power
    /// failure can only restore the complete former state.
    package static func syncParentFolder(of path: String) { try? syncEntry(FilePaths.parentFolder(of: path)) }
}
