internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Handles one message from the agent, in the transaction that receives the message.
struct MessageReceiver {
    let user: UserRecord
    let connection: ConnectionRecord
    let meta: MessageMeta
    let tx: Transaction
    /// The sender of a message in a group; nil in other chats.
    var author: MemberRecord?
    /// The id of the member who has forwarded the message to the user; nil if the author has sent the message directly.
    var forwardedByMemberId: Int64?
    /// Whether the sender is an owner who posts for the group.
    var isPostedForGroup = false
    /// The state of the sender's signature in a channel; nil without a signature.
    var signatureStatus: MsgSigStatus?
    /// The bytes that bind the signature of a channel owner to the chat with the contact. If the contact shares a
    /// channel with a signature for another chat, the signature is removed.
    var contactSignatureBinding: [UInt8]?
    /// The elements of the agent message (chat messages and chunks of files) that were not handled.
    let unhandledElements: UnhandledElements
    /// The time when the relay received the message, in whole seconds. The clock of the peer is not used.
    var brokerTs: Timestamp

    init(user: UserRecord, connection: ConnectionRecord, meta: MessageMeta, tx: Transaction) {
        self.user = user
        self.connection = connection
        self.meta = meta
        self.tx = tx
        unhandledElements = UnhandledElements()
        brokerTs = Timestamp(seconds: meta.brokerInfo.timestampSeconds)
    }

    /// The author that the chat item shows; nil for a post in the name of the group, and outside of groups.
    var shownAuthor: MemberRecord? { isPostedForGroup ? nil : author }

    /// The side of the sender, for checks whether the sender may use a feature.
    var senderSide: MessageFeature.Side { author.map { .member($0.role, isHost: $0.category == .host) } ?? .peer }

    /// Returns the bytes that bind the signature of a channel owner to a chat. If a message in the chat shares a
    /// channel with a signature for another chat, the signature is removed.
    func ownerSignatureBinding(_ chat: some Conversation) -> [UInt8]? {
        if let group = chat.group { return group.ownerSignatureBinding(of: shownAuthor) }
        return author == nil ? contactSignatureBinding : nil
    }

    func receiveParsedMessage(_ parsed: ParsedMessage, _ contact: inout ContactRecord) throws {
        try checkIntegrity(&contact)
        try handleElements(parsed, chunk: { try receiveInlineChunk($0, contact) }) { message, contents, _ in
            try receiveChatMessage(message, contents, &contact)
        }
    }

    /// Handles the elements of an agent message: each element is a chat message or a chunk of a file. Stores the
    /// elements that cannot be read or were not handled.
    /// - Parameters:
    ///   - parsed: the agent message.
    ///   - chunk: a function that handles a chunk of a file, and returns whether the chunk was used.
    ///   - body: a function that handles a chat message.
    func handleElements(
        _ parsed: ParsedMessage,
        chunk: (InlineFileChunk) throws -> Bool = { _ in false },
        _ body: (ChatMessage, ReceivedContents, MessageElement) throws -> Void
    ) throws {
        for (element, contents) in zip(parsed.elements, parsed.contents) {
            switch element.content {
            case .success(.message(let message)): try handleOrReportMessage(message, contents, element, body)
            case .success(.chunk(let bytes)):
                if try !chunk(bytes) { unhandledElements.add(element, event: "F") }
            case .failure(let error):
                unhandledElements.add(element, event: "")
                unhandledElements.recordError("the message cannot be read: \(error.reason)")
            }
        }
        try storeUnhandled(unhandledElements, of: parsed)
    }

    /// Handles one chat message with `body`. After an error, the message is reported and stored as unhandled, since a
    /// repetition would not help. Only a database error is thrown. The thrown error rolls back the transaction, and
    /// ``AgentEventHandler`` tries again to handle the agent message.
    private func handleOrReportMessage(
        _ message: ChatMessage,
        _ contents: ReceivedContents,
        _ element: MessageElement,
        _ body: (ChatMessage, ReceivedContents, MessageElement) throws -> Void
    ) throws {
        do {
            try body(message, contents, element)
            if message.event.isFullyHandled { return }
        } catch let error as DatabaseError {
            throw error
        } catch {
            unhandledElements.recordError(
                "error processing chat message \(message.event.tag): \((error as? ChatFailure)?.messageText ?? "\(error)")"
            )
        }
        unhandledElements.add(element, event: message.event.tag)
    }

    private func receiveChatMessage(
        _ message: ChatMessage,
        _ contents: ReceivedContents,
        _ contact: inout ContactRecord
    ) throws {
        try updateVersions(message.versions, &contact)
        switch message.event {
        case .messageNew(let container): try handleNewMessage(container, contents, message.sharedID, &contact)
        case .messageUpdate(let update): try handleUpdate(update, contents.requireContent(), &contact)
        case .messageDelete(let deletion): try handleDeletion(deletion, contact)
        case .messageReact(let reaction): try handleReaction(reaction, contact)
        case .info(let profile): try contact.receiveProfile(profile: profile, showsItems: true, user, tx)
        case .directDelete: try handleDeletionByContact(message.sharedID, &contact)
        case .infoProbe(let probe): try handleProbe(probe, &contact)
        case .infoProbeCheck(let hash): try handleProbeHash(hash, &contact)
        case .infoProbeOk(let probe): try handleProbeConfirmation(probe, &contact)
        case .call(let event): try handleCall(event, message.sharedID, &contact)
        case .group(.invitation(let invitation)): try handleGroupInvitation(invitation, message.sharedID, &contact)
        case .contact, .ok, .group, .relay: reportUnsupported(message)
        case .other(let tag, _): if !Self.isIgnoredTag(tag) { reportUnsupported(message) }
        case .fileDescription(let id, let description): try receiveFileDescription(description, of: id, contact)
        case .fileCancel(let id): try receiveFileCancel(id, contact)
        }
    }

    /// Whether an unknown event with this tag is ignored without a report. Some events of groups are not implemented.
    /// Acceptances of inline files have no effect, since this program sends no such files.
    static func isIgnoredTag(_ tag: String) -> Bool {
        ["x.file.", "x.grp."].contains { tag.hasPrefix($0) }
    }

    func reportUnsupported(_ message: ChatMessage) {
        unhandledElements.recordError("unsupported message: \(message.event.tag)", isMessageError: true)
    }

    private func checkIntegrity(_ contact: inout ContactRecord) throws {
        try IntegrityItems.addErrorItem(meta.integrity, at: brokerTs, in: &contact, user, tx)
    }

    private func updateVersions(_ versions: ChatVersionRange, _ contact: inout ContactRecord) throws {
        guard var connection = contact.connection,
            let version = ChatVersionRange.supported.compatibleVersion(with: versions)
        else { return }
        // A connection that an older version of this program has made may lack post-quantum encryption. Such a
        // connection gets this encryption now.
        if version >= ChatVersionRange.compressionVersion,
            !connection.postQuantumState.isSupported || !connection.postQuantumState.isWanted
        {
            connection.postQuantumState.isSupported = true
            connection.postQuantumState.isWanted = true
            try connection.postQuantumState.store(connection.connectionId, tx.db)
            contact.connection = connection
        }
        if try connection.updateVersions(versions, in: tx.db) { contact.connection = connection }
    }

    func emitNewItem(new item: ItemRecord, _ chat: some Conversation) throws {
        try tx.emit(
            .newChatItems(user: user.api, chatItems: [item.api(in: chat.chatInfo(user), at: tx.now)]),
            user: user.userId
        )
    }
}
