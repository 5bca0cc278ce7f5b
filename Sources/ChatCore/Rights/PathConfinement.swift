internal import ChatAPI
internal import Concurrency
internal import Files

/// Keeps paths that commands name below the store's own folders.
///
/// Everything here blocks.
struct PathConfinement {
    private let folders: LocalFolders.Paths
    private var files: String { folders.files }
    /// Whether the sender reaches a part of the store only: then it names files by what uploads and messages call them.
    private let isBound: Bool
    /// The folders below which paths may be, without links.
    private let roots: [String]

    init(_ folders: LocalFolders.Paths, isBound: Bool = false) {
        self.folders = folders
        self.isBound = isBound
        // The databases' folder is never open to clients, even if an administrator has chosen it.
        roots = folders.roots.folders
    }

    /// The path as it is to be used: absolute and without links, or a name in the folder for files as it was.
    /// - Throws: `commandError` for a path that leads elsewhere.
    func resolve(_ path: String, _ use: PathUse) throws -> String {
        switch use {
        case .file: return try inside(path)
        case .folder: return try inside(path.hasSuffix("/") ? String(path.dropLast()) : path)
        case .stored:
            // By one name each file has one owner.
            if path.hasPrefix("/") {
                guard !isBound else { throw ChatFailure(ChatErrorType.accessDenied(reason: "a key of one profile or of single chats names no paths")) }
                return folders.stored(try inside(path))
            }
            _ = try inside(files + "/" + path)
            return path
        }
    }

    private func inside(_ path: String) throws -> String {
        guard let resolved = FilePaths.canonical(path), roots.contains(where: { FilePaths.isBelow(resolved, $0) }) else {
            throw ChatFailure.command("the path is not in a folder of the store")
        }
        return resolved
    }
}

extension RunningCommand {
    /// The command as it is carried out for somebody with these rights.
    /// - Throws: `accessDenied`, or `commandError` for a path that leads where the sender's files are not.
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
