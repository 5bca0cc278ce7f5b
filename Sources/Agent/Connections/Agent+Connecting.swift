package import SMP
import SQLCipher
import SimpleXCrypto

extension Agent {
    /// Creates a connection with a queue on one of the user's servers, and its invitation.
    /// With post-quantum support the agent accepts a KEM proposal of the joiner. The invitation itself has no proposal:
    /// it is shown as text or QR code, and a KEM key would make it four times as long.
    /// - Parameter request: the caller's request. A repetition of the request returns the same invitation.
    package func createInvitation(
        user: AgentUserID,
        pqSupport: Bool = true,
        for request: AgentRequestKey? = nil,
        patience: Patience = .background
    ) async throws -> (ConnectionID, ConnectionRequest) {
        if let (id, made, _) = try await findLink(
            madeFor: request,
            data: ContactLinkData(userData: []),
            patience: patience
        ) {
            return (id, made)
        }
        let keys = try E2EPrivateKeys()
        let id = ConnectionID()
        let queue = try await createQueue(for: id, user: user, mode: configuration.queueMode, patience: patience)
        let record = AgentConnection(
            id: id,
            userID: user,
            agentVersion: AgentVersions.supported.max,
            e2eKeys: keys,
            ratchet: nil,
            pqSupport: pqSupport
        )
        try await storeNewQueue(queue, user: user) { db in
            try record.insert(db)
            try queue.insert(db)
            try DoneRequest.recordResult(request, connection: id, db)
        }
        let uri = QueueURI(
            clientVersions: AgentVersions.supportedClient,
            server: queue.server.withoutPassword,
            senderID: queue.sndID,
            dhPublicKey: queue.e2ePrivateKey.publicKey,
            mode: queue.mode
        )
        let request = ConnectionRequest(
            kind: .invitation(e2e: keys.makeParameters()),
            agentVersions: AgentVersions.supported,
            queues: [uri],
            clientData: nil
        )
        return (id, request)
    }

    /// Creates a queue of the connection on one of the user's servers, and subscribes to it.
    /// If the relay's answer is lost, an empty queue stays on the relay, as with the original. Only the lost answer
    /// contained the recipient id, and no command finds a queue by the key of its owner. Repeating NEW creates another
    /// queue, or is refused for the same sender id.
    /// - Parameter avoided: relays that are used only if there is no other relay. The first relay of the list is the
    ///   last choice.
    func createQueue(
        for connection: ConnectionID,
        user: AgentUserID,
        mode: QueueMode,
        avoiding avoided: [ProtocolServer] = [],
        patience: Patience
    ) async throws -> RcvQueue {
        let server = try await chooseServer(of: user, avoiding: avoided)
        return try await createQueue(
            for: connection,
            user: user,
            at: server,
            mode == .messaging ? .messaging(nil) : .contact(nil),
            e2eKey: try X25519.PrivateKey(),
            patience: patience
        ).queue
    }

    /// Creates a queue of the connection at this relay, and subscribes to it.
    /// - Parameters:
    ///   - data: the mode of the queue, and the data behind its link if the queue has a link.
    ///   - corrID: the correlation id, from which the relay derives the sender id of a queue with a link.
    ///   - e2eKey: the private key whose public key is in the address of the queue.
    /// - Returns: the queue, and the id of the link of an invitation.
    /// - Throws: `AgentError.broker(_, .transport(.version))` when the relay does not support links.
    func createQueue(
        for connection: ConnectionID,
        user: AgentUserID,
        at server: ProtocolServer,
        _ data: QueueRequestData,
        corrID: [UInt8]? = nil,
        e2eKey: X25519.PrivateKey,
        patience: Patience
    ) async throws -> (queue: RcvQueue, linkID: [UInt8]?) {
        let run = try requireOnline()
        do {
            let created = try await run.clients.requireClient(user, server, for: connection).createQueue(
                key: .ed25519(try Ed25519.PrivateKey()),
                dhKey: try X25519.PrivateKey(),
                data: data,
                corrID: corrID,
                patience: patience
            )
            let queue = RcvQueue(
                connection: connection,
                server: server,
                rcvID: created.credentials.rcvID,
                key: created.credentials.key,
                dhSecret: created.credentials.dhSecret,
                sndID: created.sndID,
                mode: created.mode,
                e2ePrivateKey: e2eKey,
                clientVersion: AgentVersions.supportedClient.max,
                status: .new,
                serviceID: created.credentials.serviceID
            )
            // An id that is already in use is refused, because the messages of two connections would be confused.
            guard try await database.read({ db in try RcvQueue.find(server: server, rcvID: queue.rcvID, db) }) == nil
            else { throw SMPClientError.unexpected("IDS") }
            run.clients.registerNewQueue(user, queue)
            return (queue, created.ids.linkID)
        } catch let error as SMPClientError {
            throw AgentError(error, server: server)
        }
    }

