internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// A message that the user sends.
struct OutgoingItem: Sendable {
    var markedContent: MarkedContent
    var quotedItemId: Int64?
    var forwardOrigin: CIForwardedFrom?
    /// The ids of the mentioned members, by the names in the text.
    var mentions: [String: Int64] = [:]
    /// The file that the command names. The file is read after the check that the message is allowed.
    var fileSource: FileSource?
    var file: OutgoingFile?
    var hasFile: Bool { fileSource != nil || file != nil }

    var content: MsgContent { markedContent.content }

    struct FileSource: Sendable {
        let file: CryptoFile
        let folders: LocalFolders.Paths
        /// Whether the file must be an upload that no message uses yet.
        let mustBeUnused: Bool
    }

    /// Creates a message, for example a forwarded message or a report, without parsing its text.
    /// - Parameter markup: the markup of the text; `unparsed` if the text was not parsed before.
    init(content: MsgContent, markup: ItemMarkup, forwarded: CIForwardedFrom?) {
        markedContent = MarkedContent(content, markup)
        self.forwardOrigin = forwarded
    }

    /// Creates a message from the content in a command.
    /// - Parameter mustBeUnused: whether the file must be an upload that no message uses yet.
    /// - Throws: `commandError` for a report, which this command cannot send.
    init(_ message: ComposedMessage, _ folders: LocalFolders.Paths, mustBeUnused: Bool = false) throws {
        if case .report = message.msgContent {
            throw ChatFailure.commandError("sending reports via this API is not supported")
        }
        markedContent = MarkedContent(message.msgContent)
        quotedItemId = message.quotedItemId
        mentions = message.mentions
        fileSource = message.fileSource.map { FileSource(file: $0, folders: folders, mustBeUnused: mustBeUnused) }
    }
}

extension RunningCommand {
    /// `/_send`: stores the new items, and the messages in the outbox, in one transaction. The response contains the
    /// new items. The event `chatItemsStatusesUpdated` reports the progress of the agent.
    /// - Parameter onlyUnused: whether files must be uploads that no message uses yet.
    func sendMessages(
        _ messages: [ComposedMessage],
        to key: ChatKey,
        live: Bool,
        ttl: Int64?,
        asGroup: Bool = false,
        signed: Bool = false,
        onlyUnused: Bool,
        as userId: Int64?
    ) async throws -> ChatResponse {
        guard !messages.isEmpty else { throw ChatFailure.commandError("no messages") }
        let paths = services.folders.paths
        let items = try messages.map { try OutgoingItem($0, paths, mustBeUnused: onlyUnused) }
        // The transaction reads the files, so they must stay on the disk.
        let uses = try await services.fileObjects.fetchAndHold(messages.compactMap { $0.fileSource?.filePath })
        defer { withExtendedLifetime(uses) {} }
        return try await store.writeAndAnswer { tx in
            let user = try Self.findUserOrActive(userId, tx.db)
            return try Self.sendItems(
                items,
                in: key.getConversation(user, tx.db),
                live: live,
                ttl: ttl,
                asGroup: asGroup,
                signed: signed,
                user,
                tx
            )
        }
    }

