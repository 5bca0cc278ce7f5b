internal import Agent
internal import ChatAPI
internal import SQLCipher

/// News of connections that change nothing in the chats.
extension ChatController {
    /// An error of the agent, with the connection that it is about.
    static func tell(_ error: AgentError, on connection: ConnectionRecord?, _ tx: Transaction) throws {
        var entity: ConnectionEntity?
        if let connection, let user = try UserRecord.find(connection.userId, in: tx.db) {
            let contact = try connection.contactId.flatMap { try ContactRecord.find($0, user: user.userId, in: tx.db) }
            entity = .rcvDirectMsgConnection(entityConnection: connection.api, contact: contact?.api(user))
        }
        try tx.emit(
            .chatError(chatError: .errorAgent(agentError: error.api, agentConnId: nil, connectionEntity_: entity)),
            user: connection?.userId)
    }

    /// The contacts whose messages come, or do not come any more, as a relay is reached or lost: one event for each user.
    func tellSubscriptions(_ ids: [ConnectionID], at server: String, subscribed: Bool) async throws {
        guard !ids.isEmpty else { return }
        try await store.write { tx in
            var contacts: [Int64: [ContactRef]] = [:]
            for chunk in ids.map(\.text).chunks(of: 500) {
                let rows = try tx.db.query(
                    """
                    SELECT cn.user_id, cn.contact_id, cn.connection_id, cn.agent_conn_id, c.local_display_name FROM connections cn
                    JOIN contacts c ON c.user_id = cn.user_id AND c.contact_id = cn.contact_id
                    WHERE cn.agent_conn_id IN (\(placeholders(chunk.count)))
                    """, chunk.arguments)
                for row in rows {
                    contacts[try row.int64("user_id"), default: []].append(
                        ContactRef(
                            contactId: try row.int64("contact_id"), connId: try row.int64("connection_id"),
                            agentConnId: BytesText.url(Array(try row.string("agent_conn_id").utf8)),
                            localDisplayName: try row.string("local_display_name")))
                }
            }
            for (userId, refs) in contacts.sorted(by: { $0.key < $1.key }) {
                try tx.emit(
                    subscribed
                        ? .contactsSubscribed(server: server, contactRefs: refs)
                        : .contactsDisconnected(server: server, contactRefs: refs), user: userId)
            }
        }
    }
}
