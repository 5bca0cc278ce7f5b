internal import Agent
internal import ChatAPI
internal import JSON
internal import SQLCipher

extension ChatController {
    /// Messages have come: their effects are one transaction, and only then are they acknowledged. The number of the last one is kept with the
    /// connection: whatever comes again is acknowledged again, and has no further effect.
    func received(_ id: ConnectionID, _ messages: [ReceivedBody]) async throws {
        // Taken apart before the transaction: while one parses, another writes.
        let parsed = messages.map(ParsedMessage.init)
        let tellsReceipts = try await store.write { tx in
            try Self.receive(parsed, on: id, tx)
            return try Self.tellsReceipts(id, tx)
        }
        let receipts = tellsReceipts ? parsed.filter(\.hasReceipt).map(\.meta.recipient.id) : []
        agent.acknowledge(connection: id, messageIDs: messages.map(\.meta.recipient.id), receipts: Set(receipts))
    }

    /// Whether the contact is told that messages have arrived: as its own setting says, or else the user's.
    private static func tellsReceipts(_ id: ConnectionID, _ tx: Transaction) throws -> Bool {
        try tx.db.first(
            """
            SELECT coalesce(c.send_rcpts, u.send_rcpts_contacts) AS tells FROM connections cn
            JOIN contacts c ON c.user_id = cn.user_id AND c.contact_id = cn.contact_id JOIN users u ON u.user_id = cn.user_id
            WHERE cn.agent_conn_id = ?
            """, [id.text])?.bool("tells") ?? false
    }

    private static func receive(_ messages: [ParsedMessage], on id: ConnectionID, _ tx: Transaction) throws {
        guard let connection = try ConnectionRecord.find(agent: id, in: tx.db), let user = try UserRecord.find(connection.userId, in: tx.db)
        else { return }
        let new = messages.filter { $0.meta.recipient.id > connection.lastReceivedId }
        guard let last = new.last else { return }
        try tx.db.execute(
            "UPDATE connections SET last_rcv_msg_id = ? WHERE connection_id = ?", [last.meta.recipient.id, connection.connectionId])
        guard let contactId = connection.contactId, var contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db)
        else { return }
        for message in new {
            try PostQuantumNews.update(sent: false, message.meta.pqEncryption, in: &contact, user, tx)
            try MessageReceiver(user: user, connection: connection, meta: message.meta, tx: tx).receive(message, &contact)
        }
    }
}

/// An agent message with the chat messages in it.
struct ParsedMessage: Sendable {
    let meta: MessageMeta
    let body: [UInt8]
    let parts: [Result<MessageBody, ChatProtocolError>]

    init(_ message: ReceivedBody) {
        meta = message.meta
        body = message.body
        parts = MessageBody.parse(message.body)
    }

    /// Whether the sender wants to know that it has arrived.
    var hasReceipt: Bool {
        parts.contains { part in
            if case .success(.message(let message)) = part { message.event.hasDeliveryReceipt } else { false }
        }
    }
}

/// Carries out what one agent message says, inside its transaction.
struct MessageReceiver {
    let user: UserRecord
    let connection: ConnectionRecord
    let meta: MessageMeta
    let tx: Transaction

    /// When the server got the message: seconds only, the peer's clock does not count.
    private var brokerTs: Timestamp { Timestamp(seconds: meta.broker.timestamp) }

    func receive(_ parsed: ParsedMessage, _ contact: inout ContactRecord) throws {
        let body = parsed.body, parts = parsed.parts
        try checkIntegrity(&contact)
        for part in parts {
            switch part {
            case .success(.message(let message)):
                // A message that is alone is kept as its bytes came.
                try receiveOrReport(message, as: parts.count == 1 && body.first == UInt8(ascii: "{") ? body : message.json.encoded(), &contact)
            case .success(.chunk): try keep(body, event: "F", sharedID: nil)
            case .failure(let error):
                try keep(body, event: "", sharedID: nil)
                try report("error parsing chat message: \(error.reason)")
            }
        }
    }

    /// What is wrong with a message is told, and the message is done with: it would be no better if it came again. Only what is wrong with the
    /// database undoes the transaction, and the message comes again.
    private func receiveOrReport(_ message: ChatMessage, as body: [UInt8], _ contact: inout ContactRecord) throws {
        do {
            try receive(message, as: body, &contact)
        } catch let error as DatabaseError {
            throw error
        } catch {
            try report("error processing chat message \(message.event.tag): \(error)")
        }
    }

