internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import Logging

/// Handling of messages with content: new, changed and deleted messages, and reactions.
extension MessageReceiver {
    func handleNewMessage(
        _ container: MessageContainer,
        _ contents: ReceivedContents,
        _ sharedID: SharedMessageID?,
        _ chat: inout some Conversation
    ) throws {
        guard try !isRepeated(sharedID, chat) else { return }
        let marked = try contents.requireContent().keepingSignature(boundTo: ownerSignatureBinding(chat))
        var new: NewItem
        if let refused = makeRefusalItem(of: marked, container, chat) {
            new = refused
        } else {
            new = NewItem(isSent: false, marked, status: marked.content.tag == "report" ? .rcvRead : .rcvNew)
            new.lifetimeSeconds = validLifetimeSeconds(container.ttlSeconds, chat)
            new.isLive = container.live == true
            new.forwardOrigin = container.isForwarded ? .unknown : nil
            new.quotedMessage = try container.quote.map { try makeQuote($0, contents.requireQuotedContent(), chat) }
            new.file = try container.file.map {
                try ReceivedFiles.storeOffer($0, by: shownAuthor, user: user.userId, tx)
            }
            if author?.isBlocked == false { new.mentions = Mentions(received: container.mentions, of: marked) }
        }
        setOrigin(&new, sharedID)
        let item = try ItemWriter.create(new, in: &chat, movesChat: true, tx)
        if let file = item.file, new.hidingReason == nil {
            try ReceivedFiles.scheduleAutomaticReceiving(file, with: marked.content, tx)
        }
        // Reactions may have arrived before their message, so they are read.
        var shown = try ItemQueries.addRelatedRecords([item], in: chat, tx.db).first ?? item
        shown.authorRecord = shownAuthor
        try emitNewItem(new: shown, chat)
    }

    /// Adds the author, the time and the forwarding member of the message to its new item.
    private func setOrigin(_ new: inout NewItem, _ sharedID: SharedMessageID?) {
        new.author = shownAuthor
        new.showsGroupAsSender = isPostedForGroup
        new.hidingReason = HidingReason(ofItemsBy: author)
        new.forwarderId = forwardedByMemberId
        new.itemTs = brokerTs
        new.sharedID = sharedID
        new.signatureStatus = signatureStatus
    }

    /// Returns the item that is shown instead of a message that its sender may not send; nil for a permitted message.
    /// Reports in a support chat are shown even if reports are off, because version 7.0.0.6 of the original's core
    /// sends and shows such reports.
    /// - Parameter container: the whole content of a new message, with its file and scope; nil for a changed message.
    func makeRefusalItem(
        of marked: MarkedContent,
        _ container: MessageContainer?,
        _ chat: some Conversation
    ) -> NewItem? {
        let refused: (CIContent, MessageFeature)
        if author == nil {
            guard marked.content.isVoice, !chat.allows(.voice, by: senderSide, user) else { return nil }
            refused = (.rcvChatFeatureRejected(feature: .voice), .voice)
        } else {
            if marked.content.tag == "report", container?.scope == nil, let group = chat.group,
                group.preferences.reports.enable != .on
            {
                return NewItem(
                    isSent: false,
                    content: .rcvGroupFeatureRejected(groupFeature: .reports),
                    text: "\(GroupFeature.reports.name): received, prohibited",
                    status: .rcvNew
                )
            }
            guard
                let feature = marked.requiredFeatures(hasFile: container?.file != nil).first(where: {
                    !chat.allows($0, by: senderSide, user)
                })
            else { return nil }
            refused = (.rcvGroupFeatureRejected(groupFeature: feature.groupFeature), feature)
        }
        return NewItem(
            isSent: false,
            content: refused.0,
            text: "\(refused.1.name): received, prohibited",
            status: .rcvNew
        )
    }

    /// Whether the peer has already sent a message with this id. A peer that lost its record of sent messages may send
    /// a message again. The repeated message gets a receipt, but has no other effect. The original program
    /// (`simplex-chat`) reports a repeated message as an error.
    /// - Throws: an error if a message of the user has the id.
    func isRepeated(_ sharedID: SharedMessageID?, _ chat: some Conversation) throws -> Bool {
        guard let sharedID,
            let item = try tx.db.queryFirst(
                """
                SELECT item_sent FROM chat_items WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND shared_msg_id = ? AND author_member_id IS ? LIMIT 1
                """,
                chat.keyArguments + [sharedID.bytes, shownAuthor?.memberId]
            )
        else { return false }
        guard try !item.bool("item_sent") else {
            throw ChatFailure(ChatErrorType.exception(message: "the message ID belongs to another message"))
        }
        Self.logger.debug("a message came again")
        return true
    }

