package import ChatAPI

extension ModelUpdates {
    /// Makes the updates that a command causes, from its response. A response without an effect on the state results in
    /// no updates.
    package init(_ response: ChatResponse, to command: ChatCommand) {
        self =
            Self.confirmationUpdates(response, command) ?? Self.listUpdates(response, command)
            ?? Self.messageUpdates(response)
            ?? Self.contactUpdates(response, command) ?? Self.groupUpdates(response) ?? Self.profileUpdates(response)
            ?? Self.coreUpdates(response, command) ?? .none
    }

    /// Returns the updates for commands whose response contains no data.
    private static func confirmationUpdates(_ response: ChatResponse, _ command: ChatCommand) -> ModelUpdates? {
        guard case .cmdOk(let user) = response else { return nil }
        let updates: [ModelUpdate] =
            switch command {
            case .messages(.chatRead(let chat)) where chat.chatScope == nil: [.chatRead(chat.id)]
            case .messages(.chatRead(let chat)): chat.chatScope.map { [.groupScopeRead(chat.id, $0)] } ?? []
            case .messages(.chatUnread(let chat, let unread)): [.chatUnread(chat.id, unread)]
            case .settings(.setChatSettings), .settings(.setChatTTL), .contacts(.setContactCustomData),
                .groups(.setGroupCustomData), .messages(.archiveReceivedReports), .messages(.deleteReceivedReports):
                [.reload(.chats)]
            case .groups(.setMemberSettings(let groupId, let memberId, let settings)):
                [.memberSettings("#\(groupId)", memberId: memberId, settings), .reload(.chats)]
            case .settings(.setNetworkInfo(let info)): [.networkInfo(info)]
            case .tags(.deleteChatTag(let tagId)): [.removeUserTag(tagId), .reload(.tags)]
            case .tags(.createChatTag), .tags(.updateChatTag), .tags(.reorderChatTags): [.reload(.tags)]
            case .users(.deleteUser), .users(.muteUser), .users(.unmuteUser), .users(.setAllContactReceipts),
                .users(.setUserContactReceipts), .users(.setUserGroupReceipts),
                .users(.setUserAutoAcceptMemberContacts), .users(.setUserAutoAcceptGroupInvitations), .users(.addBadge):
                [.reload(.users)]
            case .users(.userRead): [.reload(.users), .reload(.chats)]
            case .themes(.setUserUIThemes), .settings(.setClientService): [.reload(.users)]
            case .themes(.setChatUIThemes(let chat, _)): [.reload(.chat(chat))]
            case .settings(.setChatItemTTL(_, let seconds)):
                [.chatItemTTL(seconds == 0 ? nil : seconds), .reload(.chats)]
            case .calls(.sendCallInvitation(let contactId, let type)):
                [.removeCallInvitation("@\(contactId)"), .call(.invitationSent("@\(contactId)", type))]
            // The user accepts the contact's call by sending an offer.
            case .calls(.sendCallOffer(let contactId, let offer)):
                [.call(.invitationAccepted("@\(contactId)", offer.callType))]
            case .calls(.sendCallAnswer(let contactId, _)): [.call(.answerSent("@\(contactId)"))]
            case .calls(.rejectCall(let contactId)), .calls(.endCall(let contactId)):
                [.removeCallInvitation("@\(contactId)"), .call(.ended("@\(contactId)"))]
            case .notifications(.verifyToken): [.notificationTokenStatus(.active)]
            case .notifications(.deleteToken): [.removeNotificationToken]
            case .lifecycle(.activateChat): [.coreActivated]
            case .remoteControl(.findKnownRemoteCtrl): [.remoteCtrl(RemoteCtrlSession(sessionState: .searching))]
            case .remoteControl(.stopRemoteCtrl): [.remoteCtrl(nil)]
            default: []
            }
        return ModelUpdates(userId: Self.concernsAllUsers(command) ? nil : user?.userId, updates)
    }

    /// Returns whether a command concerns all users of the store.
    private static func concernsAllUsers(_ command: ChatCommand) -> Bool {
        switch command {
        case .users, .notifications, .remoteControl, .lifecycle: true
        case .settings(.setNetworkInfo): true
        default: false
        }
    }

    /// Returns the updates for responses with lists and pages. These responses are requested to initialize the state.
    private static func listUpdates(_ response: ChatResponse, _ command: ChatCommand) -> ModelUpdates? {
        switch (response, command) {
        case (.apiChats(let user, let chats), .messages(.getChats(_, _, nil, nil))):
            return makeForUser(user, [.user(user), .chats(chats)])
        case (.networkStatuses(_, let statuses), _): return ModelUpdates(userId: nil, [.subscriptions(statuses)])
        case (.apiChat(let user, let chat, _), .messages(.getChat(let reference, nil, let pagination, nil, .all))):
            guard reference.chatScope == nil else { return ModelUpdates.none }
            switch pagination {
            case .last(count: 1):
                return makeForUser(
                    user,
                    [.chatInfoIfListed(chat.chatInfo), .chatPreview(reference.id, chat.chatItems)]
                )
            case .initial(count: 1): return makeForUser(user, .chatUnreadCounts(reference.id, chat.chatStats))
            default: return ModelUpdates.none
            }
        case (.apiChats, _), (.apiChat, _): return ModelUpdates.none
        default: return nil
        }
    }

