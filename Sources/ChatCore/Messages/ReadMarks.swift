internal import ChatAPI
internal import SQLCipher

extension ChatController {
    /// `/_read chat`: all items of the chat are read. The mark that the chat itself is unread is taken away by its own command.
    func readChat(_ place: ItemPlace, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            let chat = try Self.chatForReading(place, user, tx)
            try Self.read(nil, in: chat, tx)
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_read chat items`: the given items are read.
    func readItems(_ itemIds: [Int64], in place: ItemPlace, user: UserRecord) async throws -> ChatResponse {
        guard case .contact = place else { throw ChatFailure.command("not supported") }
        return try await store.answer { tx in
            let chat = try Self.chatForReading(place, user, tx)
            for chunk in itemIds.chunks(of: 500) { try Self.read(chunk, in: chat, tx) }
            return .itemsReadForChat(user: user.api, chatInfo: chat.info(user))
        }
    }

    /// `/_unread chat`: marks the chat itself as unread, or takes the mark away.
    func markChat(_ place: ItemPlace, unread: Bool, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            try place.chat(user, tx.db).setUnread(unread, tx)
            return .cmdOk(user_: user.api)
        }
    }

    /// - Parameter itemIds: nil for all.
    private static func read(_ itemIds: ArraySlice<Int64>?, in chat: some ItemChat, _ tx: Transaction) throws {
        try TimedItems.startOnReading(in: chat, itemIds: itemIds, tx)
        let among = itemIds.map { " AND chat_item_id IN (\(placeholders($0.count)))" } ?? ""
        // With a plus no index is taken for the chat, when ids lead to the items.
        let plus = itemIds == nil ? "" : "+"
        try tx.db.execute(
            """
            UPDATE chat_items SET item_status = 'rcvRead', updated_at = ?
            WHERE \(plus)user_id = ? AND \(plus)\(type(of: chat).itemColumn) = ? AND item_status = 'rcvNew'\(among)
            """, [tx.now.nanoseconds, chat.userId, chat.itemKey] + (itemIds ?? []).arguments)
    }

    /// These commands are also used for users that are not active, and so an unknown contact is told by the absence of its user.
    private static func chatForReading(_ place: ItemPlace, _ user: UserRecord, _ tx: Transaction) throws -> any ItemChat {
        guard case .contact(let contactId) = place else { return try place.chat(user, tx.db) }
        guard let contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db) else {
            throw ChatFailure(StoreError.userNotFoundByContactId(contactId: contactId))
        }
        return contact
    }
}
