import Glibc

/// The folders of a store. A path in the databases of the store is valid only beneath these folders, or with a valid
/// seal (``StoredPath/seal``).
package struct FileRoots: Sendable {
    /// The folder in which relative paths begin.
    package let files: String
    private let others: [String]
    private let databases: String?
    private let isSealed: @Sendable (_ path: String, _ seal: [UInt8]) -> Bool

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
        self.files = files
        self.others = others
        self.databases = databases
        self.isSealed = isSealed
    }

    /// The folders, with their symbolic links resolved, except the folders that contain the databases.
    package var folders: [String] {
        let data = databases.map { FilePaths.canonical($0) ?? $0 }
        return ([files] + others).compactMap { folder in
            FilePaths.canonical(folder).flatMap { folder in
                data.map { $0 == folder || FilePaths.isBelow($0, folder) } == true ? nil : folder
            }
        }
    }

    /// Returns the absolute form of a path.
    package func absolute(_ text: String) -> String { text.hasPrefix("/") ? text : files + "/" + text }

    /// Whether a path needs no seal, because it is beneath the folders.
    package func contains(_ text: String) -> Bool { (try? beneath(text)) != nil }

    /// Opens the folder of a file.
    /// - Throws: an error of the operation `resolve` for a path that is outside of the folders and has no valid seal.
    func place(_ path: StoredPath) throws(FileSystemError) -> FilePlace {
        let absolute = absolute(path.text)
        if let seal = path.seal, isSealed(absolute, seal), let slash = absolute.lastIndex(of: "/") {
            let folder = try OpenFile(FilePaths.folder(of: absolute), FilePlace.folderFlags)
            return FilePlace(folder, name: String(absolute[absolute.index(after: slash)...]), path: absolute)
        }
        var (root, parts) = try beneath(path.text)
        guard let name = parts.popLast() else { throw outsideError(path.text) }
        return FilePlace(
            try OpenFile.folder(parts, beneath: OpenFile(root, FilePlace.folderFlags), path: absolute),
            name: name,
            path: absolute
        )
    }

    /// Returns the folder in which a path begins, and the names of the folders and of the file below it.
    private func beneath(_ text: String) throws(FileSystemError) -> (root: String, parts: [String]) {
        var (root, relative) = (files, text)
        if text.hasPrefix("/") {
            let folder = FilePaths.canonical(FilePaths.folder(of: text))
            guard let folder, let found = folders.first(where: { $0 == folder || FilePaths.isBelow(folder, $0) }) else {
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
        FileSystemError(.resolve, absolute(text), code: ENOENT)
    }
}
