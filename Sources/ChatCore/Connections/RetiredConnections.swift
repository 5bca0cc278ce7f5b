internal import Agent
internal import SQLCipher

/// How the agent leaves a connection.
enum Farewell: Int64 {
    /// Without a word.
    case silent = 0
    /// The peer is notified that its contact was deleted.
    case notice = 1
    /// What was sent before goes out first.
    case afterDelivery = 2
}

/// Connections that were removed from the chat and that the agent still has to delete. They are recorded in the transaction that removes them,
/// so that a crash in between leaves no orphaned queue.
extension Transaction {
    /// Removes a connection from the chat.
    /// - Parameter farewell: whether the peer is notified that its contact was deleted.
    func retire(_ connection: ConnectionRecord, farewell: Bool) throws {
        let notifies = farewell && (connection.status == .ready || connection.status == .sndReady)
        try deleteInAgent(connection, notifies ? .notice : .silent)
        try db.execute("DELETE FROM connections WHERE connection_id = ?", [connection.connectionId])
        try IncognitoProfile.delete(connection.incognitoProfileId, self)
    }

    /// Has the agent delete a connection whose row may stay, to show that there was one.
    func deleteInAgent(_ connection: ConnectionRecord, _ farewell: Farewell) throws {
        try db.execute(
            "INSERT OR IGNORE INTO retired_connections (agent_conn_id, farewell) VALUES (?, ?)", [connection.agentConnId, farewell.rawValue])
        try DeletedConnections.add(connection.agentConnId, user: connection.userId, self)
        followUp.insert(.retiredConnections)
    }

    /// Lets the agent delete a connection without a row in the chat database.
    func retire(agent agentConnId: String, user userId: Int64) throws {
        try db.execute("INSERT OR IGNORE INTO retired_connections (agent_conn_id, farewell) VALUES (?, 0)", [agentConnId])
        try DeletedConnections.add(agentConnId, user: userId, self)
        followUp.insert(.retiredConnections)
    }
}
