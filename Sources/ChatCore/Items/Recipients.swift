internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// The recipients of a chat's messages.
struct Recipients: Sendable {
    /// Connections over which messages are sent immediately.
    var connections: [ConnectionRecord]
    /// Members whose connections are being established. Messages wait for these members.
    var waitingMembers: [MemberRef] = []
    /// Members without a connection to the user. The admins who have introduced these members forward the messages.
    var forwardedMembers: [MemberRef] = []
    /// Members in `forwardedMembers` whose connections to the user may become ready at any moment. The admins stop
    /// forwarding when they learn about the connection, perhaps before the user does. Therefore the last messages also
    /// wait for these members.
    var connectingMembers: [MemberRef] = []
    /// The user's own membership in a channel without connected relays; nil in other chats. Messages are stored as
    /// waiting for this membership, and are sent to the first relay that connects.
    var membershipAwaitingRelay: MemberRef?
    /// The signer of the messages in a channel; nil in other chats.
    var signer: ChannelSigner?

    /// Whether the recipient is a contact. A message to a contact is refused while the ratchet has to be renegotiated.
    var isContact = false

    /// A reference to a member by the keys of the member's row.
    struct MemberRef: Hashable, Sendable {
        let userId: Int64
        let memberId: Int64
    }

    init(_ connections: [ConnectionRecord]) { self.connections = connections }

    /// Finds all current members of a group except the user, admins first. For a channel, finds only the relays, which
    /// forward all messages. Profiles are not read.
    init(of group: GroupRecord, _ db: StoreConnection) throws {
        // The owner of a channel may know thousands of members. This index makes the query read only the relays.
        let (index, condition) =
            group.isChannel ? ("INDEXED BY idx_group_members_relay", "AND m.relay_link IS NOT NULL") : ("", "")
        try self.init(
            db.query(
                """
                SELECT m.group_member_id AS recipient_id, m.member_category, m.member_role, m.member_status,
                \(ConnectionRecord.columns)
                FROM group_members m \(index) LEFT JOIN connections cn ON cn.connection_id =
                (SELECT max(x.connection_id) FROM connections x
                  WHERE x.user_id = m.user_id AND x.group_member_id = m.group_member_id)
                WHERE m.user_id = :user_id AND m.group_id = :group_id
                AND m.group_member_id <> :group_member_id \(condition) ORDER BY m.index_in_group
                """,
                ["user_id": group.userId, "group_id": group.groupId, "group_member_id": group.membership.memberId]
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
            },
            db
        )
        signer = group.signer
        if group.isChannel, !group.isServed, connections.isEmpty {
            membershipAwaitingRelay = MemberRef(userId: group.userId, memberId: group.membership.memberId)
        }
    }

    init(members: [MemberRecord], _ db: StoreConnection) throws {
        try self.init(
            members.map { member in
                Member(
                    reference: MemberRef(userId: member.userId, memberId: member.memberId),
                    category: member.category,
                    role: member.role,
                    connection: member.connection
                )
            },
            db
        )
    }

    private struct Member {
        let reference: MemberRef
        let category: GroupMemberCategory
        let role: GroupMemberRole
        let connection: ConnectionRecord?

        /// Returns whether messages must wait although the user can already send over the connection. Earlier messages
        /// that wait are sent when the connection is ready in both directions, and later messages must not overtake
        /// them. The relay of a channel gets the roster first, which is also sent when the connection is ready.
        func waits(for connection: ConnectionRecord, _ db: StoreConnection) throws -> Bool {
            guard connection.status == .sndReady else { return false }
            return try category == .invitee && role == .relay || WaitingMessages.exist(for: reference, db)
        }
    }

    private init(_ members: [Member], _ db: StoreConnection) throws {
        connections = []
        for member in members.filter({ $0.role >= .admin }) + members.filter({ $0.role < .admin }) {
            if let connection = member.connection {
                if connection.isDisabled || connection.status == .deleted { continue }
                if connection.canSend {
                    if try member.waits(for: connection, db) {
                        waitingMembers.append(member.reference)
                    } else {
                        connections.append(connection)
                    }
                    continue
                }
            }
            switch member.category {
            case .invitee, .host: waitingMembers.append(member.reference)
            // A member with the status `requested` may already be connected, and may have reported this to the admin.
            // In that case the admin does not forward the message.
            case .pre, .post:
                if member.connection?.status == .requested {
                    waitingMembers.append(member.reference)
                } else {
                    forwardedMembers.append(member.reference)
                    if member.connection != nil { connectingMembers.append(member.reference) }
                }
            default: break
            }
        }
    }
}

extension Transaction {
    /// Writes messages into the outbox, with one body for all recipients. Messages to recipients without a connection
    /// wait. Items in a group show the result for each member.
    /// - Throws: the agent's refusal while the ratchet with a contact has to be renegotiated.
    func enqueue(_ messages: [OutgoingChatMessage], to recipients: Recipients) throws {
        if !messages.isEmpty, recipients.isContact, recipients.connections.contains(where: refusesSending) {
            throw Self.prohibitedError
        }
        try enqueue(messages, to: recipients.connections)
        for message in messages {
            let firstRelay = message.message.event.waitsForRelay ? recipients.membershipAwaitingRelay : nil
            try WaitingMessages.add(message, for: recipients.waitingMembers + [firstRelay].compactMap(\.self), self)
            try WaitingMessages.addForwarded(message, for: recipients.connectingMembers, self)
            guard let itemId = message.itemId else { continue }
            try GroupItemStatuses.addRecipients(itemId, recipients, self)
        }
    }

    /// Returns whether the agent refuses to send over a connection.
    private func refusesSending(_ connection: ConnectionRecord) -> Bool {
        connection.agentConnectionID.map(sendingCheck.isSendingProhibited) ?? false
    }

    /// The error with which the agent refuses a message, when the ratchet of the connection has to be renegotiated.
    private static let prohibitedError = ChatFailure(
        ChatError.agentError(AgentError.command(.prohibited, context: "sendMessagesB: send prohibited").apiError)
    )

    func enqueue(_ event: ChatMessageEvent, to recipients: Recipients) throws {
        try enqueue([OutgoingChatMessage(ChatMessage(event: event), to: recipients)], to: recipients)
    }

    func enqueue(_ message: ChatMessage, to recipients: Recipients) throws {
        try enqueue([OutgoingChatMessage(message, to: recipients)], to: recipients)
    }
}
