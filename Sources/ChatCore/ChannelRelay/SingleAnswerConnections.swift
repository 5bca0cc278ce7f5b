internal import Agent
internal import ChatProtocol
internal import ChatStore
internal import SMP
internal import SQLCipher

/// Connections of a relay, each for a single answer. A connection counts for the limits until the agent has deleted it.
///
/// Above a limit, the oldest connection ends, and its answer is given up. So no request is refused, and answers to
/// unreachable relays cannot use up all connections.
enum SingleAnswerConnections {
    /// Maximum number of single-answer connections at a time.
    static let maxConnections: Int64 = 200
    /// Maximum number of single-answer connections whose answers go to one relay of the network.
    static let maxConnectionsPerRelay: Int64 = 50
    /// Time after which an unfinished connection is ended, in seconds.
    private static let maxAgeSeconds: Int64 = 3600

    /// Returns whether the connection was made for a single answer, and the agent has not deleted it yet.
    static func isOpen(_ id: ConnectionID, _ db: StoreConnection) throws -> Bool {
        try db.queryFirst("SELECT 1 FROM passing_connections WHERE agent_conn_id = ?", [id.text]) != nil
    }

    /// Returns whether the connection was made for a single answer, or was deleted. The agent may still emit events for
    /// a deleted connection.
    static func containsOpenOrDeleted(_ id: ConnectionID, _ db: StoreConnection) throws -> Bool {
        try db.firstRow(
            """
            SELECT 1 FROM passing_connections WHERE agent_conn_id = :agent_conn_id
            UNION ALL SELECT 1 FROM deleted_connections WHERE agent_conn_id = :agent_conn_id
            """,
            ["agent_conn_id": id.text]
        ) != nil
    }

    /// Adds a connection, and ends the oldest connections above the limits.
    /// - Parameters:
    ///   - relay: the relay to which the answer is sent.
    ///   - isAnswered: whether the peer is expected to reply to the answer.
    /// - Returns: the number of ended connections.
    static func add(
        _ id: ConnectionID,
        of user: UserRecord,
        to relay: ProtocolServer,
        isAnswered: Bool,
        _ tx: Transaction
    ) throws -> Int {
        let place = Self.hostAndPort(of: relay)
        let ended =
            try endOldestConnections("relay = ?", [place], leaving: maxConnectionsPerRelay - 1, tx)
            + endOldestConnections("1", [], leaving: maxConnections - 1, tx)
        try tx.db.insert(
            into: "passing_connections",
            [
                "agent_conn_id": id.text, "user_id": user.userId, "is_answered": isAnswered,
                "created_at": tx.now.nanoseconds, "relay": place,
            ]
        )
        return ended
    }

    /// Returns the host and port of a relay. Two addresses that differ only in their keys lead to one relay.
    static func hostAndPort(of relay: ProtocolServer) -> String {
        "\(relay.hosts.first.map { "\($0)" } ?? ""):\(relay.portNumber.map { "\($0)" } ?? "")"
    }

    private static func endOldestConnections(
        _ condition: String,
        _ values: [Argument],
        leaving count: Int64,
        _ tx: Transaction
    ) throws -> Int {
        try endConnections(
            try tx.db.query(
                """
                SELECT agent_conn_id, user_id FROM passing_connections WHERE \(condition)
                ORDER BY created_at DESC, agent_conn_id LIMIT -1 OFFSET \(count)
                """,
                values
            ),
            tx
        )
    }

    /// Ends connections, even if their answers are not delivered yet.
    private static func endConnections(_ rows: [Row], _ tx: Transaction) throws -> Int {
        for row in rows {
            let id = try row.string("agent_conn_id")
            try tx.requestDeletionInAgent(of: id, user: row.int64("user_id"))
            try tx.db.execute("DELETE FROM passing_connections WHERE agent_conn_id = ?", [id])
        }
        return rows.count
    }

    /// Ends a single-answer connection when it is no longer needed: after the reply of the peer, or after the delivery
    /// of the answer if the peer does not reply.
    /// - Parameter isOwnAnswerStored: true after the agent has stored the answer in its outbox; false after an event
    ///   that the peer has caused, for example by its reply.
    static func endConnectionIfDone(_ id: ConnectionID, isOwnAnswerStored: Bool, _ tx: Transaction) throws {
        let row = try tx.db.queryFirst(
            "SELECT user_id, is_answered FROM passing_connections WHERE agent_conn_id = ?",
            [id.text]
        )
        guard let row, try !isOwnAnswerStored || !row.bool("is_answered") else { return }
        let farewell = isOwnAnswerStored ? DeletionMode.afterDelivery : .silent
        try tx.requestDeletionInAgent(of: id.text, user: row.int64("user_id"), farewell)
    }

    /// Forgets a connection that the agent has deleted.
    static func remove(_ id: ConnectionID, _ tx: Transaction) throws {
        try tx.db.execute("DELETE FROM passing_connections WHERE agent_conn_id = ?", [id.text])
    }

    /// Ends old connections, even if their answers are not delivered yet.
    /// - Returns: the number of ended connections.
    @discardableResult
    static func endExpiredConnections(_ tx: Transaction) throws -> Int {
        let old = tx.now.adding(seconds: -maxAgeSeconds).nanoseconds
        return try endConnections(
            try tx.db.query("SELECT agent_conn_id, user_id FROM passing_connections WHERE created_at < ?", [old]),
            tx
        )
    }
}
