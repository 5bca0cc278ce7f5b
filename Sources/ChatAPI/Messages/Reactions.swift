/// A reaction to a chat item, with the chat of the item.
package struct ACIReaction: Codable, Hashable, Sendable {
    package var chatInfo: ChatInfo
    package var chatReaction: CIReaction

    package init(chatInfo: ChatInfo, chatReaction: CIReaction) {
        self.chatInfo = chatInfo
        self.chatReaction = chatReaction
    }
}

/// A reaction to a chat item: its author, the item, and the time.
package struct CIReaction: Codable, Hashable, Sendable {
    package var chatDir: CIDirection
    package var chatItem: ChatItem
    package var sentAt: UTCTime
    package var reaction: MsgReaction

    package init(chatDir: CIDirection, chatItem: ChatItem, sentAt: UTCTime, reaction: MsgReaction) {
        self.chatDir = chatDir
        self.chatItem = chatItem
        self.sentAt = sentAt
        self.reaction = reaction
    }
}

/// The number of equal reactions to an item, and whether one of them is the user's reaction.
package struct CIReactionCount: Codable, Hashable, Sendable {
    package var reaction: MsgReaction
    package var userReacted: Bool
    package var totalReacted: Int

    package init(reaction: MsgReaction, userReacted: Bool, totalReacted: Int) {
        self.reaction = reaction
        self.userReacted = userReacted
        self.totalReacted = totalReacted
    }
}
