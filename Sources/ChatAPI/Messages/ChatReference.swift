/// A chat by type and display name, in the form of the terminal (`@alice`, `#team`).
public struct ChatName: Codable, Hashable, Sendable {
    public var chatType: ChatType
    public var chatName: String

    public init(chatType: ChatType, chatName: String) {
        self.chatType = chatType
        self.chatName = chatName
    }
}

/// A chat by type and number, with a conversation inside it if any.
public struct ChatRef: Codable, Hashable, Sendable {
    public var chatType: ChatType
    public var chatId: Int64
    public var chatScope: GroupChatScope?

    public init(chatType: ChatType, chatId: Int64, chatScope: GroupChatScope? = nil) {
        self.chatType = chatType
        self.chatId = chatId
        self.chatScope = chatScope
    }
}
