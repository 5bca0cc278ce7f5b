package import ChatAPI

/// The facts about a command: the scopes that it requires, the kind of its effect, and the state of the chat that it
/// needs.
///
/// No fact has a default. A new command compiles only after its author has chosen each fact.
package struct CommandFacts: Sendable, Equatable {
    /// The scopes that the command requires.
    /// - `admin`: commands about the whole core, the databases or the network, paths, other devices, and the internals
    ///   of the program.
    /// - `read`: commands that change nothing and send nothing.
    /// - `write`: all other commands.
    package let scopes: Scopes
    package let effect: Effect
    let neededState: NeededState

    fileprivate init(_ scopes: Scopes, _ effect: Effect, _ neededState: NeededState) {
        self.scopes = scopes
        self.effect = effect
        self.neededState = neededState
    }

    package enum Effect: Sendable {
        /// The command only returns data of this program, and waits for no relay.
        case read
        /// The command reads data from a relay, and so waits for the relay.
        case relayRead
        /// The command only reads or tests something, although its parameters need the body of a `POST`. Its answer is
        /// not stored, because a repetition does no harm.
        case test
        /// The whole effect is one transaction, which several such commands can share. A merge patch runs these
        /// commands together.
        case joinable
        /// The command has another effect. In a merge patch, this command must be the only command.
        case other
    }

    enum NeededState: Sendable {
        /// The chat must be started.
        case started
        /// The command also runs while the chat is stopped. Such a command only reads, prepares a start, or maintains
        /// the databases. The original allows the same commands.
        case any
    }
}

extension Scopes {
    /// Returns the scopes that a command requires on every transport. No other code defines the scopes of commands.
    package static func requiredScopes(for command: ChatCommand) -> Scopes {
        let needed = requiredScopes(for: command.name)
        // A terminal command also needs `read`: it resolves names, and its response reveals whether the names exist.
        if case .console = command { return needed.union(.read) }
        return needed
    }

    /// Returns the scopes that the command with this name requires.
    package static func requiredScopes(for command: CommandName) -> Scopes { command.facts.scopes }
}

extension ChatCommand {
    /// Whether the command also runs while the chat is stopped.
    var runsWhenStopped: Bool {
        // A terminal command is translated into other commands. Each of these commands is checked before it runs.
        if case .console = self { return true }
        return name.facts.neededState == .any
    }

    /// Whether the whole effect of the command is one transaction, so that several such commands can share one
    /// transaction.
    package var canJoinTransaction: Bool {
        // A terminal command runs other commands, and resolves names before them.
        if case .console = self { return false }
        return name.facts.effect == .joinable
    }
}

