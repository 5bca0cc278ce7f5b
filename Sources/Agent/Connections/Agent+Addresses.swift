package import SMP
import SQLCipher
import SimpleXCrypto

/// The owner's side of contact addresses: a queue to which anybody can send an invitation, and the answers to
/// invitations (simplexmq `protocol/agent-protocol.md`, "Contact addresses").
extension Agent {
    /// Creates a contact address with a queue on one of the user's servers. ``delete(connections:waitDelivery:)``
    /// deletes an address too.
    package func createAddress(
        user: AgentUserID,
        for key: AgentRequestKey? = nil,
        patience: Patience = .background
    ) async throws -> (ConnectionID, ConnectionRequest) {
        let id = ConnectionID()
        let queue = try await createQueue(for: id, user: user, mode: .contact, patience: patience)
        let record = AgentConnection(addressOf: user, id: id)
        try await storeNewQueue(queue, user: user) { [record] db in
            try record.insert(db)
            try queue.insert(db)
            try DoneRequest.recordResult(key, connection: id, db)
        }
        return (
            id,
            ConnectionRequest(
                kind: .contact,
                agentVersions: AgentVersions.supported,
                queues: [queue.makeURI(mode: .contact)]
            )
        )
    }

    /// Prepares to accept a request to an address: creates the connection and its keys, without using the network. The
    /// request stays stored until ``acceptRequest(_:connection:connInfo:)``.
    package func prepareAcceptance(_ invitation: InvitationID, pqSupport: Bool = true) async throws -> ConnectionID {
        let stored = try await database.read { db in try StoredInvitation.get(invitation, db) }
        return try await prepareJoin(user: stored.user, request: stored.request, pqSupport: pqSupport)
    }

    /// Returns the relay to which an answer to the request is sent.
    /// - Throws: `prohibited` for an unknown request.
    package func findReplyServer(of invitation: InvitationID) async throws -> ProtocolServer {
        let stored = try await database.read { db in try StoredInvitation.get(invitation, db) }
        guard let queue = stored.request.queues.first else { throw AgentError.agent(.version) }
        return queue.server
    }

    /// Accepts a request by joining its invitation with `connInfo`. The agent continues after the return, also after
    /// crashes and while relays are unreachable. A permanent failure is emitted as an error of the connection.
    /// - Parameter connection: the result of ``prepareAcceptance(_:)``.
    package func acceptRequest(_ invitation: InvitationID, connection: ConnectionID, connInfo: [UInt8]) async throws {
        try await database.write { db in
            let stored = try StoredInvitation.get(invitation, db)
            try db.insert(
                into: "pending_joins",
                or: .ignore,
                ["conn_id": connection.bytes, "request": stored.request.uri, "conn_info": connInfo]
            )
            try stored.remove(db)
        }
        completeJoin(connection)
    }

    /// Deletes a request. The peer is not notified. An unknown request counts as deleted.
    package func rejectRequest(_ invitation: InvitationID) async throws {
        try await database.write { db in try db.execute("DELETE FROM invitations WHERE invitation_id = ?", invitation) }
    }

    /// Joins the invitation of an accepted request in the background, and tries again after temporary failures.
    func completeJoin(_ id: ConnectionID) {
        retryInBackground(id) { agent in
            let pending = try await agent.database.read { db in
                try db.firstRow("SELECT request, conn_info FROM pending_joins WHERE conn_id = ?", id.bytes).map {
                    (try $0.string("request"), try $0.blob("conn_info"))
                }
            }
            guard let (text, info) = pending else { return }
            var isSecured = false
            do {
                isSecured = try await agent.join(
                    connection: id,
                    request: try ConnectionRequest(parsing: text),
                    connInfo: info
                )
            } catch let error as AgentError where !error.isRetryable {
                try await agent.database.write { db in
                    try db.execute("DELETE FROM pending_joins WHERE conn_id = ?", id.bytes)
                }
                throw error
            }
            let event = try await agent.database.write { [isSecured] db in
                try db.execute("DELETE FROM pending_joins WHERE conn_id = ?", id.bytes)
                return try PendingEvent.add(isSecured ? .securedByJoin : .joined, id, db)
            }
            agent.emit(event)
        }
    }
}

/// A request to an address that the user has neither accepted nor rejected yet.
struct StoredInvitation: Sendable {
    var id: InvitationID
    var user: AgentUserID
    var request: ConnectionRequest

    static func get(_ id: InvitationID, _ db: DatabaseConnection) throws -> StoredInvitation {
        let row = try db.firstRow(
            "SELECT i.request, c.user_id FROM invitations i JOIN connections c USING (conn_id) WHERE invitation_id = ?",
            id
        )
        guard let row, let request = try? ConnectionRequest(parsing: row.string("request")) else {
            throw AgentError.command(.prohibited, context: "no invitation")
        }
        return StoredInvitation(id: id, user: try row.int64("user_id"), request: request)
    }

    func remove(_ db: DatabaseConnection) throws {
        try db.execute("DELETE FROM invitations WHERE invitation_id = ?", id)
    }
}

extension RcvQueue {
    /// Returns the address of this queue for a link.
    func makeURI(mode: QueueMode?) -> QueueURI {
        QueueURI(
            clientVersions: AgentVersions.supportedClientVersions,
            server: server.withoutPassword,
            senderID: sndID,
            dhPublicKey: e2ePrivateKey.publicKey,
            mode: mode
        )
    }
}
