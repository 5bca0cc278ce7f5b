/// A label that the user has made for chats.
package struct ChatTag: Codable, Hashable, Sendable {
    package var chatTagId: Int64
    package var chatTagText: String
    package var chatTagEmoji: String?

    package init(chatTagId: Int64, chatTagText: String, chatTagEmoji: String? = nil) {
        self.chatTagId = chatTagId
        self.chatTagText = chatTagText
        self.chatTagEmoji = chatTagEmoji
    }
}

/// The text and emoji for a new or changed label.
package struct ChatTagData: Codable, Hashable, Sendable {
    package var emoji: String?
    package var text: String

    package init(emoji: String? = nil, text: String) {
        self.emoji = emoji
        self.text = text
    }
}
