import Clocks
import SMP
import SQLCipher
import SimpleXCrypto

/// Handles received messages, from their arrival from a relay to their acknowledgement.
extension Agent {
    /// Processes a message in a transaction, acknowledges it to the relay, and emits the resulting events.
    func receiveMessage(
        _ message: RcvMessage,
        _ rcvID: [UInt8],
        _ key: RelayClients.Key,
        _ connection: ConnectionID
    ) async {
        guard let delayRule = (try? requireOnline())?.receiptDelayRule else { return }
        let delay = delayRule.mayDelayCommit(connection) ? configuration.commitDelays.receivedReceiptDelay : .zero
        let begin = ContinuousClock.now
        let received: (reception: ReceptionResult, rcvKey: AuthorizationPrivateKey)?
        do {
            received = try await storeMessage(message, rcvID, key, maxDelay: delay)
        } catch {
            guard (try? requireOnline()) != nil else { return }
            logger.error("message not received", metadata: ["error": "\(error)"])
            emit(.error(connection, .internal("message not stored")), in: .connection(connection))
            return await giveUpUnstorableMessage(message.id, rcvID, key)
        }
        guard let (reception, rcvKey) = received, let run = try? requireOnline() else { return }
        if delay > .zero, reception.canDelayCommit, ContinuousClock.now - begin >= delay {
            delayRule.recordDelayExpiration(connection)
        }
        countReception(reception, key)
        let acknowledgement = RelayAcknowledgement(relay: key, rcvID: rcvID, rcvKey: rcvKey, messageID: message.id)
        let isOpen =
            if reception.message != nil {
                run.receiveWindow.recordStoredMessage(connection, acknowledgement)
            } else if reception.wasStoredBefore {
                run.receiveWindow.recordRepeatedMessage(connection, acknowledgement)
            } else {
                reception.error == nil
            }
        if isOpen { acknowledgeToRelay(acknowledgement) }
        startWork(causedBy: reception, connection, run)
        if let message = reception.message { emit(message, in: .connection(connection)) }
        if let error = reception.error {
            var emission = Emission(.error(connection, error))
            if reception.message == nil, !reception.wasStoredBefore {
                emission.pendingAcknowledgement = acknowledgement
            }
            emit(emission, in: .connection(connection))
        }
    }

    /// Processes a message in a transaction.
    /// - Parameter maxDelay: the longest time for which the commit of a message with only receipts may be delayed.
    /// - Returns: the consequences of the message, and the key that authorizes its acknowledgement; nil for an unknown
    ///   queue.
    private func storeMessage(
        _ message: RcvMessage,
        _ rcvID: [UInt8],
        _ key: RelayClients.Key,
        maxDelay: Duration
    ) async throws -> (reception: ReceptionResult, rcvKey: AuthorizationPrivateKey)? {
        let now = WallClock.seconds()
        let early = await decryptMessageEarly(message.body, rcvID, key)
        return try await tryThreeTimes {
            try await storeWithRetry(within: { $0?.reception.canDelayCommit == true ? maxDelay : .zero }) { db in
                guard let queue = try RcvQueue.find(server: key.server, rcvID: rcvID, db) else { return nil }
                let receiver = Receiver(
                    queue: queue,
                    brokerMessageID: message.id,
                    nowSeconds: now,
                    db: db,
                    earlyDecryption: early
                )
                return (try receiver.receiveBody(message.body), queue.key)
            }
        }
    }

    private func countReception(_ reception: ReceptionResult, _ key: RelayClients.Key) {
        statistics.updateCounts(key.user, key.server) { one in
            switch reception.error {
            case nil: one.recvMsgs += 1
            case .agent(.duplicate)?: one.recvDuplicates += 1
            case .agent(.crypto)?: one.recvCryptoErrs += 1
            default: one.recvErrs += 1
            }
        }
    }

    private func decryptMessageEarly(
        _ body: RcvMessageBody,
        _ rcvID: [UInt8],
        _ key: RelayClients.Key
    ) async -> EarlyDecryption? {
        guard case .message = body else { return nil }
        let keys = try? await database.read { db in
            try EarlyDecryption.DecryptionKeys.find(server: key.server, rcvID: rcvID, db)
        }
        guard let keys = keys ?? nil else { return nil }
        return EarlyDecryption(body, keys)
    }

    /// Starts the work that a received message causes.
    private func startWork(causedBy reception: ReceptionResult, _ connection: ConnectionID, _ run: Run) {
        if reception.wakesOutbox { run.outbox.wakeWorker(connection, hasQueueSpace: true) }
        if reception.securesQueue { completeSecuring(connection) }
        if reception.continuesRotation { continueRotation(connection) }
        for event in reception.events {
            if case .ratchetSync(let id, let change) = event.event { recordRatchetState(change.state, of: id) }
            emit(event)
        }
    }

