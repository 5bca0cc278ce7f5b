internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/_delete item`: deletes items only for the user, or for both sides. Unknown ids are ignored, and an event
    /// reports them. Notes have only one side, so every mode deletes their items.
    func deleteItems(
        _ itemIds: [Int64],
        in key: ChatKey,
        mode: CIDeleteMode,
        user: UserRecord
    ) async throws -> ChatResponse {
        guard CIDeleteMode.knownValues.contains(mode) else {
            throw ChatFailure.commandError("the mode \(mode.rawValue) is not supported")
        }
        return try await store.writeAndAnswer { tx in
            let chat = try key.getConversation(user, tx.db)
            let items = try Self.findExistingItems(itemIds, in: chat, user, tx)
            // Messages can be deleted from the history only in a channel, and only by its moderators. A moderator must
            // not use the mode `internal`, which deletes a message only for the user.
            let isEditor = chat.group.map { $0.mayEditHistory(by: $0.membership) } ?? false
            guard !chat.hasPeers || (mode == .history ? isEditor : mode != .internal || !isEditor) else {
                throw ChatFailure(ChatErrorType.invalidChatItemDelete)
            }
            let deletions: [ChatItemDeletion]
            switch mode {
            case .broadcast where chat.hasPeers: deletions = try Self.broadcastDeletion(of: items, in: chat, user, tx)
            case .history where chat.hasPeers:
                deletions = try Self.broadcastDeletion(of: items, onlyHistory: true, in: chat, user, tx)
            case .internalMark where chat.hasPeers:
                deletions = try ItemDeletion.markItemsDeleted(items, in: chat, user, at: tx.now, tx)
            default: deletions = try ItemDeletion.deleteItems(items, in: chat, user, tx)
            }
            return .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: true, timed: false)
        }
    }

    /// `/_clear chat`: deletes all items of a chat except the banner at its top.
    func clearChat(_ key: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let chat = try key.getConversation(user, tx.db)
            try ItemDeletion.deleteAllItems(chat, tx)
            return .chatCleared(user: user.api, chatInfo: chat.chatInfo(user))
        }
    }

    /// Returns the items with the given ids. Emits an event with the ids for which no item exists.
    static func findExistingItems(
        _ itemIds: [Int64],
        in chat: some Conversation,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> [ItemRecord] {
        var named: Set<Int64> = []
        let itemIds = itemIds.filter { named.insert($0).inserted }
        let group = chat.supportChat == nil ? chat.group : nil
        // A command about a report, or about a reported message, does not name the support chat that contains the item.
        // So the items are searched in all chats of the group.
        let items =
            try group.map { try ItemQueries.findItems(itemIds, anywhereIn: $0, tx.db) }
            ?? ItemQueries.findItems(itemIds, in: chat, tx.db)
        let found = Set(items.map(\.itemId))
        let missing = itemIds.filter { !found.contains($0) }
        if !missing.isEmpty {
            let errors = missing.map { ChatError.errorStore(storeError: .chatItemNotFound(itemId: $0)) }
            try tx.emit(.chatErrors(chatErrors: errors), user: user.userId)
        }
        return items
    }

    /// Additional seconds in which the user can delete an item for both sides after the time limit that clients show.
    /// Six hours are enough for users who decide at the last moment.
    private static let deletionMarginSeconds: Int64 = 6 * 3600

    /// Deletes items for the user and for all recipients.
    /// - Parameter onlyHistory: whether the messages are deleted only from the history that later members receive.
    ///   Present members keep the messages. There is no time limit for this deletion.
    static func broadcastDeletion(
        of items: [ItemRecord],
        onlyHistory: Bool = false,
        in chat: some Conversation,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        try chat.checkMayWrite(user)
        guard
            onlyHistory
                || items.allSatisfy({ $0.sharedID != nil && $0.isChangeable(at: tx.now, margin: deletionMarginSeconds) }
                )
        else {
            throw ChatFailure(ChatErrorType.invalidChatItemDelete)
        }
        guard !items.isEmpty else { return [] }
        let recipients = try chat.findRecipients(user, in: tx.db)
        try chat.sendChangedProfile(user, to: recipients, tx)
        let deletions = items.compactMap(\.sharedID).map { id in
            var deletion = MessageDeletion(messageID: id)
            deletion.scope = chat.messageScope
            deletion.deletesOnlyHistory = onlyHistory
            return ChatMessage(sharedID: chat.newChangeID, event: .messageDelete(deletion))
        }
        try tx.enqueue(deletions.map { try OutgoingChatMessage($0, to: recipients) }, to: recipients)
        return try ItemDeletion.deleteForAllSides(items, by: .user, in: chat, user, at: tx.now, tx)
    }
}

/// The two ways to delete an item: the item is removed, or it is marked as deleted.
enum ItemDeletion {
    /// Applies a deletion for all sides to the user's copy of the items. If the side that deletes may delete fully
    /// (``MessageFeature/fullDelete``), the items are removed. Otherwise the items are marked as deleted.
    /// - Parameter moderator: the member of the group who deletes messages of other members. A full deletion by a
    ///   moderator removes only the content of the items, and keeps the items.
    static func deleteForAllSides(
        _ items: [ItemRecord],
        by side: MessageFeature.Side,
        moderator: MemberRecord? = nil,
        in chat: some Conversation,
        _ user: UserRecord,
        at deletedTs: Timestamp,
        _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        if let moderator {
            guard chat.allows(.fullDelete, by: side, user) else {
                return try markItemsDeleted(items, by: moderator, in: chat, user, at: deletedTs, tx)
            }
            return try hideItems(items, in: chat, user, tx) {
                try ItemWriter.deleteModeratedContent(&$0, by: moderator, at: deletedTs, tx)
            }
        }
        return chat.allows(.fullDelete, by: side, user)
            ? try deleteItems(items, in: chat, user, tx)
            : try markItemsDeleted(items, in: chat, user, at: deletedTs, tx)
    }

    /// Deletes all reactions and all items of a chat. Only the banner, the item at the top of a new chat, is kept.
    static func deleteAllItems(_ chat: some Conversation, _ tx: Transaction) throws {
        try tx.db.delete(
            from: "chat_item_reactions",
            where: ["user_id": chat.userId, "chat_type": chat.chatKey.kind.rawValue, "chat_id": chat.chatKey.chatId]
        )
        try tx.db.execute(
            """
            DELETE FROM chat_items
            WHERE user_id = :user_id AND chat_type = :chat_type AND chat_id = :chat_id
            AND item_content <> '{"type":"chatBanner"}'
            """,
            ["user_id": chat.userId, "chat_type": chat.chatKey.kind.rawValue, "chat_id": chat.chatKey.chatId]
        )
        if case .group(let groupId) = chat.chatKey { try SupportChats.deleteItems(groupId, user: chat.userId, tx) }
        tx.redactAllItems(of: chat)
    }

    static func deleteItems(
        _ items: [ItemRecord],
        in chat: some Conversation,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        var chat = chat
        try chat.subtractUnread(items, tx)
        let info = chat.chatInfo(user)
        return try items.map { item in
            try ItemWriter.delete(item, tx)
            return ChatItemDeletion(deletedChatItem: item.api(in: info, at: tx.now))
        }
    }

    static func markItemsDeleted(
        _ items: [ItemRecord],
        by moderator: MemberRecord? = nil,
        in chat: some Conversation,
        _ user: UserRecord,
        at deletedTs: Timestamp,
        _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        try hideItems(items, in: chat, user, tx) {
            try ItemWriter.markItemDeleted(&$0, by: moderator, at: deletedTs, tx)
        }
    }

    private static func hideItems(
        _ items: [ItemRecord],
        in chat: some Conversation,
        _ user: UserRecord,
        _ tx: Transaction,
        by change: (inout ItemRecord) throws -> Void
    ) throws -> [ChatItemDeletion] {
        let info = chat.chatInfo(user)
        return try items.map { item in
            var marked = item
            try change(&marked)
            return ChatItemDeletion(
                deletedChatItem: item.api(in: info, at: tx.now),
                toChatItem: marked.api(in: info, at: tx.now)
            )
        }
    }
}
