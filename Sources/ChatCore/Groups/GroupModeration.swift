internal import ChatAPI
internal import SQLCipher

/// What moderators do to the messages of others.
enum GroupModeration {
    /// A member whom an admin has blocked has written: that is shown, and not what.
    static func showBlocked(_ received: GroupReceiver.Received, in group: inout GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
        var item = NewItem(isSent: false, content: .rcvBlocked, text: "blocked", status: .rcvRead)
        item.author = received.author
        item.sharedID = received.message.sharedID
        item.itemTs = received.brokerTs
        try GroupItems.emit([item], in: &group, user, tx)
    }

    /// A moderator deletes the message of another member.
    static func moderated(
        _ reference: MessageReference, of id: MemberID, _ received: GroupReceiver.Received, in group: GroupRecord, _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let moderator = received.author
        let report = { received.receiver.unhandled.report($0, isMessageError: true) }
        let isUser = id == group.membership.sharedID
        guard let member = try isUser ? group.membership : MemberRecord.find(id, in: group, tx.db),
            let item = try ItemQueries.find(shared: reference.messageID, by: member, in: group, tx.db)
        else { return report("x.msg.del: message not found") }
        guard moderator.role >= max(.moderator, member.role) else {
            return report("x.msg.del: message of another member with insufficient member permissions")
        }
        guard !item.isDeleted else { return }
        let deletions = try ItemDeletion.perform([item], by: .member(moderator.role), in: group, user, at: received.brokerTs, tx)
        try tx.emit(.chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: false, timed: false), user: user.userId)
    }

    /// The messages of a member go with it: as deletion for all does, they are deleted or marked.
    static func forgetMessages(
        of member: MemberRecord, by moderator: MemberRecord, in group: GroupRecord, _ user: UserRecord, _ tx: Transaction
    ) throws {
        let condition = member.category == .user ? "item_sent = 1" : "author_member_id = ?"
        let named: [Argument] = member.category == .user ? [] : [member.memberId]
        let ids = try tx.db.query(
            """
            SELECT chat_item_id FROM chat_items WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND \(condition)
              AND msg_content_tag IS NOT NULL AND item_deleted = 0
            """, group.keyArguments + named
        ).map { try $0.int64("chat_item_id") }
        for chunk in ids.chunks(of: 500) {
            let items = try ItemQueries.items(Array(chunk), in: group, tx.db)
            _ = try ItemDeletion.perform(items, by: .member(moderator.role), in: group, user, at: tx.now, tx)
        }
        guard !ids.isEmpty else { return }
        try tx.emit(
            .groupChatItemsDeleted(
                user: user.api, groupInfo: group.api(user), chatItemIDs: ids, byUser: moderator.category == .user, member_: moderator.category == .user ? nil : moderator.api),
            user: user.userId)
    }
}

extension RunningCommand {
    /// `/_delete member item #`: messages of other members, for all.
    /// - Throws: `invalidChatItemDelete`, `groupUserRole`.
    func moderate(_ itemIds: [Int64], in groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let items = try Self.existing(itemIds, in: group, user, tx)
            guard items.allSatisfy({ $0.messageContent != nil && $0.sharedID != nil && !$0.isDeleted && $0.authorRecord != nil }) else {
                throw ChatFailure(ChatErrorType.invalidChatItemDelete)
            }
            try group.require(items.compactMap(\.authorRecord?.role).reduce(.moderator, max), user)
            let recipients = try group.recipients(user, in: tx.db)
            let deletions = try items.compactMap { item -> OutgoingChatMessage? in
                guard let id = item.sharedID, let author = item.authorRecord else { return nil }
                var reference = MessageReference(messageID: id)
                reference.memberID = author.sharedID.text
                return try OutgoingChatMessage(ChatMessage(event: .messageDelete(reference)), over: recipients.connections)
            }
            try tx.enqueue(deletions, to: recipients)
            let shown = try ItemDeletion.perform(items, by: .user, in: group, user, at: tx.now, tx)
            return .chatItemsDeleted(user: user.api, chatItemDeletions: shown, byUser: true, timed: false)
        }
    }
}
