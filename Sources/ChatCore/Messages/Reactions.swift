internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Reactions to messages. A reaction refers to the shared id of a message, so that it may arrive before the message.
enum Reactions {
    /// The maximum number of reactions of one person to a message.
    static let maxReactionsPerPerson = 3

    /// Returns the reactions that the user, the peer, or one member of a group has added to a message.
    /// - Parameters:
    ///   - itemAuthor: the id of the member who has written the message; nil for the user, for a post in the name of
    ///     the group, and outside of groups.
    ///   - sent: whether the reactions are from the user.
    ///   - author: the member who has reacted; nil for the user, and outside of groups.
    static func findReactions(
        _ sharedID: SharedMessageID,
        of itemAuthor: Int64?,
        sent: Bool,
        by author: MemberRecord? = nil,
        in chat: some Conversation,
        _ db: StoreConnection
    ) throws -> [MsgReaction] {
        try db.query(
            """
            SELECT reaction FROM chat_item_reactions
            WHERE user_id = :user_id AND chat_type = :chat_type AND chat_id = :chat_id
            AND shared_msg_id = :shared_msg_id AND item_author_id = :item_author_id
              AND reaction_sent = :reaction_sent AND author_member_id = :author_member_id
            """,
            [
                "user_id": chat.userId, "chat_type": chat.chatKey.kind.rawValue, "chat_id": chat.chatKey.chatId,
                "shared_msg_id": sharedID.bytes, "item_author_id": itemAuthor ?? 0, "reaction_sent": sent,
                "author_member_id": author?.memberId ?? 0,
            ]
        ).map { try StoredJSON.decode(MsgReaction.self, $0.string("reaction")) }
    }

    static func isAllowed(add: Bool, _ reaction: MsgReaction, existing: [MsgReaction]) -> Bool {
        add ? !existing.contains(reaction) && existing.count < maxReactionsPerPerson : existing.contains(reaction)
    }

    static func addOrRemoveReaction(
        _ reaction: MsgReaction,
        add: Bool,
        to sharedID: SharedMessageID,
        of itemAuthor: Int64?,
        sent: Bool,
        by author: MemberRecord? = nil,
        at time: Timestamp,
        in chat: some Conversation,
        _ tx: Transaction
    ) throws {
        let text = try StoredJSON.encode(reaction)
        if add {
            try tx.db.insert(
                into: "chat_item_reactions",
                or: .ignore,
                [
                    "user_id": chat.userId, "chat_type": chat.chatKey.kind.rawValue, "chat_id": chat.chatKey.chatId,
                    "shared_msg_id": sharedID.bytes, "item_author_id": itemAuthor ?? 0, "reaction_sent": sent,
                    "reaction": text, "reaction_ts": time.nanoseconds, "author_member_id": author?.memberId ?? 0,
                ]
            )
        } else {
            try tx.db.delete(
                from: "chat_item_reactions",
                where: [
                    "user_id": chat.userId, "chat_type": chat.chatKey.kind.rawValue, "chat_id": chat.chatKey.chatId,
                    "shared_msg_id": sharedID.bytes, "item_author_id": itemAuthor ?? 0, "reaction_sent": sent,
                    "reaction": text, "author_member_id": author?.memberId ?? 0,
                ]
            )
        }
    }

    /// Returns the members who have sent this reaction to the message, in the order of time. The id 0 means the user.
    static func findMembers(
        _ sharedID: SharedMessageID,
        of itemAuthor: Int64?,
        _ reaction: MsgReaction,
        in group: GroupRecord,
        _ db: StoreConnection
    ) throws -> [(memberId: Int64, time: Timestamp)] {
        try db.query(
            """
            SELECT author_member_id, reaction_ts FROM chat_item_reactions
            WHERE user_id = :user_id AND chat_type = :chat_type AND chat_id = :chat_id
            AND shared_msg_id = :shared_msg_id AND item_author_id = :item_author_id AND reaction = :reaction
            ORDER BY chat_item_reaction_id
            """,
            [
                "user_id": group.userId, "chat_type": group.chatKey.kind.rawValue, "chat_id": group.chatKey.chatId,
                "shared_msg_id": sharedID.bytes, "item_author_id": itemAuthor ?? 0,
                "reaction": try StoredJSON.encode(reaction),
            ]
        ).map { (try $0.int64("author_member_id"), Timestamp(nanoseconds: try $0.int64("reaction_ts"))) }
    }
}

