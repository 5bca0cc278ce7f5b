internal import ChatAPI
internal import Concurrency

extension RunningCommand {
    /// Checks that a sender with these rights may run the command. Returns the command; if the sender may only use its
    /// own folders, the paths in the command are changed to paths in these folders.
    /// - Throws: `accessDenied`, or `commandError` for a path that leads out of the sender's folders.
    func admitCommand(_ command: ChatCommand, as userId: Int64?, _ rights: CommandRights) async throws -> ChatCommand {
        try rights.requirePermission(for: command, as: userId)
        var named: [String] = []
        _ = command.mapPaths { path, _ in
            named.append(path)
            return path
        }
        guard !named.isEmpty else { return command }
        let folders = services.folders.paths
        let namesSpace = named.contains { $0.hasPrefix(folders.clientFolder + "/") }
        let confined = try await runBlocking {
            if namesSpace { try LocalFolders.makeFolder(folders.clientFolder) }
            switch rights.paths {
            case .anywhere: return command
            case .ownFolders:
                let confinement = PathConfinement(folders, isBound: rights.isLimited)
                return try command.mapPaths { try confinement.resolvePath($0, $1) }
            }
        }
        if rights.chats != nil { try await checkUploads(confined, of: rights.userId) }
        return confined
    }
}
