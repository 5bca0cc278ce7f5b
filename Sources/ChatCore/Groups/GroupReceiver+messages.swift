internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON

/// Receives the messages of group chats, and the changes of these messages.
extension GroupReceiver {
    mutating func receiveNewMessage(_ container: MessageContainer, _ received: ReceivedMessage) throws {
        let author = received.author
        var receiver = received.receiver
        guard maySendAsGroup(container.isSentAsGroup, author, receiver),
            mayWrite(author, in: container.scope, receiver)
        else {
            return
        }
        receiver.isPostedForGroup = container.isSentAsGroup
        currentChat = try findChatForNewMessage(
            container.scope,
            isReport: container.content["type"] == "report",
            of: author
        )
        if currentChat.scope != nil { try currentChat.openSupportChat(tx) }
        defer { group = currentChat.groupWithoutScope }
        if author.isBlockedByAdmin, group.preferences.fullDelete.enable == .on {
            return try GroupModeration.writeBlockedItem(received, in: &currentChat, user, tx)
        }
        if !author.isBlockedByAdmin,
            let moderation = try GroupModeration.takeEarlyModeration(received, in: group, tx)
        {
            return try GroupModeration.applyModeration(moderation, to: received, in: &currentChat, user, tx)
        }
        try receiver.handleNewMessage(container, received.contents, received.message.sharedID, &currentChat)
    }

    mutating func receiveUpdate(_ update: MessageUpdate, _ received: ReceivedMessage) throws {
        let author = received.author
        var receiver = received.receiver
        guard maySendAsGroup(update.isSentAsGroup, author, receiver), mayWrite(author, in: update.scope, receiver)
        else {
            return
        }
        receiver.isPostedForGroup = update.isSentAsGroup
        currentChat =
            try group.findSupportChat(with: update.messageID, by: author, tx.db)
            ?? findChatForNewMessage(update.scope, isReport: false, of: author)
        defer { group = currentChat.groupWithoutScope }
        try receiver.handleUpdate(update, received.contents.requireContent(), &currentChat)
    }

    /// Deletes a message because its author or a moderator has asked for the deletion.
    mutating func receiveDeletion(_ deletion: MessageDeletion, _ received: ReceivedMessage) throws {
        let author = received.author
        let moderated = deletion.memberID.flatMap { MemberID(parsing: $0) }
        if let moderated, moderated != author.sharedID {
            let member =
                try moderated == group.membership.sharedID
                ? group.membership : MemberRecord.find(moderated, in: group, tx.db)
            currentChat =
                try member.flatMap { try group.findSupportChat(with: deletion.messageID, by: $0, tx.db) } ?? group
            return try GroupModeration.moderateMessage(
                deletion,
                of: moderated,
                received,
                in: currentChat,
                user,
                tx
            )
        }
        currentChat = try group.findSupportChat(with: deletion.messageID, by: author, tx.db) ?? group
        try received.receiver.handleDeletion(deletion, currentChat)
    }

    mutating func receiveReaction(_ reaction: MessageReaction, _ received: ReceivedMessage) throws {
        let (author, receiver) = (received.author, received.receiver)
        let itemAuthor = try receiver.findItemAuthor(reaction, group)
        if let found = try group.findSupportChat(with: reaction.messageID, by: itemAuthor, tx.db) {
            currentChat = found
        } else if reaction.scope != nil {
            guard mayWrite(author, in: reaction.scope, receiver) else { return }
            currentChat = try findChatForNewMessage(reaction.scope, isReport: false, of: author)
        }
        try receiver.handleReaction(reaction, currentChat)
    }

    // MARK: Rights and chats

    /// Returns whether the author may send a message. A message in the name of the group is allowed only for owners.
    /// Reports an error for a message that is not allowed.
    private func maySendAsGroup(_ asGroup: Bool, _ author: MemberRecord, _ receiver: MessageReceiver) -> Bool {
        guard asGroup, author.role < .owner else { return true }
        receiver.unhandledElements.recordError("member is not allowed to send as group", isMessageError: true)
        return false
    }

    /// Returns whether the author may write in the chat of the group, or in the support chat that `scope` names. A
    /// member who waits for admission may write with any role, since only moderators receive these messages. Reports an
    /// error if the author may not write.
    func mayWrite(_ author: MemberRecord, in scope: JSONValue? = nil, _ receiver: MessageReceiver) -> Bool {
        if let scope {
            if author.role >= .moderator || scope["memberId"]?.stringValue == author.sharedID.text { return true }
            receiver.unhandledElements.recordError(
                "the member may not write to this support chat",
                isMessageError: true
            )
            return false
        }
        if author.role >= .author || author.status.isPending { return true }
        receiver.unhandledElements.recordError("member is not allowed to send messages", isMessageError: true)
        return false
    }

    /// Returns the chat of a new message: the chat of the group, or a support chat.
    /// - Throws: `groupMemberNotFound` if the scope names an unknown member.
    private func findChatForNewMessage(
        _ scope: JSONValue?,
        isReport: Bool,
        of author: MemberRecord
    ) throws -> GroupRecord {
        if group.membership.status.isPending { return group.supportChatGroup(of: group.membership) }
        guard scope != nil || isReport || author.status.isPending else { return group }
        let named =
            isReport || author.status.isPending
            ? author.sharedID : scope?["memberId"]?.stringValue.flatMap { MemberID(parsing: $0) }
        if named == group.membership.sharedID { return group.supportChatGroup(of: group.membership) }
        // One agent message can contain several chat messages. The member is read again, because an earlier one of
        // these chat messages may have changed the member.
        guard let named, let member = try MemberRecord.find(named, in: group, tx.db) else {
            throw ChatFailure(ChatErrorType.groupMemberNotFound)
        }
        return group.supportChatGroup(of: member)
    }
}
