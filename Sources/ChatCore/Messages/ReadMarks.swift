internal import ChatAPI
internal import SQLCipher

extension RunningCommand {
    /// `/_read chat`: marks all items of the chat as read. The mark that the chat itself is unread has its own command.
    func readChat(_ key: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            let chat = try Self.chatForReading(key, user, tx)
            try Self.read(nil, in: chat, tx)
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
    func readItems(_ itemIds: [Int64], in key: ChatKey, user: UserRecord) async throws -> ChatResponse {
        guard key.isShared else { throw ChatFailure.command("not supported") }
        return try await store.answer { tx in
            let chat = try Self.chatForReading(key, user, tx)
            if var support = chat.supportChat {
                let items = try ItemQueries.items(itemIds, in: support, tx.db)
                for chunk in itemIds.chunks(of: 500) { try Self.read(chunk, in: support, tx) }
                try support.subtractUnread(items, tx)
                return .itemsReadForChat(user: user.api, chatInfo: support.withoutScope.info(user))
            }
            for chunk in itemIds.chunks(of: 500) { try Self.read(chunk, in: chat, tx) }
            return .itemsReadForChat(user: user.api, chatInfo: chat.info(user))
        }
    }

    /// `/_unread chat`: sets or removes the mark that the chat itself is unread.
    func markChat(_ key: ChatKey, unread: Bool, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            try key.get(user, tx.db).setUnread(unread, tx)
            return .cmdOk(user_: user.api)
        }
    }

    /// - Parameter itemIds: nil for all items.
    private static func read(_ itemIds: ArraySlice<Int64>?, in chat: some Conversation, _ tx: Transaction) throws {
        try TimedItems.startOnReading(in: chat, itemIds: itemIds, tx)
        let among = itemIds.map { " AND chat_item_id IN (\(placeholders($0.count)))" } ?? ""
        // With given ids the plus prevents the use of the index on the chat.
        let plus = itemIds == nil ? "" : "+"
        try tx.db.execute(
            """
            UPDATE chat_items SET item_status = 'rcvRead', updated_at = ?
            WHERE \(plus)user_id = ? AND \(plus)chat_type = ? AND \(plus)chat_id = ? AND item_status = 'rcvNew'\(among)
            """,
            [tx.now.nanoseconds] + chat.keyArguments + (itemIds ?? []).arguments
        )
    }

    /// These commands also work for inactive users, so an unknown contact is reported as `userNotFoundByContactId`.
    private static func chatForReading(_ key: ChatKey, _ user: UserRecord, _ tx: Transaction) throws -> any Conversation
    {
        if let chat = try key.find(user, tx.db) { return chat }
        if case .contact(let contactId) = key {
            throw ChatFailure(StoreError.userNotFoundByContactId(contactId: contactId))
        }
        return try key.get(user, tx.db)
    }
}
