internal import ChatAPI

extension ChatModel {
    /// Applies updates that the core has reported. Updates of another profile change only the unread count of that
    /// profile.
    package mutating func apply(_ updates: ModelUpdates) {
        if let other = updates.userId, other != userId { return applyToOtherProfile(updates.updates, userId: other) }
        for update in updates.updates { apply(update) }
    }

    private mutating func apply(_ update: ModelUpdate) {
        switch update {
        case .newItem, .changedItem, .removeItem, .removeItems, .removeMemberItems, .itemsRead, .chats, .chat,
            .chatInfo,
            .chatInfoIfListed, .replaceChat, .removeChat, .mergeChat, .chatRead,
            .groupScopeRead, .chatUnread, .chatCleared, .chatPreview, .chatUnreadCounts, .chatTags:
            applyToChats(update)
        case .member(let groupInfo, _), .members(let groupInfo, _), .relays(let groupInfo, _, _),
            .relay(let groupInfo, _):
            applyToChats(.chatInfoIfListed(.wholeGroup(groupInfo)))
        case .removeUserTag(let tagId): removeTag(tagId)
        case .subscription(let status, let connections): subscriptions.setStatus(status, connections)
        case .subscriptions(let read): subscriptions.mergeReadStatuses(read)
        case .reload(let reload): pendingReloads.insert(reload)
        default: applyToProfile(update)
        }
    }

    private mutating func applyToProfile(_ update: ModelUpdate) {
        pendingChanges.hasGeneralStateChanged = true
        switch update {
        case .user(let user): updateUser(user)
        case .users(let users): setUsers(users)
        case .userTags(let userTags): tags.userTags = userTags
        case .userAddress(let address): userAddress = address
        case .chatItemTTL(let ttl): chatItemTTL = ttl
        case .conditions(let conditions): self.conditions = conditions
        case .networkInfo(let info): networkInfo = info
        case .callInvitation(let invitation):
            callInvitations[invitation.contact.id] = invitation
            activeCalls[invitation.contact.id] = nil
        case .callInvitations(let invitations):
            let mine = invitations.filter { $0.user.userId == userId }
            callInvitations = Dictionary(mine.map { ($0.contact.id, $0) }) { _, last in last }
        case .removeCallInvitation(let id): callInvitations[id] = nil
        case .call(let step): apply(step)
        case .activeCalls(let calls):
            activeCalls = Dictionary(calls.map { (ChatInfo.direct(contact: $0.contact).id, $0) }) { _, last in last }
        case .notificationToken(let token, let status, let mode, let server):
            notifications.setToken(token: token, status: status, mode: mode, server: server)
        case .notificationTokenStatus(let status): notifications.setTokenStatus(status: status)
        case .removeNotificationToken: notifications = NotificationState()
        case .remoteCtrl(let session): setRemoteCtrlSession(session)
        case .chatRunning(let running):
            lifecycle.chatRunning = running
            lifecycle.chatInitialized = true
        case .appState(let state): lifecycle.appState = state
        // The core accepts the command to activate it in every state. The command has an effect only on a suspended
        // core.
        case .coreActivated: if lifecycle.appState == .suspended { lifecycle.appState = .active }
        default: break
        }
    }

    /// Sets the session with the controlling desktop. If the new session lacks data of the desktop, the known data is
    /// kept.
    private mutating func setRemoteCtrlSession(_ session: RemoteCtrlSession?) {
        guard var session else { return remoteCtrlSession = nil }
        session.remoteCtrl = session.remoteCtrl ?? remoteCtrlSession?.remoteCtrl
        session.ctrlAppInfo = session.ctrlAppInfo ?? remoteCtrlSession?.ctrlAppInfo
        session.appVersion = session.appVersion ?? remoteCtrlSession?.appVersion
        session.compatible = session.compatible ?? remoteCtrlSession?.compatible
        remoteCtrlSession = session
    }

    private mutating func applyToOtherProfile(_ updates: [ModelUpdate], userId other: Int64) {
        for update in updates {
            switch update {
            case .newItem(let item): if item.countsAsUnread { changeUnreadCount(ofUser: other, by: 1) }
            case .removeItem(let item): if item.countsAsUnread { changeUnreadCount(ofUser: other, by: -1) }
            case .user(let user): updateUser(user)
            // These updates do not say how many of the unread items cause notifications. So the users are read again,
            // with their unread counts.
            case .itemsRead, .chatRead, .chatCleared, .removeChat, .mergeChat, .removeItems, .reload(.users),
                .reload(.chats):
                pendingReloads.insert(.users)
            default: break
            }
        }
    }
}
