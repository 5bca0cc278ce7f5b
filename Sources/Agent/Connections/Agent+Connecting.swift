import Clocks
package import SMP
import SQLCipher
import SimpleXCrypto

extension Agent {
    /// Creates a connection with a queue on one of the user's servers, and makes its invitation. With post-quantum
    /// support the agent accepts a KEM proposal of the joiner. The invitation itself has no proposal: it is shown as
    /// text or QR code, and a KEM key would make it four times as long.
    /// - Parameter key: the key of the caller's request. A repetition of the request returns the same invitation.
    package func createInvitation(
        user: AgentUserID,
        pqSupport: Bool = true,
        for key: AgentRequestKey? = nil,
        patience: Patience = .background
    ) async throws -> (ConnectionID, ConnectionRequest) {
        if let (id, made, _) = try await findLink(
            madeFor: key,
            data: ContactLinkData(userData: []),
            patience: patience
        ) {
            return (id, made)
        }
        let keys = try E2EPrivateKeys()
        let id = ConnectionID()
        let queue = try await createQueue(for: id, user: user, mode: configuration.queueMode, patience: patience)
        let record = AgentConnection(invitationOf: user, id: id, keys: keys, pqSupport: pqSupport)
        try await storeNewQueue(queue, user: user) { db in
            try record.insert(db)
            try queue.insert(db)
            try DoneRequest.recordResult(key, connection: id, db)
        }
        let uri = QueueURI(
            clientVersions: AgentVersions.supportedClientVersions,
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

    /// Continues a connection whose confirmation has arrived, and sends `connInfo` to the peer. The agent continues
    /// after the return, also after crashes. ``AgentEvent/connected(_:)`` reports that the connection is complete.
    package func allow(connection id: ConnectionID, confirmation: ConfirmationID, connInfo: [UInt8]) async throws {
        try await database.write { db in
            try db.execute(
                """
                UPDATE confirmations SET own_info = :own_info
                WHERE confirmation_id = :confirmation_id AND conn_id = :conn_id AND own_info IS NULL
                """,
                ["own_info": connInfo, "confirmation_id": confirmation, "conn_id": id.bytes]
            )
        }
        completeAllowing(id)
    }

    /// Secures both queues of an allowed connection, and puts the answer to the confirmation into the outbox. Repeats
    /// these steps after failures that may pass (``AgentError/isRetryable``).
    func completeAllowing(_ id: ConnectionID) {
        retryInBackground(id) { agent in
            let allowed = try await agent.database.write { db in try AllowedConnection(id, db) }
            guard let allowed else { return }
            if let senderKey = allowed.senderKey {
                try await agent.secureReceiveQueue(allowed.rcvQueue, with: senderKey, user: allowed.user)
            }
            let isSecured = try await agent.secureSendQueue(allowed.sndQueue, user: allowed.user, .background)
            let now = WallClock.seconds()
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

    /// Continues the connection procedure with HELLO on the joiner's side: secures the receive queue with the
    /// initiator's key, then sends HELLO.
    func completeSecuring(_ id: ConnectionID) {
        retryInBackground(id) { agent in
            let (record, queue) = try await agent.database.read { db in
                (try AgentConnection.find(id, db), try RcvQueue.findCurrent(id, db))
            }
            guard let record, let queue, let key = record.pendingSenderKey else { return }
            try await agent.secureReceiveQueue(queue, with: key, user: record.userID)
            let now = WallClock.seconds()
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

/// Whether the agent repeats an operation in the background after this error.
private func isRetryable(_ error: any Error) -> Bool {
    switch error {
    case let error as AgentError: error.isRetryable
    case let error as DatabaseError: error.isTemporary
    default: error is RatchetOutOfSync
    }
}

extension AgentError {
    /// Whether an operation that failed with this error may succeed later. Either the error is temporary, or its cause
    /// disappears when the relay gets another address or version, or when the user changes the settings. The agent
    /// repeats the operation in the background.
    var isRetryable: Bool { isTemporary || brokerError?.isHostFault == true }

    private var brokerError: SMPBrokerError? {
        switch self {
        case .broker(_, let error), .smp(_, .proxy(.broker(let error))): error
        case .proxy(let failure): failure.brokerError
        default: nil
        }
    }

    /// Whether an operation that failed with this error may succeed later without a change of settings or addresses.
    package var isTemporary: Bool {
        switch self {
        case .broker(_, .network), .broker(_, .timeout), .inactive: true
        case .smp(_, let error): error.isTemporary
        case .proxy(let failure): failure.isTemporary
        default: false
        }
    }
}
