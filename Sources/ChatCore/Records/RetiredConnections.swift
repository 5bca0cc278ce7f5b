internal import Agent
internal import ChatStore
internal import SQLCipher

/// Ways in which the agent deletes a connection.
enum DeletionMode: Int64 {
    /// The peer is not notified.
    case silent = 0
    /// The peer is notified that its contact was deleted.
    case withNotice = 1
    /// The connection is deleted after the messages that were enqueued earlier are sent.
    case afterDelivery = 2
}

/// Removal of connections from the chat. The transaction that removes a connection also records that the agent must
/// delete the connection, so that no crash leaves an orphaned queue.
extension Transaction {
    /// Removes a connection from the chat.
    /// - Parameter farewell: whether the peer is notified that its contact was deleted.
    func retireConnection(_ connection: ConnectionRecord, farewell: Bool) throws {
        let notifies = farewell && (connection.status == .ready || connection.status == .sndReady)
        try requestDeletionInAgent(connection, notifies ? .withNotice : .silent)
        try db.execute("DELETE FROM connections WHERE connection_id = ?", [connection.connectionId])
        try IncognitoProfile.delete(connection.incognitoProfileId, self)
    }

    /// Requests that the agent delete a connection. This function does not delete the row of the connection in the chat
    /// database, since the row may be kept as a record of an earlier connection.
    func requestDeletionInAgent(_ connection: ConnectionRecord, _ farewell: DeletionMode) throws {
        try db.insert(
            into: "retired_connections",
            or: .ignore,
            ["agent_conn_id": connection.agentConnId, "farewell": farewell.rawValue]
        )
        try DeletedConnections.add(connection.agentConnId, user: connection.userId, self)
        followUpWork.insert(.retiredConnections)
    }

    /// Requests that the agent delete a connection that has no row in the chat database.
    func requestDeletionInAgent(of agentConnId: String, user userId: Int64, _ farewell: DeletionMode = .silent) throws {
        try db.insert(
            into: "retired_connections",
            or: .ignore,
            ["agent_conn_id": agentConnId, "farewell": farewell.rawValue]
        )
        try DeletedConnections.add(agentConnId, user: userId, self)
        followUpWork.insert(.retiredConnections)
    }
}
