package import ChatAPI

extension Scopes {
    /// Returns the scopes that a command requires on every transport. No other code defines the scopes of commands.
    package static func requiredScopes(for command: ChatCommand) -> Scopes {
        let needed = requiredScopes(for: command.name)
        // A terminal command also needs `read`: it resolves names, and its response reveals whether the names exist.
        if case .console = command { return needed.union(.read) }
        return needed
    }

    /// Returns the scopes that a command requires by its name.
    /// - `admin`: commands about the whole core, the databases or the network, paths, other devices, and the internals
    ///   of the program.
    /// - `read`: commands that change nothing and send nothing.
    /// - `write`: all other commands.
    package static func requiredScopes(for command: CommandName) -> Scopes {
        switch command {
        // Users
        case .showActiveUser, .listUsers: .read
        case .createActiveUser, .setActiveUser, .hideUser, .unhideUser, .muteUser, .unmuteUser, .deleteUser,
            .updateProfile, .setAllContactReceipts,
            .setUserContactReceipts, .setUserGroupReceipts, .setUserAutoAcceptMemberContacts,
            .setUserAutoAcceptGroupInvitations, .userRead, .addBadge:
            .write
        // Lifecycle
        case .checkChatRunning: .read
        case .startChat, .stopChat, .activateChat, .suspendChat, .quitChat: .admin
        case .setAppFilePaths, .setTempFolder, .setFilesFolder, .setRemoteHostsFolder, .setEncryptLocalFiles: .admin
        // Messages
        case .getChats, .getChat, .getChatContentTypes, .getChatItems, .getChatItemInfo, .getReactionMembers: .read
        case .sendMessages, .createChatItems, .updateChatItem, .deleteChatItem, .deleteMemberChatItem,
            .archiveReceivedReports,
            .deleteReceivedReports, .chatItemReaction, .planForwardChatItems, .forwardChatItems, .reportMessage,
            .chatRead, .chatItemsRead,
            .chatUnread, .shareChatMsgContent, .shareMyAddress:
            .write
        // Contacts
        case .listContacts, .contactInfo: .read
        case .addContact, .connect, .connectPlan, .prepareContact, .connectPreparedContact, .connectContactViaAddress,
            .acceptContact,
            .rejectContact, .deleteChat, .clearChat, .setContactPrefs, .setContactAlias, .setConnectionAlias,
            .setContactCustomData,
            .setConnectionIncognito, .changeConnectionUser, .changePreparedContactUser, .enableContact,
            .setContactMergeEnabled:
            .write
        // Groups
        case .listGroups, .groupInfo, .listMembers, .getGroupLink, .groupMemberInfo, .getGroupRelays: .read
        case .newGroup, .newPublicGroup, .addMember, .joinGroup, .acceptMember, .removeMembers, .leaveGroup,
            .updateGroupProfile, .membersRole,
            .blockMembersForAll, .createGroupLink, .groupLinkMemberRole, .deleteGroupLink, .addGroupShortLink,
            .createMemberContact,
            .sendMemberContactInvitation, .acceptMemberContact, .deleteMemberSupportChat, .setMemberSettings,
            .setGroupAlias, .setGroupCustomData,
            .addGroupRelays, .allowRelayGroup, .setPublicGroupAccess, .prepareGroup, .changePreparedGroupUser,
            .connectPreparedGroup,
            .enableGroupMember, .getUpdatedGroupLinkData:
            .write
        // Tags
        case .getChatTags: .read
        case .createChatTag, .setChatTags, .deleteChatTag, .updateChatTag, .reorderChatTags: .write
        // Files
        case .receiveFile, .setFileToReceive, .cancelFile, .uploadStandaloneFile, .downloadStandaloneFile,
            .standaloneFileInfo:
            .write
        // Calls
        case .getCallInvitations: .read
        case .sendCallInvitation, .rejectCall, .sendCallOffer, .sendCallAnswer, .sendCallExtraInfo, .endCall,
            .callStatus:
            .write
        // Notifications
        case .getNtfToken: .read
        case .registerToken, .verifyToken, .checkToken, .deleteToken, .getNtfConns, .getConnNtfMessages: .write
        // Settings
        case .getSettings, .getChatItemTTL, .getNetworkConfig: .read
        case .saveSettings, .setChatSettings, .setChatItemTTL, .setChatTTL, .reconnectServer, .setClientService: .write
        case .setNetworkConfig, .setNetworkInfo, .reconnectAllServers: .admin
        // Database
        case .storageEncryption, .testStorageEncryption, .exportArchive, .importArchive, .deleteStorage: .admin
        // Servers
        case .getServerOperators, .getUserServers, .getUsageConditions: .read
        case .validateServers, .testProtoServer, .testChatRelay: .write
        // These commands concern the operators, which all profiles share.
        case .setServerOperators, .setUserServers, .acceptConditions, .setConditionsNotified: .admin
        // Themes
        case .setUserUIThemes, .setChatUIThemes: .write
        // Remote control transfers all data of this core to another device, or all data of another device to this core.
        case .setLocalDeviceName, .connectRemoteCtrl, .findKnownRemoteCtrl, .confirmRemoteCtrl,
            .verifyRemoteCtrlSession, .listRemoteCtrls,
            .stopRemoteCtrl, .deleteRemoteCtrl, .listRemoteHosts, .startRemoteHost, .switchRemoteHost, .stopRemoteHost,
            .deleteRemoteHost,
            .storeRemoteFile, .getRemoteFile:
            .admin
        // Diagnostics
        case .showVersion, .getAgentSubsTotal, .contactQueueInfo, .groupMemberQueueInfo: .read
        case .customChatCommand: .write
        // These commands concern the data of all profiles together.
        case .getAgentServersSummary, .resetAgentServersStats, .getNetworkStatuses, .showConnectionsDiff,
            .resubscribeAllConnections, .getAgentSubs,
            .getAgentSubsDetails, .getAgentWorkers, .getAgentWorkersDetails, .getAgentQueuesInfo, .debugLocks,
            .execChatStoreSQL,
            .execAgentStoreSQL, .slowSQLQueries:
            .admin
        // Address
        case .showMyAddress: .read
        case .createMyAddress, .deleteMyAddress, .addMyAddressShortLink, .setProfileAddress, .setAddressSettings,
            .setUserDomain,
            .verifyContactDomain, .verifyGroupDomain, .sendServiceResponse:
            .write
        // Security
        case .getContactCode, .getGroupMemberCode: .read
        case .verifyContact, .verifyGroupMember, .switchContact, .switchGroupMember, .abortSwitchContact,
            .abortSwitchGroupMember,
            .syncContactRatchet, .syncGroupMemberRatchet:
            .write
        }
    }
}
