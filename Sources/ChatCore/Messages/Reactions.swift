internal import ChatAPI
internal import JSON
internal import SQLCipher

/// Reactions to the messages of direct chats. They refer to the shared id, so that one may come before the message it is to.
enum Reactions {
    /// A person has at most this many reactions to a message.
    static let limit = 3

    static func sides(_ sharedID: SharedMessageID, sent: Bool, in contact: ContactRecord, _ db: StoreConnection) throws -> [MsgReaction] {
        try db.query(
            """
            SELECT reaction FROM chat_item_reactions
            WHERE user_id = ? AND contact_id = ? AND shared_msg_id = ? AND reaction_sent = ?
            """, [contact.userId, contact.contactId, sharedID.bytes, sent]
        ).map { try StoredJSON.decode(MsgReaction.self, $0.string("reaction")) }
    }

    static func isAllowed(add: Bool, _ reaction: MsgReaction, existing: [MsgReaction]) -> Bool {
        add ? !existing.contains(reaction) && existing.count < limit : existing.contains(reaction)
    }

    static func set(
        _ reaction: MsgReaction, add: Bool, to sharedID: SharedMessageID, sent: Bool, at time: Timestamp, in contact: ContactRecord,
        _ tx: Transaction
    ) throws {
        let text = try StoredJSON.encode(reaction)
        if add {
            try tx.db.execute(
                """
                INSERT OR IGNORE INTO chat_item_reactions (user_id, contact_id, shared_msg_id, reaction_sent, reaction, reaction_ts)
                VALUES (?, ?, ?, ?, ?, ?)
                """, [contact.userId, contact.contactId, sharedID.bytes, sent, text, time.nanoseconds])
        } else {
            try tx.db.execute(
                """
                DELETE FROM chat_item_reactions
                WHERE user_id = ? AND contact_id = ? AND shared_msg_id = ? AND reaction_sent = ? AND reaction = ?
                """, [contact.userId, contact.contactId, sharedID.bytes, sent, text])
        }
    }
}

extension ChatController {
    /// `/_reaction`.
    func react(
        to itemId: Int64, in place: ItemPlace, add: Bool, reaction: MsgReaction, user: UserRecord
    ) async throws -> ChatResponse {
        guard case .contact(let contactId) = place else { throw ChatFailure.command("not supported") }
        return try await store.answer { tx in
            let contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            var item = try ItemQueries.get(itemId, in: contact, tx.db)
            guard let sharedID = item.sharedID else { throw ChatFailure.command("reaction not possible - no shared item ID") }
            guard contact.feature(.reactions, user: user).enabled.forUser else {
                throw ChatFailure.command("feature not allowed \(DirectFeature.reactions.name)")
            }
            guard item.messageContent != nil, !item.isDeleted else {
                throw ChatFailure.command("reaction not allowed - chat item has no content")
            }
            let existing = try Reactions.sides(sharedID, sent: true, in: contact, tx.db)
            guard Reactions.isAllowed(add: add, reaction, existing: existing) else {
                throw ChatFailure.command(
                    add ? (existing.contains(reaction) ? "reaction already added" : "too many reactions") : "reaction already removed")
            }
            let connection = try contact.sendable(user)
            let json = try JSONEncoder().encodeValue(reaction)
            try tx.enqueue(
                ChatMessage(event: .messageReact(MessageReaction(messageID: sharedID, reaction: json, add: add))), to: connection)
            try Reactions.set(reaction, add: add, to: sharedID, sent: true, at: tx.now, in: contact, tx)
            item = try ItemQueries.withReactions([item.withoutReactions], in: contact, tx.db).first ?? item
            return .chatItemReaction(
                user: user.api, added: add,
                reaction: ACIReaction(
                    chatInfo: .direct(contact: contact.api(user)),
                    chatReaction: CIReaction(
                        chatDir: .directSnd, chatItem: item.api(at: tx.now), sentAt: tx.now.api, reaction: reaction)))
        }
    }
}

extension ItemRecord {
    var withoutReactions: ItemRecord {
        var item = self
        item.reactions = []
        return item
    }
}