    private func report(_ message: String) throws {
        try tx.emit(.chatError(chatError: .error(errorType: .exception(message: message))), user: user.userId)
    }

    private func receive(_ message: ChatMessage, as body: [UInt8], _ contact: inout ContactRecord) throws {
        let messageId = try keep(body, event: message.event.tag, sharedID: message.sharedID)
        try updateVersions(message.versions, &contact)
        switch message.event {
        case .messageNew(let container): try new(container, message.sharedID, messageId, &contact)
        case .messageUpdate(let update): try self.update(update, messageId, &contact)
        case .messageDelete(let reference): try delete(reference, contact)
        case .messageReact(let reaction): try react(reaction, contact)
        case .info(let profile): try updateProfile(profile, &contact)
        case .directDelete: try deletedByContact(message.sharedID, messageId, &contact)
        // Probes merge a contact with a member of a group; a peer that gets no answer does nothing. Files, calls and groups belong to rooms
        // that are not built, and what is not known stays as it came.
        case .infoProbe, .infoProbeCheck, .infoProbeOk, .fileDescription, .fileCancel, .contact, .ok, .other: break
        }
    }

    /// Keeps a message as it was received.
    @discardableResult
    private func keep(_ body: [UInt8], event: String, sharedID: SharedMessageID?) throws -> Int64 {
        try tx.db.execute(
            """
            INSERT INTO messages (connection_id, msg_sent, chat_msg_event, msg_body, shared_msg_id, agent_msg_id, created_at)
            VALUES (?, 0, ?, ?, ?, ?, ?)
            """,
            [connection.connectionId, event, body, sharedID?.bytes, meta.recipient.id, tx.now.nanoseconds])
        return tx.db.lastInsertRowID
    }

    /// Shows in the chat that messages before this one are missing, came twice, or are not what the peer says they were.
    private func checkIntegrity(_ contact: inout ContactRecord) throws {
        guard let error = meta.integrity.apiError else { return }
        var new = NewItem(
            isSent: false, content: .rcvIntegrityError(msgError: error), text: meta.integrity.text, status: .rcvNew)
        new.itemTs = brokerTs
        try tell(ItemWriter.create(new, in: &contact, movesChat: true, tx), contact)
    }

    private func updateVersions(_ versions: ChatVersionRange, _ contact: inout ContactRecord) throws {
        guard var connection = contact.connection, let version = ChatVersionRange.supported.compatibleVersion(with: versions) else { return }
        // What was connected before there was post-quantum encryption gets it now.
        if version >= ChatVersionRange.compression, !connection.postQuantum.isSupported || !connection.postQuantum.isWanted {
            connection.postQuantum.isSupported = true
            connection.postQuantum.isWanted = true
            try connection.postQuantum.store(connection.connectionId, tx.db)
            contact.connection = connection
        }
        guard connection.peerVersions != versions else { return }
        connection.peerVersions = versions
        connection.chatVersion = version
        contact.connection = connection
        try tx.db.execute(
            "UPDATE connections SET chat_version = ?, peer_min_version = ?, peer_max_version = ? WHERE connection_id = ?",
            [Int64(version), Int64(versions.minimum), Int64(versions.maximum), connection.connectionId])
    }

    private func tell(_ item: ItemRecord, _ contact: ContactRecord) throws {
        try tx.emit(
            .newChatItems(user: user.api, chatItems: [item.api(in: contact.api(user), at: tx.now)]), user: user.userId)
    }
}

// MARK: Content

extension MessageReceiver {
    private func new(
        _ container: MessageContainer, _ sharedID: SharedMessageID?, _ messageId: Int64, _ contact: inout ContactRecord
    ) throws {
        let content = try JSONDecoder().decode(MsgContent.self, from: container.content)
        var new: NewItem
        if content.isVoice, !contact.feature(.voice, user: user).enabled.forContact {
            new = NewItem(
                isSent: false, content: .rcvChatFeatureRejected(feature: .voice),
                text: "\(DirectFeature.voice.name): received, prohibited", status: .rcvNew)
        } else {
            new = NewItem(isSent: false, content: .rcvMsgContent(msgContent: content), text: content.text, status: .rcvNew)
            new.ttl = timeToLive(container.ttl, contact)
            new.isLive = container.live == true
            new.isForwarded = container.forward
            new.quoted = try container.quote.map(quote)
        }
        new.itemTs = brokerTs
        new.sharedID = sharedID
        new.messageId = messageId
        let item = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
        // Reactions may have come before the message.
        try tell(ItemQueries.withReactions([item], in: contact, tx.db).first ?? item, contact)
    }