    private static let logger = Logger(label: "chat.simplex.core")

    /// Returns the number of seconds after which a received message disappears; nil for an invalid number, or if the
    /// sender may not send disappearing messages.
    private func validLifetimeSeconds(_ ttl: Int64?, _ chat: some Conversation) -> Int64? {
        guard let ttl, TimedItems.permittedLifetimeSeconds.contains(ttl),
            chat.allows(.timedMessages, by: senderSide, user)
        else { return nil }
        return ttl
    }

    /// Converts a received quote to the form of the API. The direction in the received quote is from the peer's point
    /// of view.
    private func makeQuote(
        _ quoted: QuotedMessage,
        _ marked: MarkedContent,
        _ chat: some Conversation
    ) throws -> CIQuote {
        var quote = CIQuote(
            chatDir: try findQuotedDirection(quoted, chat),
            sharedMsgId: quoted.messageID?.text,
            sentAt: (Timestamp(parsing: quoted.sentAtText) ?? brokerTs).api,
            content: marked.content,
            formattedText: marked.markup.fragments(of: marked.content.text)
        )
        guard let id = quoted.messageID else { return quote }
        let author = QuotedAuthor.storedMemberId(quote)
        quote.itemId = try findItemId(id, by: author, in: chat.chatKey, user: chat.userId)
        // A report in a support chat quotes a message in the main chat of the group.
        if quote.itemId == nil, let groupId = chat.supportGroupId {
            quote.itemId = try findItemId(id, by: author, in: .group(groupId), user: chat.userId)
        }
        return quote
    }

    private func findItemId(
        _ id: SharedMessageID,
        by author: Int64?,
        in chat: ChatKey,
        user userId: Int64
    ) throws -> Int64? {
        try tx.db.queryFirst(
            """
            SELECT chat_item_id FROM chat_items WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND shared_msg_id = ?
              \(author == nil ? "" : "AND coalesce(author_member_id, 0) = ?") LIMIT 1
            """,
            [userId] + chat.columnValues + [id.bytes] + (author.map { [$0] } ?? [])
        )?.int64("chat_item_id")
    }

    /// Returns the direction of a quoted message. In a group, the quote contains the author. A quote without an author
    /// refers to a post in the name of the group.
    private func findQuotedDirection(_ quoted: QuotedMessage, _ chat: some Conversation) throws -> CIDirection {
        guard author != nil, let group = chat.group else {
            return chat.chatKey.direction(isSent: !quoted.isSentByQuoter, author: nil)
        }
        guard let id = quoted.memberID.flatMap({ MemberID(parsing: $0) }) else {
            return chat.chatKey.direction(isSent: false, author: nil)
        }
        if id == group.membership.sharedID { return chat.chatKey.direction(isSent: true, author: nil) }
        var quoted = try MemberRecord.find(id, in: group, tx.db)
        quoted?.connection = nil
        return chat.chatKey.direction(isSent: false, author: quoted)
    }