extension CommandName {
    package var facts: CommandFacts {
        switch self {
        // Category Users
        case .showActiveUser, .listUsers: .init(.read, .read, .any)
        case .muteUser, .unmuteUser, .updateProfile, .setAllContactReceipts, .setUserContactReceipts,
            .setUserGroupReceipts, .setUserAutoAcceptMemberContacts, .setUserAutoAcceptGroupInvitations:
            .init(.write, .joinable, .started)
        case .createActiveUser: .init(.write, .other, .any)
        case .setActiveUser, .hideUser, .unhideUser, .deleteUser, .userRead, .addBadge: .init(.write, .other, .started)
        // Category Lifecycle
        case .checkChatRunning: .init(.read, .read, .any)
        case .startChat, .stopChat, .suspendChat, .setAppFilePaths, .setEncryptLocalFiles, .setTempFolder,
            .setFilesFolder, .setRemoteHostsFolder, .quitChat:
            .init(.admin, .other, .any)
        case .activateChat: .init(.admin, .other, .started)
        // Category Messages
        case .getChats: .init(.read, .read, .any)
        case .getChat, .getChatContentTypes, .getChatItems, .getChatItemInfo, .getReactionMembers:
            .init(.read, .read, .started)
        case .planForwardChatItems, .shareChatMsgContent, .shareMyAddress: .init(.write, .test, .started)
        case .chatUnread: .init(.write, .joinable, .started)
        case .sendMessages, .createChatItems, .updateChatItem, .deleteChatItem, .deleteMemberChatItem,
            .archiveReceivedReports, .deleteReceivedReports, .chatItemReaction, .forwardChatItems, .reportMessage,
            .chatRead, .chatItemsRead:
            .init(.write, .other, .started)
        // Category Contacts
        case .listContacts, .contactInfo: .init(.read, .read, .started)
        case .connectPlan: .init(.write, .test, .started)
        case .setContactMergeEnabled: .init(.write, .joinable, .any)
        case .setContactPrefs, .setContactAlias, .setConnectionAlias, .setContactCustomData:
            .init(.write, .joinable, .started)
        case .addContact, .connect, .prepareContact, .connectPreparedContact, .connectContactViaAddress,
            .acceptContact, .rejectContact, .deleteChat, .clearChat, .setConnectionIncognito, .changeConnectionUser,
            .changePreparedContactUser, .enableContact:
            .init(.write, .other, .started)
        // Category Groups
        case .listGroups, .groupInfo, .listMembers, .getGroupLink, .groupMemberInfo, .getGroupRelays:
            .init(.read, .read, .started)
        case .getUpdatedGroupLinkData: .init(.write, .relayRead, .started)
        case .updateGroupProfile, .membersRole, .blockMembersForAll, .setMemberSettings, .setGroupAlias,
            .setGroupCustomData, .setPublicGroupAccess:
            .init(.write, .joinable, .started)
        case .newGroup, .newPublicGroup, .addMember, .joinGroup, .acceptMember, .removeMembers, .leaveGroup,
            .createGroupLink, .groupLinkMemberRole, .deleteGroupLink, .addGroupShortLink, .createMemberContact,
            .sendMemberContactInvitation, .acceptMemberContact, .deleteMemberSupportChat, .addGroupRelays,
            .allowRelayGroup, .prepareGroup, .changePreparedGroupUser, .connectPreparedGroup, .enableGroupMember:
            .init(.write, .other, .started)
        // Category Tags
        case .getChatTags: .init(.read, .read, .any)
        case .setChatTags: .init(.write, .joinable, .started)
        case .createChatTag, .deleteChatTag, .updateChatTag, .reorderChatTags: .init(.write, .other, .started)
        // Category Files
        case .standaloneFileInfo: .init(.write, .test, .started)
        case .receiveFile, .setFileToReceive, .cancelFile, .uploadStandaloneFile, .downloadStandaloneFile:
            .init(.write, .other, .started)
        // Category Calls
        case .getCallInvitations: .init(.read, .read, .any)
        case .sendCallInvitation, .rejectCall, .sendCallOffer, .sendCallAnswer, .sendCallExtraInfo, .endCall,
            .callStatus:
            .init(.write, .other, .started)
        // Category Notifications
        case .getNtfToken: .init(.read, .read, .any)
        case .checkToken, .getNtfConns: .init(.write, .test, .any)
        case .registerToken, .verifyToken, .deleteToken, .getConnNtfMessages: .init(.write, .other, .any)
        // Category Settings
        case .getSettings, .getChatItemTTL, .getNetworkConfig: .init(.read, .read, .any)
        case .setChatSettings, .setChatItemTTL, .setChatTTL: .init(.write, .joinable, .started)
        case .saveSettings, .setClientService: .init(.write, .other, .any)
        case .reconnectServer: .init(.write, .other, .started)
        case .setNetworkConfig, .setNetworkInfo, .reconnectAllServers: .init(.admin, .other, .any)
        // Category Database
        case .testStorageEncryption: .init(.admin, .test, .any)
        case .storageEncryption, .exportArchive, .importArchive, .deleteStorage: .init(.admin, .other, .any)
        // Category Servers
        case .getServerOperators, .getUsageConditions: .init(.read, .read, .any)
        case .getUserServers: .init(.read, .read, .started)
        case .validateServers, .testProtoServer, .testChatRelay: .init(.write, .test, .started)
        // These commands concern the operators, which all profiles share.
        case .setServerOperators, .acceptConditions, .setConditionsNotified: .init(.admin, .other, .any)
        case .setUserServers: .init(.admin, .other, .started)
        // Category Themes
        case .setUserUIThemes, .setChatUIThemes: .init(.write, .joinable, .started)
        // Remote control transfers all data of this core to another device, or all data of another device to this core.
        case .listRemoteCtrls, .listRemoteHosts: .init(.admin, .read, .any)
        case .setLocalDeviceName, .connectRemoteCtrl, .findKnownRemoteCtrl, .confirmRemoteCtrl,
            .verifyRemoteCtrlSession, .stopRemoteCtrl, .deleteRemoteCtrl, .startRemoteHost, .switchRemoteHost,
            .stopRemoteHost, .deleteRemoteHost, .storeRemoteFile, .getRemoteFile:
            .init(.admin, .other, .any)
        // Category Diagnostics
        case .showVersion, .getAgentSubsTotal: .init(.read, .read, .any)
        case .contactQueueInfo, .groupMemberQueueInfo: .init(.read, .relayRead, .any)
        case .customChatCommand: .init(.write, .other, .any)
        // These commands concern the data of all profiles together.
        case .getAgentServersSummary, .getNetworkStatuses, .getAgentSubs, .getAgentSubsDetails, .getAgentWorkers,
            .getAgentWorkersDetails, .getAgentQueuesInfo, .debugLocks, .slowSQLQueries:
            .init(.admin, .read, .any)
        case .resetAgentServersStats, .showConnectionsDiff, .resubscribeAllConnections, .execChatStoreSQL,
            .execAgentStoreSQL:
            .init(.admin, .other, .any)
        // Category Address
        case .showMyAddress: .init(.read, .read, .any)
        case .createMyAddress, .deleteMyAddress, .addMyAddressShortLink, .setProfileAddress, .setAddressSettings,
            .setUserDomain, .verifyContactDomain, .verifyGroupDomain, .sendServiceResponse:
            .init(.write, .other, .started)
        // Category Security
        case .getContactCode, .getGroupMemberCode: .init(.read, .read, .started)
        case .verifyContact, .verifyGroupMember, .switchContact, .switchGroupMember, .abortSwitchContact,
            .abortSwitchGroupMember, .syncContactRatchet, .syncGroupMemberRatchet:
            .init(.write, .other, .started)
        }
    }
}
