internal import ChatAPI
internal import JSON
internal import SQLCipher

extension ChatController {
    /// `/_update item`: the new content here and at the peer, with both kept as versions.
    func updateItem(
        _ itemId: Int64, in place: ItemPlace, to message: UpdatedMessage, live: Bool, user: UserRecord
    ) async throws -> ChatResponse {
        if case .report = message.msgContent { throw ChatFailure.command("sending reports via this API is not supported") }
        guard message.mentions.isEmpty else { throw ChatFailure.command("mentions are not supported in this chat") }
        let content = MarkedContent(message.msgContent)
        return try await store.answer { tx in
            switch place {
            case .contact(let id):
                let contact = try ContactRecord.get(id, user: user, in: tx.db)
                return try Self.update(itemId, in: contact, to: content, live: live, user, tx)
            case .notes(let id):
                return try Self.update(itemId, in: NoteFolderRecord.get(id, user: user, in: tx.db), to: content, user, tx)
            }
        }
    }

    private static func update(
        _ itemId: Int64, in contact: ContactRecord, to marked: MarkedContent, live: Bool, _ user: UserRecord, _ tx: Transaction
    ) throws -> ChatResponse {
        var item = try ItemQueries.get(itemId, in: contact, tx.db)
        guard case .sndMsgContent(let old) = item.content, let sharedID = item.sharedID, item.isDeletable(at: tx.now), !item.isForwarded
        else { throw ChatFailure(ChatErrorType.invalidChatItemUpdate) }
        let content = marked.content
        let changed = old != content
        let wasLive = item.isLive == true
        guard changed || wasLive else {
            return .chatItemNotChanged(user: user.api, chatItem: item.api(in: contact.info(user), at: tx.now))
        }
        let connection = try contact.sendable(user)
        let update = MessageUpdate(
            messageID: sharedID, content: try JSONEncoder().encodeValue(content), ttl: item.ttl, live: wasLive && live ? true : nil)
        try tx.enqueue(ChatMessage(event: .messageUpdate(update)), to: connection)
        if changed { try ItemWriter.addVersion(of: item, old: old, new: content, at: tx.now, tx) }
        try ItemWriter.update(
            &item, content: .sndMsgContent(msgContent: content), text: content.text, markup: marked.markup, edited: !wasLive, live: live, tx)
        try TimedItems.startWhenDone(&item, wasLive: wasLive, tx)
        return .chatItemUpdated(user: user.api, chatItem: item.api(in: contact.info(user), at: tx.now))
    }

    private static func update(
        _ itemId: Int64, in folder: NoteFolderRecord, to marked: MarkedContent, _ user: UserRecord, _ tx: Transaction
    ) throws -> ChatResponse {
        var item = try ItemQueries.get(itemId, in: folder, tx.db)
        guard case .sndMsgContent(let old) = item.content else { throw ChatFailure(ChatErrorType.invalidChatItemUpdate) }
        let content = marked.content
        guard old != content else {
            return .chatItemNotChanged(user: user.api, chatItem: item.api(in: folder.info(user), at: tx.now))
        }
        try ItemWriter.addVersion(of: item, old: old, new: content, at: tx.now, tx)
        try ItemWriter.update(
            &item, content: .sndMsgContent(msgContent: content), text: content.text, markup: marked.markup, edited: true, live: nil, tx)
        return .chatItemUpdated(user: user.api, chatItem: item.api(in: folder.info(user), at: tx.now))
    }
}
