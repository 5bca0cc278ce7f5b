internal import ChatAPI

extension ChatCommand {
    /// Whether one device may have another one carry it out. What concerns a device itself (its start, databases, folders, network and its own
    /// sessions of remote control) is done there.
    var isForRemoteHosts: Bool {
        switch self {
        case .lifecycle(let command):
            switch command {
            case .checkChatRunning, .setAppFilePaths: true
            case .startChat, .stopChat, .activateChat, .suspendChat, .setEncryptLocalFiles, .setTempFolder, .setFilesFolder, .setRemoteHostsFolder, .quitChat:
                false
            }
        case .database(let command):
            switch command {
            case .testStorageEncryption: true
            case .storageEncryption, .exportArchive, .importArchive, .deleteStorage: false
            }
        case .settings(let command):
            switch command {
            case .setNetworkConfig, .getNetworkConfig: false
            case .saveSettings, .getSettings, .setChatSettings, .setChatItemTTL, .getChatItemTTL, .setChatTTL, .setNetworkInfo, .reconnectAllServers,
                .reconnectServer, .setClientService:
                true
            }
        case .remoteControl: false
        case .users, .messages, .contacts, .groups, .tags, .files, .calls, .notifications, .servers, .themes, .diagnostics, .address, .security, .console: true
        }
    }
}
