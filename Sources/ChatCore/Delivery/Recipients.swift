internal import ChatAPI
internal import ChatProtocol
internal import SQLCipher

/// The recipients of a chat's messages.
struct Recipients: Sendable {
    /// Connections over which messages are sent at once.
    var connections: [ConnectionRecord]
    /// Members whose connections are being established: messages wait for them.
    var waiting: [MemberRef] = []
    /// Members without a connection to the user: the admins who have introduced them forward messages.
    var forwarded: [MemberRef] = []
    /// Members in `forwarded` who may be connected at any moment, which the admins may learn before the user: the last
    /// messages wait for them too.
    var connecting: [MemberRef] = []
    /// Set in a channel without connected relays: messages wait, under the id of the user, for the first relay that
    /// connects.
    var firstRelay: MemberRef?
    /// Signs the messages, in a channel.
    var signer: ChannelSigner?

    /// Whether the only connection is that of a contact: a message that cannot be sent over it is refused.
    var isContact = false

    /// A member by the keys of its row.
    struct MemberRef: Hashable, Sendable {
        let userId: Int64
        let memberId: Int64
    }

    init(_ connections: [ConnectionRecord]) { self.connections = connections }

    /// All current members of a group except the user, admins first; for a channel its relays, which forward all
    /// messages. Profiles are not read.
    init(of group: GroupRecord, _ db: StoreConnection) throws {
        // The owner of a channel knows thousands of members. The index avoids reading them.
        let (index, condition) =
            group.isChannel ? ("INDEXED BY idx_group_members_relay", "AND m.relay_link IS NOT NULL") : ("", "")
        self.init(
            try db.query(
                """
                SELECT m.group_member_id AS recipient_id, m.member_category, m.member_role, m.member_status, \(ConnectionRecord.columns)
                FROM group_members m \(index) LEFT JOIN connections cn ON cn.connection_id = (SELECT max(x.connection_id) FROM connections x
                  WHERE x.user_id = m.user_id AND x.group_member_id = m.group_member_id)
                WHERE m.user_id = ? AND m.group_id = ? AND m.group_member_id <> ? \(condition) ORDER BY m.index_in_group
                """,
                [group.userId, group.groupId, group.membership.memberId]
            ).compactMap { row in
                guard GroupMemberStatus(rawValue: try row.string("member_status")).isCurrent,
                    try !group.isChannel || row.string("member_role") == GroupMemberRole.relay.rawValue
                else { return nil }
                return Member(
                    reference: MemberRef(userId: group.userId, memberId: try row.int64("recipient_id")),
                    category: GroupMemberCategory(rawValue: try row.string("member_category")),
                    role: GroupMemberRole(rawValue: try row.string("member_role")),
                    connection: try row.int64OrNil("connection_id") == nil ? nil : ConnectionRecord(row)
                )
            }
        )
        signer = group.signer
        if group.isChannel, !group.isServed, connections.isEmpty {
            firstRelay = MemberRef(userId: group.userId, memberId: group.membership.memberId)
        }
    }

    init(members: [MemberRecord]) {
        self.init(
            members.map { member in
                Member(
                    reference: MemberRef(userId: member.userId, memberId: member.memberId),
                    category: member.category,
                    role: member.role,
                    connection: member.connection
                )
            }
        )
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
            // With the status `requested` the member may already be connected, and have told the admin so: then the
            // admin would not forward the message.
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
    /// Writes messages into the outbox, once for all recipients; for recipients without a connection the messages wait.
    /// Items in a group show the result for each member.
    /// - Throws: the agent's refusal while the ratchet with a contact has to be renegotiated.
    func enqueue(_ messages: [OutgoingChatMessage], to recipients: Recipients) throws {
        if !messages.isEmpty, recipients.isContact, recipients.connections.contains(where: gate.isClosed) {
            throw SendingGate.refusal
        }
        try enqueue(messages, to: recipients.connections)
        for message in messages {
            let firstRelay = message.message.event.waitsForRelay ? recipients.firstRelay : nil
            try WaitingMessages.add(message, for: recipients.waiting + [firstRelay].compactMap(\.self), self)
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
