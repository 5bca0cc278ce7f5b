/// A chat with some of its items.
public struct AChat: Codable, Hashable, Sendable {
    public var chatInfo: ChatInfo
    public var chatItems: [ChatItem]
    public var chatStats: ChatStats

    public init(chatInfo: ChatInfo, chatItems: [ChatItem], chatStats: ChatStats) {
        self.chatInfo = chatInfo
        self.chatItems = chatItems
        self.chatStats = chatStats
    }
}

/// A chat item, with its chat.
public struct AChatItem: Codable, Hashable, Sendable {
    public var chatInfo: ChatInfo
    public var chatItem: ChatItem

    public init(chatInfo: ChatInfo, chatItem: ChatItem) {
        self.chatInfo = chatInfo
        self.chatItem = chatItem
    }
}

/// An invitation to a group, as content of a chat item.
public struct CIGroupInvitation: Codable, Hashable, Sendable {
    public var groupId: Int64
    public var groupMemberId: Int64
    public var localDisplayName: String
    public var groupProfile: GroupProfile
    public var status: CIGroupInvitationStatus

    public init(
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
public struct CIMention: Codable, Hashable, Sendable {
    public var memberId: String
    public var memberRef: CIMentionMember?

    public init(memberId: String, memberRef: CIMentionMember? = nil) {
        self.memberId = memberId
        self.memberRef = memberRef
    }
}

/// The shown data of a mentioned member.
public struct CIMentionMember: Codable, Hashable, Sendable {
    public var groupMemberId: Int64
    public var displayName: String
    public var localAlias: String?
    public var memberRole: GroupMemberRole

    public init(groupMemberId: Int64, displayName: String, localAlias: String? = nil, memberRole: GroupMemberRole) {
        self.groupMemberId = groupMemberId
        self.displayName = displayName
        self.localAlias = localAlias
        self.memberRole = memberRole
    }
}

/// The lifetime of an item in seconds, and the time of its deletion. This time is set when the item is read.
public struct CITimed: Codable, Hashable, Sendable {
    public var ttl: Int
    public var deleteAt: UTCTime?

    public init(ttl: Int, deleteAt: UTCTime? = nil) {
        self.ttl = ttl
        self.deleteAt = deleteAt
    }
}

/// A deleted item, with the item that replaces it if there is one.
public struct ChatItemDeletion: Codable, Hashable, Sendable {
    public var deletedChatItem: AChatItem
    public var toChatItem: AChatItem?

    public init(deletedChatItem: AChatItem, toChatItem: AChatItem? = nil) {
        self.deletedChatItem = deletedChatItem
        self.toChatItem = toChatItem
    }
}

/// Unread counts of a chat.
public struct ChatStats: Codable, Hashable, Sendable {
    public var unreadCount: Int
    public var unreadMentions: Int
    public var reportsCount: Int
    public var minUnreadItemId: Int64
    public var unreadChat: Bool

    public init(unreadCount: Int, unreadMentions: Int, reportsCount: Int, minUnreadItemId: Int64, unreadChat: Bool) {
        self.unreadCount = unreadCount
        self.unreadMentions = unreadMentions
        self.reportsCount = reportsCount
        self.minUnreadItemId = minUnreadItemId
        self.unreadChat = unreadChat
    }
}

/// Whether the encryption of a chat includes the post-quantum key exchange.
public struct E2EInfo: Codable, Hashable, Sendable {
    public var `public`: Bool?
    public var pqEnabled: Bool?

    public init(`public`: Bool? = nil, pqEnabled: Bool? = nil) {
        self.public = `public`
        self.pqEnabled = pqEnabled
    }
}

/// A message in the report of a server about a queue.
public struct MsgInfo: Codable, Hashable, Sendable {
    public var msgId: String
    public var msgTs: UTCTime
    public var msgType: MsgType
}

/// The number of items after the returned items, and the number of unread items among them.
public struct NavigationInfo: Codable, Hashable, Sendable {
    public var afterUnread: Int
    public var afterTotal: Int

    public init(afterUnread: Int, afterTotal: Int) {
        self.afterUnread = afterUnread
        self.afterTotal = afterTotal
    }
}
