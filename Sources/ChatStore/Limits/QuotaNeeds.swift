package import ChatAPI

/// The limited resources that a command uses. A command that uses one of them always adds data to the databases too.
package struct QuotaNeeds: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let items = QuotaNeeds(rawValue: 1)
    package static let connections = QuotaNeeds(rawValue: 2)
    package static let files = QuotaNeeds(rawValue: 4)

    /// The resources whose limits are checked before the command has any effect. Files are checked later, since the
    /// check needs the size of the file.
    package var resources: [StoreLimits.Resource] {
        var resources: [StoreLimits.Resource] = [.databaseBytes]
        if contains(.items) { resources.append(.items) }
        if contains(.connections) { resources.append(.connections) }
        return resources
    }
}

extension ChatCommand {
    /// The limited resources that the command uses; nil for a command that may run in a full store. A command that may
    /// run in a full store reads, deletes, leaves, ends, marks or sets something.
    package var quotaNeeds: QuotaNeeds? {
        switch self {
        case .messages(let command): command.quotaNeeds
        case .contacts(let command): command.quotaNeeds
        case .groups(let command): command.quotaNeeds
        case .files(let command): command.quotaNeeds
        case .address(.createMyAddress): .connections
        case .users(.createActiveUser), .users(.updateProfile), .users(.addBadge): []
        case .calls(.sendCallInvitation): .items
        case .tags(let command): command.quotaNeeds
        case .settings(let command): command.quotaNeeds
        case .themes(let command): command.quotaNeeds
        case .servers(let command): command.quotaNeeds
        case .notifications, .diagnostics, .security, .lifecycle, .database, .remoteControl, .address, .users,
            .calls, .console:
            nil
        }
    }
}

extension MessageCommand {
    fileprivate var quotaNeeds: QuotaNeeds? {
        switch self {
        case .sendMessages(_, _, _, _, _, let messages), .createChatItems(_, let messages):
            messages.contains { $0.fileSource != nil } ? [.items, .files] : .items
        // The files of forwarded items are copied, so the command may add files.
        case .forwardChatItems: [.items, .files]
        case .reportMessage, .shareChatMsgContent, .shareMyAddress: .items
        case .updateChatItem: []
        case .chatItemReaction(_, _, let adds, _): adds ? [] : nil
        case .getChats, .getChat, .getChatContentTypes, .getChatItems, .getChatItemInfo, .deleteChatItem,
            .deleteMemberChatItem, .archiveReceivedReports,
            .deleteReceivedReports, .getReactionMembers, .planForwardChatItems, .chatRead, .chatItemsRead, .chatUnread:
            nil
        }
    }
}

extension ContactCommand {
    fileprivate var quotaNeeds: QuotaNeeds? {
        switch self {
        case .addContact, .connect, .connectContactViaAddress, .acceptContact: .connections
        case .connectPreparedContact: [.connections, .items]
        case .prepareContact: .items
        // A contact moves to another user together with its wallpapers, so the command may add data.
        case .setContactPrefs, .changePreparedContactUser: []
        case .setContactAlias(_, let alias), .setConnectionAlias(_, let alias): alias.isEmpty ? nil : []
        case .setContactCustomData(_, let data): data == nil ? nil : []
        case .connectPlan, .rejectContact, .deleteChat, .clearChat, .listContacts, .contactInfo,
            .setConnectionIncognito, .changeConnectionUser,
            .enableContact, .setContactMergeEnabled:
            nil
        }
    }
}

extension GroupCommand {
    fileprivate var quotaNeeds: QuotaNeeds? {
        switch self {
        case .newGroup, .prepareGroup, .updateGroupProfile: .items
        case .newPublicGroup, .joinGroup, .acceptMember, .connectPreparedGroup, .createMemberContact,
            .acceptMemberContact, .addMember:
            [.connections, .items]
        case .sendMemberContactInvitation: .items
        case .createGroupLink, .addGroupRelays: .connections
        case .setPublicGroupAccess: []
        case .setGroupAlias(_, let alias): alias.isEmpty ? nil : []
        case .setGroupCustomData(_, let data): data == nil ? nil : []
        case .listGroups, .groupInfo, .removeMembers, .leaveGroup, .listMembers, .membersRole, .blockMembersForAll,
            .groupLinkMemberRole, .deleteGroupLink,
            .getGroupLink, .addGroupShortLink, .groupMemberInfo, .deleteMemberSupportChat, .setMemberSettings,
            .getGroupRelays, .allowRelayGroup,
            .getUpdatedGroupLinkData, .changePreparedGroupUser, .enableGroupMember:
            nil
        }
    }
}

extension TagCommand {
    fileprivate var quotaNeeds: QuotaNeeds? {
        switch self {
        case .createChatTag, .updateChatTag: []
        case .setChatTags(_, let tags): tags.isEmpty ? nil : []
        case .getChatTags, .deleteChatTag, .reorderChatTags: nil
        }
    }
}

extension SettingsCommand {
    fileprivate var quotaNeeds: QuotaNeeds? {
        switch self {
        case .saveSettings: []
        case .getSettings, .setChatSettings, .setChatItemTTL, .getChatItemTTL, .setChatTTL, .setNetworkConfig,
            .getNetworkConfig, .setNetworkInfo,
            .reconnectAllServers, .reconnectServer, .setClientService:
            nil
        }
    }
}

extension ThemeCommand {
    fileprivate var quotaNeeds: QuotaNeeds? {
        switch self {
        case .setUserUIThemes(_, let themes), .setChatUIThemes(_, let themes): themes == nil ? nil : []
        }
    }
}

extension ServerCommand {
    fileprivate var quotaNeeds: QuotaNeeds? {
        switch self {
        case .setUserServers: []
        case .getServerOperators, .setServerOperators, .getUserServers, .validateServers, .getUsageConditions,
            .acceptConditions, .setConditionsNotified,
            .testProtoServer, .testChatRelay:
            nil
        }
    }
}

extension FileCommand {
    fileprivate var quotaNeeds: QuotaNeeds? {
        switch self {
        case .receiveFile, .setFileToReceive, .uploadStandaloneFile, .downloadStandaloneFile: .files
        case .cancelFile, .standaloneFileInfo: nil
        }
    }
}
