import Clocks
package import SMP
import SQLCipher
import SimpleXCrypto

/// Joins invitations.
extension Agent {
    /// Prepares joining an invitation or requesting an address: creates the connection and its keys, without using the
    /// network.
    /// - Parameter pqSupport: whether to use a KEM if both sides support it. The agent accepts the KEM proposal of
    ///   the invitation, or makes a proposal.
    package func prepareJoin(
        user: AgentUserID,
        request: ConnectionRequest,
        pqSupport: Bool = true
    ) async throws -> ConnectionID {
        guard case .invitation(let e2e) = request.kind else {
            return try await prepareRequest(user: user, to: request, pqSupport: pqSupport)
        }
        guard let agentVersion = request.agentVersions.commonVersions(with: AgentVersions.supported)?.max,
            let queue = request.queues.first,
            let clientVersion = queue.clientVersions.commonVersions(with: AgentVersions.supportedClientVersions)?.max,
            let inviter = e2e.compatibleParameters(with: E2EVersion.supported)
        else { throw AgentError.agent(.version) }
        let id = ConnectionID()
        let pqSupport = pqSupport && AgentPadding.isPQPossible(agentVersion: agentVersion, e2e: inviter.version)
        let keys: E2EPrivateKeys
        let ratchet: Ratchet
        let sndQueue: SndQueue
        do {
            keys = try E2EPrivateKeys(kem: .init(answering: inviter, pqSupported: pqSupport))
            ratchet = try Ratchet(joining: inviter, keys: keys)
            sndQueue = try SndQueue(
                connection: id,
                server: queue.server,
                sndID: queue.senderID,
                dhPublicKey: queue.dhPublicKey,
                mode: queue.mode,
                clientVersion: clientVersion
            )
        } catch {
            // The keys in the request are unusable: public keys that yield no shared secret, or a KEM key of a wrong
            // length.
            throw AgentError.command(.syntax, context: "keys of the connection request")
        }
        let record = AgentConnection(
            id: id,
            userID: user,
            agentVersion: agentVersion,
            e2eKeys: keys,
            ratchet: ratchet,
            pqSupport: pqSupport
        )
        try await database.write { db in
            guard try db.firstRow("SELECT 1 AS known FROM users WHERE user_id = ? AND deleted = 0", user) != nil else {
                throw AgentError.noUser
            }
            try record.insert(db)
            var sndQueue = sndQueue
            try sndQueue.useLinkReadingKey(of: user, db)
            try sndQueue.insert(db)
        }
        return id
    }

    /// Joins an invitation: secures its queue if the sender may do so, creates a queue for messages of the inviter, and
    /// stores the confirmation for sending. The function may be repeated, and skips completed steps.
    /// - Returns: whether messages can be sent immediately: the queue of the invitation is secured, and the new queue
    ///   needs no HELLO. (The original ignores a HELLO that follows another message, and would never complete the
    ///   connection.)
    package func join(
        connection id: ConnectionID,
        request: ConnectionRequest,
        connInfo: [UInt8],
        patience: Patience = .background
    ) async throws -> Bool {
        guard request.isInvitation else {
            try await self.sendRequest(connection: id, to: request, connInfo: connInfo, patience: patience)
            return false
        }
        let (record, sndQueue, rcvQueue) = try await database.read { db in
            (try AgentConnection.get(id, db), try SndQueue.findCurrent(id, db), try RcvQueue.findCurrent(id, db))
        }
        guard let sndQueue, record.lastSndID == 0 || request.queues.first?.senderID == sndQueue.sndID else {
            throw AgentError.command(.prohibited, context: "join")
        }
        let isFast = record.agentVersion >= AgentVersions.firstWithRatchetOnConfirmation
        guard record.lastSndID == 0 else { return sndQueue.isSecuredBySender && isFast && rcvQueue?.mode == .messaging }
        let isSecured = try await secureSendQueue(sndQueue, user: record.userID, patience)
        let reply: RcvQueue
        if let rcvQueue {
            reply = rcvQueue
        } else {
            reply = try await createReplyQueue(of: record, avoiding: sndQueue.server, patience)
        }
        try await enqueueReply(over: sndQueue, with: reply, connInfo: connInfo)
        try requireOnline().outbox.wakeWorker(id)
        return isSecured && isFast && reply.mode == .messaging
    }

    /// Creates the queue for messages of the inviter when an invitation is joined.
    private func createReplyQueue(
        of record: AgentConnection,
        avoiding server: ProtocolServer,
        _ patience: Patience
    ) async throws -> RcvQueue {
        let reply = try await createQueue(
            for: record.id,
            user: record.userID,
            mode: configuration.queueMode,
            avoiding: [server],
            patience: patience
        )
        try await storeNewQueue(reply, user: record.userID) { [id = record.id] db in
            guard try RcvQueue.findCurrent(id, db) == nil else {
                throw AgentError.command(.prohibited, context: "join")
            }
            try reply.insert(db)
        }
        return reply
    }

    /// Puts the confirmation of a joined invitation into the outbox. Does nothing if a message was already put into the
    /// outbox for this connection, because the first message is the confirmation.
    private func enqueueReply(over sndQueue: SndQueue, with reply: RcvQueue, connInfo: [UInt8]) async throws {
        let now = WallClock.seconds()
        // The queue is encoded for the inviter's program, in a version that this program supports too.
        let info = SMPQueueInfo(
            clientVersion: min(sndQueue.clientVersion, AgentVersions.supportedClientVersions.max),
            server: reply.server.withoutPassword,
            senderID: reply.sndID,
            dhPublicKey: reply.e2ePrivateKey.publicKey,
            mode: reply.mode
        )
        try await database.write { db in
            var record = try AgentConnection.get(sndQueue.connection, db)
            guard record.lastSndID == 0 else { return }
            guard let keys = record.e2eKeys, let version = record.ratchet?.versions.current else {
                throw AgentError.command(.prohibited, context: "join")
            }
            record.e2eKeys = nil
            try record.enqueueConfirmation(
                .connInfoReply(queues: [info], connInfo: connInfo),
                kind: .connInfoReply,
                e2e: keys.makeParameters(version: version),
                at: now,
                db
            )
            try db.delete(from: "invitation_keys", where: ["user_id": record.userID, "snd_id": sndQueue.sndID])
        }
    }

    /// Secures a queue as its sender (SKEY) if the queue is not secured yet.
    /// - Returns: whether the queue is secured; false for a queue that only its owner can secure.
    func secureSendQueue(_ queue: SndQueue, user: AgentUserID, _ patience: Patience) async throws -> Bool {
        guard queue.isSecuredBySender else { return false }
        guard queue.status == .new else { return true }
        try await sendCommand(
            SMPRequest(.skey(queue.key.publicKey), entityID: queue.sndID, key: queue.key),
            to: queue.server,
            user: user,
            connection: queue.connection,
            patience: patience
        )
        try await database.write { db in try queue.setStatus(.secured, db) }
        return true
    }
}
