internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Messages to members whose connections are not established yet.
enum WaitingMessages {
    /// The maximum number of messages that wait for a member. Older messages are given up, and their items show the
    /// failure.
    private static let maxMessagesPerMember: Int64 = 500

    /// Stores a message that waits for the connections to members.
    /// - Parameter isOnlyWay: whether the members get the message only over these connections.
    static func add(
        _ message: OutgoingChatMessage,
        for members: [Recipients.MemberRef],
        isOnlyWay: Bool = true,
        _ tx: Transaction
    ) throws {
        guard !members.isEmpty else { return }
        let bodyId = try MessageBodies.store(message.body, deliveries: members.count, in: tx.db)
        for member in members {
            try tx.db.insert(
                into: "waiting_messages",
                [
                    "user_id": member.userId, "group_member_id": member.memberId, "body_id": bodyId,
                    "chat_item_id": message.itemId, "msg_flags": Int64(message.message.event.hasNotification ? 1 : 0),
                    "created_at": tx.now.nanoseconds,
                ]
            )
            let surplus = try tx.db.query(
                """
                SELECT waiting_id, chat_item_id FROM waiting_messages
                WHERE user_id = :user_id AND group_member_id = :group_member_id
                ORDER BY waiting_id DESC LIMIT -1 OFFSET :offset
                """,
                ["user_id": member.userId, "group_member_id": member.memberId, "offset": maxMessagesPerMember]
            )
            for row in surplus {
                try tx.db.execute("DELETE FROM waiting_messages WHERE waiting_id = ?", [row.int64("waiting_id")])
                guard isOnlyWay, let itemId = try row.int64OrNil("chat_item_id") else { continue }
                try DeliveryStatus.markWaitingItemFailed(itemId, for: member, tx)
                try SentFiles.giveUpRecipient(itemId, for: member, tx)
            }
        }
    }

    /// Number of seconds for which a message that is also forwarded waits for the connection.
    private static let forwardedWaitSeconds: Int64 = 60

    /// Stores a message for members who also get the message from an admin, who forwards it. Recipients recognize
    /// duplicates by the message id. Earlier messages are deleted if they have waited for longer than
    /// `forwardedWaitSeconds`.
    static func addForwarded(
        _ message: OutgoingChatMessage,
        for members: [Recipients.MemberRef],
        _ tx: Transaction
    ) throws {
        guard message.message.sharedID != nil else { return }
        let old = tx.now.adding(seconds: -forwardedWaitSeconds).nanoseconds
        for member in members { try delete(member, before: old, tx) }
        try add(message, for: members, isOnlyWay: false, tx)
    }

    /// Sends the messages that waited for a member whose connection is established. The first relay of a channel also
    /// gets the messages that waited for any relay.
    static func sendWaiting(to member: MemberRecord, in group: GroupRecord, _ tx: Transaction) throws {
        guard let connection = member.connection else { return }
        let isRelay = group.isChannel && !group.isServed && member.isRelay
        let held = isRelay ? group.membership.memberId : member.memberId
        let waiting = try tx.db.query(
            """
            SELECT w.waiting_id, w.group_member_id, w.body_id, w.chat_item_id, w.msg_flags, b.body
            FROM waiting_messages w
            JOIN message_bodies b ON b.body_id = w.body_id
            WHERE w.user_id = :user_id AND w.group_member_id IN (:group_member_id, :held_member_id)
            ORDER BY w.waiting_id
            """,
            ["user_id": member.userId, "group_member_id": member.memberId, "held_member_id": held]
        )
        // A message may have waited both for this relay and for the first relay. It is sent once.
        var sent: Set<Int64> = []
        for row in waiting {
            let (bodyId, itemId) = (try row.int64("body_id"), try row.int64OrNil("chat_item_id"))
            if sent.insert(bodyId).inserted {
                try tx.db.execute("UPDATE message_bodies SET deliveries = deliveries + 1 WHERE body_id = ?", [bodyId])
                try tx.enqueueBody(
                    row.blob("body"),
                    bodyId,
                    notifiesReceiver: row.int64("msg_flags") != 0,
                    item: itemId,
                    to: connection
                )
            }
            if let itemId {
                if isRelay, try row.int64("group_member_id") == held {
                    try GroupItemStatuses.addRelay(itemId, at: member, tx)
                }
                try SentFiles.prepareDescription(
                    member,
                    over: connection,
                    insteadOf: row.int64("group_member_id"),
                    item: itemId,
                    tx
                )
            }
            try tx.db.execute("DELETE FROM waiting_messages WHERE waiting_id = ?", [row.int64("waiting_id")])
        }
    }

    /// Returns whether messages wait for a member.
    static func exist(for member: Recipients.MemberRef, _ db: StoreConnection) throws -> Bool {
        try db.firstRow(
            """
            SELECT 1 AS waits FROM waiting_messages
            WHERE user_id = :user_id AND group_member_id = :group_member_id LIMIT 1
            """,
            ["user_id": member.userId, "group_member_id": member.memberId]
        ) != nil
    }

    /// Deletes the messages that wait for a removed member.
    static func delete(_ member: MemberRecord, _ tx: Transaction) throws {
        try delete(Recipients.MemberRef(userId: member.userId, memberId: member.memberId), before: .max, tx)
    }

    private static func delete(_ member: Recipients.MemberRef, before time: Int64, _ tx: Transaction) throws {
        try tx.db.execute(
            """
            DELETE FROM waiting_messages
            WHERE user_id = :user_id AND group_member_id = :group_member_id AND created_at < :created_at
            """,
            ["user_id": member.userId, "group_member_id": member.memberId, "created_at": time]
        )
    }
}

extension ChatMessageEvent {
    /// Whether the message waits until a relay of a channel is connected. Other messages, for example a new profile of
    /// the channel, do not wait, since a new relay reads the link of the channel.
    var waitsForRelay: Bool {
        switch self {
        case .relay, .group(.info), .group(.preferences), .group(.leave), .group(.delete): false
        default: true
        }
    }
}