    /// Stores a new queue. If this fails, the queue is deleted on the relay, since no record of it would remain.
    func storeNewQueue<T: Sendable>(
        _ queue: RcvQueue,
        user: AgentUserID,
        _ store: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        do {
            let result = try await database.write(store)
            (try? requireOnline())?.notifications.startRound()
            return result
        } catch {
            deleteQueues([
                DeletedQueue(user: user, queue: queue.credentials, connection: queue.connection, server: queue.server)
            ])
            throw error
        }
    }

    /// Prepares joining an invitation or requesting an address: creates the connection and its keys, without using the
    /// network.
    /// - Parameter pqSupport: whether to use a KEM if both sides support it. The agent accepts the proposal of the
    ///   invitation, or makes a proposal.
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
            let clientVersion = queue.clientVersions.commonVersions(with: AgentVersions.supportedClient)?.max,
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
            try sndQueue.useBoundKey(of: user, db)
            try sndQueue.insert(db)
        }
        return id
    }

    /// Joins an invitation: secures its queue if the sender may do so, creates a queue for the way back, and stores the
    /// confirmation for sending. The function may be repeated, and skips completed steps.
    /// - Returns: whether messages can be sent immediately: the queue is secured, and the queue for the way back needs
    ///   no HELLO. (The original ignores a HELLO that follows another message, and would never complete the
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
            reply = try await createQueue(
                for: id,
                user: record.userID,
                mode: configuration.queueMode,
                avoiding: [sndQueue.server],
                patience: patience
            )
            try await storeNewQueue(reply, user: record.userID) { [reply] db in
                guard try RcvQueue.findCurrent(id, db) == nil else {
                    throw AgentError.command(.prohibited, context: "join")
                }
                try reply.insert(db)
            }
        }
        let now = currentSeconds()
        // The queue is encoded for the inviter's program, in a version that this program supports too.
        let info = SMPQueueInfo(
            clientVersion: min(sndQueue.clientVersion, AgentVersions.supportedClient.max),
            server: reply.server.withoutPassword,
            senderID: reply.sndID,
            dhPublicKey: reply.e2ePrivateKey.publicKey,
            mode: reply.mode
        )
        try await database.write { db in
            var record = try AgentConnection.get(id, db)
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
            try db.execute(
                "DELETE FROM invitation_keys WHERE user_id = ? AND snd_id = ?",
                record.userID,
                sndQueue.sndID
            )
        }
        try requireOnline().outbox.wakeWorker(id)
        return isSecured && isFast && reply.mode == .messaging
    }

    /// Secures a queue as its sender (SKEY), unless it is secured already.
    private func secureSendQueue(_ queue: SndQueue, user: AgentUserID, _ patience: Patience) async throws -> Bool {
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

    /// Continues a connection whose confirmation has arrived, and sends `connInfo` to the peer. The agent continues
    /// after the return, also after crashes. ``AgentEvent/connected(_:)`` reports the end.
    package func allow(connection id: ConnectionID, confirmation: ConfirmationID, connInfo: [UInt8]) async throws {
        try await database.write { db in
            try db.execute(
                "UPDATE confirmations SET own_info = ? WHERE confirmation_id = ? AND conn_id = ? AND own_info IS NULL",
                connInfo,
                confirmation,
                id.bytes
            )
        }
        completeAllowing(id)
    }

    /// Secures both queues of an allowed connection, and puts the answer into the outbox. Repeats this after failures
    /// that may pass.
    func completeAllowing(_ id: ConnectionID) {
        retryInBackground(id) { agent in
            let allowed = try await agent.database.write { db in try AllowedConnection(id, db) }
            guard let allowed else { return }
            if let senderKey = allowed.senderKey {
                try await agent.secureReceiveQueue(allowed.rcvQueue, with: senderKey, user: allowed.user)
            }
            let isSecured = try await agent.secureSendQueue(allowed.sndQueue, user: allowed.user, .background)
            let now = currentSeconds()
            try await agent.database.write { db in
                guard var record = try AgentConnection.find(id, db) else { return }
                try db.execute("DELETE FROM confirmations WHERE conn_id = ?", id.bytes)
                guard db.changeCount > 0 else { return }
                if try SndQueue.findCurrent(id, db) == nil { try allowed.sndQueue.insert(db) }
                if isSecured { try allowed.sndQueue.setStatus(.secured, db) }
                try record.enqueueConfirmation(.connInfo(allowed.ownInfo), kind: .connInfo, e2e: nil, at: now, db)
                try Self.enqueueDeferredReceipts(to: id, at: now, db)
            }
            try agent.requireOnline().outbox.wakeWorker(id)
        }
    }

    /// Performs the older procedure as the joiner: secures the receive queue with the initiator's key, then sends
    /// HELLO.
    func completeSecuring(_ id: ConnectionID) {
        retryInBackground(id) { agent in
            let (record, queue) = try await agent.database.read { db in
                (try AgentConnection.find(id, db), try RcvQueue.findCurrent(id, db))
            }
            guard let record, let queue, let key = record.pendingSenderKey else { return }
            try await agent.secureReceiveQueue(queue, with: key, user: record.userID)
            let now = currentSeconds()
            try await agent.database.write { db in
                var record = try AgentConnection.get(id, db)
                guard record.pendingSenderKey != nil else { return }
                record.pendingSenderKey = nil
                guard try !OutboxMessage.isWaiting(.hello, on: id, db) else { return try record.update(db) }
                // Earlier versions of this program did not store the HELLO before this step. If the HELLO is missing,
                // it is stored now.
                _ = try record.enqueue(.hello, kind: .hello, notify: true, at: now, db)
            }
            try agent.requireOnline().outbox.wakeWorker(id)
        }
    }

    func secureReceiveQueue(_ queue: RcvQueue, with key: AuthorizationKey, user: AgentUserID) async throws {
        do {
            try await requireOnline().clients.requireClient(user, queue.server, for: queue.connection).secureQueue(
                queue.credentials,
                senderKey: key
            )
            statistics.updateCounts(user, queue.server) { $0.connSecured += 1 }
        } catch let error as SMPClientError {
            throw AgentError(error, server: queue.server)
        }
    }

    /// Runs `body` until it succeeds or fails permanently. A permanent failure is emitted as an error of the
    /// connection.
    func retryInBackground(_ id: ConnectionID, _ body: @escaping @Sendable (Agent) async throws -> Void) {
        guard let run = try? requireOnline() else { return }
        let delays = configuration.sendRetry
        run.tasks.startTask { [weak self] in
            var attempt = 0
            while !Task.isCancelled, let agent = self {
                do { return try await body(agent) } catch  where isRetryable(error) {
                    try? await Task.sleep(for: delays.computeDelay(attempt: attempt))
                    attempt += 1
                } catch {
                    return agent.emit(.error(id, error as? AgentError ?? .internal("\(error)")), in: .connection(id))
                }
            }
        }
    }
}

/// Whether an accepted operation is repeated after this error.
private func isRetryable(_ error: any Error) -> Bool {
    switch error {
    case let error as AgentError: error.isRetryable
    case let error as DatabaseError: error.isTemporary
    default: error is RatchetOutOfSync
    }
}

extension AgentError {
    /// Whether the operation may succeed later: the error is temporary, or its cause ends with another address or
    /// version of the relay, or with other settings of the user. The agent repeats accepted operations after such
    /// errors.
    var isRetryable: Bool { isTemporary || brokerError?.isHostFault == true }

    private var brokerError: SMPBrokerError? {
        switch self {
        case .broker(_, let error), .smp(_, .proxy(.broker(let error))): error
        case .proxy(let failure): failure.brokerError
        default: nil
        }
    }

    /// Whether the operation may succeed later without a change of settings or addresses.
    package var isTemporary: Bool {
        switch self {
        case .broker(_, .network), .broker(_, .timeout), .inactive: true
        case .smp(_, let error): error.isTemporary
        case .proxy(let failure): failure.isTemporary
        default: false
        }
    }
}
