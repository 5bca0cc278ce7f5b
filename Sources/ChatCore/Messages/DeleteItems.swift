internal import ChatAPI
internal import SQLCipher

extension ChatController {
    /// `/_delete item`: for the user alone, or for both sides. Ids that do not exist are reported by an event and left out. Notes have one side
    /// only, and go whatever the mode is.
    func deleteItems(_ itemIds: [Int64], in place: ItemPlace, mode: CIDeleteMode, user: UserRecord) async throws -> ChatResponse {
        guard CIDeleteMode.known.contains(mode), mode != .history else { throw ChatFailure.notImplemented("apiDeleteChatItem \(mode.rawValue)") }
        return try await store.answer { tx in
            let chat = try place.chat(user, tx.db)
            let items = try Self.existing(itemIds, in: chat, user, tx)
            let deletions: [ChatItemDeletion]
            switch (mode, chat) {
            case (.broadcast, let contact as ContactRecord):
                deletions = try Self.broadcastDeletion(of: items, in: contact, user, tx)
            case (.internalMark, let contact as ContactRecord):
                deletions = try ItemDeletion.mark(items, in: contact, user, at: tx.now, tx)
            default:
                deletions = try ItemDeletion.delete(items, in: chat, user, tx)
            }
            return .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: true, timed: false)
        }
    }

    /// Those of the items that exist; the others are reported by an event.
    static func existing(_ itemIds: [Int64], in chat: some ItemChat, _ user: UserRecord, _ tx: Transaction) throws -> [ItemRecord] {
        var named: Set<Int64> = []
        let itemIds = itemIds.filter { named.insert($0).inserted }
        let items = try ItemQueries.items(itemIds, in: chat, tx.db)
        let found = Set(items.map(\.itemId))
        let missing = itemIds.filter { !found.contains($0) }
        if !missing.isEmpty {
            let errors = missing.map { ChatError.errorStore(storeError: .chatItemNotFound(itemId: $0)) }
            try tx.emit(.chatErrors(chatErrors: errors), user: user.userId)
        }
        return items
    }

    /// What is shown as deletable is so for six hours more, for those who decide on the border.
    private static let deletionMargin: Int64 = 6 * 3600

    private static func broadcastDeletion(
        of items: [ItemRecord], in contact: ContactRecord, _ user: UserRecord, _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        guard items.allSatisfy({ $0.sharedID != nil && $0.isDeletable(at: tx.now, margin: deletionMargin) }) else {
            throw ChatFailure(ChatErrorType.invalidChatItemDelete)
        }
        guard !items.isEmpty else { return [] }
        let connection = try contact.sendable(user)
        let deletions = items.compactMap(\.sharedID).map { ChatMessage(event: .messageDelete(MessageReference(messageID: $0))) }
        try tx.enqueue(deletions.map { try OutgoingChatMessage($0, over: connection) }, to: connection)
        return contact.feature(.fullDelete, user: user).enabled.forUser
            ? try ItemDeletion.delete(items, in: contact, user, tx)
            : try ItemDeletion.mark(items, in: contact, user, at: tx.now, tx)
    }
}

/// The two ways in which an item goes.
enum ItemDeletion {
    static func delete(
        _ items: [ItemRecord], in chat: some ItemChat, _ user: UserRecord, _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        let info = chat.info(user)
        return try items.map { item in
            try ItemWriter.delete(item, tx)
            return ChatItemDeletion(deletedChatItem: item.api(in: info, at: tx.now))
        }
    }

    static func mark(
        _ items: [ItemRecord], in contact: ContactRecord, _ user: UserRecord, at deletedTs: Timestamp, _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        let info = contact.info(user)
        return try items.map { item in
            var marked = item
            try ItemWriter.markDeleted(&marked, at: deletedTs, tx)
            return ChatItemDeletion(
                deletedChatItem: item.api(in: info, at: tx.now), toChatItem: marked.api(in: info, at: tx.now))
        }
    }
}
