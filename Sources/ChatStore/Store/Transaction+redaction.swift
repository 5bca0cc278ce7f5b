internal import SQLCipher

/// The content that a transaction has deleted, and that must also be removed from the journal.
struct Redactions {
    package struct Chat: Hashable {
        package let userId: Int64
        /// The text by which commands name the chat, such as `@5`.
        package let subjectText: String
    }

    enum Extent {
        /// Some items of the chat were deleted.
        case items(Set<Int64>)
        /// All items of the chat were deleted.
        case allItems
        /// The whole chat was deleted, together with its contact or group.
        case wholeChat
    }

    private(set) var extents: [Chat: Extent] = [:]
    package var userIds: Set<Int64> { Set(extents.keys.map(\.userId)) }

    package mutating func addItem(_ itemId: Int64, of chat: Chat) {
        switch extents[chat] {
        case .items(var items):
            extents[chat] = nil
            items.insert(itemId)
            extents[chat] = .items(items)
        case nil: extents[chat] = .items([itemId])
        case .allItems, .wholeChat: break
        }
    }

    mutating func addAllItems(of chat: Chat) {
        if case .wholeChat = extents[chat] { return }
        extents[chat] = .allItems
    }

    package mutating func addChat(_ chat: Chat) { extents[chat] = .wholeChat }
}

extension Transaction {
    /// Requests that the content of an item be removed from the journal at the end of the transaction. The item was
    /// deleted, or marked as deleted.
    /// - Parameter subject: the text by which commands name the chat of the item, such as `@5`.
    package func redactItem(_ itemId: Int64, of subject: String, user userId: Int64) {
        redactions.addItem(itemId, of: .init(userId: userId, subjectText: subject))
    }

    package func redactItems(_ itemIds: [Int64], of chat: ChatKey, user userId: Int64) {
        for itemId in itemIds { redactions.addItem(itemId, of: .init(userId: userId, subjectText: chat.subjectText)) }
    }

    /// Requests that the content of all items of a chat be removed from the journal at the end of the transaction. The
    /// items were deleted.
    package func redactAllItems(of chat: ChatKey, user userId: Int64) {
        redactions.addAllItems(of: .init(userId: userId, subjectText: chat.subjectText))
    }

    /// Requests that the content of a chat be removed from the journal at the end of the transaction. The chat was
    /// deleted together with its contact or group.
    package func redactChat(_ chat: ChatKey, user userId: Int64) {
        redactions.addChat(.init(userId: userId, subjectText: chat.subjectText))
    }

    /// Moves the subjects of journal entries to another chat. Entries that concerned `chat` then concern `newChat`.
    package func moveJournalSubjects(
        of chat: ChatKey,
        user userId: Int64,
        to newChat: ChatKey,
        user newUser: Int64
    ) throws {
        try db.execute(
            """
            UPDATE OR REPLACE event_subjects SET user_id = :new_user_id, chat = :new_chat
            WHERE user_id = :user_id AND chat = :chat
            """,
            ["new_user_id": newUser, "new_chat": newChat.subjectText, "user_id": userId, "chat": chat.subjectText]
        )
    }

    /// Deletes the journal entries of a deleted user.
    package func deleteEvents(of userId: Int64) throws {
        try removeTextsFromBlocks("user_id = ? OR audience = ?", [userId, userId])
        try db.execute(
            "DELETE FROM events WHERE user_id = :user_id OR audience = :audience",
            ["user_id": userId, "audience": userId]
        )
        try db.execute("DELETE FROM event_subjects WHERE user_id = ?", [userId])
        if let last = try db.firstRow("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.int64("seq") {
            recordRedaction(last)
        }
        // The journal has no entries of the user any more, but stored answers must still be redacted.
        redactions.addChat(.init(userId: userId, subjectText: ""))
    }

