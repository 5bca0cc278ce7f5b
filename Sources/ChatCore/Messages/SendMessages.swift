internal import ChatAPI
internal import JSON
internal import SQLCipher

extension ChatController {
    /// `/_send`: items, messages and outbox rows in one transaction. The answer shows the items as new; the agent's progress is told by
    /// `chatItemsStatusesUpdated`.
    func sendMessages(
        _ messages: [ComposedMessage], to contactId: Int64, live: Bool, ttl: Int64?, as userId: Int64?
    ) async throws -> ChatResponse {
        guard !messages.isEmpty else { throw ChatFailure.command("no messages") }
        guard !live || messages.count == 1 else { throw ChatFailure.command("multiple messages can't be sent live") }
        for message in messages {
            if case .report = message.msgContent { throw ChatFailure.command("sending reports via this API is not supported") }
            guard message.mentions.isEmpty else { throw ChatFailure.command("mentions are not supported in this chat") }
            guard message.fileSource == nil else { throw ChatFailure.notImplemented("apiSendMessages with files") }
        }
        if let ttl, !TimedItems.range.contains(ttl) { throw ChatFailure.command("ttl out of range") }
        return try await store.write { tx in
            let user = try Self.userOrActive(userId, tx.db)
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            let connection = try contact.sendable(user)
            if !contact.feature(.voice, user: user).enabled.forUser, messages.contains(where: { $0.msgContent.isVoice }) {
                throw ChatFailure.command("feature not allowed \(DirectFeature.voice.name)")
            }
            let timed = contact.feature(.timedMessages, user: user)
            // Where both sides have disappearing messages on, the message's own time comes before the chat's.
            let seconds = timed.enabled.forUser ? (ttl ?? timed.ttl) : nil
            let items = try messages.map { message in
                try Self.send(message, live: live, ttl: seconds, in: &contact, over: connection, tx)
            }
            let apiContact = contact.api(user)
            return .newChatItems(user: user.api, chatItems: items.map { $0.api(in: apiContact, at: tx.now) })
        }
    }

    private static func send(
        _ message: ComposedMessage, live: Bool, ttl: Int64?, in contact: inout ContactRecord, over connection: ConnectionRecord,
        _ tx: Transaction
    ) throws -> ItemRecord {
        let sharedID = SharedMessageID.random()
        var container = MessageContainer(content: try JSONEncoder().encodeValue(message.msgContent))
        container.ttl = ttl
        container.live = live ? true : nil
        var new = NewItem(
            isSent: true, content: .sndMsgContent(msgContent: message.msgContent), text: message.msgContent.text, status: .sndNew)
        if let quotedItemId = message.quotedItemId {
            let quoted = try ItemQueries.get(quotedItemId, in: contact, tx.db)
            guard let content = quoted.messageContent, !quoted.isDeleted else { throw ChatFailure(StoreError.invalidQuote) }
            container.quote = QuotedMessage(
                messageID: quoted.sharedID, sentAt: quoted.itemTs.text, sent: quoted.isSent,
                content: try JSONEncoder().encodeValue(content))
            new.quoted = CIQuote(
                chatDir: quoted.isSent ? .directSnd : .directRcv, itemId: quotedItemId, sharedMsgId: quoted.sharedID?.text,
                sentAt: quoted.itemTs.api, content: content, formattedText: MarkdownParser.parse(content.text))
        }
        new.sharedID = sharedID
        new.ttl = ttl
        new.deleteAt = live ? nil : ttl.map { tx.now.adding(seconds: $0) }
        new.isLive = live
        let item = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
        try tx.enqueue(ChatMessage(sharedID: sharedID, event: .messageNew(container)), to: connection, item: item.itemId)
        return item
    }

    /// `/_update item`: the new text here and at the peer, with both kept as versions.
    func updateItem(
        _ itemId: Int64, in contactId: Int64, to content: MsgContent, live: Bool, user: UserRecord
    ) async throws -> ChatResponse {
        if case .report = content { throw ChatFailure.command("sending reports via this API is not supported") }
        return try await store.write { tx in
            let contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            var item = try ItemQueries.get(itemId, in: contact, tx.db)
            guard case .sndMsgContent(let old) = item.content, let sharedID = item.sharedID, item.isDeletable(at: tx.now),
                !item.isForwarded
            else { throw ChatFailure(ChatErrorType.invalidChatItemUpdate) }
            let apiContact = contact.api(user)
            let changed = old != content
            guard changed || item.isLive == true else {
                return .chatItemNotChanged(user: user.api, chatItem: item.api(in: apiContact, at: tx.now))
            }
            let connection = try contact.sendable(user)
            let wasLive = item.isLive == true
            let update = MessageUpdate(
                messageID: sharedID, content: try JSONEncoder().encodeValue(content), ttl: item.ttl, live: wasLive && live ? true : nil)
            try tx.enqueue(ChatMessage(event: .messageUpdate(update)), to: connection)
            if changed { try ItemWriter.addVersion(of: item, old: old, new: content, at: tx.now, tx) }
            try ItemWriter.update(
                &item, content: .sndMsgContent(msgContent: content), text: content.text, edited: !wasLive, live: live, tx)
            if wasLive, !live, let ttl = item.ttl, item.deleteAt == nil {
                try TimedItems.schedule(&item, at: tx.now.adding(seconds: ttl), tx)
            }
            return .chatItemUpdated(user: user.api, chatItem: item.api(in: apiContact, at: tx.now))
        }
    }
}

extension ContactRecord {
    /// The connection over which messages to the contact go.
    /// - Throws: `contactNotReady` when there is none yet, or none any more.
    func sendable(_ user: UserRecord) throws -> ConnectionRecord {
        guard let connection, connection.canSend, isActive else {
            throw ChatFailure(ChatErrorType.contactNotReady(contact: api(user)))
        }
        guard !connection.isDisabled else { throw ChatFailure(ChatErrorType.contactDisabled(contact: api(user))) }
        return connection
    }
}
