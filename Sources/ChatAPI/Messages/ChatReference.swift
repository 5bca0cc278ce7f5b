/// Refers to a chat by its type and display name, in the form of terminal commands (`@alice`, `#team`).
package struct ChatName: Codable, Hashable, Sendable {
    package var chatType: ChatType
    package var chatName: String

    package init(chatType: ChatType, chatName: String) {
        self.chatType = chatType
        self.chatName = chatName
    }
}

/// Refers to a chat by its type and id, and optionally to a conversation inside the chat.
package struct ChatRef: Codable, Hashable, Sendable {
    package var chatType: ChatType
    package var chatId: Int64
    package var chatScope: GroupChatScope?

    package init(chatType: ChatType, chatId: Int64, chatScope: GroupChatScope? = nil) {
        self.chatType = chatType
        self.chatId = chatId
        self.chatScope = chatScope
    }
}
