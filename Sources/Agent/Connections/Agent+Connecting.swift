import SMP
import SQLCipher
import SimpleXCrypto

extension Agent {
    /// A new connection with a queue on one of the user's servers, and the request that invites somebody to it.
    ///
    /// With post-quantum support the joiner's KEM proposal is accepted. The request itself makes none: its text is shown and scanned, and a key
    /// would make it four times as long.
    /// - Parameter request: what the invitation is made for.
    public func createInvitation(
        user: AgentUserID, pqSupport: Bool = true, for request: AgentRequestKey? = nil
    ) async throws -> (ConnectionID, ConnectionRequest) {
        let keys = try E2EPrivateKeys()
        let id = ConnectionID()
        let queue = try await createQueue(for: id, user: user, mode: configuration.queueMode)
        let record = ConnectionRecord(id: id, userID: user, agentVersion: AgentVersions.supported.max, e2eKeys: keys, ratchet: nil, pqSupport: pqSupport)
        try await keeping(queue, user: user) { db in
            try record.insert(db)
            try queue.insert(db)
            try DoneRequest.note(request, connection: id, db)
        }
        let uri = QueueURI(
            clientVersions: AgentVersions.client, server: queue.server.withoutPassword, senderID: queue.sndID,
            dhPublicKey: queue.e2ePrivateKey.publicKey, mode: queue.mode)
        let request = ConnectionRequest(
            kind: .invitation(e2e: keys.parameters()), agentVersions: AgentVersions.supported, queues: [uri], clientData: nil)
        return (id, request)
    }

    /// Makes a queue on one of the user's servers, subscribed to, and known to belong to the connection.
    ///
    /// A queue whose making was cut off before the relay's answer came stays there, empty: its recipient id was in that answer and nowhere else, no
    /// command finds a queue by its owner's key, and NEW again makes another one (with the same sender id it is refused). The original leaves it too.
    /// - Parameter avoided: relays that are taken only where there is no other; the first of them last of all.
    func createQueue(
        for connection: ConnectionID, user: AgentUserID, mode: QueueMode, avoiding avoided: [ProtocolServer] = []
    ) async throws -> RcvQueue {
        let server = try await server(of: user, avoiding: avoided)
        let run = try online()
        do {
            let created = try await run.clients.client(user, server, for: connection).createQueue(
                key: .ed25519(try Ed25519.PrivateKey()), dhKey: try X25519.PrivateKey(), mode: mode)
            let queue = RcvQueue(
                connection: connection, server: server, rcvID: created.credentials.rcvID, key: created.credentials.key,
                dhSecret: created.credentials.dhSecret, sndID: created.sndID, mode: created.mode,
                e2ePrivateKey: try X25519.PrivateKey(), clientVersion: AgentVersions.client.max, status: .new)
            run.clients.register(user, queue)
            return queue
        } catch let error as SMPClientError {
            throw AgentError(error, server: server)
        }
    }

    /// Stores a new queue; when that fails the relay is to delete it, since nobody would know of it.
    func keeping<T: Sendable>(
        _ queue: RcvQueue, user: AgentUserID, _ store: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        do { return try await database.write(store) } catch {
            deleteQueues([DeletedQueue(user: user, queue: queue.credentials, connection: queue.connection, server: queue.server)])
            throw error
        }
    }

