internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

extension RunningCommand {
    /// `/_update item`: stores the new content, and sends it to the peer. The old and the new content are stored as
    /// versions.
    func updateItem(
        _ itemId: Int64,
        in key: ChatKey,
        to message: UpdatedMessage,
        live: Bool,
        user: UserRecord
    ) async throws -> ChatResponse {
        if case .report = message.msgContent {
            throw ChatFailure.commandError("sending reports via this API is not supported")
        }
        guard key.isOfGroup || message.mentions.isEmpty else {
            throw ChatFailure.commandError("only messages in groups can mention members")
        }
        let content = MarkedContent(message.msgContent)
        return try await store.writeAndAnswer { tx in
            try Self.updateContent(
                itemId,
                in: key.getConversation(user, tx.db),
                to: content,
                message.mentions,
                live: live,
                user,
                tx
            )
        }
    }

    private static func updateContent(
        _ itemId: Int64,
        in chat: some Conversation,
        to marked: MarkedContent,
        _ named: [String: Int64],
        live: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatResponse {
        try chat.checkMayEdit(user)
        guard chat.allows(.simplexLinks, by: .user, user) || !marked.requiredFeatures().contains(.simplexLinks) else {
            throw ChatFailure.commandError("feature not allowed \(MessageFeature.simplexLinks.name)")
        }
        var item = try ItemQueries.get(itemId, in: chat, tx.db)
        // An item in a chat with other people can be changed only for a limited time. Notes can always be changed.
        guard case .sndMsgContent(let old) = item.content,
            !chat.hasPeers || (item.sharedID != nil && item.isChangeable(at: tx.now) && !item.isForwarded)
        else { throw ChatFailure(ChatErrorType.invalidChatItemUpdate) }
        let content = marked.content
        let mentions = try Mentions(named, in: chat, of: marked, tx.db)
        let changed = content.differs(from: old) || mentions != item.mentions
        let wasLive = item.isLive == true
        guard changed || wasLive else {
            return .chatItemNotChanged(user: user.api, chatItem: item.api(in: chat.chatInfo(user), at: tx.now))
        }
        let recipients = try chat.findRecipients(user, in: tx.db)
        try chat.sendChangedProfile(user, to: recipients, tx)
        if let sharedID = item.sharedID {
            var update = MessageUpdate(
                messageID: sharedID,
                content: try JSONEncoder().encodeValue(content),
                ttl: item.lifetimeSeconds,
                live: wasLive && live ? true : nil
            )
            update.mentions = mentions.messageJSON
            update.scope = chat.messageScope
            update.isSentAsGroup = item.showsGroupAsSender
            try tx.enqueue(ChatMessage(sharedID: chat.newChangeID, event: .messageUpdate(update)), to: recipients)
        }
        if changed { try ItemWriter.addVersion(of: item, old: old, new: content, at: tx.now, tx) }
        try ItemWriter.replaceContent(
            &item,
            content: .sndMsgContent(msgContent: content),
            text: content.text,
            markup: marked.markup,
            mentions: mentions,
            edited: !wasLive,
            live: live,
            in: chat,
            tx
        )
        try TimedItems.startLifetimeWhenDone(&item, wasLive: wasLive, tx)
        return .chatItemUpdated(user: user.api, chatItem: item.api(in: chat.chatInfo(user), at: tx.now))
    }
}