    /// Writes items into a chat, and sends them to its recipients. An event reports messages that are too large. If all
    /// messages are too large, the command fails.
    /// - Parameter signed: whether the user signs the messages in a channel. It has no effect in other chats. It also
    ///   has no effect on posts in the name of the channel, since the signature would reveal which owner has written
    ///   them.
    static func sendItems(
        _ outgoing: [OutgoingItem],
        in conversation: some Conversation,
        live: Bool,
        ttl: Int64?,
        asGroup: Bool = false,
        signed: Bool = false,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatResponse {
        try requireSendableTogether(outgoing, live: live, asGroup: asGroup, in: conversation)
        // In a support chat, the recipients are found first, so that errors about them come before errors about the
        // user's rights.
        let moderators = try conversation.supportGroupId == nil ? nil : conversation.findRecipients(user, in: tx.db)
        try conversation.checkMayWrite(user)
        // Only an owner may post in the name of the group: members do not show such a post by anybody else.
        let group = asGroup ? conversation.group : nil
        try group?.requireRole(.owner, user)
        var chat = conversation
        if let refused = outgoing.lazy.flatMap({ $0.markedContent.requiredFeatures(hasFile: $0.hasFile) }).first(
            where: {
                !chat.allows($0, by: .user, user)
            })
        {
            throw ChatFailure.commandError("feature not allowed \(refused.name)")
        }
        // If disappearing messages are enabled, a lifetime in the command replaces the lifetime of the chat.
        let seconds = chat.allows(.timedMessages, by: .user, user) ? (ttl ?? chat.messageLifetimeSeconds(user)) : nil
        let outgoing = try outgoing.map { item in
            var item = item
            if let source = item.fileSource {
                item.file = try OutgoingFile(source.file, source.folders).withShownName(tx.db)
            }
            return item
        }
        let unused = outgoing.filter { $0.fileSource?.mustBeUnused == true }.compactMap(\.file)
        try Uploads.requireUnusedUploads(unused, of: user, tx.db)
        let prepared = try outgoing.map {
            try PreparedItem($0, live: live, ttl: seconds, asGroup: group != nil, in: chat, tx)
        }
        var recipients = try moderators ?? chat.findRecipients(user, in: tx.db)
        if signed, group == nil { recipients.signer?.signsAllMessages = true }
        let (items, messages, errors) = try writeItems(prepared, in: &chat, to: recipients, user, tx)
        // The response can contain only one error, and only if it contains no items.
        if errors.count > 1 || !errors.isEmpty && !items.isEmpty {
            try tx.emit(.chatErrors(chatErrors: errors), user: user.userId)
        }
        if items.isEmpty, let first = errors.first { throw ChatFailure(first) }
        try chat.sendChangedProfile(user, to: recipients, tx)
        try tx.enqueue(messages, to: recipients)
        // The answer shows notes as they were before the command, as in the original.
        let info = (chat.hasPeers ? chat : conversation).chatInfo(user)
        return .newChatItems(user: user.api, chatItems: items.map { $0.api(in: info, at: tx.now) })
    }

    /// Checks that one command can send the messages together to this chat.
    /// - Throws: `commandError` if the messages cannot be sent.
    private static func requireSendableTogether(
        _ outgoing: [OutgoingItem],
        live: Bool,
        asGroup: Bool,
        in conversation: some Conversation
    ) throws {
        guard !asGroup || conversation.supportGroupId == nil else {
            throw ChatFailure.commandError("messages to a support chat cannot come from the group")
        }
        guard outgoing.count == 1 || (!live && outgoing.count { $0.quotedItemId != nil } <= 1) else {
            throw ChatFailure.commandError("several messages at once: none may be live, and only one may quote")
        }
        guard conversation.chatKey.isOfGroup || outgoing.allSatisfy(\.mentions.isEmpty) else {
            throw ChatFailure.commandError("only messages in groups can mention members")
        }
    }

    /// Writes items into a chat.
    /// - Returns: the items, the messages for the peers, and the errors of items that were not written.
    private static func writeItems(
        _ prepared: [PreparedItem],
        in chat: inout some Conversation,
        to recipients: Recipients,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> (items: [ItemRecord], messages: [OutgoingChatMessage], errors: [ChatError]) {
        var items: [ItemRecord] = []
        var messages: [OutgoingChatMessage] = []
        var errors: [ChatError] = []
        for prepared in prepared {
            do {
                var message = try chat.hasPeers ? OutgoingChatMessage(prepared.message, to: recipients) : nil
                var new = prepared.item
                if recipients.signer?.signsAllMessages == true { new.signatureStatus = .verified }
                new.file = try prepared.file.map { try SentFiles.create($0, in: chat, to: recipients, user, tx) }
                let item = try ItemWriter.create(new, in: &chat, movesChat: items.isEmpty, tx)
                message?.itemId = item.itemId
                if let message { messages.append(message) }
                items.append(item)
            } catch let failure as ChatFailure {
                errors.append(failure.error)
            }
        }
        return (items, messages, errors)
    }
}

/// A message for the peers and its chat item, before both are stored.
private struct PreparedItem {
    let message: ChatMessage
    let item: NewItem
    let file: OutgoingFile?

    init(
        _ outgoing: OutgoingItem,
        live: Bool,
        ttl: Int64?,
        asGroup: Bool,
        in chat: some Conversation,
        _ tx: Transaction
    ) throws {
        let sharedID = SharedMessageID.random()
        var container = MessageContainer(content: try JSONEncoder().encodeValue(outgoing.content))
        container.ttlSeconds = ttl
        container.live = live ? true : nil
        container.isForwarded = outgoing.forwardOrigin != nil
        container.scope = chat.messageScope
        container.isSentAsGroup = asGroup
        file = outgoing.file
        container.file = outgoing.file?.invitation
        var item = NewItem(isSent: true, outgoing.markedContent, status: .sndNew)
        item.mentions = try Mentions(outgoing.mentions, in: chat, of: outgoing.markedContent, tx.db)
        container.mentions = item.mentions.messageJSON
        if let quotedItemId = outgoing.quotedItemId {
            guard outgoing.forwardOrigin == nil else { throw ChatFailure(StoreError.invalidQuote) }
            let own = try ItemQueries.findItems([quotedItemId], in: chat, tx.db).first
            // A message in a support chat may quote a message in the chat of the group.
            let group = chat.supportChat?.groupWithoutScope
            let quoted =
                try own ?? group.map { try ItemQueries.get(quotedItemId, in: $0, tx.db) }
                ?? ItemQueries.get(quotedItemId, in: chat, tx.db)
            guard let original = quoted.messageContent, !quoted.isHidden else {
                throw ChatFailure(StoreError.invalidQuote)
            }
            let content = original.quotedContent(in: outgoing.content, file: quoted.file?.name)
            container.quote = QuotedMessage(
                messageID: quoted.sharedID,
                sentAt: quoted.itemTs.text,
                sent: quoted.isSent,
                content: try JSONEncoder().encodeValue(content)
            )
            // A quote of a post in the name of the group does not contain its author.
            container.quote?.memberID = quoted.showsGroupAsSender ? nil : chat.authorMemberID(of: quoted.direction)
            item.quotedMessage = CIQuote(
                chatDir: quoted.direction,
                itemId: quotedItemId,
                sharedMsgId: quoted.sharedID?.text,
                sentAt: quoted.itemTs.api,
                content: content,
                formattedText: quoted.markup.fragments(of: original.text)
            )
        }
        item.sharedID = chat.hasPeers ? sharedID : nil
        item.forwardOrigin = outgoing.forwardOrigin
        item.lifetimeSeconds = ttl
        item.deleteAt = live ? nil : ttl.map { tx.now.adding(seconds: $0) }
        item.isLive = live
        item.showsGroupAsSender = asGroup
        self.item = item
        message = ChatMessage(sharedID: sharedID, event: .messageNew(container))
    }
}

extension MsgContent {
    /// Returns the part of this content that an answer to it quotes. If the answer can be large, for example an image,
    /// the answer quotes only the text. If the content has no text, the answer quotes the name of the file.
    fileprivate func quotedContent(in answer: MsgContent, file: String?) -> MsgContent {
        let text = self.text.isEmpty ? file ?? "" : self.text
        switch (answer, self) {
        case (.link, _), (.image, _), (.video, _), (.chat, _), (.unrecognized, _): return .text(text: text)
        case (_, .image(_, let image)): return .image(text: text, image: image)
        case (_, .file): return .file(text: text)
        default: return self
        }
    }
}
