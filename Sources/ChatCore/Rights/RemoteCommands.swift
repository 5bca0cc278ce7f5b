internal import ChatAPI

extension ChatCommand {
    /// Whether one device may run the command on another device. Commands about a device itself (its start, databases,
    /// folders, network and its own sessions of remote control) run only locally. The original permits the same
    /// commands, and also the terminal command that sets the network.
    var isForRemoteHosts: Bool {
        switch self {
        case .lifecycle(let command):
            switch command {
            case .checkChatRunning, .setAppFilePaths: true
            case .startChat, .stopChat, .activateChat, .suspendChat, .setEncryptLocalFiles, .setTempFolder,
                .setFilesFolder, .setRemoteHostsFolder, .quitChat:
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
            case .saveSettings, .getSettings, .setChatSettings, .setChatItemTTL, .getChatItemTTL, .setChatTTL,
                .setNetworkInfo, .reconnectAllServers,
                .reconnectServer, .setClientService:
                true
            }
        case .diagnostics(let command):
            switch command {
            case .execChatStoreSQL, .execAgentStoreSQL, .slowSQLQueries: false
            case .showVersion, .getAgentSubsTotal, .getAgentServersSummary, .resetAgentServersStats, .contactQueueInfo,
                .groupMemberQueueInfo,
                .getNetworkStatuses, .showConnectionsDiff, .resubscribeAllConnections, .getAgentSubs,
                .getAgentSubsDetails, .getAgentWorkers,
                .getAgentWorkersDetails, .getAgentQueuesInfo, .debugLocks, .customChatCommand:
                true
            }
        case .console(.ownUser(let action)):
            switch action {
            case .setNetwork: false
            case .showProfile, .updateProfile, .showProfileImage, .setProfileImage, .setBotCommands, .setPreference,
                .setTimedMessages, .hide, .unhide,
                .mute, .unmute, .setContactReceipts, .setGroupReceipts, .setAutoAcceptMemberContacts, .markRead,
                .listContacts, .newGroup, .listGroups,
                .addContact, .connect, .connectTeam, .createAddress, .deleteAddress, .showAddress, .setProfileAddress,
                .setAddressSettings, .listChats,
                .listItems, .showItem, .showFileStatus, .showLiveItems, .showLastItemId, .broadcast, .setItemTTL,
                .showItemTTL, .listServers,
                .setServers, .setOperators, .testServer, .listRelays,
                .setRelays, .testRelay, .showWelcome, .showHelp:
                true
            }
        case .remoteControl: false
        case .users, .messages, .contacts, .groups, .tags, .files, .calls, .notifications, .servers, .themes, .address,
            .security,
            .console(.user), .console(.contact), .console(.group), .console(.request), .console(.chat):
            true
        }
    }
}
