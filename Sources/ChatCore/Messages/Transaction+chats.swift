internal import ChatStore

extension Transaction {
    /// Redacts an item that is deleted, or marked as deleted.
    func redactItem(_ item: ItemRecord) { redactItem(item.itemId, of: item.subjectText, user: item.userId) }

    /// Redacts all items of a chat.
    func redactAllItems(of chat: some Conversation) { redactAllItems(of: chat.chatKey, user: chat.userId) }

    /// Redacts a deleted contact or group together with its chat, and the messages that would be sent to it later.
    func redactChat(_ chat: some Conversation) throws {
        try PlannedMessages.refuseForDeletedChat(chat, self)
        redactChat(chat.chatKey, user: chat.userId)
    }

    /// Moves the subjects of a chat, and the messages that are sent to it later, to another chat, after two contacts
    /// were merged, or after a chat was moved to another user.
    func moveSubjects(of chat: some Conversation, to newChat: ChatKey, user newUser: Int64) throws {
        try PlannedMessages.moveReceivers(from: chat, to: newChat, user: newUser, self)
        try moveSubjects(of: chat.chatKey, user: chat.userId, to: newChat, user: newUser)
    }
}
