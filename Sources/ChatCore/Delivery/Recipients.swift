internal import ChatAPI
internal import SQLCipher

/// Whom the messages of a chat go to.
struct Recipients: Sendable {
    /// Over which they go at once.
    var connections: [ConnectionRecord]
    /// Members who are about to be connected: messages wait for that.
    var waiting: [MemberRef] = []
    /// Members whom the user is not connected to: the admins who have introduced them pass messages on.
    var forwarded: [MemberRef] = []
    /// Those of them who may be connected at any moment, which the admins may know before the user: the last messages wait for them too.
    var connecting: [MemberRef] = []
    /// Signs what goes to them, in a channel.
    var signer: ChannelSigner?

    /// A member by the keys of its row.
    struct MemberRef: Hashable, Sendable {
        let userId: Int64
        let memberId: Int64
    }

    init(_ connections: [ConnectionRecord]) { self.connections = connections }

    /// All current members of a group but the user, admins first; of a channel its relays, which pass everything on. Their profiles are not read.
    init(of group: GroupRecord, _ db: StoreConnection) throws {
        self.init(
            try db.query(
                """
                SELECT m.group_member_id AS recipient_id, m.member_category, m.member_role, m.member_status, \(ConnectionRecord.columns)
                FROM group_members m LEFT JOIN connections cn ON cn.connection_id = (SELECT max(x.connection_id) FROM connections x
                  WHERE x.user_id = m.user_id AND x.group_member_id = m.group_member_id)
                WHERE m.user_id = ? AND m.group_id = ? AND m.group_member_id <> ? ORDER BY m.index_in_group
                """, [group.userId, group.groupId, group.membership.memberId]
            ).compactMap { row in
                guard GroupMemberStatus(rawValue: try row.string("member_status")).isCurrent,
                    try !group.isChannel || row.string("member_role") == GroupMemberRole.relay.rawValue
                else { return nil }
                return Member(
                    reference: MemberRef(userId: group.userId, memberId: try row.int64("recipient_id")),
                    category: GroupMemberCategory(rawValue: try row.string("member_category")),
                    role: GroupMemberRole(rawValue: try row.string("member_role")),
                    connection: try row.int64OrNil("connection_id") == nil ? nil : ConnectionRecord(row))
            })
        signer = group.signer
    }

    init(members: [MemberRecord]) {
        self.init(
            members.map { member in
                Member(
                    reference: MemberRef(userId: member.userId, memberId: member.memberId), category: member.category, role: member.role,
                    connection: member.connection)
            })
    }

    private struct Member {
        let reference: MemberRef
        let category: GroupMemberCategory
        let role: GroupMemberRole
        let connection: ConnectionRecord?
    }

    private init(_ members: [Member]) {
        connections = []
        for member in members.filter({ $0.role >= .admin }) + members.filter({ $0.role < .admin }) {
            if let connection = member.connection {
                if connection.isDisabled || connection.status == .deleted { continue }
                if connection.canSend {
                    connections.append(connection)
                    continue
                }
            }
            switch member.category {
            case .invitee, .host: waiting.append(member.reference)
            // It may know already that it is connected, and have told the admin so: nobody would pass the message on.
            case .pre, .post:
                if member.connection?.status == .requested {
                    waiting.append(member.reference)
                } else {
                    forwarded.append(member.reference)
                    if member.connection != nil { connecting.append(member.reference) }
                }
            default: break
            }
        }
    }
}

extension Transaction {
    /// Writes messages into the outbox, once for all recipients; for those who are not connected yet they wait. Items in a group show what becomes of
    /// them at each member.
    func enqueue(_ messages: [OutgoingChatMessage], to recipients: Recipients) throws {
        try enqueue(messages, to: recipients.connections)
        for message in messages {
            try WaitingMessages.add(message, for: recipients.waiting, self)
            try WaitingMessages.addAgain(message, for: recipients.connecting, self)
            guard let itemId = message.itemId else { continue }
            try GroupItemStatuses.add(itemId, recipients, self)
        }
    }

    func enqueue(_ event: ChatMessageEvent, to recipients: Recipients) throws {
        try enqueue([OutgoingChatMessage(ChatMessage(event: event), to: recipients)], to: recipients)
    }

    func enqueue(_ message: ChatMessage, to recipients: Recipients) throws {
        try enqueue([OutgoingChatMessage(message, to: recipients)], to: recipients)
    }
}

/// Messages to members whose connections are not up yet.
enum WaitingMessages {
    /// So many wait for a member; older ones are forgotten. Who joins gets the last messages as history.
    private static let limit: Int64 = 500

    static func add(_ message: OutgoingChatMessage, for members: [Recipients.MemberRef], _ tx: Transaction) throws {
        guard !members.isEmpty else { return }
        let bodyId = try MessageBodies.store(message.body, deliveries: members.count, in: tx.db)
        for member in members {
            try tx.db.execute(
                """
                INSERT INTO waiting_messages (user_id, group_member_id, body_id, chat_item_id, msg_flags, created_at) VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    member.userId, member.memberId, bodyId, message.itemId, Int64(message.message.event.hasNotification ? 1 : 0), tx.now.nanoseconds,
                ])
            try tx.db.execute(
                """
                DELETE FROM waiting_messages WHERE user_id = ?1 AND group_member_id = ?2 AND waiting_id <= (
                  SELECT waiting_id FROM waiting_messages WHERE user_id = ?1 AND group_member_id = ?2 ORDER BY waiting_id DESC LIMIT 1 OFFSET ?3)
                """, [member.userId, member.memberId, limit])
        }
    }

    /// So long a message that is forwarded waits for the connection too.
    private static let overlap: Int64 = 60

    /// Messages that are also forwarded, and known when they come twice: only the last ones are kept.
    static func addAgain(_ message: OutgoingChatMessage, for members: [Recipients.MemberRef], _ tx: Transaction) throws {
        guard message.message.sharedID != nil else { return }
        let old = tx.now.adding(seconds: -overlap).nanoseconds
        for member in members { try forget(member, before: old, tx) }
        try add(message, for: members, tx)
    }

    /// The member's connection is up: what has waited goes out.
    static func send(to member: MemberRecord, _ tx: Transaction) throws {
        guard let connection = member.connection else { return }
        let waiting = try tx.db.query(
            """
            SELECT w.waiting_id, w.body_id, w.chat_item_id, w.msg_flags, b.body FROM waiting_messages w JOIN message_bodies b ON b.body_id = w.body_id
            WHERE w.user_id = ? AND w.group_member_id = ? ORDER BY w.waiting_id
            """, [member.userId, member.memberId])
        for row in waiting {
            try tx.db.execute("UPDATE message_bodies SET deliveries = deliveries + 1 WHERE body_id = ?", [row.int64("body_id")])
            try tx.deliver(row.blob("body"), row.int64("body_id"), notifies: row.int64("msg_flags") != 0, item: row.int64OrNil("chat_item_id"), to: connection)
            try tx.db.execute("DELETE FROM waiting_messages WHERE waiting_id = ?", [row.int64("waiting_id")])
        }
    }

    /// The member is gone.
    static func forget(_ member: MemberRecord, _ tx: Transaction) throws {
        try forget(Recipients.MemberRef(userId: member.userId, memberId: member.memberId), before: .max, tx)
    }

    private static func forget(_ member: Recipients.MemberRef, before time: Int64, _ tx: Transaction) throws {
        try tx.db.execute(
            "DELETE FROM waiting_messages WHERE user_id = ? AND group_member_id = ? AND created_at < ?", [member.userId, member.memberId, time])
    }
}
