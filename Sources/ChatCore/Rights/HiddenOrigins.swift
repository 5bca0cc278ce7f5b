internal import ChatAPI

extension ChatResponse {
    /// Returns the response without data of chats that the sender of the command may not read. If an item was forwarded
    /// from such a chat, the original item and the name of the chat are removed.
    ///
    /// The switch lists every response. If a response is added, the code compiles only after the switch lists the new
    /// response.
    func limitingOrigins(to rights: CommandRights) -> ChatResponse {
        guard let chats = rights.chats else { return self }
        switch self {
        case .apiChats(let user, let list):
            return .apiChats(user: user, chats: list.map { $0.limitingOrigins(to: chats) })
        case .apiChat(let user, let chat, let navigation):
            return .apiChat(user: user, chat: chat.limitingOrigins(to: chats), navInfo: navigation)
        case .newPreparedChat(let user, let chat):
            return .newPreparedChat(user: user, chat: chat.limitingOrigins(to: chats))
        case .chatItemInfo(let user, let item, var info):
            if let origin = info.forwardedFromChatItem, !chats.contains(where: { $0.matches(origin.chatInfo) }) {
                info.forwardedFromChatItem = nil
            }
            return .chatItemInfo(user: user, chatItem: item.limitingOrigins(to: chats), chatItemInfo: info)
        case .newChatItems(let user, let items):
            return .newChatItems(user: user, chatItems: items.map { $0.limitingOrigins(to: chats) })
        case .chatItemUpdated(let user, let item):
            return .chatItemUpdated(user: user, chatItem: item.limitingOrigins(to: chats))
        case .chatItemNotChanged(let user, let item):
            return .chatItemNotChanged(user: user, chatItem: item.limitingOrigins(to: chats))
        case .chatItemReaction(let user, let added, var reaction):
            reaction.chatReaction.chatItem = reaction.chatReaction.chatItem.limitingOrigins(to: chats)
            return .chatItemReaction(user: user, added: added, reaction: reaction)
        case .chatItemsDeleted(let user, let deletions, let byUser, let timed):
            let limited = deletions.map {
                ChatItemDeletion(
                    deletedChatItem: $0.deletedChatItem.limitingOrigins(to: chats),
                    toChatItem: $0.toChatItem?.limitingOrigins(to: chats)
                )
            }
            return .chatItemsDeleted(user: user, chatItemDeletions: limited, byUser: byUser, timed: timed)
        case .rcvFileAccepted(let user, let item):
            return .rcvFileAccepted(user: user, chatItem: item.limitingOrigins(to: chats))
        case .rcvFileCancelled(let user, let item, let transfer):
            return .rcvFileCancelled(user: user, chatItem_: item?.limitingOrigins(to: chats), rcvFileTransfer: transfer)
        case .sndFileCancelled(let user, let item, let meta, let transfers):
            return .sndFileCancelled(
                user: user,
                chatItem_: item?.limitingOrigins(to: chats),
                fileTransferMeta: meta,
                sndFileTransfers: transfers
            )
        case .fileTransferStatusXFTP(let user, let item):
            return .fileTransferStatusXFTP(user: user, chatItem: item.limitingOrigins(to: chats))
        case .chats(let list): return .chats(chats: list.map { $0.limitingOrigins(to: chats) })
        case .chatItems(let user, let name, let items):
            return .chatItems(user: user, chatName_: name, chatItems: items.map { $0.limitingOrigins(to: chats) })
        // These responses contain no items.
        case .activeUser, .usersList, .chatStarted, .chatRunning, .chatStopped, .chatContentTypes, .chatTags,
            .serverTestResult, .chatRelayTestResult, .serverOperatorConditions, .userServers, .userServersValidation,
            .usageConditions, .chatItemTTL, .networkConfig, .contactInfo, .groupInfo, .groupMemberInfo, .queueInfo,
            .contactSwitchStarted, .groupMemberSwitchStarted, .contactSwitchAborted, .groupMemberSwitchAborted,
            .contactRatchetSyncStarted, .groupMemberRatchetSyncStarted, .contactCode, .groupMemberCode,
            .connectionVerified, .tagsUpdated, .invitation, .connectionIncognitoUpdated, .connectionUserChanged,
            .connectionPlan, .contactUserChanged, .groupUserChanged, .sentConfirmation, .sentInvitation,
            .startedConnectionToContact, .startedConnectionToGroup, .sentInvitationToContact, .contactAlreadyExists,
            .contactDeleted, .contactConnectionDeleted, .groupDeletedUser, .itemsReadForChat, .chatCleared,
            .userProfileNoChange, .userProfileUpdated, .userPrivacy, .contactAliasUpdated, .groupAliasUpdated,
            .connectionAliasUpdated, .contactPrefsUpdated, .userContactLink, .userContactLinkUpdated,
            .userContactLinkCreated, .userContactLinkDeleted, .acceptingContactRequest, .contactRequestRejected,
            .chatMsgContent, .groupChatItemsDeleted, .forwardPlan, .reactionMembers, .contactsList, .groupCreated,
            .publicGroupCreated, .publicGroupCreationFailed, .groupRelays, .groupRelaysAdded, .groupRelaysAddFailed,
            .sentGroupInvitation, .userAcceptedGroupSent, .userDeletedMembers, .leftMemberUser, .groupMembers,
            .memberAccepted, .memberSupportChatRead, .memberSupportChatDeleted, .membersRoleUser,
            .membersBlockedForAllUser, .groupUpdated, .contactDomainVerified, .groupDomainVerified, .groupLinkCreated,
            .groupLink, .groupLinkDeleted, .newMemberContact, .newMemberContactSentInv, .memberContactAccepted,
            .rcvFileAcceptedSndCancelled, .standaloneFileInfo, .rcvStandaloneFileCreated, .fileTransferStatus,
            .sndStandaloneFileCreated, .callInvitations, .ntfTokenStatus, .ntfToken, .ntfConns, .connNtfMessages,
            .remoteCtrlList, .remoteCtrlConnecting, .remoteCtrlConnected, .versionInfo, .cmdOk, .agentSubsTotal,
            .agentServersSummary, .agentSubsSummary, .archiveExported, .archiveImported, .appSettings,
            .connectionsDiff, .broadcastSent, .chatHelp, .welcome, .relayGroupAllowed, .memberSupportChats,
            .groupsList, .userProfile, .userProfileImage, .joinedGroupMember, .groupProfile, .groupDescription,
            .remoteHostList, .currentRemoteHost, .remoteHostStarted, .remoteFileStored, .sQLResult, .slowSQLQueries,
            .debugLocks, .agentWorkersDetails, .agentWorkersSummary, .agentSubs, .agentSubsDetails, .agentQueuesInfo,
            .customChatResponse, .serviceReplyAccepted, .networkStatuses, .chatCmdError:
            return self
        // The engine never makes a response of an unknown kind.
        case .unrecognized: return .unrecognized(.null)
        }
    }
}

