package import ChatAPI

/// One chat in the chat list (simplex-chat `apps/ios/spec/state.md`, section 6). It contains a preview. A session loads
/// the items when it opens the chat.
package struct Chat: Hashable, Sendable, Encodable {
    package let id: ChatId
    package internal(set) var chatInfo: ChatInfo
    /// The last item of the chat, as the preview; empty for a chat without items.
    package internal(set) var chatItems: [ChatItem]
    package internal(set) var chatStats: ChatStats
    package let createdAt: UTCTime

    package init(chatInfo: ChatInfo, chatItems: [ChatItem] = [], chatStats: ChatStats = .none) {
        self.chatInfo = chatInfo.infoWithoutScope
        self.chatItems = chatItems
        self.chatStats = chatStats
        id = chatInfo.id
        createdAt = chatInfo.createdAt
    }

    package init(_ chat: AChat) {
        self.init(chatInfo: chat.chatInfo, chatItems: chat.chatItems.suffix(1), chatStats: chat.chatStats)
    }

    /// Whether the chat is shown as unread in the list. Items without notifications do not count.
    package var isShownUnread: Bool { chatStats.unreadChat || notifyingUnreadCount > 0 }

    /// Number of support chats or messages that wait for the user; nil for a chat that is no group. Moderators get the
    /// number of members who wait for an answer. Other members get the number of unread messages in their own support
    /// chat.
    package var supportUnreadCount: Int64? {
        guard case .group(let groupInfo, _) = chatInfo else { return nil }
        let membership = groupInfo.membership
        guard membership.memberRole < .moderator else { return Int64(groupInfo.membersRequireAttention) }
        return membership.supportChat?.unread ?? 0
    }

    /// Number of unread messages for which the user wants notifications.
    var notifyingUnreadCount: Int {
        switch chatInfo.chatSettings?.enableNtfs {
        case .all?: chatStats.unreadCount
        case .mentions?: chatStats.unreadMentions
        default: 0
        }
    }
}

extension Chat {
    private enum CodingKeys: CodingKey {
        case id, chatInfo, chatItems, chatStats, createdAt, supportUnreadCount
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(chatInfo, forKey: .chatInfo)
        try members.encode(chatItems, forKey: .chatItems)
        try members.encode(chatStats, forKey: .chatStats)
        try members.encode(createdAt, forKey: .createdAt)
        try members.encodeIfPresent(supportUnreadCount, forKey: .supportUnreadCount)
    }
}

extension AChatItem {
    /// Whether the item is unread, and the user wants notifications for it.
    var countsAsUnread: Bool {
        guard chatItem.isRcvNew else { return false }
        return switch chatInfo.chatSettings?.enableNtfs {
        case .all?: true
        case .mentions?: chatItem.meta.userMention
        default: false
        }
    }
}

extension ChatStats {
    /// The counts of a chat that has no unread items.
    package static let none = ChatStats(
        unreadCount: 0,
        unreadMentions: 0,
        reportsCount: 0,
        minUnreadItemId: 0,
        unreadChat: false
    )
}