    /// Processes a message that the agent requested with GET, without a subscription.
    /// - Returns: whether the message may be acknowledged to the relay.
    func receiveFetchedMessage(_ message: RcvMessage, _ queue: RcvQueue, _ key: RelayClients.Key) async -> Bool {
        let now = WallClock.seconds()
        do {
            let reception = try await storeWithRetry { db -> ReceptionResult? in
                guard let queue = try RcvQueue.find(server: key.server, rcvID: queue.rcvID, db) else { return nil }
                return try Receiver(queue: queue, brokerMessageID: message.id, nowSeconds: now, db: db).receiveBody(
                    message.body
                )
            }
            guard let reception, let run = try? requireOnline() else { return false }
            statistics.updateCounts(key.user, key.server) { $0.recvMsgs += 1 }
            startWork(causedBy: reception, queue.connection, run)
            if let message = reception.message {
                run.receiveWindow.recordResumedMessage(queue.connection)
                emit(message, in: .connection(queue.connection))
            }
            if let error = reception.error { emit(.error(queue.connection, error), in: .connection(queue.connection)) }
            return true
        } catch {
            logger.error("message not received", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Runs `body` up to three times, since its error may be temporary.
    private func tryThreeTimes<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        for attempt in 0..<2 {
            do { return try await body() } catch {
                logger.warning("message not received yet: next attempt follows", metadata: ["error": "\(error)"])
                guard (try? requireOnline()) != nil,
                    (try? await Task.sleep(for: configuration.sendRetry.computeDelay(attempt: attempt))) != nil
                else { throw error }
            }
        }
        return try await body()
    }

    /// Acknowledges a message that cannot be stored, so that it does not block its queue. If the database accepts no
    /// writes at all, nothing is acknowledged: the relay keeps the message, and delivers it again after the next start.
    private func giveUpUnstorableMessage(_ messageID: [UInt8], _ rcvID: [UInt8], _ key: RelayClients.Key) async {
        do {
            let queue = try await storeWithRetry { db in
                try db.execute(
                    """
                    UPDATE rcv_queues SET refused_messages = refused_messages + 1
                    WHERE server = :server AND rcv_id = :rcv_id
                    """,
                    ["server": key.server.str, "rcv_id": rcvID]
                )
                return try RcvQueue.find(server: key.server, rcvID: rcvID, db)
            }
            guard let queue else { return }
            acknowledgeToRelay(RelayAcknowledgement(relay: key, rcvID: rcvID, rcvKey: queue.key, messageID: messageID))
        } catch {
            logger.error(
                "queue blocked until the next start: its message cannot be stored",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Acknowledges a message whose outer encryption cannot be decrypted, since a repeated delivery would not help.
    func discardUndecryptableMessage(
        _ messageID: [UInt8],
        _ rcvID: [UInt8],
        _ key: RelayClients.Key,
        _ connection: ConnectionID
    ) async {
        statistics.updateCounts(key.user, key.server) { $0.recvCryptoErrs += 1 }
        var emission = Emission(.error(connection, .agent(.crypto(.decryptCB))))
        if let queue = try? await database.read({ db in try RcvQueue.find(server: key.server, rcvID: rcvID, db) }) {
            emission.pendingAcknowledgement = RelayAcknowledgement(
                relay: key,
                rcvID: rcvID,
                rcvKey: queue.key,
                messageID: messageID
            )
        }
        emit(emission, in: .connection(connection))
    }

    /// Acknowledges a message to the relay in the background. The acknowledgement is repeated after a temporary
    /// refusal, since the relay delivers no other message of the queue before the acknowledgement. If the session ends
    /// first, the relay delivers the message again, and the agent recognizes it.
    func acknowledgeToRelay(_ message: RelayAcknowledgement) {
        guard let run = try? requireOnline() else { return }
        let delays = configuration.sendRetry
        run.tasks.startTask { [logger, statistics] in
            let connection = run.clients.findConnection(message.relay, rcvID: message.rcvID)
            func count(_ change: (inout ServerStatistics) -> Void) {
                statistics.updateCounts(message.relay.user, message.relay.server, change)
            }
            var attempt = 0
            while !Task.isCancelled {
                count { $0.ackAttempts += 1 }
                do {
                    try await run.clients.requireClient(message.relay.user, message.relay.server, for: connection)
                        .acknowledgeMessage(rcvID: message.rcvID, key: message.rcvKey, messageID: message.messageID)
                    return count { $0.ackMsgs += 1 }
                } catch {
                    if case SMPClientError.smp(.noMsg) = error {
                        count { $0.ackNoMsgErrs += 1 }
                    } else {
                        count { $0.ackOtherErrs += 1 }
                    }
                    logger.debug("acknowledgement failed", metadata: ["error": "\(error)"])
                    switch error as? SMPClientError {
                    // The session is still open after a timeout, and the relay delivers no further message of the queue
                    // before the acknowledgement. So the acknowledgement is sent again.
                    case .timeout?: break
                    case .smp(let refusal)? where refusal.isTemporary: break
                    // The session has ended, or the relay would refuse a repetition too. If the relay still has the
                    // message, the next session delivers it again.
                    default: return
                    }
                }
                try? await Task.sleep(for: delays.computeDelay(attempt: attempt))
                attempt += 1
            }
        }
    }
}
