import Glibc

/// The folders of a store. A path in the databases of the store is valid only beneath these folders, or with a valid
/// seal (``StoredPath/seal``).
package struct FileRoots: Sendable {
    /// The folder in which relative paths begin.
    package let filesFolder: String
    private let otherFolders: [String]
    private let databaseFolder: String?
    private let isValidSeal: @Sendable (_ path: String, _ seal: [UInt8]) -> Bool

    /// Makes the description of a store's folders.
    /// - Parameters:
    ///   - others: further folders, for absolute paths.
    ///   - databases: the folder of the databases. If another folder equals or contains this folder, absolute paths in
    ///     that folder need a seal.
    ///   - isSealed: checks the seal of an absolute path.
    package init(
        files: String,
        others: [String] = [],
        databases: String? = nil,
        isSealed: @escaping @Sendable (_ path: String, _ seal: [UInt8]) -> Bool = { _, _ in false }
    ) {
        self.filesFolder = files
        self.otherFolders = others
        self.databaseFolder = databases
        self.isValidSeal = isSealed
    }

    /// The folders, with their symbolic links resolved, except the folders that contain the databases.
    package var resolvedFolders: [String] {
        let data = databaseFolder.map { FilePaths.canonicalPath($0) ?? $0 }
        return ([filesFolder] + otherFolders).compactMap { folder in
            FilePaths.canonicalPath(folder).flatMap { folder in
                data.map { $0 == folder || FilePaths.isBelow($0, folder) } == true ? nil : folder
            }
        }
    }

    /// Returns the absolute form of a path. A relative path begins in ``filesFolder``.
    package func absolutePath(_ text: String) -> String { text.hasPrefix("/") ? text : filesFolder + "/" + text }

    /// Returns whether a path is beneath the folders of the store, so that it needs no seal.
    package func contains(_ text: String) -> Bool { (try? splitPath(text)) != nil }

    /// Opens the folder that contains a file. Returns the folder with the name of the file.
    /// - Throws: an error of the operation `resolve` for a path that is outside of the folders and has no valid seal.
    func openEntry(_ path: StoredPath) throws(FileSystemError) -> FolderEntry {
        let absolute = absolutePath(path.text)
        if let seal = path.seal, isValidSeal(absolute, seal), let slash = absolute.lastIndex(of: "/") {
            let folder = try OpenFile(FilePaths.parentFolder(of: absolute), FolderEntry.folderFlags)
            return FolderEntry(folder, name: String(absolute[absolute.index(after: slash)...]), path: absolute)
        }
        var (root, parts) = try splitPath(path.text)
        guard let name = parts.popLast() else { throw outsideError(path.text) }
        return FolderEntry(
            try OpenFile.openFolder(parts, beneath: OpenFile(root, FolderEntry.folderFlags), path: absolute),
            name: name,
            path: absolute
        )
    }

    /// Returns the folder in which a path begins, and the names of the folders and of the file below it.
    private func splitPath(_ text: String) throws(FileSystemError) -> (root: String, parts: [String]) {
        var (root, relative) = (filesFolder, text)
        if text.hasPrefix("/") {
            let folder = FilePaths.canonicalPath(FilePaths.parentFolder(of: text))
            guard let folder,
                let found = resolvedFolders.first(where: { $0 == folder || FilePaths.isBelow(folder, $0) })
            else {
                throw outsideError(text)
            }
            root = found
            relative = String(
                (folder + text[(text.lastIndex(of: "/") ?? text.startIndex)...]).dropFirst(found.count + 1)
            )
        }
        let parts = relative.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy(FilePaths.isName) else { throw outsideError(text) }
        return (root, parts)
    }

    private func outsideError(_ text: String) -> FileSystemError {
        FileSystemError(.resolve, absolutePath(text), code: ENOENT)
    }
}