extension RunningCommand {
    /// `/_reaction`: adds or removes a reaction of the user.
    func changeReaction(
        to itemId: Int64,
        in key: ChatKey,
        add: Bool,
        reaction: MsgReaction,
        user: UserRecord
    ) async throws -> ChatResponse {
        guard key.hasPeers else { throw ChatFailure.commandError("not supported") }
        return try await store.writeAndAnswer { tx in
            let chat = try key.getConversation(user, tx.db)
            var item = try ItemQueries.get(itemId, in: chat, tx.db)
            try chat.checkMayReact(user)
            let sharedID = try Self.requireReactable(item, in: chat, user)
            let existing = try Reactions.findReactions(sharedID, of: item.authorId, sent: true, in: chat, tx.db)
            guard Reactions.isAllowed(add: add, reaction, existing: existing) else {
                throw ChatFailure.commandError(
                    add
                        ? (existing.contains(reaction) ? "reaction already added" : "too many reactions")
                        : "reaction already removed"
                )
            }
            let recipients = try chat.findRecipients(user, in: tx.db)
            try chat.sendChangedProfile(user, to: recipients, tx)
            var message = MessageReaction(
                messageID: sharedID,
                reaction: try JSONEncoder().encodeValue(reaction),
                add: add
            )
            message.memberID = item.showsGroupAsSender ? nil : chat.authorMemberID(of: item.direction)
            message.scope = chat.messageScope
            try tx.enqueue(ChatMessage(sharedID: chat.newChangeID, event: .messageReact(message)), to: recipients)
            try Reactions.addOrRemoveReaction(
                reaction,
                add: add,
                to: sharedID,
                of: item.authorId,
                sent: true,
                at: tx.now,
                in: chat,
                tx
            )
            item = try ItemQueries.addRelatedRecords([item.itemWithoutReactions], in: chat, tx.db).first ?? item
            return .chatItemReaction(
                user: user.api,
                added: add,
                reaction: ACIReaction(
                    chatInfo: chat.chatInfo(user),
                    chatReaction: CIReaction(
                        chatDir: chat.chatKey.direction(isSent: true, author: nil),
                        chatItem: item.api(at: tx.now),
                        sentAt: tx.now.api,
                        reaction: reaction
                    )
                )
            )
        }
    }

    /// `/_reaction members`: returns the members who have reacted to a message with this reaction.
    func listReactionMembers(
        _ groupId: Int64,
        _ itemId: Int64,
        _ reaction: MsgReaction,
        user: UserRecord
    ) async throws -> ChatResponse {
        try await store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            let item = try ItemQueries.get(itemId, in: group, db)
            let reactions =
                try item.sharedID.map { try Reactions.findMembers($0, of: item.authorId, reaction, in: group, db) }
                ?? []
            return .reactionMembers(
                user: user.api,
                memberReactions: try reactions.compactMap { memberId, time in
                    // The id 0 means the user. A removed member may have no row any more.
                    let member =
                        try memberId == 0 ? group.membership : MemberRecord.find(memberId, user: user.userId, in: db)
                    return member.map { MemberReaction(groupMember: $0.api(user), reactionTs: time.api) }
                }
            )
        }
    }

    /// Checks that the user may react to an item.
    /// - Returns: the id by which the peers know the item.
    /// - Throws: `commandError` if the user may not react to the item.
    private static func requireReactable(
        _ item: ItemRecord,
        in chat: some Conversation,
        _ user: UserRecord
    ) throws -> SharedMessageID {
        guard let sharedID = item.sharedID else {
            throw ChatFailure.commandError(
                chat.chatKey.isOfGroup
                    ? "invalid reaction" : "the message has no id that the contact knows, so it takes no reaction"
            )
        }
        guard chat.allows(.reactions, by: .user, user) else {
            throw ChatFailure.commandError("feature not allowed \(MessageFeature.reactions.name)")
        }
        guard item.messageContent != nil, !item.isHidden else {
            throw ChatFailure.commandError("an item without content takes no reaction")
        }
        return sharedID
    }
}

extension ItemRecord {
    var itemWithoutReactions: ItemRecord {
        var item = self
        item.reactions = []
        return item
    }
}
