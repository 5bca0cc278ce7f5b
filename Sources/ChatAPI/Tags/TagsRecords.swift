/// A label that the user made for chats.
public struct ChatTag: Codable, Hashable, Sendable {
    public var chatTagId: Int64
    public var chatTagText: String
    public var chatTagEmoji: String?

    public init(chatTagId: Int64, chatTagText: String, chatTagEmoji: String? = nil) {
        self.chatTagId = chatTagId
        self.chatTagText = chatTagText
        self.chatTagEmoji = chatTagEmoji
    }
}

/// The text and emoji for a new or changed label.
public struct ChatTagData: Codable, Hashable, Sendable {
    public var emoji: String?
    public var text: String

    public init(emoji: String? = nil, text: String) {
        self.emoji = emoji
        self.text = text
    }
}