extension AChat {
    fileprivate func limitingOrigins(to chats: Set<CommandRights.Chat>) -> AChat {
        var chat = self
        chat.chatItems = chatItems.map { $0.limitingOrigins(to: chats) }
        return chat
    }
}

extension AChatItem {
    fileprivate func limitingOrigins(to chats: Set<CommandRights.Chat>) -> AChatItem {
        AChatItem(chatInfo: chatInfo, chatItem: chatItem.limitingOrigins(to: chats))
    }
}

extension ChatItem {
    fileprivate func limitingOrigins(to chats: Set<CommandRights.Chat>) -> ChatItem {
        let isOwn: Bool
        switch meta.itemForwarded {
        case nil, .unknown: return self
        case .contact(_, _, let contactId, _): isOwn = contactId.map { chats.contains(.contact($0)) } ?? false
        case .group(_, _, let groupId, _): isOwn = groupId.map { chats.contains(.group($0)) } ?? false
        case .unrecognized: isOwn = false
        }
        guard !isOwn else { return self }
        var item = self
        item.meta.itemForwarded = .unknown
        return item
    }
}

extension CommandRights.Chat {
    fileprivate func matches(_ info: ChatInfo) -> Bool {
        switch (self, info) {
        case (.contact(let id), .direct(let contact)): contact.contactId == id
        case (.group(let id), .group(let group, _)): group.groupId == id
        case (.notes(let id), .local(let folder)): folder.noteFolderId == id
        default: false
        }
    }
}
