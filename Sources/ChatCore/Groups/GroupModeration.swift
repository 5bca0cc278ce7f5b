internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Moderation of the messages of other members.
enum GroupModeration {
    /// Writes and emits an item without content for a message of a member whom an admin has blocked. This item replaces
    /// the message in groups that allow full deletion.
    static func writeBlockedItem(
        _ received: GroupReceiver.ReceivedMessage,
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        var item = NewItem(isSent: false, content: .rcvBlocked, text: "blocked", status: .rcvRead)
        item.author = received.author
        item.sharedID = received.message.sharedID
        item.itemTs = received.brokerTs
        item.hidingReason = .blockedByAdmin
        item.signatureStatus = received.signatureStatus
        try GroupItems.createAndEmitItems([item], in: &group, user, tx)
    }

    /// Deletes the message of a member after a moderator has asked for the deletion. If the message has not arrived
    /// yet, stores the moderation until the message arrives.
    static func moderateMessage(
        _ deletion: MessageDeletion,
        of id: MemberID,
        _ received: GroupReceiver.ReceivedMessage,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let moderator = received.author
        let report = { received.receiver.unhandledElements.recordError($0, isMessageError: true) }
        let isUser = id == group.membership.sharedID
        guard let member = try isUser ? group.membership : MemberRecord.find(id, in: group, tx.db),
            let item = try ItemQueries.find(shared: deletion.messageID, by: member, in: group, tx.db)
        else {
            guard moderator.role >= .moderator else {
                return report(
                    "x.msg.del: the message of another member is unknown, and the role is too low"
                )
            }
            return try rememberModeration(
                deletion.messageID,
                of: id,
                by: moderator,
                at: received.brokerTs,
                in: group,
                tx
            )
        }
        guard moderator.role >= max(.moderator, member.role) else {
            return report("x.msg.del: the role is too low for messages of this member")
        }
        guard item.hidingReason?.deletesContent != true else { return }
        let deletions = try ItemDeletion.deleteForAllSides(
            [item],
            by: .member(moderator.role, isHost: false),
            moderator: moderator,
            in: group,
            user,
            at: received.brokerTs,
            tx
        )
        try tx.emit(
            .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: false, timed: false),
            user: user.userId
        )
        try Reports.archiveReportItems(
            reportsOf: [item],
            by: moderator,
            in: group.groupWithoutScope,
            byUser: false,
            user,
            at: received.brokerTs,
            tx
        )
    }

    /// The maximum number of stored moderations of a group that wait for their messages.
    private static let maxRememberedModerations: Int64 = 1000

    private static func rememberModeration(
        _ message: SharedMessageID,
        of author: MemberID,
        by moderator: MemberRecord,
        at time: Timestamp,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws {
        try tx.db.insert(
            into: "group_moderations",
            or: .ignore,
            [
                "user_id": group.userId, "group_id": group.groupId, "item_member_id": author.bytes,
                "shared_msg_id": message.bytes, "moderator_member_id": moderator.memberId,
                "moderated_at": time.nanoseconds,
            ]
        )
        try tx.db.execute(
            """
            DELETE FROM group_moderations
            WHERE user_id = :user_id AND group_id = :group_id AND moderation_id <= (SELECT moderation_id
              FROM group_moderations
              WHERE user_id = :user_id AND group_id = :group_id ORDER BY moderation_id DESC LIMIT 1 OFFSET :offset)
            """,
            ["user_id": group.userId, "group_id": group.groupId, "offset": maxRememberedModerations]
        )
    }

    /// Removes and returns the stored moderation of a message that arrives after its moderation.
    /// - Returns: the moderator and the time of the moderation; nil if there is no moderation, or if the moderator
    ///   lacks the rights.
    static func takeEarlyModeration(
        _ received: GroupReceiver.ReceivedMessage,
        in group: GroupRecord,
        _ tx: Transaction
    ) throws -> (moderator: MemberRecord, at: Timestamp)? {
        guard let id = received.message.sharedID else { return nil }
        let key: [Argument] = [group.userId, group.groupId, received.author.sharedID.bytes, id.bytes]
        let condition = "WHERE user_id = ? AND group_id = ? AND item_member_id = ? AND shared_msg_id = ?"
        guard
            let row = try tx.db.queryFirst(
                "SELECT moderator_member_id, moderated_at FROM group_moderations \(condition)",
                key
            )
        else { return nil }
        try tx.db.execute("DELETE FROM group_moderations \(condition)", key)
        guard let moderator = try MemberRecord.find(row.int64("moderator_member_id"), user: group.userId, in: tx.db),
            moderator.role >= max(.moderator, received.author.role)
        else { return nil }
        return (moderator, Timestamp(nanoseconds: try row.int64("moderated_at")))
    }

    /// Writes the item of a message that was moderated before its arrival, and applies the moderation to this item.
    static func applyModeration(
        _ moderation: (moderator: MemberRecord, at: Timestamp),
        to received: GroupReceiver.ReceivedMessage,
        in group: inout GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let marked = try received.contents.requireContent()
        var new = NewItem(isSent: false, marked, status: .rcvRead)
        new.author = received.author
        new.sharedID = received.message.sharedID
        new.itemTs = received.brokerTs
        new.signatureStatus = received.signatureStatus
        let item = try ItemWriter.create(new, in: &group, movesChat: false, tx)
        let deletions = try ItemDeletion.deleteForAllSides(
            [item],
            by: .member(moderation.moderator.role, isHost: false),
            moderator: moderation.moderator,
            in: group,
            user,
            at: moderation.at,
            tx
        )
        try tx.emit(
            .chatItemsDeleted(user: user.api, chatItemDeletions: deletions, byUser: false, timed: false),
            user: user.userId
        )
    }

    /// If the group allows full deletion, deletes all items of a removed member. These include items about actions of
    /// the member, and items that are already marked as deleted. In other groups, marks the items as deleted.
    static func deleteMessages(
        of member: MemberRecord,
        by moderator: MemberRecord,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let condition = member.category == .user ? "item_sent = 1" : "author_member_id = ?"
        let named: [Argument] = member.category == .user ? [] : [member.memberId]
        let isFull = group.allows(.fullDelete, by: .member(moderator.role, isHost: false), user)
        // A marked item keeps its text, and the name of the moderator who has deleted it first.
        let selection = isFull ? condition : "\(condition) AND item_deleted <> 1"
        let ids = try tx.db.query(
            """
            SELECT chat_item_id FROM chat_items WHERE user_id = ? AND chat_type = ? AND chat_id = ? AND \(selection)
            UNION ALL SELECT chat_item_id FROM chat_items WHERE user_id = ? AND support_group_id = ? AND \(selection)
            """,
            group.keyArguments + named + [group.userId, group.groupId] + named
        ).map { try $0.int64("chat_item_id") }
        // No event is emitted for these items: the event about the removal of the member tells clients that they are
        // deleted.
        for chunk in ids.chunks(of: 500) {
            let items = try ItemQueries.findItems(Array(chunk), anywhereIn: group, tx.db)
            if isFull {
                _ = try ItemDeletion.deleteItems(items, in: group, user, tx)
            } else {
                _ = try ItemDeletion.markItemsDeleted(items, by: moderator, in: group, user, at: tx.now, tx)
            }
        }
    }
}

