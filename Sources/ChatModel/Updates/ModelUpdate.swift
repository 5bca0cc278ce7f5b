public import ChatAPI

/// What one event or answer means to the state: the only thing that reducers read. Events and answers that tell the same are the same here.
public enum ModelUpdate: Hashable, Sendable {
    // Items
    case newItem(AChatItem)
    /// An item as it is now, wherever it is shown.
    case item(AChatItem)
    /// An item that is gone. It is told as it was.
    case removeItem(AChatItem)
    /// Items that are gone, of which only the numbers are told.
    case removeItems(ChatId, itemIds: [Int64])
    /// A member was removed from a group by another one, and all that the member has written there with it.
    case removeMemberItems(GroupInfo, of: GroupMember, by: GroupMember)
    case itemsRead(ChatId, itemIds: [Int64])

    // Chats
    /// The whole list.
    case chats([AChat])
    /// A chat with its preview and counts.
    case chat(AChat)
    /// A chat as it is now; it is added when it is new.
    case chatInfo(ChatInfo)
    /// A chat as it is now, if it is in the list.
    case knownChatInfo(ChatInfo)
    case replaceChat(ChatId, ChatInfo)
    case removeChat(ChatId)
    /// A chat has become part of another one, whose preview and counts are to be read again.
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
    case relays(GroupInfo, [GroupRelay])
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
    /// A token that the server has; where it is not told, the server is as before.
    case ntfToken(DeviceToken, NtfTknStatus, NotificationsMode, server: String?)
    case ntfTokenStatus(NtfTknStatus)
    case noNtfToken
    case remoteCtrl(RemoteCtrlSession?)
    case chatRunning(Bool)
    case subscription(SubscriptionStatus, connections: [String])
    /// Which connections receive, as it was read.
    case subscriptions([ConnNetworkStatus])

    /// The state is no longer known from what is told: it is to be read again.
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

/// Updates, and the user to whom they belong; nil when they belong to all.
public struct ModelUpdates: Sendable {
    public var userId: Int64?
    public var updates: [ModelUpdate]

    public init(userId: Int64?, _ updates: [ModelUpdate]) {
        self.userId = userId
        self.updates = updates
    }

    static let none = ModelUpdates(userId: nil, [])
}