    private static func messageUpdates(_ response: ChatResponse) -> ModelUpdates? {
        switch response {
        case .newChatItems(let user, let items): makeForUser(user, items.map(ModelUpdate.newItem))
        case .chatItemUpdated(let user, let item), .chatItemNotChanged(let user, let item),
            .rcvFileAccepted(let user, let item):
            makeForUser(user, .changedItem(item))
        case .rcvFileCancelled(let user, let item, _), .sndFileCancelled(let user, let item, _, _):
            makeForUser(user, item.map { [.changedItem($0)] } ?? [])
        case .chatItemReaction(let user, _, let reaction): makeForUser(user, .changedItem(reaction.item))
        case .chatItemsDeleted(let user, let deletions, _, _): makeForUser(user, deletions.flatMap(\.updates))
        case .groupChatItemsDeleted(let user, let group, let itemIds, _, _):
            makeForUser(user, .removeItems(group.id, itemIds: itemIds))
        default: nil
        }
    }

    private static func contactUpdates(_ response: ChatResponse, _ command: ChatCommand) -> ModelUpdates? {
        switch response {
        case .tagsUpdated(let user, let userTags, let chatTags):
            guard case .tags(.setChatTags(let chat, _)) = command else { return makeForUser(user, .userTags(userTags)) }
            return makeForUser(user, [.userTags(userTags), .chatTags(chat.id, chatTags)])
        case .itemsReadForChat(let user, let info):
            guard case .messages(.chatItemsRead(let chat, let itemIds)) = command else {
                return makeForUser(user, .chatInfoIfListed(info))
            }
            return makeForUser(user, [.chatInfoIfListed(info), .itemsRead(chat.id, itemIds: itemIds)])
        case .chatCleared(let user, let info): return makeForUser(user, .chatCleared(info))
        case .invitation(let user, _, let connection), .connectionIncognitoUpdated(let user, let connection, _),
            .sentConfirmation(let user, let connection, _), .sentInvitation(let user, let connection, _),
            .connectionAliasUpdated(let user, let connection):
            return makeForUser(user, .chatInfo(.contactConnection(contactConnection: connection)))
        case .connectionUserChanged(let user, let connection, _, _):
            return makeForUser(user, [.removeChat(connection.id), .reload(.chats)])
        case .contactConnectionDeleted(let user, let connection): return makeForUser(user, .removeChat(connection.id))
        case .newPreparedChat(let user, let chat): return makeForUser(user, .chat(chat))
        case .startedConnectionToContact(let user, let contact, _), .sentInvitationToContact(let user, let contact, _),
            .memberContactAccepted(let user, let contact), .newMemberContactSentInv(let user, let contact, _, _):
            return makeForUser(user, .chatInfo(.direct(contact: contact)))
        case .newMemberContact(let user, let contact, let group, _):
            return makeForUser(user, [.chatInfo(.direct(contact: contact)), .chatInfoIfListed(.wholeGroup(group))])
        case .contactUserChanged(let user, let contact, _, _): return makeForUser(user, .removeChat(contact.id))
        case .groupUserChanged(let user, let group, _, _): return makeForUser(user, .removeChat(group.id))
        case .contactDeleted(let user, let contact):
            switch command {
            case .contacts(.deleteChat(_, .full)): return makeForUser(user, .removeChat(contact.id))
            case .contacts(.deleteChat(_, .messages)):
                return makeForUser(user, [.chatCleared(.direct(contact: contact)), .reload(.chats)])
            default: return makeForUser(user, .reload(.chats))
            }
        case .contactAliasUpdated(let user, let contact), .contactPrefsUpdated(let user, _, let contact),
            .contactDomainVerified(let user, let contact, _), .contactSwitchStarted(let user, let contact, _),
            .contactSwitchAborted(let user, let contact, _), .contactRatchetSyncStarted(let user, let contact, _):
            return makeForUser(user, .chatInfoIfListed(.direct(contact: contact)))
        case .acceptingContactRequest(let user, let contact):
            guard case .contacts(.acceptContact(_, let requestId)) = command else {
                return makeForUser(user, .chatInfo(.direct(contact: contact)))
            }
            return makeForUser(user, .replaceChat("<@\(requestId)", .direct(contact: contact)))
        case .contactRequestRejected(let user, let request, let contact):
            return makeForUser(user, [.removeChat(request.id)] + contact.map { [.removeChat($0.id)] }.orEmpty)
        default: return nil
        }
    }

