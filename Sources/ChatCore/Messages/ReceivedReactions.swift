internal import ChatAPI
internal import ChatProtocol
internal import JSON

/// The reactions of peers.
extension MessageReceiver {
    func handleReaction(_ message: MessageReaction, _ chat: some Conversation) throws {
        guard chat.allows(.reactions, by: senderSide, user) else { return }
        let reaction = try JSONDecoder().decode(MsgReaction.self, from: message.reaction)
        let itemAuthor = try findItemAuthor(message, chat)
        let existing = try Reactions.findReactions(
            message.messageID,
            of: itemAuthor.flatMap { $0.category == .user ? nil : $0.memberId },
            sent: false,
            by: author,
            in: chat,
            tx.db
        )
        guard Reactions.isAllowed(add: message.isAddition, reaction, existing: existing) else { return }
        // A reaction is stored even if its message has not arrived yet. A reaction to a deleted message is ignored.
        if let item = try findReactedItem(message, itemAuthor, chat), item.messageContent == nil || item.isHidden {
            return
        }
        try Reactions.addOrRemoveReaction(
            reaction,
            add: message.isAddition,
            to: message.messageID,
            of: itemAuthor.flatMap { $0.category == .user ? nil : $0.memberId },
            sent: false,
            by: author,
            at: brokerTs,
            in: chat,
            tx
        )
        guard let item = try findReactedItem(message, itemAuthor, chat) else { return }
        try tx.emit(
            .chatItemReaction(
                user: user.api,
                added: message.isAddition,
                reaction: ACIReaction(
                    chatInfo: chat.chatInfo(user),
                    chatReaction: CIReaction(
                        chatDir: chat.chatKey.direction(isSent: false, author: author),
                        chatItem: item.api(at: tx.now),
                        sentAt: brokerTs.api,
                        reaction: reaction
                    )
                )
            ),
            user: user.userId
        )
    }

    /// Returns the item to which a reaction refers; nil if the store does not contain the item. A reaction
    /// contains no author if it refers to a post that was published in the name of the group.
    private func findReactedItem(
        _ message: MessageReaction,
        _ itemAuthor: MemberRecord?,
        _ chat: some Conversation
    ) throws -> ItemRecord? {
        if let item = try ItemQueries.find(shared: message.messageID, by: itemAuthor, in: chat, tx.db) { return item }
        guard author != nil, message.memberID == nil else { return nil }
        return try ItemQueries.find(shared: message.messageID, byGroup: true, in: chat, tx.db)
    }

    /// Returns the author of the message to which a reaction in a group refers; nil outside of groups. A reaction
    /// without an author refers to a message of the user, or to a post in the name of the group. In both cases, the
    /// function returns the user's membership.
    /// - Throws: `groupMemberNotFound` if the author is unknown.
    func findItemAuthor(_ message: MessageReaction, _ chat: some Conversation) throws -> MemberRecord? {
        guard author != nil, let group = chat.group else { return nil }
        guard let id = message.memberID.flatMap({ MemberID(parsing: $0) }), id != group.membership.sharedID else {
            return group.membership
        }
        guard let member = try MemberRecord.find(id, in: group, tx.db) else {
            throw ChatFailure(ChatErrorType.groupMemberNotFound)
        }
        return member
    }
}