    /// Redacts the content that the transaction has deleted, in the journal and in the stored answers. Call this
    /// function after all other writes.
    func finishRedactions() throws {
        // The deleted items may have had files, so the worker for files is woken.
        if !redactions.extents.isEmpty { followUpWork.insert(.files) }
        for (chat, extent) in redactions.extents {
            switch extent {
            case .items(let items): try redactItemEntries(items, of: chat)
            case .allItems:
                try redactEntries(of: chat, above: 0) { EventRedaction.redactItemsInEvent($0, withoutItems: $1) }
            case .wholeChat:
                try redactEntries(of: chat, above: -1) { event, items in
                    // An entry may come from another chat that was merged into this chat, and may name only that other
                    // chat. So the items are also removed by their ids.
                    let less = EventRedaction.redactItemsInEvent(event, withoutItems: items)
                    return try EventRedaction.redactChatInEvent(less ?? event, withoutChat: chat.subjectText) ?? less
                }
            }
        }
        try RequestItems.redactAnswers(redactions, in: db)
    }

    private func redactItemEntries(_ items: Set<Int64>, of chat: Redactions.Chat) throws {
        var entries: [Int64: Set<Int64>] = [:]
        for some in items.sorted().chunks(of: 500) {
            let rows = try db.query(
                "SELECT chat_item_id, seq FROM event_subjects WHERE user_id = ? AND chat = ? AND chat_item_id IN (\(placeholders(some.count)))",
                [chat.userId, chat.subjectText] + some.arguments
            )
            for row in rows { entries[try row.int64("seq"), default: []].insert(try row.int64("chat_item_id")) }
        }
        try rewriteTexts(entries) { EventRedaction.redactItemsInEvent($0, withoutItems: $1) }
    }

    /// Redacts the entries of a chat. An entry that has no other subjects is replaced without being read, since a chat
    /// may have many entries.
    /// - Parameter itemId: only items with a greater id are redacted. 0 selects all items, and -1 also selects the chat
    ///   itself.
    private func redactEntries(
        of chat: Redactions.Chat,
        above itemId: Int64,
        _ change: ([UInt8], Set<Int64>) throws -> [UInt8]?
    ) throws {
        let place = "FROM event_subjects WHERE user_id = ? AND chat = ? AND chat_item_id > ?"
        let arguments: [Argument] = [chat.userId, chat.subjectText, itemId]
        try removeTextsFromBlocks("seq IN (SELECT seq \(place) AND says_more = 0)", arguments)
        try db.execute(
            "UPDATE events SET event = ? WHERE seq IN (SELECT seq \(place) AND says_more = 0)",
            [EventRedaction.redactedEvent] + arguments
        )
        var mixed: [Int64: Set<Int64>] = [:]
        for row in try db.query("SELECT chat_item_id, seq \(place) AND says_more = 1", arguments) {
            mixed[try row.int64("seq"), default: []].insert(try row.int64("chat_item_id"))
        }
        try rewriteTexts(mixed, change)
        if let last = try db.queryFirst("SELECT max(seq) AS seq \(place)", arguments)?.int64OrNil("seq") {
            recordRedaction(last)
        }
        // Entries with `says_more` also contain other data of the chat. If the chat is not deleted, these entries still
        // concern the chat.
        try db.execute("DELETE \(place)\(itemId < 0 ? "" : " AND says_more = 0")", arguments)
    }

    /// Removes items from the texts of journal entries.
    /// - Parameter entries: the ids of the items to remove, by the numbers of the entries.
    private func rewriteTexts(_ entries: [Int64: Set<Int64>], _ change: ([UInt8], Set<Int64>) throws -> [UInt8]?) throws
    {
        var texts = EventTexts(db)
        for (seq, items) in entries.sorted(by: { $0.key < $1.key }) {
            if try texts.rewriteText(seq, { try change($0, items) }) { recordRedaction(seq) }
        }
        try texts.storeChangedBlock()
    }

    /// Removes the texts of entries from their blocks. The caller then changes or deletes the entries.
    private func removeTextsFromBlocks(_ condition: String, _ arguments: [Argument]) throws {
        var texts = EventTexts(db)
        for row in try db.query(
            "SELECT seq FROM events WHERE (\(condition)) AND length(event) = 0 ORDER BY seq",
            arguments
        ) { try texts.removeText(row.int64("seq")) }
        try texts.storeChangedBlock()
    }
}