    func handleUpdate(_ update: MessageUpdate, _ marked: MarkedContent, _ chat: inout some Conversation) throws {
        let marked = marked.keepingSignature(boundTo: ownerSignatureBinding(chat))
        let content = marked.content
        if author != nil, marked.requiredFeatures().contains(.simplexLinks),
            !chat.allows(.simplexLinks, by: senderSide, user)
        {
            return unhandledElements.recordError(
                "x.msg.update: the chat forbids \(MessageFeature.simplexLinks.name)",
                isMessageError: true
            )
        }
        guard
            var item = try ItemQueries.find(
                shared: update.messageID,
                by: author,
                byGroup: isPostedForGroup,
                in: chat,
                tx.db
            )
        else {
            return try storeUpdateAsNewMessage(update, marked, &chat)
        }
        guard !item.isSent, case .rcvMsgContent(let old) = item.content, !item.isForwarded else {
            return unhandledElements.recordError(
                "x.msg.update: the \(chat.peerKindName) may not change this message",
                isMessageError: true
            )
        }
        let wasLive = item.isLive == true
        let mentions = author == nil ? .none : Mentions(received: update.mentions, of: marked)
        let changed = content.differs(from: old)
        guard changed || wasLive else {
            return try tx.emit(
                .chatItemNotChanged(user: user.api, chatItem: item.api(in: chat.chatInfo(user), at: tx.now)),
                user: user.userId
            )
        }
        if changed { try ItemWriter.addVersion(of: item, old: old, new: content, at: brokerTs, tx) }
        try ItemWriter.replaceContent(
            &item,
            content: .rcvMsgContent(msgContent: content),
            text: content.text,
            markup: marked.markup,
            mentions: mentions,
            edited: !wasLive,
            live: update.live,
            in: chat,
            tx
        )
        try TimedItems.startLifetimeWhenDone(&item, wasLive: wasLive, tx)
        try emitUpdatedItem(updated: item, chat)
    }

    /// Stores an update of a message that this store does not contain, or that was deleted. The update becomes a new
    /// message, so later messages can refer to this message.
    private func storeUpdateAsNewMessage(
        _ update: MessageUpdate,
        _ marked: MarkedContent,
        _ chat: inout some Conversation
    ) throws {
        if let refused = makeRefusalItem(of: marked, nil, chat) {
            var new = refused
            setOrigin(&new, update.messageID)
            return try emitNewItem(new: ItemWriter.create(new, in: &chat, movesChat: true, tx), chat)
        }
        var new = NewItem(isSent: false, marked, status: .rcvNew)
        setOrigin(&new, update.messageID)
        new.lifetimeSeconds = validLifetimeSeconds(update.ttlSeconds, chat)
        new.isLive = update.live == true
        let mentions = author?.isBlocked == false ? Mentions(received: update.mentions, of: marked) : .none
        new.mentions = mentions
        var created = try ItemWriter.create(new, in: &chat, movesChat: true, tx)
        try ItemWriter.insertVersion(created.itemId, marked.content, brokerTs, tx)
        try ItemWriter.replaceContent(
            &created,
            content: created.content,
            text: created.text,
            markup: created.markup,
            mentions: mentions,
            edited: true,
            live: update.live,
            in: chat,
            tx
        )
        return try emitUpdatedItem(updated: created, chat)
    }

    private func emitUpdatedItem(updated item: ItemRecord, _ chat: some Conversation) throws {
        try tx.emit(
            .chatItemUpdated(user: user.api, chatItem: item.api(in: chat.chatInfo(user), at: tx.now)),
            user: user.userId
        )
    }

    /// The number of seconds in which a peer can delete a message for both sides: 78 hours. This is a day, plus the
    /// time for which the deletion may have waited to be sent.
    private static let deletableSeconds: Int64 = 78 * 3600

    func handleDeletion(_ deletion: MessageDeletion, _ chat: some Conversation) throws {
        let own = try ItemQueries.find(shared: deletion.messageID, by: author, in: chat, tx.db)
        let ofGroup =
            try author?.role == .owner
            ? ItemQueries.find(shared: deletion.messageID, byGroup: true, in: chat, tx.db) : nil
        guard let item = own ?? ofGroup else {
            if let event = chat.notFoundEvent(deletion.messageID, user) { try tx.emit(event, user: user.userId) }
            return
        }
        // At any time, moderators of a channel may delete its history, and owners may delete posts of the channel.
        let isEditor = if let author, let group = chat.group { group.mayEditHistory(by: author) } else { false }
        let isAtAnyTime = own == nil || deletion.deletesOnlyHistory
        guard !item.isSent, !item.isHidden, isEditor || !deletion.deletesOnlyHistory,
            isAtAnyTime || brokerTs < item.itemTs.adding(seconds: Self.deletableSeconds)
        else {
            return unhandledElements.recordError(
                "x.msg.del: the \(chat.peerKindName) may not delete this message",
                isMessageError: true
            )
        }
        let deletions = try ItemDeletion.deleteForAllSides([item], by: senderSide, in: chat, user, at: brokerTs, tx)
        try tx.emit(
            .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: false, timed: false),
            user: user.userId
        )
    }
}
