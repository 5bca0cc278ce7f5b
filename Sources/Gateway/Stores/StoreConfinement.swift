internal import ChatAPI

/// Keeps the commands of a store at files of its own.
///
/// The core takes paths from its clients, as that of an app may: whoever administers the first store has the machine. Who administers
/// another store has no more than that store, so that paths lead into its `space` only.
struct StoreConfinement: Sendable {
    let space: String

    init(_ folder: StoreFolder) { space = folder.space + "/" }

    /// The answer to a command that would reach elsewhere.
    func refusal(_ command: ChatCommand) -> ChatError? {
        guard !paths(command).allSatisfy(isInside) || !names(command).allSatisfy(isName) else { return nil }
        return .error(errorType: .commandError(message: "the path is not in \(space)"))
    }

    private func isInside(_ path: String) -> Bool {
        path.hasPrefix(space) && isName(String(path.dropFirst(space.count)))
    }

    /// Of a file within the folder that it is meant for.
    private func isName(_ path: String) -> Bool {
        !path.isEmpty && !path.contains("\0") && !path.split(separator: "/", omittingEmptySubsequences: false).contains { ["", ".", ".."].contains($0) }
    }

    /// What has to be an absolute path.
    private func paths(_ command: ChatCommand) -> [String] {
        switch command {
        case .lifecycle(.setAppFilePaths(let config)):
            [config.appFilesFolder, config.appTempFolder, config.appAssetsFolder] + (config.appRemoteHostsFolder.map { [$0] } ?? [])
        case .lifecycle(.setTempFolder(let path)), .lifecycle(.setFilesFolder(let path)), .lifecycle(.setRemoteHostsFolder(let path)): [path]
        case .database(.exportArchive(let config)): config.map { [$0.archivePath] } ?? []
        case .database(.importArchive(let config)): [config.archivePath]
        case .remoteControl(.storeRemoteFile(_, _, let path)): [path]
        default: []
        }
    }

    /// What is a name in the folder of files, or an absolute path.
    private func names(_ command: ChatCommand) -> [String] {
        let files: [String] =
            switch command {
            case .messages(.sendMessages(_, _, _, _, _, let messages)), .messages(.createChatItems(_, let messages)):
                messages.compactMap { $0.fileSource?.filePath }
            case .files(.receiveFile(_, _, _, _, let path)): path.map { [$0] } ?? []
            case .files(.uploadStandaloneFile(_, let file)), .files(.downloadStandaloneFile(_, _, let file)): [file.filePath]
            case .remoteControl(.getRemoteFile(_, let file)): [file.fileSource.filePath]
            default: []
            }
        return files.map { $0.hasPrefix(space) ? String($0.dropFirst(space.count)) : $0 }
    }
}
