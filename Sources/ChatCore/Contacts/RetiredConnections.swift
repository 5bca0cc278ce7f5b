internal import Agent
internal import SQLCipher

/// Connections that the chat has no more, and the agent has yet to delete. They are written down in the transaction that removes them
/// from the chat, so that a crash in between leaves no queue behind that nobody knows.
extension Transaction {
    /// Removes a connection from the chat.
    /// - Parameter farewell: whether the peer is told that it is deleted as a contact.
    func retire(_ connection: ConnectionRecord, farewell: Bool) throws {
        let tells = farewell && (connection.status == .ready || connection.status == .sndReady)
        try deleteInAgent(connection, farewell: tells)
        try db.execute("DELETE FROM connections WHERE connection_id = ?", [connection.connectionId])
        try IncognitoProfile.delete(connection.incognitoProfileId, self)
    }

    /// Has the agent delete a connection whose row may stay, to show that there was one.
    func deleteInAgent(_ connection: ConnectionRecord, farewell: Bool) throws {
        try db.execute(
            "INSERT OR IGNORE INTO retired_connections (agent_conn_id, farewell) VALUES (?, ?)", [connection.agentConnId, farewell])
        try DeletedConnections.add(connection.agentConnId, user: connection.userId, self)
        followUp.insert(.retiredConnections)
    }

    /// Has the agent delete a connection of which the chat has no row, or will have none.
    func retire(agent agentConnId: String, user userId: Int64) throws {
        try db.execute("INSERT OR IGNORE INTO retired_connections (agent_conn_id, farewell) VALUES (?, 0)", [agentConnId])
        try DeletedConnections.add(agentConnId, user: userId, self)
        followUp.insert(.retiredConnections)
    }
}
