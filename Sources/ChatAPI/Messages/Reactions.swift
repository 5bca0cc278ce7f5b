/// A reaction, with the chat of its item.
public struct ACIReaction: Codable, Hashable, Sendable {
    public var chatInfo: ChatInfo
    public var chatReaction: CIReaction

    public init(chatInfo: ChatInfo, chatReaction: CIReaction) {
        self.chatInfo = chatInfo
        self.chatReaction = chatReaction
    }
}

/// A reaction to a chat item: its author, the item, and the time.
public struct CIReaction: Codable, Hashable, Sendable {
    public var chatDir: CIDirection
    public var chatItem: ChatItem
    public var sentAt: UTCTime
    public var reaction: MsgReaction

    public init(chatDir: CIDirection, chatItem: ChatItem, sentAt: UTCTime, reaction: MsgReaction) {
        self.chatDir = chatDir
        self.chatItem = chatItem
        self.sentAt = sentAt
        self.reaction = reaction
    }
}

/// The number of equal reactions to an item, and whether one of them is the user's reaction.
public struct CIReactionCount: Codable, Hashable, Sendable {
    public var reaction: MsgReaction
    public var userReacted: Bool
    public var totalReacted: Int

    public init(reaction: MsgReaction, userReacted: Bool, totalReacted: Int) {
        self.reaction = reaction
        self.userReacted = userReacted
        self.totalReacted = totalReacted
    }
}
