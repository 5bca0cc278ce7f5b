internal import ChatStore

extension Transaction {
    /// Redacts an item that is deleted, or marked as deleted.
    func redact(_ item: ItemRecord) { redact(item.itemId, of: item.subject, user: item.userId) }

    /// Redacts all items of a chat.
    func redactItems(of chat: some Conversation) { redactItems(of: chat.key, user: chat.userId) }

    /// Redacts a deleted contact or group together with its chat, and the messages that would be sent to it later.
    func redact(_ chat: some Conversation) throws {
        try PlannedMessages.chatDeleted(chat, self)
        redact(chat.key, user: chat.userId)
    }

    /// Moves the subjects of a chat, and the messages that are sent to it later, to another chat, after two contacts
    /// were merged, or after a chat was moved to another user.
    func moveSubjects(of chat: some Conversation, to newChat: ChatKey, user newUser: Int64) throws {
        try PlannedMessages.move(from: chat, to: newChat, user: newUser, self)
        try moveSubjects(of: chat.key, user: chat.userId, to: newChat, user: newUser)
    }
}