    /// The time after which a message disappears, where both sides have that on; a time that is none is ignored.
    private func timeToLive(_ ttl: Int64?, _ contact: ContactRecord) -> Int64? {
        guard let ttl, TimedItems.range.contains(ttl), contact.feature(.timedMessages, user: user).enabled.forContact else { return nil }
        return ttl
    }

    /// Whose message is quoted is said from the peer's side.
    private func quote(_ quoted: QuotedMessage) throws -> CIQuote {
        let content = try JSONDecoder().decode(MsgContent.self, from: quoted.content)
        return CIQuote(
            chatDir: quoted.sent ? .directRcv : .directSnd,
            itemId: try quoted.messageID.flatMap { id in
                try tx.db.first(
                    "SELECT chat_item_id FROM chat_items WHERE user_id = ? AND contact_id = ? AND shared_msg_id = ? LIMIT 1",
                    [user.userId, connection.contactId, id.bytes])?.int64("chat_item_id")
            }, sharedMsgId: quoted.messageID?.text, sentAt: (Timestamp(parsing: quoted.sentAt) ?? brokerTs).api, content: content,
            formattedText: MarkdownParser.parse(content.text))
    }

    private func update(_ update: MessageUpdate, _ messageId: Int64, _ contact: inout ContactRecord) throws {
        let content = try JSONDecoder().decode(MsgContent.self, from: update.content)
        guard var item = try ItemQueries.find(shared: update.messageID, in: contact, tx.db) else {
            // The original was deleted here: the update becomes a message, so that it can be referred to.
            var new = NewItem(isSent: false, content: .rcvMsgContent(msgContent: content), text: content.text, status: .rcvNew)
            new.itemTs = brokerTs
            new.sharedID = update.messageID
            new.messageId = messageId
            new.ttl = timeToLive(update.ttl, contact)
            new.isLive = update.live == true
            var created = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
            try ItemWriter.insertVersion(created.itemId, content, brokerTs, tx)
            try ItemWriter.update(&created, content: created.content, text: created.text, edited: true, live: update.live, tx)
            return try tellUpdate(created, contact)
        }
        guard !item.isSent, case .rcvMsgContent(let old) = item.content, !item.isForwarded else {
            return try tellError("x.msg.update: contact attempted invalid message update")
        }
        let wasLive = item.isLive == true
        guard old != content || wasLive else { return }
        if old != content { try ItemWriter.addVersion(of: item, old: old, new: content, at: brokerTs, tx) }
        try ItemWriter.update(
            &item, content: .rcvMsgContent(msgContent: content), text: content.text, edited: !wasLive, live: update.live, tx)
        try tellUpdate(item, contact)
    }

    private func tellUpdate(_ item: ItemRecord, _ contact: ContactRecord) throws {
        try tx.emit(
            .chatItemUpdated(user: user.api, chatItem: item.api(in: contact.api(user), at: tx.now)), user: user.userId)
    }

    private func tellError(_ message: String) throws {
        try tx.emit(.messageError(user: user.api, severity: "error", errorMessage: message), user: user.userId)
    }

    /// A peer can take a message back for 78 hours: a day, and what it may have waited to be sent.
    private static let deletionSeconds: Int64 = 78 * 3600

