internal import ChatAPI
internal import Concurrency
internal import Files

/// Confines the paths of commands to the store's own folders.
///
/// All functions block.
struct PathConfinement {
    private let folders: LocalFolders.Paths
    private var files: String { folders.files }
    /// Whether the sender has access to only a part of the store: then files must be named by the names that uploads
    /// and messages give them.
    private let isBound: Bool
    /// The allowed folders, without symbolic links.
    private let roots: [String]

    init(_ folders: LocalFolders.Paths, isBound: Bool = false) {
        self.folders = folders
        self.isBound = isBound
        // The databases' folder is never available to clients, even if an administrator has chosen it for files.
        roots = folders.roots.folders
    }

    /// The path to use: absolute and without symbolic links, or an unchanged name in the folder for files.
    /// - Throws: `commandError` for a path that leads elsewhere.
    func resolve(_ path: String, _ use: PathUse) throws -> String {
        switch use {
        case .file: return try inside(path)
        case .folder: return try inside(path.hasSuffix("/") ? String(path.dropLast()) : path)
        case .stored:
            // A file has one name, and therefore one owner.
            if path.hasPrefix("/") {
                guard !isBound else {
                    throw ChatFailure(
                        ChatErrorType.accessDenied(
                            reason: "a key that is bound to a profile or to chats may not use absolute paths"
                        )
                    )
                }
                return folders.stored(try inside(path))
            }
            _ = try inside(files + "/" + path)
            return path
        }
    }

    private func inside(_ path: String) throws -> String {
        guard let resolved = FilePaths.canonical(path), roots.contains(where: { FilePaths.isBelow(resolved, $0) })
        else {
            throw ChatFailure.command("the path is not in a folder of the store")
        }
        return resolved
    }
}

extension RunningCommand {
    /// The command with confined paths, as it may run for a sender with these rights.
    /// - Throws: `accessDenied`, or `commandError` for a path outside of the sender's folders.
    func admit(_ command: ChatCommand, as userId: Int64?, _ rights: CommandRights) async throws -> ChatCommand {
        try rights.check(command, as: userId)
        var named: [String] = []
        _ = command.mapPaths { path, _ in
            named.append(path)
            return path
        }
        guard !named.isEmpty else { return command }
        let folders = folders.paths
        let namesSpace = named.contains { $0.hasPrefix(folders.space + "/") }
        return try await blocking {
            if namesSpace { try LocalFolders.make(folders.space) }
            switch rights.paths {
            case .anywhere: return command
            case .ownFolders:
                let confinement = PathConfinement(folders, isBound: rights.isBound)
                return try command.mapPaths { try confinement.resolve($0, $1) }
            }
        }
    }
}
