internal import ChatAPI

/// The owner of the data that a command reads or changes.
enum CommandSubject: Hashable, Sendable {
    /// The user in the parameters of the command.
    case user(Int64)
    /// The user for whom the command runs, or otherwise the active user.
    case currentUser
    /// Two users: the command transfers data from the user for whom it runs to another user.
    case handover(to: Int64)
    /// All users of the store, or data that they share.
    case wholeStore
}

extension ChatCommand {
    var subject: CommandSubject {
        switch self {
        case .users(let command): command.subject
        case .messages(let command): command.subject
        case .contacts(let command): command.subject
        case .groups(let command): command.subject
        case .tags(let command): command.subject
        case .files(let command): command.subject
        case .calls(let command): command.subject
        case .settings(let command): command.subject
        case .servers(let command): command.subject
        case .themes(let command): command.subject
        case .diagnostics(let command): command.subject
        case .address(let command): command.subject
        case .security: .currentUser
        case .lifecycle, .database, .notifications, .remoteControl: .wholeStore
        case .console(let command):
            switch command {
            case .ownUser, .contact, .group, .request, .chat: .currentUser
            // The command searches all users by name.
            case .user: .wholeStore
            }
        }
    }
}

extension UserCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        // These commands concern all users, or they show or change which user is active. The active user concerns the
        // whole store, because all commands without a user run for the active user.
        case .showActiveUser, .createActiveUser, .listUsers, .setActiveUser, .setAllContactReceipts: .wholeStore
        case .addBadge: .currentUser
        case .hideUser(let userId, _), .unhideUser(let userId, _), .muteUser(let userId), .unmuteUser(let userId),
            .deleteUser(let userId, _, _),
            .updateProfile(let userId, _), .setUserContactReceipts(let userId, _), .setUserGroupReceipts(let userId, _),
            .setUserAutoAcceptMemberContacts(let userId, _), .setUserAutoAcceptGroupInvitations(let userId, _),
            .userRead(let userId):
            .user(userId)
        }
    }
}

extension MessageCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        case .getChats(let userId, _, _, _), .getReactionMembers(let userId, _, _, _): .user(userId)
        case .getChat, .getChatContentTypes, .getChatItems, .getChatItemInfo, .sendMessages, .createChatItems,
            .updateChatItem, .deleteChatItem,
            .deleteMemberChatItem, .archiveReceivedReports, .deleteReceivedReports, .chatItemReaction,
            .planForwardChatItems, .forwardChatItems,
            .reportMessage, .chatRead, .chatItemsRead, .chatUnread, .shareChatMsgContent, .shareMyAddress:
            .currentUser
        }
    }
}

extension ContactCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        case .addContact(let userId, _), .connect(let userId, _, _), .connectPlan(let userId, _, _, _),
            .prepareContact(let userId, _, _, _),
            .connectContactViaAddress(let userId, _, _), .listContacts(let userId):
            .user(userId)
        case .connectPreparedContact, .acceptContact, .rejectContact, .deleteChat, .clearChat, .setContactPrefs,
            .setContactAlias,
            .setConnectionAlias, .setContactCustomData, .contactInfo, .setConnectionIncognito, .enableContact:
            .currentUser
        case .changeConnectionUser(_, let userId), .changePreparedContactUser(_, let userId): .handover(to: userId)
        case .setContactMergeEnabled: .wholeStore
        }
    }
}

extension GroupCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        case .newGroup(let userId, _, _), .newPublicGroup(let userId, _, _, _), .listGroups(let userId, _, _),
            .prepareGroup(let userId, _, _, _, _):
            .user(userId)
        case .changePreparedGroupUser(_, let userId): .handover(to: userId)
        case .groupInfo, .addMember, .joinGroup, .acceptMember, .removeMembers, .leaveGroup, .listMembers,
            .updateGroupProfile, .membersRole,
            .blockMembersForAll, .createGroupLink, .groupLinkMemberRole, .deleteGroupLink, .getGroupLink,
            .addGroupShortLink, .createMemberContact,
            .sendMemberContactInvitation, .acceptMemberContact, .groupMemberInfo, .deleteMemberSupportChat,
            .setMemberSettings, .setGroupAlias,
            .setGroupCustomData, .getGroupRelays, .addGroupRelays, .allowRelayGroup, .setPublicGroupAccess,
            .getUpdatedGroupLinkData,
            .connectPreparedGroup, .enableGroupMember:
            .currentUser
        }
    }
}

extension TagCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        case .getChatTags(let userId): .user(userId)
        case .createChatTag, .setChatTags, .deleteChatTag, .updateChatTag, .reorderChatTags: .currentUser
        }
    }
}

extension FileCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        case .uploadStandaloneFile(let userId, _), .downloadStandaloneFile(let userId, _, _): .user(userId)
        case .receiveFile, .setFileToReceive, .cancelFile: .currentUser
        case .standaloneFileInfo: .wholeStore
        }
    }
}

extension CallCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        // Without a user, `getCallInvitations` reads the calls of all users.
        case .sendCallInvitation, .rejectCall, .sendCallOffer, .sendCallAnswer, .sendCallExtraInfo, .endCall,
            .callStatus, .getCallInvitations:
            .currentUser
        }
    }
}

extension SettingsCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        case .setChatItemTTL(let userId, _), .getChatItemTTL(let userId), .setChatTTL(let userId, _, _),
            .reconnectServer(let userId, _),
            .setClientService(let userId, _, _):
            .user(userId)
        case .setChatSettings: .currentUser
        case .saveSettings, .getSettings, .setNetworkConfig, .getNetworkConfig, .setNetworkInfo, .reconnectAllServers:
            .wholeStore
        }
    }
}

extension ServerCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        case .getUserServers(let userId), .setUserServers(let userId, _), .validateServers(let userId, _),
            .testProtoServer(let userId, _),
            .testChatRelay(let userId, _):
            .user(userId)
        case .getServerOperators, .setServerOperators, .getUsageConditions, .acceptConditions, .setConditionsNotified:
            .wholeStore
        }
    }
}

extension ThemeCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        case .setUserUIThemes(let userId, _): .user(userId)
        case .setChatUIThemes: .currentUser
        }
    }
}

extension DiagnosticsCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        case .getAgentSubsTotal(let userId), .getAgentServersSummary(let userId): .user(userId)
        case .contactQueueInfo, .groupMemberQueueInfo: .currentUser
        case .showVersion, .resetAgentServersStats, .getNetworkStatuses, .showConnectionsDiff,
            .resubscribeAllConnections, .getAgentSubs,
            .getAgentSubsDetails, .getAgentWorkers, .getAgentWorkersDetails, .getAgentQueuesInfo, .debugLocks,
            .execChatStoreSQL, .execAgentStoreSQL,
            .slowSQLQueries, .customChatCommand:
            .wholeStore
        }
    }
}

extension AddressCommand {
    fileprivate var subject: CommandSubject {
        switch self {
        case .createMyAddress(let userId), .deleteMyAddress(let userId), .showMyAddress(let userId),
            .addMyAddressShortLink(let userId),
            .setProfileAddress(let userId, _), .setAddressSettings(let userId, _), .setUserDomain(let userId, _),
            .sendServiceResponse(let userId, _, _):
            .user(userId)
        case .verifyContactDomain, .verifyGroupDomain: .currentUser
        }
    }
}