    private func delete(_ reference: MessageReference, _ contact: ContactRecord) throws {
        guard let item = try ItemQueries.find(shared: reference.messageID, in: contact, tx.db) else {
            try tx.emit(
                .chatItemDeletedNotFound(
                    user: user.api, contact: contact.api(user), sharedMsgId: reference.messageID.text), user: user.userId)
            return
        }
        guard !item.isSent, !item.isDeleted, brokerTs < item.itemTs.adding(seconds: Self.deletionSeconds) else {
            return try tellError("x.msg.del: contact attempted invalid message delete")
        }
        let deletions =
            contact.feature(.fullDelete, user: user).enabled.forContact
            ? try ItemDeletion.delete([item], in: contact, user, tx)
            : try ItemDeletion.mark([item], in: contact, user, at: brokerTs, tx)
        try tx.emit(
            .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: false, timed: false), user: user.userId)
    }

    private func react(_ message: MessageReaction, _ contact: ContactRecord) throws {
        guard message.isKnown, contact.feature(.reactions, user: user).enabled.forContact else { return }
        let reaction = try JSONDecoder().decode(MsgReaction.self, from: message.reaction)
        let existing = try Reactions.sides(message.messageID, sent: false, in: contact, tx.db)
        guard Reactions.isAllowed(add: message.add, reaction, existing: existing) else { return }
        try Reactions.set(reaction, add: message.add, to: message.messageID, sent: false, at: brokerTs, in: contact, tx)
        guard let item = try ItemQueries.find(shared: message.messageID, in: contact, tx.db), item.messageContent != nil,
            !item.isDeleted
        else { return }
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

// MARK: The contact

extension MessageReceiver {
    private func updateProfile(_ json: JSONValue, _ contact: inout ContactRecord) throws {
        var profile = try JSONDecoder().decode(Profile.self, from: json)
        profile.displayName = DisplayName.ofPeer(profile.displayName)
        guard profile != contact.profile else { return }
        let before = contact
        if profile.displayName != before.profile.displayName {
            try LocalDisplayNames.delete(before.localDisplayName, user: user.userId, in: tx.db)
            contact.localDisplayName = try LocalDisplayNames.create(profile.displayName, user: user.userId, in: tx.db)
        }
        contact.profile = profile
        try followTTL(&contact)
        try tx.db.execute(
            "UPDATE contact_profiles SET display_name = ?, profile = ?, updated_at = ? WHERE contact_profile_id = ?",
            [profile.displayName, try StoredJSON.encode(profile), tx.now.nanoseconds, contact.profileId])
        try tx.db.execute(
            """
            UPDATE contacts SET local_display_name = ?, user_preferences = ?, updated_at = ? WHERE user_id = ? AND contact_id = ?
            """,
            [
                contact.localDisplayName, try StoredJSON.encode(contact.userPreferences), tx.now.nanoseconds, user.userId,
                contact.contactId,
            ])
        contact.updatedAt = tx.now
        if before.profile.isVisiblyDifferent(from: profile) {
            let new = NewItem(
                isSent: false,
                content: .rcvDirectEvent(rcvDirectEvent: .profileUpdated(fromProfile: before.profile, toProfile: profile)),
                text: "updated profile", status: .rcvRead)
            try tell(ItemWriter.create(new, in: &contact, movesChat: false, tx), contact)
        }
        try FeatureItems.changed(from: before, user, to: &contact, user, side: .contact, tx)
        try tx.emit(
            .contactUpdated(user: user.api, fromContact: before.api(user), toContact: contact.api(user)), user: user.userId)
    }

    /// The time of disappearing messages is one for both sides: that of who changed it last.
    private func followTTL(_ contact: inout ContactRecord) throws {
        let received = contact.profile.preferences?.preference(of: .timedMessages)?.ttl
        let own = contact.userPreferences.preference(of: .timedMessages)
        guard own?.ttl != received else { return }
        let standard = user.profile.preferences?.preference(of: .timedMessages) ?? DirectFeature.timedMessages.standard
        if own != nil || received != standard.ttl {
            let allow = own?.allow ?? standard.allow
            contact.userPreferences.timedMessages = TimedMessagesPreference(allow: allow, ttl: received.map { Int(clamping: $0) })
        }
    }

    private func deletedByContact(_ sharedID: SharedMessageID?, _ messageId: Int64, _ contact: inout ContactRecord) throws {
        try contact.setStatus(.deleted, tx)
        if var connection = contact.connection {
            // The row stays, to show that there was a connection; the agent's side of it goes.
            try connection.setStatus(.deleted, at: tx.now, in: tx.db)
            connection.status = .deleted
            contact.connection = connection
            try tx.deleteInAgent(connection, farewell: false)
        }
        var new = NewItem(
            isSent: false, content: .rcvDirectEvent(rcvDirectEvent: .contactDeleted), text: "contact deleted", status: .rcvRead)
        new.itemTs = brokerTs
        new.sharedID = sharedID
        new.messageId = messageId
        try tell(ItemWriter.create(new, in: &contact, movesChat: false, tx), contact)
        try tx.emit(.contactDeletedByContact(user: user.api, contact: contact.api(user)), user: user.userId)
    }
}

extension Profile {
    /// Whether people would see the difference: preferences alone are told by the items of the features.
    func isVisiblyDifferent(from other: Profile) -> Bool {
        displayName != other.displayName || fullName != other.fullName || shortDescr != other.shortDescr || image != other.image
            || contactLink != other.contactLink
    }
}
