import SMP
import SQLCipher
import SimpleXCrypto

/// The requesting side of contact addresses. The requesting side sends an invitation to the owner of the address, who
/// joins this invitation (simplexmq `protocol/agent-protocol.md`, "Contact addresses").
extension Agent {
    /// Prepares a request to an address: creates the connection and the keys of its invitation, without using the
    /// network.
    func prepareRequest(user: AgentUserID, to address: ConnectionRequest, pqSupport: Bool) async throws -> ConnectionID
    {
        let version = try Self.compatibleVersions(for: address).agent
        // The invitation has space for a KEM key, because it is sent in a message, and not shown as a link.
        let pqSupport = pqSupport && AgentPadding.isPQPossible(agentVersion: version, e2e: nil)
        let keys = try E2EPrivateKeys(kem: pqSupport ? .propose : .none)
        let record = AgentConnection(
            id: ConnectionID(),
            userID: user,
            agentVersion: version,
            e2eKeys: keys,
            ratchet: nil,
            pqSupport: pqSupport
        )
        try await database.write { db in
            guard try db.firstRow("SELECT 1 AS known FROM users WHERE user_id = ? AND deleted = 0", user) != nil else {
                throw AgentError.noUser
            }
            try record.insert(db)
        }
        return record.id
    }

    /// Creates the queue for the answer, and sends the invitation with `connInfo`. Only the encryption of the address's
    /// queue protects the invitation. The function may be repeated, since the owner recognizes repetitions by their
    /// content.
    func sendRequest(
        connection id: ConnectionID,
        to address: ConnectionRequest,
        connInfo: [UInt8],
        patience: Patience
    ) async throws {
        let (record, known) = try await database.read { db in
            (try AgentConnection.get(id, db), try RcvQueue.findCurrent(id, db))
        }
        // If the connection has a ratchet, the owner has answered already, and nothing is sent again.
        guard record.ratchet == nil else { return }
        guard let keys = record.e2eKeys else { throw AgentError.command(.prohibited, context: "request") }
        let (agentVersion, queue, clientVersion) = try Self.compatibleVersions(for: address)
        let reply: RcvQueue
        if let known {
            reply = known
        } else {
            reply = try await createQueue(
                for: id,
                user: record.userID,
                mode: configuration.queueMode,
                avoiding: [queue.server],
                patience: patience
            )
            try await storeNewQueue(reply, user: record.userID) { db in try reply.insert(db) }
        }
        let invitation = ConnectionRequest(
            kind: .invitation(e2e: keys.makeParameters()),
            agentVersions: AgentVersions.supported,
            queues: [reply.makeURI(mode: reply.mode)]
        )
        let envelope = try AgentEnvelope.invitation(agentVersion: agentVersion, request: invitation, connInfo: connInfo)
            .encoded()
        let dhKey = try X25519.PrivateKey()
        let body: [UInt8]
        do {
            body = try ClientMessageEnvelope(
                sealing: ClientMessage(body: envelope),
                header: .init(clientVersion: clientVersion, dhKey: dhKey.publicKey),
                secret: dhKey.sharedSecret(with: queue.dhPublicKey)
            ).smpEncoded()
        } catch {
            throw AgentError.command(.large, context: "connection request")
        }
        let message = SMPRequest(
            .send(MessageFlags(notification: true), body: body),
            entityID: queue.senderID,
            key: nil
        )
        try await sendCommand(message, to: queue.server, user: record.userID, connection: id, patience: patience)
    }

    private static func compatibleVersions(
        for address: ConnectionRequest
    ) throws -> (agent: UInt16, queue: QueueURI, client: UInt16) {
        guard let agent = address.agentVersions.commonVersions(with: AgentVersions.supported)?.max,
            let queue = address.queues.first,
            let client = queue.clientVersions.commonVersions(with: AgentVersions.supportedClientVersions)?.max
        else { throw AgentError.agent(.version) }
        return (agent, queue, client)
    }
}