extension RunningCommand {
    /// `/_delete member item #`: deletes messages of any members, for everybody.
    /// - Throws: `invalidChatItemDelete`, `groupUserRole`.
    func moderateItems(_ itemIds: [Int64], in groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let items = try Self.findExistingItems(itemIds, in: group, user, tx)
            let shown = try Self.moderateItems(items, in: group, to: group.findRecipients(user, in: tx.db), user, tx)
            return .chatItemsDeleted(user: user.api, chatItemDeletions: shown, byUser: true, timed: false)
        }
    }

    /// Deletes messages of any members, and sends the deletions to the recipients.
    /// - Returns: the deletions in the form of the API.
    static func moderateItems(
        _ items: [ItemRecord],
        in group: GroupRecord,
        to recipients: Recipients,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> [ChatItemDeletion] {
        // A message in the name of the channel has no author, so only owners may moderate it.
        let isModerable = { (item: ItemRecord) in
            item.messageContent != nil && item.sharedID != nil
                && (item.authorRecord.map { $0.role <= group.membership.role }
                    ?? (item.isSent || group.membership.role == .owner))
        }
        guard items.allSatisfy(isModerable) else { throw ChatFailure(ChatErrorType.invalidChatItemDelete) }
        try group.requireRole(.moderator, user)
        let deletions = try items.compactMap { item -> OutgoingChatMessage? in
            guard let id = item.sharedID else { return nil }
            var deletion = MessageDeletion(messageID: id)
            deletion.memberID = (item.isSent ? group.membership : item.authorRecord)?.sharedID.text
            return try OutgoingChatMessage(
                ChatMessage(sharedID: group.newChangeID, event: .messageDelete(deletion)),
                to: recipients
            )
        }
        try tx.enqueue(deletions, to: recipients)
        try Reports.archiveReportItems(
            reportsOf: items,
            by: group.membership,
            in: group,
            byUser: true,
            user,
            at: tx.now,
            tx
        )
        return try ItemDeletion.deleteForAllSides(
            items,
            by: .user,
            moderator: group.membership,
            in: group,
            user,
            at: tx.now,
            tx
        )
    }
}
