internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension AgentEventHandler {
    /// Handles received messages in one transaction, and acknowledges the messages after its commit. The number of the
    /// last message is stored with the connection. A repeated message is acknowledged again, but has no other effect.
    func handleMessages(_ id: ConnectionID, _ messages: [ReceivedBody]) async throws {
        // The messages are parsed before the transaction, so that another transaction can write during the parsing.
        let parsed = messages.map(ParsedMessage.init)
        // The signature of an owner is bound to a value of the connection that only the agent knows.
        let binding =
            parsed.contains(where: \.hasOwnerSignature)
            ? (try? await services.agent.fetchRatchetHash(of: id)).map(ChatBinding.makeDirectBinding) : nil
        let sendsReceipts = try await store.write { tx in
            guard let peer = try ConnectionPeer.find(agent: id, in: tx.db) else { return false }
            try Self.receiveMessages(parsed, from: peer, boundTo: binding, tx)
            return try Self.sendsReceipts(id, tx)
        }
        let receipts = sendsReceipts ? parsed.filter(\.requestsReceipt).map(\.meta.recipientInfo.id) : []
        services.agent.acknowledgeMessages(
            connection: id,
            messageIDs: messages.map(\.meta.recipientInfo.id),
            receipts: Set(receipts)
        )
    }

    /// The maximum number of members of a group in which receipts are sent. In a larger group, every member would send
    /// a receipt to every other member.
    private static let maxSmallGroupMembers = 20

    /// Returns whether receipts are sent to the contact or the member. The setting for the contact or the group takes
    /// precedence over the setting of the user.
    private static func sendsReceipts(_ id: ConnectionID, _ tx: Transaction) throws -> Bool {
        try tx.db.firstRow(
            """
            SELECT coalesce(c.send_rcpts, u.send_rcpts_contacts) AS sends FROM connections cn
            JOIN contacts c ON c.user_id = cn.user_id
            AND c.contact_id = cn.contact_id JOIN users u ON u.user_id = cn.user_id
            WHERE cn.agent_conn_id = :agent_conn_id
            UNION ALL
            SELECT coalesce(g.send_rcpts, u.send_rcpts_small_groups) AND g.current_members <= \(maxSmallGroupMembers)
            FROM connections cn
            JOIN group_members m ON m.user_id = cn.user_id AND m.group_member_id = cn.group_member_id
            JOIN groups g ON g.user_id = m.user_id AND g.group_id = m.group_id JOIN users u ON u.user_id = cn.user_id
            WHERE cn.agent_conn_id = :agent_conn_id
            """,
            ["agent_conn_id": id.text]
        )?.bool("sends") ?? false
    }

    private static func receiveMessages(
        _ messages: [ParsedMessage],
        from peer: ConnectionPeer,
        boundTo binding: [UInt8]?,
        _ tx: Transaction
    ) throws {
        let (connection, user) = (peer.connection, peer.user)
        let new = messages.filter { $0.meta.recipientInfo.id > connection.lastReceivedMessageId }
        guard let last = new.last else { return }
        try tx.db.execute(
            """
            UPDATE OR FAIL connections SET last_rcv_msg_id = :last_rcv_msg_id, last_rcv_msg_meta = :last_rcv_msg_meta
            WHERE connection_id = :connection_id
            """,
            [
                "last_rcv_msg_id": last.meta.recipientInfo.id,
                "last_rcv_msg_meta": try StoredJSON.encode(last.meta.api), "connection_id": connection.connectionId,
            ]
        )
        if let membership = peer.member {
            var receiver = GroupReceiver(user: user, connection: connection, membership: membership, tx: tx)
            for message in new { try receiver.receiveParsedMessage(message) }
            return
        }
        guard var contact = peer.contact else { return }
        // A contact may have several connections. The messages are handled with the connection over which they arrived.
        contact.connection = connection
        for message in new {
            // Messages that arrive before the end of the connection setup may have another encryption than later
            // messages. So their encryption is not recorded.
            if connection.status == .ready {
                try PostQuantumItems.recordEncryption(sent: false, message.meta.pqEncryption, in: &contact, user, tx)
            }
            var receiver = MessageReceiver(user: user, connection: connection, meta: message.meta, tx: tx)
            receiver.contactSignatureBinding = binding
            try receiver.receiveParsedMessage(message, &contact)
        }
    }
}
