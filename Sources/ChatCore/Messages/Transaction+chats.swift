internal import ChatStore

extension Transaction {
    /// Removes the content of an item from stored events and answers, because the item was deleted or marked as
    /// deleted.
    func redactItem(_ item: ItemRecord) { redactItem(item.itemId, of: item.subjectText, user: item.userId) }

    /// Removes the content of all items of a chat from stored events and answers.
    func redactAllItems(of chat: some Conversation) { redactAllItems(of: chat.chatKey, user: chat.userId) }

    /// Removes the content of a deleted contact or group, and of its chat, from stored events and answers. Records a
    /// failure for the chat in scheduled messages and broadcasts that wait for it.
    func redactChat(_ chat: some Conversation) throws {
        try PlannedMessages.refuseForDeletedChat(chat, self)
        redactChat(chat.chatKey, user: chat.userId)
    }

    /// Assigns the journal entries of an old chat to a new chat, after two contacts were merged, or after the chat was
    /// moved to another user. Scheduled messages and broadcasts for the old chat go to the new chat. If the new
    /// chat belongs to another user, these receivers fail.
    func moveJournalSubjects(of chat: some Conversation, to newChat: ChatKey, user newUser: Int64) throws {
        try PlannedMessages.moveReceivers(from: chat, to: newChat, user: newUser, self)
        try moveJournalSubjects(of: chat.chatKey, user: chat.userId, to: newChat, user: newUser)
    }
}
