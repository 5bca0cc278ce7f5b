import Clocks
import SMP
import SQLCipher

/// Key of a request of the caller. A repetition of the request has the same key.
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

extension Agent {
    /// Finds the invitation or address that an earlier call with this request has created.
    /// - Parameter data: new data for the short link of the invitation or address.
    func findLink(
        madeFor request: AgentRequestKey?,
        data: ContactLinkData,
        patience: Patience
    ) async throws -> (ConnectionID, ConnectionRequest, ShortLink?)? {
        guard request != nil else { return nil }
        let found = try await database.read { db -> (AgentConnection, RcvQueue, StoredLink?)? in
            guard let id = try DoneRequest.findConnection(request, db), let record = try AgentConnection.find(id, db),
                let queue = try RcvQueue.findCurrent(id, db)
            else { return nil }
            return (record, queue, try StoredLink.find(id, db))
        }
        guard let (record, queue, link) = found else { return nil }
        let kind: ConnectionRequest.Kind
        if record.isAddress {
            kind = .contact
        } else {
            guard let keys = record.e2eKeys else { return nil }
            kind = .invitation(e2e: E2EPrivateKeys(key1: keys.key1, key2: keys.key2).makeParameters())
        }
        if link != nil { try await setLinkData(record.id, data: data, patience: patience) }
        let made = ConnectionRequest(
            kind: kind,
            agentVersions: AgentVersions.supported,
            queues: [queue.makeURI(mode: record.isAddress ? .contact : queue.mode)]
        )
        return (record.id, made, link.map { $0.shortLink(at: queue.server.withoutPassword) })
    }
}

extension StoredLink {
    fileprivate func shortLink(at server: ProtocolServer) -> ShortLink {
        ShortLink(
            scheme: .https,
            kind: secrets.isInvitation ? .invitation(linkID: secrets.linkID) : .contact(.contact),
            server: server,
            linkKey: secrets.linkKey
        )
    }
}

extension Agent {
    /// Finds the connection that a request has made.
    package func findConnection(madeFor request: AgentRequestKey) async throws -> ConnectionID? {
        try await database.read { db in try DoneRequest.findConnection(request, db) }
    }
}
