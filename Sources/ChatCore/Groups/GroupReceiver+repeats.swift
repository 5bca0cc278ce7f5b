internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Recognizes repeated messages by the ids of received messages. A second message of an author with the same id is
/// dropped.
extension GroupReceiver {
    /// The number of message ids that are stored for a group, to recognize repeated messages.
    private static let maxStoredMessageIds: Int64 = 2000

    /// The number of ids of signed messages that a subscriber of a channel stores for one member below moderator. Each
    /// such member has its own limit, since a relay may invent members and sign messages for them.
    private static let maxStoredMessageIdsOfMember: Int64 = 32

    /// Records the id of a message in a channel.
    /// - Parameter author: the author of the message; nil for a forwarded message that needs no signature, since the
    ///   relay may have invented it.
    /// - Returns: whether the message was received before.
    func recordAndCheckRepeatInChannel(
        _ id: SharedMessageID,
        by author: MemberRecord?,
        forwardedBy: Int64?
    ) throws -> Bool {
        try tx.db.insert(
            into: "received_group_messages",
            or: .ignore,
            [
                "user_id": user.userId, "group_id": group.groupId, "author_member_id": author?.memberId ?? 0,
                "shared_msg_id": id.bytes, "forwarded_by": forwardedBy,
            ]
        )
        guard tx.db.changeCount > 0 else { return true }
        // Each kind of message has a separate limit, so that many messages of one kind cannot displace the records of
        // other kinds.
        let leading =
            "(SELECT group_member_id FROM group_members WHERE user_id = ?1 AND group_id = ?2 AND member_role IN ('moderator', 'admin', 'owner'))"
        let isDue = tx.db.lastInsertRowID % 64 == 0
        if let author, author.role >= .moderator {
            if isDue { try deleteOldMessageIds(where: "author_member_id IN \(leading)") }
        } else if group.isServed {
            // A relay receives each message directly from its author, so all authors below moderator share one limit.
            if isDue { try deleteOldMessageIds(where: "author_member_id NOT IN \(leading)") }
        } else if let author {
            try deleteOldMessageIds(
                where: "author_member_id = \(author.memberId)",
                after: Self.maxStoredMessageIdsOfMember
            )
        } else if isDue {
            try deleteOldMessageIds(where: "author_member_id = 0")
        }
        return false
    }

    /// Deletes the oldest records of received messages.
    /// - Parameters:
    ///   - condition: the SQL condition that selects records.
    ///   - count: the number of the newest selected records that are kept.
    private func deleteOldMessageIds(where condition: String = "1", after count: Int64 = maxStoredMessageIds) throws {
        let condition = "WHERE user_id = ?1 AND group_id = ?2 AND \(condition)"
        try tx.db.execute(
            """
            DELETE FROM received_group_messages \(condition) AND received_id <= (SELECT received_id
              FROM received_group_messages \(condition) ORDER BY received_id DESC LIMIT 1 OFFSET ?3)
            """,
            [user.userId, group.groupId, count]
        )
    }

    /// Records the id of a message in an ordinary group.
    /// - Returns: whether the message was received before: directly from its author, or from a member who has forwarded
    ///   it.
    func recordAndCheckRepeat(_ received: ReceivedMessage) throws -> Bool {
        guard let id = received.message.sharedID else { return false }
        try tx.db.insert(
            into: "received_group_messages",
            or: .ignore,
            [
                "user_id": user.userId, "group_id": group.groupId, "author_member_id": received.author.memberId,
                "shared_msg_id": id.bytes, "forwarded_by": received.forwardedBy?.memberId,
            ]
        )
        guard tx.db.changeCount == 0 else {
            if tx.db.lastInsertRowID % 64 == 0 { try deleteOldMessageIds() }
            return false
        }
        // The message came directly from its author, but another member has forwarded it too. The user tells this
        // member to stop forwarding, since messages of this author now arrive directly.
        let forwarder = try tx.db.firstRow(
            """
            SELECT forwarded_by FROM received_group_messages
            WHERE user_id = :user_id AND group_id = :group_id AND author_member_id = :author_member_id
            AND shared_msg_id = :shared_msg_id
            """,
            [
                "user_id": user.userId, "group_id": group.groupId, "author_member_id": received.author.memberId,
                "shared_msg_id": id.bytes,
            ]
        )?.int64OrNil("forwarded_by")
        if received.forwardedBy == nil, let forwarder,
            let member = try MemberRecord.find(forwarder, user: user.userId, in: tx.db), member.isReachable,
            let connection = member.connection
        {
            try tx.enqueue(ChatMessage(event: .group(.memberConnected(received.author.sharedID))), to: connection)
        }
        return true
    }
}
