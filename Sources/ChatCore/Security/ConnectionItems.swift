internal import Agent
internal import ChatAPI
internal import SQLCipher

/// Changes of a connection that its chat shows.
enum ConnectionItems {
    /// Runs `body` with the contact, unless the change was shown before or there is no contact.
    static func tell(
        _ number: Int64, on connection: ConnectionRecord, _ tx: Transaction, _ body: (inout ContactRecord, UserRecord) throws -> Void
    ) throws {
        guard number > connection.lastAgentEvent, let contactId = connection.contactId,
            let user = try UserRecord.find(connection.userId, in: tx.db),
            var contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db)
        else { return }
        try tx.db.execute("UPDATE OR FAIL connections SET last_agent_event = ? WHERE connection_id = ?", [number, connection.connectionId])
        try body(&contact, user)
    }

    /// Writes an item and tells of it. What the peer or its connection has done is there to be read.
    static func add(
        _ content: CIContent, _ text: String, sent: Bool, in contact: inout ContactRecord, _ user: UserRecord, _ tx: Transaction
    ) throws {
        let new = NewItem(isSent: sent, content: content, text: text, status: sent ? .sndNew : .rcvNew)
        let item = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
        try tx.emit(.newChatItems(user: user.api, chatItems: [item.api(in: contact.api(user), at: tx.now)]), user: user.userId)
    }
}
