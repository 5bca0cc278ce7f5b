public import ChatAPI

/// One conversation of the chat list (state management, section 6). It holds a preview of the conversation; all else is loaded when a
/// session opens it.
public struct Chat: Hashable, Sendable, Encodable {
    public let id: ChatId
    public internal(set) var chatInfo: ChatInfo
    /// The last item, or none.
    public internal(set) var chatItems: [ChatItem]
    public internal(set) var chatStats: ChatStats
    /// When the conversation was made.
    public let created: UTCTime

    public init(chatInfo: ChatInfo, chatItems: [ChatItem] = [], chatStats: ChatStats = .none) {
        self.chatInfo = chatInfo.withoutScope
        self.chatItems = chatItems
        self.chatStats = chatStats
        id = chatInfo.id
        created = chatInfo.createdAt
    }

    public init(_ chat: AChat) {
        self.init(chatInfo: chat.chatInfo, chatItems: chat.chatItems.suffix(1), chatStats: chat.chatStats)
    }

    /// Tells two conversations apart that have the same number one after the other.
    public var viewId: String { "\(id) \(created)" }

    /// Whether the chat counts as unread, by what its settings want to be told of.
    public var unreadTag: Bool {
        switch chatInfo.chatSettings?.enableNtfs {
        case .all?: chatStats.unreadChat || chatStats.unreadCount > 0
        case .mentions?: chatStats.unreadChat || chatStats.unreadMentions > 0
        default: chatStats.unreadChat
        }
    }

    /// What is unread in the conversations of a group's members with those who moderate it.
    public var supportUnreadCount: Int {
        guard case .group(let groupInfo, _) = chatInfo else { return 0 }
        return groupInfo.canModerate
            ? groupInfo.membersRequireAttention : Int(clamping: groupInfo.membership.supportChat?.unread ?? 0)
    }

    /// The messages that the user wants to be told of.
    var unreadForNotification: Int {
        switch chatInfo.chatSettings?.enableNtfs {
        case .all?: chatStats.unreadCount
        case .mentions?: chatStats.unreadMentions
        default: 0
        }
    }
}

extension AChatItem {
    /// Unread, and the user wants to be told of it.
    var isToldAsUnread: Bool {
        guard chatItem.isRcvNew else { return false }
        return switch chatInfo.chatSettings?.enableNtfs {
        case .all?: true
        case .mentions?: chatItem.meta.userMention
        default: false
        }
    }
}

extension ChatStats {
    /// Nothing is unread.
    public static let none = ChatStats(unreadCount: 0, unreadMentions: 0, reportsCount: 0, minUnreadItemId: 0, unreadChat: false)
}
