package import ChatAPI

/// One chat in the chat list of a profile (simplex-chat `apps/ios/spec/state.md`, section 6). It contains only the last
/// item of the chat, as a preview. A client session loads the other items when it opens the chat.
package struct Chat: Hashable, Sendable, Encodable {
    package let id: ChatId
    package internal(set) var chatInfo: ChatInfo
    /// The preview: an array with the last item of the chat, or an empty array for a chat without items.
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

    /// Whether the chat list shows the chat as unread. Unread items that cause no notification do not count.
    package var isShownUnread: Bool { chatStats.unreadChat || notifyingUnreadCount > 0 }

    /// For a moderator of a group, the number of members whose support chats wait for an answer. For another member,
    /// the number of unread messages in the member's own support chat. Nil for a chat that is not a group.
    package var supportUnreadCount: Int64? {
        guard case .group(let groupInfo, _) = chatInfo else { return nil }
        let membership = groupInfo.membership
        guard membership.memberRole < .moderator else { return Int64(groupInfo.membersRequireAttention) }
        return membership.supportChat?.unread ?? 0
    }

    /// Number of unread messages in this chat for which the user wants notifications.
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
    /// Whether the item is unread, and the user wants notifications of such items according to the settings of the
    /// chat.
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
    /// The unread counts of a chat without unread items: all counts are 0.
    package static let none = ChatStats(
        unreadCount: 0,
        unreadMentions: 0,
        reportsCount: 0,
        minUnreadItemId: 0,
        unreadChat: false
    )
}
