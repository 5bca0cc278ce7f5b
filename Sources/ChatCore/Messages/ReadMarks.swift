internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/_read chat`: marks all items of the chat as read. The command `/_unread chat` removes the mark that the chat
    /// itself is unread.
    func markChatRead(_ key: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let chat = try Self.findChatForReading(key, user, tx)
            try Self.markRead(nil, in: chat, tx)
            if var support = chat.supportChat {
                try support.resetSupportCounts(tx)
                return .memberSupportChatRead(
                    user: user.api,
                    groupInfo: support.api(user),
                    member: (support.supportMember ?? support.membership).api(user)
                )
            }
            return .cmdOk(user_: user.api)
        }
    }

    /// `/_read chat items`: marks the given items as read.
    func markItemsRead(_ itemIds: [Int64], in key: ChatKey, user: UserRecord) async throws -> ChatResponse {
        guard key.hasPeers else { throw ChatFailure.commandError("not supported") }
        return try await store.writeAndAnswer { tx in
            let chat = try Self.findChatForReading(key, user, tx)
            if var support = chat.supportChat {
                let items = try ItemQueries.findItems(itemIds, in: support, tx.db)
                for chunk in itemIds.chunks(of: 500) { try Self.markRead(chunk, in: support, tx) }
                try support.subtractUnread(items, tx)
                return .itemsReadForChat(user: user.api, chatInfo: support.groupWithoutScope.chatInfo(user))
            }
            for chunk in itemIds.chunks(of: 500) { try Self.markRead(chunk, in: chat, tx) }
            return .itemsReadForChat(user: user.api, chatInfo: chat.chatInfo(user))
        }
    }

    /// `/_unread chat`: adds or removes the mark that the chat itself is unread.
    func setChatUnread(_ key: ChatKey, unread: Bool, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try key.getConversation(user, tx.db).setUnread(unread, tx)
            return .cmdOk(user_: user.api)
        }
    }

    /// Marks items as read.
    /// - Parameter itemIds: nil for all items of the chat.
    private static func markRead(_ itemIds: ArraySlice<Int64>?, in chat: some Conversation, _ tx: Transaction) throws {
        try TimedItems.startLifetimeOnReading(in: chat, itemIds: itemIds, tx)
        let among = itemIds.map { " AND chat_item_id IN (\(placeholders($0.count)))" } ?? ""
        // If ids are given, a plus sign before the columns prevents SQLite from using the index on the chat.
        let plus = itemIds == nil ? "" : "+"
        try tx.db.execute(
            """
            UPDATE chat_items SET item_status = 'rcvRead', updated_at = :updated_at
            WHERE \(plus)user_id = :user_id AND \(plus)chat_type = :chat_type AND \(plus)chat_id = :chat_id
              AND item_status = 'rcvNew'\(among)
            """,
            [
                "updated_at": tx.now.nanoseconds, "user_id": chat.userId, "chat_type": chat.chatKey.kind.rawValue,
                "chat_id": chat.chatKey.chatId,
            ],
            list: (itemIds ?? []).arguments
        )
    }

    /// Returns the chat for a command that marks items as read. These commands also work for inactive users. So an
    /// unknown contact means an unknown user, with the error `userNotFoundByContactId`.
    private static func findChatForReading(
        _ key: ChatKey,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> any Conversation {
        if let chat = try key.findConversation(user, tx.db) { return chat }
        if case .contact(let contactId) = key {
            throw ChatFailure(StoreError.userNotFoundByContactId(contactId: contactId))
        }
        return try key.getConversation(user, tx.db)
    }
}
