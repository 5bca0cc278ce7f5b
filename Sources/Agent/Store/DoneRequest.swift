import Clocks
import SQLCipher

/// Key by which the agent recognizes a request of the caller. A repetition of the request has the same key.
package typealias AgentRequestKey = [UInt8]

/// Results of the caller's requests, which are kept for a day.
///
/// A caller whose process ended before it stored a result repeats the request. Then the caller gets the first result,
/// and the request has no second effect. The transaction that has the effect also writes the result.
enum DoneRequest {
    /// Lifetime of an entry in seconds.
    static let lifetimeSeconds: Int64 = 86_400

    /// Finds the connection that the request has made or changed.
    static func findConnection(_ key: AgentRequestKey?, _ db: DatabaseConnection) throws -> ConnectionID? {
        try findRow(key, db)?.blobOrNil("conn_id").map { ConnectionID(bytes: $0) }
    }

    /// Finds the user that the request has made.
    static func findUser(_ key: AgentRequestKey?, _ db: DatabaseConnection) throws -> AgentUserID? {
        try findRow(key, db)?.int64OrNil("user_id")
    }

    private static func findRow(_ key: AgentRequestKey?, _ db: DatabaseConnection) throws -> Row? {
        guard let key else { return nil }
        return try db.firstRow(
            """
            SELECT r.user_id, r.conn_id FROM done_requests r LEFT JOIN users u ON u.user_id = r.user_id
            WHERE request_key = :request_key AND done_at > :done_at AND coalesce(u.deleted, 0) = 0
            """,
            ["request_key": key, "done_at": WallClock.seconds() - lifetimeSeconds]
        )
    }

    static func recordResult(
        _ key: AgentRequestKey?,
        user: AgentUserID? = nil,
        connection: ConnectionID? = nil,
        _ db: DatabaseConnection
    ) throws {
        guard let key else { return }
        let now = WallClock.seconds()
        try db.execute("DELETE FROM done_requests WHERE done_at <= ?", now - lifetimeSeconds)
        try db.insert(
            into: "done_requests",
            or: .replace,
            ["request_key": key, "user_id": user, "conn_id": connection?.bytes, "done_at": now]
        )
    }
}
