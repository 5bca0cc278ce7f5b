public import ChatAPI

/// The effect of one event or response on the state; the only input of reducers. Events and responses with the same
/// effect map to the same case.
public enum ModelUpdate: Hashable, Sendable {
    // Items
    case newItem(AChatItem)
    /// An item as it is now, wherever it is shown.
    case item(AChatItem)
    /// A removed item, in its state before the removal.
    case removeItem(AChatItem)
    /// Removed items of which only the ids are known.
    case removeItems(ChatId, itemIds: [Int64])
    /// A member was removed from a group, together with all messages of that member.
    case removeMemberItems(GroupInfo, of: GroupMember, by: GroupMember)
    case itemsRead(ChatId, itemIds: [Int64])

    // Chats
    /// The whole list.
    case chats([AChat])
    /// A chat with its preview and counts.
    case chat(AChat)
    /// A changed chat; a new one is added.
    case chatInfo(ChatInfo)
    /// A chat as it is now, if it is in the list.
    case knownChatInfo(ChatInfo)
    case replaceChat(ChatId, ChatInfo)
    case removeChat(ChatId)
    /// A chat was merged into another chat, whose preview and counts have to be read again.
    case mergeChat(ChatId, into: ChatInfo)
    case chatRead(ChatId)
    /// A conversation with members of a group was read.
    case scopeRead(ChatId, GroupChatScope)
    case chatUnread(ChatId, Bool)
    case chatCleared(ChatInfo)
    /// The last item of a chat, as it was read from the store.
    case preview(ChatId, [ChatItem])
    /// The unread counts of a chat, as they were read from the store.
    case unreadCounts(ChatId, ChatStats)
    case chatTags(ChatId, [Int64])

    // Groups
    case member(GroupInfo, GroupMember)
    case members(GroupInfo, [GroupMember])
    /// The user's settings for one member.
    case memberSettings(ChatId, memberId: Int64, GroupMemberSettings)
    case relays(GroupInfo, GroupLink?, [GroupRelay])
    case relay(GroupInfo, GroupRelay)

    // The profile
    case user(User)
    case users([UserInfo])
    case userTags([ChatTag])
    case noUserTag(Int64)
    case userAddress(UserContactLink?)
    case chatItemTTL(Int64?)
    case conditions(ServerOperatorConditions)
    case networkInfo(UserNetworkInfo)
    case callInvitation(RcvCallInvitation)
    case callInvitations([RcvCallInvitation])
    case noCallInvitation(ChatId)
    case call(CallStep)
    /// The calls in progress, as they were read.
    case activeCalls([ActiveCall])
    /// A registered token. A nil server leaves the server as it was.
    case ntfToken(DeviceToken, NtfTknStatus, NotificationsMode, server: String?)
    case ntfTokenStatus(NtfTknStatus)
    case noNtfToken
    case remoteCtrl(RemoteCtrlSession?)
    case chatRunning(Bool)
    case subscription(SubscriptionStatus, connections: [String])
    /// The network status of connections, as it was read.
    case subscriptions([ConnNetworkStatus])

    /// The state can no longer be derived from updates and has to be read again.
    case reload(Reload)
}

/// A part of the state that is to be read from the core again, by the command that answers it.
public enum Reload: Hashable, Sendable {
    case users
    case chats
    case tags
    case address
    /// The preview and the unread counts of a chat.
    case chat(ChatRef)
}

/// Updates, and the user that they concern; nil when they concern all users.
public struct ModelUpdates: Sendable {
    public var userId: Int64?
    public var updates: [ModelUpdate]

    public init(userId: Int64?, _ updates: [ModelUpdate]) {
        self.userId = userId
        self.updates = updates
    }

    static let none = ModelUpdates(userId: nil, [])
}
