internal import ChatAPI
internal import SQLCipher

extension ChatController {
    /// `/_delete item`: for the user alone, or for both sides. Ids that do not exist are reported by an event and left out.
    func deleteItems(_ itemIds: [Int64], in contactId: Int64, mode: CIDeleteMode, user: UserRecord) async throws -> ChatResponse {
        try await store.write { tx in
            let contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            let items = try ItemQueries.items(itemIds, in: contact, tx.db)
            let found = Set(items.map(\.itemId))
            let missing = itemIds.filter { !found.contains($0) }
            if !missing.isEmpty {
                let errors = missing.map { ChatError.errorStore(storeError: .chatItemNotFound(itemId: $0)) }
                try tx.emit(.chatErrors(chatErrors: errors), user: user.userId)
            }
            let deletions: [ChatItemDeletion]
            switch mode {
            case .internal:
                deletions = try ItemDeletion.delete(items, in: contact, user, tx)
            case .internalMark:
                deletions = try ItemDeletion.mark(items, in: contact, user, at: tx.now, tx)
            case .broadcast:
                deletions = try Self.broadcastDeletion(of: items, in: contact, user, tx)
            default:
                throw ChatFailure.notImplemented("apiDeleteChatItem \(mode)")
            }
            return .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: true, timed: false)
        }
    }

    private static func broadcastDeletion(
        of items: [ItemRecord], in contact: ContactRecord, _ user: UserRecord, _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        guard items.allSatisfy({ $0.isDeletable(at: tx.now) }) else { throw ChatFailure(ChatErrorType.invalidChatItemDelete) }
        guard !items.isEmpty else { return [] }
        let connection = try contact.sendable(user)
        for sharedID in items.compactMap(\.sharedID) {
            try tx.enqueue(ChatMessage(event: .messageDelete(MessageReference(messageID: sharedID))), to: connection)
        }
        return contact.feature(.fullDelete, user: user).enabled.forUser
            ? try ItemDeletion.delete(items, in: contact, user, tx)
            : try ItemDeletion.mark(items, in: contact, user, at: tx.now, tx)
    }
}

/// The two ways in which an item goes.
enum ItemDeletion {
    static func delete(
        _ items: [ItemRecord], in contact: ContactRecord, _ user: UserRecord, _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        let apiContact = contact.api(user)
        return try items.map { item in
            try ItemWriter.delete(item, tx)
            return ChatItemDeletion(deletedChatItem: item.api(in: apiContact, at: tx.now))
        }
    }

    static func mark(
        _ items: [ItemRecord], in contact: ContactRecord, _ user: UserRecord, at deletedTs: Timestamp, _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        let apiContact = contact.api(user)
        return try items.map { item in
            var marked = item
            try ItemWriter.markDeleted(&marked, at: deletedTs, tx)
            return ChatItemDeletion(
                deletedChatItem: item.api(in: apiContact, at: tx.now), toChatItem: marked.api(in: apiContact, at: tx.now))
        }
    }
}