    private static func groupUpdates(_ response: ChatResponse) -> ModelUpdates? {
        switch response {
        case .groupCreated(let user, let group), .userAcceptedGroupSent(let user, let group, _),
            .startedConnectionToGroup(let user, let group, _, _):
            makeForUser(user, .chatInfo(.wholeGroup(group)))
        case .publicGroupCreated(let user, let group, let link, let relays),
            .groupRelaysAdded(let user, let group, let link, let relays):
            makeForUser(user, [.chatInfo(.wholeGroup(group)), .relays(group, link, relays)])
        case .groupRelays(let user, let group, let relays): makeForUser(user, .relays(group, nil, relays))
        case .groupDeletedUser(let user, let group, _): makeForUser(user, .removeChat(group.id))
        case .leftMemberUser(let user, let group), .groupAliasUpdated(let user, let group),
            .groupUpdated(let user, _, let group, _, _),
            .groupDomainVerified(let user, let group, _), .groupLinkCreated(let user, let group, _),
            .groupLinkDeleted(let user, let group),
            .relayGroupAllowed(let user, let group), .groupInfo(let user, let group):
            makeForUser(user, .chatInfoIfListed(.wholeGroup(group)))
        case .userDeletedMembers(let user, let group, let members, let withMessages, _):
            makeForUser(
                user,
                [.chatInfoIfListed(.wholeGroup(group))] + members.map { .member(group, $0) }
                    + (withMessages ? members.map { .removeMemberItems(group, of: $0, by: group.membership) } : [])
            )
        case .membersRoleUser(let user, let group, let members, _, _),
            .membersBlockedForAllUser(let user, let group, let members, _, _):
            makeForUser(user, [.chatInfoIfListed(.wholeGroup(group))] + members.map { .member(group, $0) })
        case .sentGroupInvitation(let user, let group, _, let member), .memberAccepted(let user, let group, let member),
            .memberSupportChatRead(let user, let group, let member),
            .memberSupportChatDeleted(let user, let group, let member),
            .groupMemberSwitchStarted(let user, let group, let member, _),
            .groupMemberSwitchAborted(let user, let group, let member, _),
            .groupMemberRatchetSyncStarted(let user, let group, let member, _),
            .joinedGroupMember(let user, let group, let member):
            makeForUser(user, .member(group, member))
        case .groupMembers(let user, let group): makeForUser(user, .members(group.groupInfo, group.members))
        default: nil
        }
    }

    private static func profileUpdates(_ response: ChatResponse) -> ModelUpdates? {
        switch response {
        case .activeUser: ModelUpdates(userId: nil, [.reload(.users)])
        case .usersList(let users): ModelUpdates(userId: nil, [.users(users)])
        case .userPrivacy(_, let updated): ModelUpdates(userId: nil, [.user(updated)])
        case .userProfileUpdated(let user, _, _, let summary):
            ModelUpdates(
                userId: user.userId,
                [.user(user)] + summary.changedContacts.map { .chatInfoIfListed(.direct(contact: $0)) }
            )
        case .chatTags(let user, let tags): makeForUser(user, .userTags(tags))
        case .chatItemTTL(let user, let ttl): makeForUser(user, .chatItemTTL(ttl == 0 ? nil : ttl))
        case .userContactLink(let user, let link), .userContactLinkUpdated(let user, let link):
            makeForUser(user, .userAddress(link))
        case .userContactLinkCreated(let user, _): makeForUser(user, .reload(.address))
        case .userContactLinkDeleted(let user): makeForUser(user, .userAddress(nil))
        default: nil
        }
    }

    private static func coreUpdates(_ response: ChatResponse, _ command: ChatCommand) -> ModelUpdates? {
        switch response {
        case .chatStarted: ModelUpdates(userId: nil, [.chatRunning(true), .appState(.active)])
        // A running core may be active or suspended, so this response does not change the activity of the core.
        case .chatRunning: ModelUpdates(userId: nil, [.chatRunning(true)])
        case .chatStopped: ModelUpdates(userId: nil, [.chatRunning(false), .appState(.stopped)])
        case .serverOperatorConditions(let conditions): ModelUpdates(userId: nil, [.conditions(conditions)])
        case .callInvitations(let invitations): ModelUpdates(userId: nil, [.callInvitations(invitations)])
        case .ntfTokenStatus(let status):
            if case .notifications(.registerToken(let token, let mode)) = command {
                ModelUpdates(userId: nil, [.notificationToken(token, status, mode, server: nil)])
            } else {
                ModelUpdates(userId: nil, [.notificationTokenStatus(status)])
            }
        case .ntfToken(let token, let status, let mode, let server):
            ModelUpdates(userId: nil, [.notificationToken(token, status, mode, server: server)])
        case .remoteCtrlConnecting(let remote, let app, let version):
            ModelUpdates(
                userId: nil,
                [
                    .remoteCtrl(
                        RemoteCtrlSession(
                            remoteCtrl: remote,
                            ctrlAppInfo: app,
                            appVersion: version,
                            compatible: true,
                            sessionState: .connecting
                        )
                    )
                ]
            )
        case .remoteCtrlConnected(let remote, _):
            ModelUpdates(
                userId: nil,
                [.remoteCtrl(RemoteCtrlSession(remoteCtrl: remote, sessionState: remote.sessionState ?? .connecting))]
            )
        default: nil
        }
    }
}
