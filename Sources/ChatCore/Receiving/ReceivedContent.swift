internal import ChatAPI
internal import JSON
internal import Logging
internal import SQLCipher

/// Messages of the conversation.
extension MessageReceiver {
    func new(
        _ container: MessageContainer, _ contents: ReceivedContents, _ sharedID: SharedMessageID?, _ contact: inout ContactRecord
    ) throws {
        guard try !isRepeated(sharedID, contact) else { return }
        let marked = try contents.content()
        var new: NewItem
        if marked.content.isVoice, !contact.feature(.voice, user: user).enabled.forContact {
            new = NewItem(
                isSent: false, content: .rcvChatFeatureRejected(feature: .voice),
                text: "\(DirectFeature.voice.name): received, prohibited", status: .rcvNew)
        } else {
            new = NewItem(isSent: false, marked, status: .rcvNew)
            new.ttl = timeToLive(container.ttl, contact)
            new.isLive = container.live == true
            new.forwarded = container.forward ? .unknown : nil
            new.quoted = try container.quote.map { try quote($0, contents.quotedContent()) }
            new.file = container.file
        }
        new.itemTs = brokerTs
        new.sharedID = sharedID
        let item = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
        // Reactions may have come before the message.
        try tell(ItemQueries.withReactions([item], in: contact, tx.db).first ?? item, contact)
    }

    /// Whether the contact has sent a message with this id before: a program that lost its memory of having sent it may send it again. It has a receipt,
    /// and no other effect. The original keeps these ids unique in a chat too, and reports a message that repeats one as an error.
    /// - Throws: when the id is that of a message of the user's own.
    private func isRepeated(_ sharedID: SharedMessageID?, _ contact: ContactRecord) throws -> Bool {
        guard let sharedID, let item = try tx.db.first(
            "SELECT item_sent FROM chat_items WHERE user_id = ? AND contact_id = ? AND shared_msg_id = ? LIMIT 1",
            [user.userId, contact.contactId, sharedID.bytes])
        else { return false }
        guard try !item.bool("item_sent") else { throw ChatFailure(ChatErrorType.exception(message: "message ID of another message")) }
        Self.logger.debug("a message came again")
        return true
    }

    private static let logger = Logger(label: "chat.simplex.core")

    /// The time after which a message disappears, where both sides have that on; a time that is none is ignored.
    private func timeToLive(_ ttl: Int64?, _ contact: ContactRecord) -> Int64? {
        guard let ttl, TimedItems.range.contains(ttl), contact.feature(.timedMessages, user: user).enabled.forContact else { return nil }
        return ttl
    }

    /// Whose message is quoted is said from the peer's side.
    private func quote(_ quoted: QuotedMessage, _ marked: MarkedContent) throws -> CIQuote {
        CIQuote(
            chatDir: quoted.sent ? .directRcv : .directSnd,
            itemId: try quoted.messageID.flatMap { id in
                try tx.db.first(
                    "SELECT chat_item_id FROM chat_items WHERE user_id = ? AND contact_id = ? AND shared_msg_id = ? LIMIT 1",
                    [user.userId, connection.contactId, id.bytes])?.int64("chat_item_id")
            }, sharedMsgId: quoted.messageID?.text, sentAt: (Timestamp(parsing: quoted.sentAt) ?? brokerTs).api,
            content: marked.content, formattedText: marked.markup.fragments(of: marked.content.text))
    }

    func update(_ update: MessageUpdate, _ marked: MarkedContent, _ contact: inout ContactRecord) throws {
        let content = marked.content
        guard var item = try ItemQueries.find(shared: update.messageID, in: contact, tx.db) else {
            // The original was deleted here: the update becomes a message, so that it can be referred to.
            var new = NewItem(isSent: false, marked, status: .rcvNew)
            new.itemTs = brokerTs
            new.sharedID = update.messageID
            new.ttl = timeToLive(update.ttl, contact)
            new.isLive = update.live == true
            var created = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
            try ItemWriter.insertVersion(created.itemId, content, brokerTs, tx)
            try ItemWriter.update(&created, content: created.content, text: created.text, markup: created.markup, edited: true, live: update.live, tx)
            return try tellUpdate(created, contact)
        }
        guard !item.isSent, case .rcvMsgContent(let old) = item.content, !item.isForwarded else {
            return unhandled.report("x.msg.update: contact attempted invalid message update", isMessageError: true)
        }
        let wasLive = item.isLive == true
        guard old != content || wasLive else {
            return try tx.emit(.chatItemNotChanged(user: user.api, chatItem: item.api(in: contact.info(user), at: tx.now)), user: user.userId)
        }
        if old != content { try ItemWriter.addVersion(of: item, old: old, new: content, at: brokerTs, tx) }
        try ItemWriter.update(
            &item, content: .rcvMsgContent(msgContent: content), text: content.text, markup: marked.markup, edited: !wasLive, live: update.live, tx)
        try TimedItems.startWhenDone(&item, wasLive: wasLive, tx)
        try tellUpdate(item, contact)
    }

    private func tellUpdate(_ item: ItemRecord, _ contact: ContactRecord) throws {
        try tx.emit(
            .chatItemUpdated(user: user.api, chatItem: item.api(in: contact.api(user), at: tx.now)), user: user.userId)
    }

    /// A peer can take a message back for 78 hours: a day, and what it may have waited to be sent.
    private static let deletionSeconds: Int64 = 78 * 3600

    func delete(_ reference: MessageReference, _ contact: ContactRecord) throws {
        guard let item = try ItemQueries.find(shared: reference.messageID, in: contact, tx.db) else {
            try tx.emit(
                .chatItemDeletedNotFound(
                    user: user.api, contact: contact.api(user), sharedMsgId: reference.messageID.text), user: user.userId)
            return
        }
        guard !item.isSent, !item.isDeleted, brokerTs < item.itemTs.adding(seconds: Self.deletionSeconds) else {
            return unhandled.report("x.msg.del: contact attempted invalid message delete", isMessageError: true)
        }
        let deletions =
            contact.feature(.fullDelete, user: user).enabled.forContact
            ? try ItemDeletion.delete([item], in: contact, user, tx)
            : try ItemDeletion.mark([item], in: contact, user, at: brokerTs, tx)
        try tx.emit(
            .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: false, timed: false), user: user.userId)
    }

    func react(_ message: MessageReaction, _ contact: ContactRecord) throws {
        guard contact.feature(.reactions, user: user).enabled.forContact else { return }
        let reaction = try JSONDecoder().decode(MsgReaction.self, from: message.reaction)
        let existing = try Reactions.sides(message.messageID, sent: false, in: contact, tx.db)
        guard Reactions.isAllowed(add: message.add, reaction, existing: existing) else { return }
        // A reaction may come before its message; one to a message that is deleted comes too late.
        if let item = try ItemQueries.find(shared: message.messageID, in: contact, tx.db), item.messageContent == nil || item.isDeleted { return }
        try Reactions.set(reaction, add: message.add, to: message.messageID, sent: false, at: brokerTs, in: contact, tx)
        guard let item = try ItemQueries.find(shared: message.messageID, in: contact, tx.db) else { return }
        try tx.emit(
            .chatItemReaction(
                user: user.api, added: message.add,
                reaction: ACIReaction(
                    chatInfo: .direct(contact: contact.api(user)),
                    chatReaction: CIReaction(
                        chatDir: .directRcv, chatItem: item.api(at: tx.now), sentAt: brokerTs.api, reaction: reaction))),
            user: user.userId)
    }
}
