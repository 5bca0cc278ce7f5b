internal import ChatAPI

extension ChatCommand {
    /// Whether the command also runs while the chat is stopped. Such a command only reads, prepares a start, or
    /// maintains the databases. The original allows the same commands.
    var runsWhenStopped: Bool {
        switch self {
        case .users(let command):
            switch command {
            case .showActiveUser, .createActiveUser, .listUsers: true
            default: false
            }
        case .lifecycle(let command):
            switch command {
            case .activateChat: false
            default: true
            }
        case .messages(let command):
            switch command {
            case .getChats: true
            default: false
            }
        case .tags(let command):
            switch command {
            case .getChatTags: true
            default: false
            }
        case .settings(let command):
            switch command {
            case .saveSettings, .getSettings, .getChatItemTTL, .setNetworkConfig, .getNetworkConfig, .setNetworkInfo,
                .reconnectAllServers, .setClientService:
                true
            default: false
            }
        case .servers(let command):
            switch command {
            case .getServerOperators, .setServerOperators, .getUsageConditions, .setConditionsNotified,
                .acceptConditions:
                true
            default: false
            }
        case .address(let command):
            switch command {
            case .showMyAddress: true
            default: false
            }
        case .contacts(let command):
            switch command {
            case .setContactMergeEnabled: true
            default: false
            }
        case .database, .diagnostics, .notifications, .remoteControl: true
        case .calls(let command):
            switch command {
            case .getCallInvitations: true
            default: false
            }
        // A console command is translated into other commands. Each of these commands is checked before it runs.
        case .console: true
        case .groups, .files, .themes, .security: false
        }
    }
}
