internal import ChatAPI
internal import ChatText
internal import Files

/// Confines the paths in commands to the folders of the store.
///
/// All functions block the thread.
struct PathConfinement {
    private let folders: LocalFolders.Paths
    private var filesFolder: String { folders.filesFolder }
    /// Whether the sender has access to only a part of the store. Such a sender must refer to files by the names in
    /// uploads and messages, and not by absolute paths. New files of this sender get a random part in their names.
    /// Otherwise, the refusal of a used name would reveal that another file has this name.
    private let isSenderLimited: Bool
    /// The permitted folders, without symbolic links.
    private let permittedFolders: [String]

    init(_ folders: LocalFolders.Paths, isBound: Bool = false) {
        self.folders = folders
        self.isSenderLimited = isBound
        // Clients can never use the folder of the databases, even if an administrator has chosen this folder for files.
        permittedFolders = folders.fileRoots.resolvedFolders
    }

    /// Returns an absolute path without symbolic links, or an unchanged name in the folder for files.
    /// - Throws: `commandError` for a path that leads out of the permitted folders.
    func resolvePath(_ path: String, _ use: PathPurpose) throws -> String {
        switch use {
        case .file: return try requirePermittedPath(path)
        case .folder: return try requirePermittedPath(path.hasSuffix("/") ? String(path.dropLast()) : path)
        case .messageFile, .newFile:
            // A file has only one owner, so it must have only one name. An absolute path would be a second name.
            if path.hasPrefix("/") {
                guard !isSenderLimited else {
                    throw ChatFailure(
                        ChatErrorType.accessDenied(
                            reason: "a key that is bound to a profile or to chats may not use absolute paths"
                        )
                    )
                }
                return folders.storedPath(try requirePermittedPath(path))
            }
            _ = try requirePermittedPath(filesFolder + "/" + path)
            return isSenderLimited && use == .newFile ? FileName.randomizedName(FileName.safeName(path)) : path
        }
    }

    private func requirePermittedPath(_ path: String) throws -> String {
        guard let resolved = FilePaths.canonicalPath(path),
            permittedFolders.contains(where: { FilePaths.isBelow(resolved, $0) })
        else {
            throw ChatFailure.commandError("the path is not in a folder of the store")
        }
        return resolved
    }
}
