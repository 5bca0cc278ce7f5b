internal import ChatAPI

/// The purpose of a path in a command.
enum PathPurpose: Sendable {
    /// The absolute path of a file.
    case file
    /// The absolute path of a folder. The path may end with a slash.
    case folder
    /// A file of a message: either its name in the folder for files, or an absolute path.
    case messageFile
    /// The place of a new file: either its name in the folder for files, or an absolute path.
    case newFile
}

extension ChatCommand {
    /// Returns the command with each path replaced by the result of `resolve`. Removes paths that the core does not
    /// use.
    func mapPaths(_ resolve: (String, PathPurpose) throws -> String) rethrows -> ChatCommand {
        switch self {
        case .lifecycle(let command): .lifecycle(try command.mapPaths(resolve))
        case .messages(let command): .messages(try command.mapPaths(resolve))
        case .files(let command): .files(try command.mapPaths(resolve))
        case .database(let command): .database(try command.mapPaths(resolve))
        case .remoteControl(let command): .remoteControl(try command.mapPaths(resolve))
        // These commands have no paths.
        case .users, .contacts, .groups, .tags, .calls, .notifications, .settings, .servers, .themes, .diagnostics,
            .address, .security:
            self
        // This function does not change a terminal command. The command runs as other commands, whose paths are mapped
        // when these commands run.
        case .console: self
        }
    }
}

extension LifecycleCommand {
    fileprivate func mapPaths(_ resolve: (String, PathPurpose) throws -> String) rethrows -> LifecycleCommand {
        switch self {
        case .setAppFilePaths(let config):
            .setAppFilePaths(
                config: AppFilePathsConfig(
                    appFilesFolder: try resolve(config.appFilesFolder, .folder),
                    appTempFolder: try resolve(config.appTempFolder, .folder),
                    appAssetsFolder: try resolve(config.appAssetsFolder, .folder),
                    appRemoteHostsFolder: try config.appRemoteHostsFolder.map { try resolve($0, .folder) }
                )
            )
        case .setTempFolder(let path): .setTempFolder(path: try resolve(path, .folder))
        case .setFilesFolder(let path): .setFilesFolder(path: try resolve(path, .folder))
        case .setRemoteHostsFolder(let path): .setRemoteHostsFolder(path: try resolve(path, .folder))
        case .startChat, .checkChatRunning, .stopChat, .activateChat, .suspendChat, .setEncryptLocalFiles, .quitChat:
            self
        }
    }
}

extension MessageCommand {
    fileprivate func mapPaths(_ resolve: (String, PathPurpose) throws -> String) rethrows -> MessageCommand {
        switch self {
        case .sendMessages(let chat, let sendAsGroup, let live, let ttl, let sign, let messages):
            .sendMessages(
                chat: chat,
                sendAsGroup: sendAsGroup,
                live: live,
                ttl: ttl,
                sign: sign,
                composedMessages: try messages.map { try $0.mapPaths(resolve) }
            )
        case .createChatItems(let noteFolderId, let messages):
            .createChatItems(
                noteFolderId: noteFolderId,
                composedMessages: try messages.map { try $0.mapPaths(resolve) }
            )
        case .getChats, .getChat, .getChatContentTypes, .getChatItems, .getChatItemInfo, .updateChatItem,
            .deleteChatItem, .deleteMemberChatItem,
            .archiveReceivedReports, .deleteReceivedReports, .chatItemReaction, .getReactionMembers,
            .planForwardChatItems, .forwardChatItems,
            .reportMessage, .chatRead, .chatItemsRead, .chatUnread, .shareChatMsgContent, .shareMyAddress:
            self
        }
    }
}

extension ComposedMessage {
    fileprivate func mapPaths(_ resolve: (String, PathPurpose) throws -> String) rethrows -> ComposedMessage {
        var message = self
        message.fileSource = try fileSource?.mapPaths(resolve)
        return message
    }
}

extension CryptoFile {
    fileprivate func mapPaths(
        to use: PathPurpose = .messageFile,
        _ resolve: (String, PathPurpose) throws -> String
    ) rethrows -> CryptoFile {
        CryptoFile(filePath: try resolve(filePath, use), cryptoArgs: cryptoArgs)
    }
}

extension FileCommand {
    fileprivate func mapPaths(_ resolve: (String, PathPurpose) throws -> String) rethrows -> FileCommand {
        switch self {
        case .receiveFile(let fileId, let userApprovedRelays, let encrypted, let inline, let path):
            .receiveFile(
                fileId: fileId,
                userApprovedRelays: userApprovedRelays,
                encrypted: encrypted,
                inline: inline,
                filePath: try path.map { try resolve($0, .newFile) }
            )
        case .uploadStandaloneFile(let userId, let file):
            .uploadStandaloneFile(userId: userId, file: try file.mapPaths(resolve))
        case .downloadStandaloneFile(let userId, let url, let file):
            .downloadStandaloneFile(userId: userId, url: url, file: try file.mapPaths(to: .newFile, resolve))
        case .setFileToReceive, .cancelFile, .standaloneFileInfo: self
        }
    }
}

extension DatabaseCommand {
    fileprivate func mapPaths(_ resolve: (String, PathPurpose) throws -> String) rethrows -> DatabaseCommand {
        switch self {
        case .exportArchive(let config): .exportArchive(config: try config?.mapPaths(resolve))
        case .importArchive(let config): .importArchive(config: try config.mapPaths(resolve))
        case .storageEncryption, .testStorageEncryption, .deleteStorage: self
        }
    }
}

extension ArchiveConfig {
    /// Maps the path of the archive. Removes `parentTempDirectory`, since temporary files are created beside the
    /// databases.
    fileprivate func mapPaths(_ resolve: (String, PathPurpose) throws -> String) rethrows -> ArchiveConfig {
        var config = self
        config.archivePath = try resolve(archivePath, .file)
        config.parentTempDirectory = nil
        return config
    }
}

extension RemoteControlCommand {
    fileprivate func mapPaths(_ resolve: (String, PathPurpose) throws -> String) rethrows -> RemoteControlCommand {
        switch self {
        case .storeRemoteFile(let remoteHostId, let storeEncrypted, let path):
            .storeRemoteFile(
                remoteHostId: remoteHostId,
                storeEncrypted: storeEncrypted,
                localPath: try resolve(path, .file)
            )
        case .getRemoteFile(let remoteHostId, let file):
            .getRemoteFile(
                remoteHostId: remoteHostId,
                file: RemoteFile(
                    userId: file.userId,
                    fileId: file.fileId,
                    sent: file.sent,
                    fileSource: try file.fileSource.mapPaths(resolve)
                )
            )
        case .setLocalDeviceName, .connectRemoteCtrl, .findKnownRemoteCtrl, .confirmRemoteCtrl,
            .verifyRemoteCtrlSession, .listRemoteCtrls,
            .stopRemoteCtrl, .deleteRemoteCtrl, .listRemoteHosts, .startRemoteHost, .switchRemoteHost, .stopRemoteHost,
            .deleteRemoteHost:
            self
        }
    }
}
