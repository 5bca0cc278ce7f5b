internal import ChatAPI
internal import SQLCipher

extension ChatController {
    /// `/_read chat`: all items of the chat are read.
    func readChat(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.write { tx in
            let contact = try Self.contactForReading(contactId, user, tx)
            try TimedItems.startOnReading(in: contact, itemIds: nil, tx)
            try tx.db.execute(
                """
                UPDATE chat_items SET item_status = 'rcvRead', updated_at = ?
                WHERE user_id = ? AND contact_id = ? AND item_status = 'rcvNew'
                """, [tx.now.nanoseconds, user.userId, contactId])
            try Self.setUnread(false, contact, tx)
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_read chat items`: the given items are read.
    func readItems(_ itemIds: [Int64], in contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.write { tx in
            let contact = try Self.contactForReading(contactId, user, tx)
            try TimedItems.startOnReading(in: contact, itemIds: itemIds, tx)
            for chunk in itemIds.chunks(of: 500) {
                let marks = placeholders(chunk.count)
                try tx.db.execute(
                    """
                    UPDATE chat_items SET item_status = 'rcvRead', updated_at = ?
                    WHERE user_id = ? AND contact_id = ? AND item_status = 'rcvNew' AND chat_item_id IN (\(marks))
                    """, [tx.now.nanoseconds, user.userId, contactId] + chunk.arguments)
            }
            return .itemsReadForChat(user: user.api, chatInfo: .direct(contact: contact.api(user)))
        }
    }

    /// `/_unread chat`: marks the chat itself as unread, or takes the mark away.
    func markChat(_ contactId: Int64, unread: Bool, user: UserRecord) async throws -> ChatResponse {
        try await store.write { tx in
            try Self.setUnread(unread, ContactRecord.get(contactId, user: user, in: tx.db), tx)
            return .cmdOk(user_: user.api)
        }
    }

    private static func setUnread(_ unread: Bool, _ contact: ContactRecord, _ tx: Transaction) throws {
        guard contact.unreadChat != unread else { return }
        try tx.db.execute(
            "UPDATE contacts SET unread_chat = ?, updated_at = ? WHERE user_id = ? AND contact_id = ?",
            [unread, tx.now.nanoseconds, contact.userId, contact.contactId])
    }

    /// These two commands are also used for users that are not active, and so an unknown chat is told by the absence of its user.
    private static func contactForReading(_ contactId: Int64, _ user: UserRecord, _ tx: Transaction) throws -> ContactRecord {
        guard let contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db) else {
            throw ChatFailure(StoreError.userNotFoundByContactId(contactId: contactId))
        }
        return contact
    }
}