    /// Prepares to accept an invitation, or to ask an address: the connection exists and has its keys, nothing has gone over the network.
    /// - Parameter pqSupport: whether a KEM is to be used where both sides can: the invitation's is accepted, or one is proposed.
    public func prepareJoin(user: AgentUserID, request: ConnectionRequest, pqSupport: Bool = true) async throws -> ConnectionID {
        guard case .invitation(let e2e) = request.kind else {
            return try await prepareRequest(user: user, to: request, pqSupport: pqSupport)
        }
        guard let agentVersion = request.agentVersions.compatible(with: AgentVersions.supported)?.max,
            let queue = request.queues.first, let clientVersion = queue.clientVersions.compatible(with: AgentVersions.client)?.max,
            let inviter = e2e.compatible(with: E2EVersion.supported)
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
                connection: id, server: queue.server, sndID: queue.senderID, dhPublicKey: queue.dhPublicKey, mode: queue.mode,
                clientVersion: clientVersion)
        } catch {
            // Points with which there is no secret, or a KEM key of another length.
            throw AgentError.command(.syntax, context: "keys of the connection request")
        }
        let record = ConnectionRecord(id: id, userID: user, agentVersion: agentVersion, e2eKeys: keys, ratchet: ratchet, pqSupport: pqSupport)
        try await database.write { db in
            guard try db.first("SELECT 1 AS known FROM users WHERE user_id = ? AND deleted = 0", user) != nil else { throw AgentError.noUser }
            try record.insert(db)
            var sndQueue = sndQueue
            try sndQueue.takeBoundKey(of: user, db)
            try sndQueue.insert(db)
        }
        return id
    }

    /// Accepts an invitation: secures its queue where that is the sender's to do, makes a queue for the way back, and stores the
    /// confirmation for sending. May be repeated: what is done is not done again.
    /// - Returns: whether messages can be sent at once: the queue is secured, and the one for the way back needs no HELLO. A program of the
    ///   original that has got another message before a HELLO does not take the HELLO any more, and would never be connected.
    public func join(connection id: ConnectionID, request: ConnectionRequest, connInfo: [UInt8]) async throws -> Bool {
        guard request.isInvitation else {
            try await self.request(connection: id, to: request, connInfo: connInfo)
            return false
        }
        let (record, sndQueue, rcvQueue) = try await database.read { db in
            (try ConnectionRecord.get(id, db), try SndQueue.of(id, db), try RcvQueue.of(id, db))
        }
        guard let sndQueue, record.lastSndID == 0 || request.queues.first?.senderID == sndQueue.sndID else {
            throw AgentError.command(.prohibited, context: "join")
        }
        let isFast = record.agentVersion >= AgentVersions.ratchetOnConfirmation
        guard record.lastSndID == 0 else { return sndQueue.isSecuredBySender && isFast && rcvQueue?.mode == .messaging }
        let isSecured = try await secure(sndQueue, user: record.userID)
        let reply: RcvQueue
        if let rcvQueue {
            reply = rcvQueue
        } else {
            reply = try await createQueue(for: id, user: record.userID, mode: configuration.queueMode, avoiding: [sndQueue.server])
            try await keeping(reply, user: record.userID) { [reply] db in
                guard try RcvQueue.of(id, db) == nil else { throw AgentError.command(.prohibited, context: "join") }
                try reply.insert(db)
            }
        }
        let now = currentSeconds()
        // In the form that the inviter reads: its program may know no later one than that of its own queue.
        let info = QueueInfo(
            clientVersion: min(sndQueue.clientVersion, AgentVersions.client.max), server: reply.server.withoutPassword, senderID: reply.sndID,
            dhPublicKey: reply.e2ePrivateKey.publicKey, mode: reply.mode)
        try await database.write { db in
            var record = try ConnectionRecord.get(id, db)
            guard record.lastSndID == 0 else { return }
            guard let keys = record.e2eKeys, let version = record.ratchet?.versions.current else {
                throw AgentError.command(.prohibited, context: "join")
            }
            record.e2eKeys = nil
            try record.enqueueConfirmation(
                .connInfoReply(queues: [info], connInfo: connInfo), kind: .connInfoReply, e2e: keys.parameters(version: version), at: now, db)
            try db.execute("DELETE FROM invitation_keys WHERE user_id = ? AND snd_id = ?", record.userID, sndQueue.sndID)
        }
        try online().outbox.wake(id)
        return isSecured && isFast && reply.mode == .messaging
    }

    /// Secures a queue as its sender (SKEY), once.
    private func secure(_ queue: SndQueue, user: AgentUserID) async throws -> Bool {
        guard queue.isSecuredBySender else { return false }
        guard queue.status == .new else { return true }
        try await send(SMPRequest(.skey(queue.key.publicKey), entityID: queue.sndID, key: queue.key), to: queue.server, user: user, connection: queue.connection)
        try await database.write { db in try queue.setStatus(.secured, db) }
        return true
    }

    /// Goes on with a connection whose confirmation has come: `connInfo` is told to the other side. When this returns it will be done,
    /// also through crashes; ``AgentEvent/connected(_:)`` tells that it is.
    public func allow(connection id: ConnectionID, confirmation: ConfirmationID, connInfo: [UInt8]) async throws {
        try await database.write { db in
            try db.execute(
                "UPDATE confirmations SET own_info = ? WHERE confirmation_id = ? AND conn_id = ? AND own_info IS NULL", connInfo, confirmation, id.bytes)
        }
        completeAllow(id)
    }

    /// Secures both queues of an allowed connection and puts the answer into the outbox; tries again as long as the failure may pass.
    func completeAllow(_ id: ConnectionID) {
        retrying(id) { agent in
            let allowed = try await agent.database.write { db in try AllowedConnection(id, db) }
            guard let allowed else { return }
            if let senderKey = allowed.senderKey { try await agent.secure(allowed.rcvQueue, with: senderKey, user: allowed.user) }
            let isSecured = try await agent.secure(allowed.sndQueue, user: allowed.user)
            let now = currentSeconds()
            try await agent.database.write { db in
                guard var record = try ConnectionRecord.find(id, db) else { return }
                try db.execute("DELETE FROM confirmations WHERE conn_id = ?", id.bytes)
                guard db.changes > 0 else { return }
                if try SndQueue.of(id, db) == nil { try allowed.sndQueue.insert(db) }
                if isSecured { try allowed.sndQueue.setStatus(.secured, db) }
                try record.enqueueConfirmation(.connInfo(allowed.ownInfo), kind: .connInfo, e2e: nil, at: now, db)
                try Self.enqueueDeferred(to: id, at: now, db)
            }
            try agent.online().outbox.wake(id)
        }
    }

    /// The older procedure, at the joiner: secures the receive queue with the initiator's key, then says HELLO.
    func completeSecuring(_ id: ConnectionID) {
        retrying(id) { agent in
            let (record, queue) = try await agent.database.read { db in (try ConnectionRecord.find(id, db), try RcvQueue.of(id, db)) }
            guard let record, let queue, let key = record.pendingSenderKey else { return }
            try await agent.secure(queue, with: key, user: record.userID)
            let now = currentSeconds()
            try await agent.database.write { db in
                var record = try ConnectionRecord.get(id, db)
                guard record.pendingSenderKey != nil else { return }
                record.pendingSenderKey = nil
                guard try !OutboxMessage.isWaiting(.hello, on: id, db) else { return try record.update(db) }
                // Versions before this one did not put it there at once.
                _ = try record.enqueue(.hello, kind: .hello, notify: true, at: now, db)
            }
            try agent.online().outbox.wake(id)
        }
    }

    func secure(_ queue: RcvQueue, with key: AuthorizationKey, user: AgentUserID) async throws {
        do {
            try await online().clients.client(user, queue.server, for: queue.connection).secureQueue(queue.credentials, senderKey: key)
            statistics.count(user, queue.server) { $0.connSecured += 1 }
        } catch let error as SMPClientError {
            throw AgentError(error, server: queue.server)
        }
    }

    /// Runs `body` until it succeeds or fails for good, which is then told as an error of the connection.
    func retrying(_ id: ConnectionID, _ body: @escaping @Sendable (Agent) async throws -> Void) {
        guard let run = try? online() else { return }
        let delays = configuration.sendRetry
        run.tasks.add { [weak self] in
            var attempt = 0
            while !Task.isCancelled, let agent = self {
                do { return try await body(agent) } catch where mayPass(error) {
                    try? await Task.sleep(for: delays.delay(attempt: attempt))
                    attempt += 1
                } catch {
                    return agent.tell(.error(id, error as? AgentError ?? .internal("\(error)")), in: .connection(id))
                }
            }
        }
    }
}

/// Whether what was taken over is tried again after such an error.
private func mayPass(_ error: any Error) -> Bool {
    switch error {
    case let error as AgentError: error.mayPass
    case let error as DatabaseError: error.isTemporary
    default: error is RatchetOutOfSync
    }
}

extension AgentError {
    /// Whether the same may succeed later, or once a relay that cannot be reached as things are has other addresses or versions, or the user other
    /// settings: what was taken over is tried until then.
    var mayPass: Bool { isTemporary || brokerError?.isHostFault == true }

    private var brokerError: BrokerErrorType? {
        switch self {
        case .broker(_, let error), .smp(_, .proxy(.broker(let error))): error
        case .proxy(let failure): failure.brokerError
        default: nil
        }
    }

    /// Whether the same may succeed later without anybody changing anything.
    public var isTemporary: Bool {
        switch self {
        case .broker(_, .network), .broker(_, .timeout), .inactive: true
        case .smp(_, let error): error.isTemporary
        case .proxy(let failure): failure.isTemporary
        default: false
        }
    }
}
