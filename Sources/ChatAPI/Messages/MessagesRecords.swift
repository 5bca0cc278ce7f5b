/// A chat, with some of its chat items.
package struct AChat: Codable, Hashable, Sendable {
    package var chatInfo: ChatInfo
    package var chatItems: [ChatItem]
    package var chatStats: ChatStats

    package init(chatInfo: ChatInfo, chatItems: [ChatItem], chatStats: ChatStats) {
        self.chatInfo = chatInfo
        self.chatItems = chatItems
        self.chatStats = chatStats
    }
}

/// A chat item, with its chat.
package struct AChatItem: Codable, Hashable, Sendable {
    package var chatInfo: ChatInfo
    package var chatItem: ChatItem

    package init(chatInfo: ChatInfo, chatItem: ChatItem) {
        self.chatInfo = chatInfo
        self.chatItem = chatItem
    }
}

/// An invitation to a group, as content of a chat item.
package struct CIGroupInvitation: Codable, Hashable, Sendable {
    package var groupId: Int64
    package var groupMemberId: Int64
    package var localDisplayName: String
    package var groupProfile: GroupProfile
    package var status: CIGroupInvitationStatus

    package init(
        groupId: Int64,
        groupMemberId: Int64,
        localDisplayName: String,
        groupProfile: GroupProfile,
        status: CIGroupInvitationStatus
    ) {
        self.groupId = groupId
        self.groupMemberId = groupMemberId
        self.localDisplayName = localDisplayName
        self.groupProfile = groupProfile
        self.status = status
    }
}

/// A mention of a member in a message, with the data of the member if known.
package struct CIMention: Codable, Hashable, Sendable {
    package var memberId: String
    package var memberRef: CIMentionMember?

    package init(memberId: String, memberRef: CIMentionMember? = nil) {
        self.memberId = memberId
        self.memberRef = memberRef
    }
}

/// The data of a mentioned member that apps show.
package struct CIMentionMember: Codable, Hashable, Sendable {
    package var groupMemberId: Int64
    package var displayName: String
    package var localAlias: String?
    package var memberRole: GroupMemberRole

    package init(groupMemberId: Int64, displayName: String, localAlias: String? = nil, memberRole: GroupMemberRole) {
        self.groupMemberId = groupMemberId
        self.displayName = displayName
        self.localAlias = localAlias
        self.memberRole = memberRole
    }
}

/// The lifetime of an item in seconds, and the time of its deletion. The time of deletion is set when a received item
/// is read, or when a sent item has its final text and is sent. For the item of a call, the time is set when the call
/// ends.
package struct CITimed: Codable, Hashable, Sendable {
    package var ttl: Int
    package var deleteAt: UTCTime?

    package init(ttl: Int, deleteAt: UTCTime? = nil) {
        self.ttl = ttl
        self.deleteAt = deleteAt
    }
}

/// A deleted item, with the item that replaces it if there is one.
package struct ChatItemDeletion: Codable, Hashable, Sendable {
    package var deletedChatItem: AChatItem
    package var toChatItem: AChatItem?

    package init(deletedChatItem: AChatItem, toChatItem: AChatItem? = nil) {
        self.deletedChatItem = deletedChatItem
        self.toChatItem = toChatItem
    }
}

/// Unread counts of a chat.
package struct ChatStats: Codable, Hashable, Sendable {
    package var unreadCount: Int
    package var unreadMentions: Int
    package var reportsCount: Int
    package var minUnreadItemId: Int64
    package var unreadChat: Bool

    package init(unreadCount: Int, unreadMentions: Int, reportsCount: Int, minUnreadItemId: Int64, unreadChat: Bool) {
        self.unreadCount = unreadCount
        self.unreadMentions = unreadMentions
        self.reportsCount = reportsCount
        self.minUnreadItemId = minUnreadItemId
        self.unreadChat = unreadChat
    }
}

/// Whether the encryption of a chat includes the post-quantum key exchange.
package struct E2EInfo: Codable, Hashable, Sendable {
    package var `public`: Bool?
    package var pqEnabled: Bool?

    package init(`public`: Bool? = nil, pqEnabled: Bool? = nil) {
        self.public = `public`
        self.pqEnabled = pqEnabled
    }
}

/// A message in a queue, as the queue's server reports it.
package struct MsgInfo: Codable, Hashable, Sendable {
    package var msgId: String
    package var msgTs: UTCTime
    package var msgType: MsgType
}

/// The number of unread items, and the number of all items, that are newer than the returned items of a chat.
package struct NavigationInfo: Codable, Hashable, Sendable {
    package var afterUnread: Int
    package var afterTotal: Int

    package init(afterUnread: Int, afterTotal: Int) {
        self.afterUnread = afterUnread
        self.afterTotal = afterTotal
    }
}
