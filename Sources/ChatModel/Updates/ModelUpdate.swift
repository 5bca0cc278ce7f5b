package import ChatAPI

/// The effect of one event or response on ``ChatModel`` and ``SessionModel``. Only updates bring data of the core into
/// these models. Events and responses with the same effect become the same case.
package enum ModelUpdate: Hashable, Sendable {
    // MARK: Items
    case newItem(AChatItem)
    /// A changed item in its present state. It replaces the item wherever it is loaded.
    case changedItem(AChatItem)
    /// A removed item, in its state before the removal.
    case removeItem(AChatItem)
    /// Removed items. Only the ids of the items are known.
    case removeItems(ChatId, itemIds: [Int64])
    /// A member `of` was removed from a group by a moderator `by`, together with all messages of this member.
    case removeMemberItems(GroupInfo, of: GroupMember, by: GroupMember)
    case itemsRead(ChatId, itemIds: [Int64])

    // MARK: Chats
    /// The whole chat list, as read from the core.
    case chats([AChat])
    /// A chat with its preview and counts, as read from the core.
    case chat(AChat)
    /// A new or changed chat. A chat that is not in the chat list is added.
    case chatInfo(ChatInfo)
    /// A changed chat. The update is ignored if the chat list does not contain the chat.
    case chatInfoIfListed(ChatInfo)
    case replaceChat(ChatId, ChatInfo)
    case removeChat(ChatId)
    /// A chat was merged into another chat. The preview and counts of the other chat have to be read again.
    case mergeChat(ChatId, into: ChatInfo)
    case chatRead(ChatId)
    /// The user has read a conversation with members of a group.
    case groupScopeRead(ChatId, GroupChatScope)
    case chatUnread(ChatId, Bool)
    case chatCleared(ChatInfo)
    /// The last item of a chat, as read from the store.
    case chatPreview(ChatId, [ChatItem])
    /// The unread counts of a chat, as read from the store.
    case chatUnreadCounts(ChatId, ChatStats)
    case chatTags(ChatId, [Int64])

    // MARK: Groups
    case member(GroupInfo, GroupMember)
    case members(GroupInfo, [GroupMember])
    /// The user's settings for one member.
    case memberSettings(ChatId, memberId: Int64, GroupMemberSettings)
    case relays(GroupInfo, GroupLink?, [GroupRelay])
    case relay(GroupInfo, GroupRelay)

    // MARK: Profile
    case user(User)
    case users([UserInfo])
    case userTags([ChatTag])
    case removeUserTag(Int64)
    case userAddress(UserContactLink?)
    case chatItemTTL(Int64?)
    case conditions(ServerOperatorConditions)
    case networkInfo(UserNetworkInfo)
    case callInvitation(RcvCallInvitation)
    case callInvitations([RcvCallInvitation])
    case removeCallInvitation(ChatId)
    case call(CallStep)
    /// All calls in progress, as read from the store.
    case activeCalls([ActiveCall])
    /// A registered token. If `server` is nil, the known server is kept.
    case notificationToken(DeviceToken, NtfTknStatus, NotificationsMode, server: String?)
    case notificationTokenStatus(NtfTknStatus)
    case removeNotificationToken
    case remoteCtrl(RemoteCtrlSession?)
    case chatRunning(Bool)
    case appState(AppState?)
    /// The core was activated. The update changes the state of a suspended core, and has no effect in other states.
    case coreActivated
    case subscription(SubscriptionStatus, connections: [String])
    /// The network status of several connections, as read from the core.
    case subscriptions([ConnNetworkStatus])

    /// A part of the state that has to be read again, because the update does not contain enough data to compute it.
    case reload(Reload)
}

/// A part of the state that has to be read from the core again.
package enum Reload: Hashable, Sendable {
    case users
    case chats
    case tags
    case address
    /// The preview and the unread counts of a chat have to be read again.
    case chat(ChatRef)
}

/// Updates of the state, with the id of the user whom they concern. The id is nil for updates that concern all users.
package struct ModelUpdates: Sendable {
    package var userId: Int64?
    package var updates: [ModelUpdate]

    package init(userId: Int64?, _ updates: [ModelUpdate]) {
        self.userId = userId
        self.updates = updates
    }

    static let none = ModelUpdates(userId: nil, [])
}
