import SMP
import SQLCipher
import SimpleXCrypto

extension Agent {
    /// Handles an event of a relay's client.
    func handleClientEvent(_ event: SMPClientEvent, of session: RelayClients.SessionKey) {
        guard let run = try? requireOnline() else { return }
        let key = session.relay
        func connections(_ ids: [[UInt8]]) -> [ConnectionID] {
            ids.compactMap { run.clients.findConnection(key, rcvID: $0) }
        }
        let server = key.server.withoutPassword.str
        switch event {
        case .message(let rcvID, let message):
            guard let connection = run.clients.findConnection(key, rcvID: rcvID) else { return }
            run.jobs.addElement(.connection(connection)) { [weak self] in
                await self?.receiveMessage(message, rcvID, key, connection)
            }
        case .badMessage(let rcvID, let id, _):
            guard let connection = run.clients.findConnection(key, rcvID: rcvID) else { return }
            run.jobs.addElement(.connection(connection)) { [weak self] in
                await self?.discardUndecryptableMessage(id, rcvID, key, connection)
            }
        case .subscriptionEnded(let rcvID):
            for connection in connections([rcvID]) { emit(.subscriptionEnded(connection), in: .connection(connection)) }
        case .queueDeleted(let rcvID):
            for connection in connections([rcvID]) {
                emit(.error(connection, .smp(server: server, .auth)), in: .connection(connection))
            }
        case .assignedToService(let rcvIDs, let serviceID):
            startWrite { db in try ClientServices.storeAssignment(rcvIDs, to: serviceID, key, db) }
        // Only notification servers get these messages, so an agent ignores them.
        case .notification: return
        case .serviceSubscribed(let known, let expected):
            let error: ServiceSubscriptionError? =
                if known.count != expected.count { .queueCount(expected: expected.count) } else {
                    known == expected ? nil : .queueIDs
                }
            emit(.service(server: server, .subscribed(queueCount: known.count, error)), in: .relay(key))
        case .serviceDisconnected(let count):
            emit(.service(server: server, .lost(queueCount: count)), in: .relay(key))
        case .serviceDelivered: emit(.service(server: server, .delivered), in: .relay(key))
        case .serviceEnd(_, let count):
            emit(.service(server: server, .ended(queueCount: count)), in: .relay(key))
        case .connected(let host):
            run.outbox.wakeWorkers(all: key)
            if run.relayTroubles.recordRestoredSession(session, among: { run.clients.sessionKeys }) {
                logger.notice("relay connected again", metadata: ["relay": "\(server)"])
            } else {
                logger.info("relay connected", metadata: ["relay": "\(server)"])
            }
            emit(.hostConnected(host.str), in: .relay(key))
        case .connectionFailed(let error):
            if run.relayTroubles.recordLostSession(session) {
                logger.warning(
                    "relay cannot be reached",
                    metadata: [
                        "relay": "\(server)", "messages": "\(run.outbox.waitingCount(for: key))", "error": "\(error)",
                    ]
                )
            }
            if case .network(.tls) = error, run.clients.logsTLSErrors {
                logger.notice("TLS handshake failed", metadata: ["relay": "\(server)", "error": "\(error)"])
            }
        case .protocolViolated(let error):
            logger.warning(
                "session ended: the relay violated the protocol",
                metadata: ["relay": "\(server)", "error": "\(error)"]
            )
        case .disconnected(let ids, let host):
            if run.relayTroubles.recordLostSession(session) {
                let messages = run.outbox.waitingCount(for: key)
                if let report = configuration.onRelayLost {
                    report(server, ids.count, messages)
                } else {
                    logger.warning(
                        "connection to a relay lost",
                        metadata: ["relay": "\(server)", "queues": "\(ids.count)", "messages": "\(messages)"]
                    )
                }
            }
            emit(.hostDisconnected(host.str), in: .relay(key))
            emit(.down(server: server, connections(ids)), in: .relay(key))
        case .subscribed(let ids):
            statistics.updateCounts(key.user, key.server) {
                $0.connSubscribed += ids.count
                $0.connSubAttempts += ids.count
            }
            emit(.up(server: server, connections(ids)), in: .relay(key))
            let free = clientNotices.queuesWithNotices(ids, key.server)
            if !free.isEmpty {
                startWrite { [clientNotices] db in try clientNotices.removeNotices(free, key.server, db) }
            }
        case .subscriptionFailed(let rcvID, let error):
            statistics.updateCounts(key.user, key.server) {
                $0.connSubErrs += 1
                $0.connSubAttempts += 1
            }
            guard !error.isTemporary else { return }
            if case .smp(.blocked(let info)) = error {
                let now = currentSeconds()
                startWrite { [clientNotices] db in try clientNotices.storeNotice(info, key.server, rcvID, at: now, db) }
            }
            for connection in connections([rcvID]) {
                emit(.error(connection, AgentError(error, server: key.server)), in: .connection(connection))
            }
        }
    }

    /// Starts a write to the database, without waiting for its end. The write is repeated after a temporary error, and
    /// ends before ``stop()`` returns. Does nothing while the agent is offline.
    func startWrite(_ body: @escaping @Sendable (DatabaseConnection) throws -> Void) {
        guard let run = try? requireOnline() else { return }
        run.tasks.startTask { [weak self, logger] in
            do { try await self?.storeWithRetry(body) } catch {
                logger.error("change of the database not stored", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Processes a message in a transaction, acknowledges it to the relay, and emits the resulting events.
    private func receiveMessage(
        _ message: RcvMessage,
        _ rcvID: [UInt8],
        _ key: RelayClients.Key,
        _ connection: ConnectionID
    ) async {
        let now = currentSeconds()
        guard let delayRule = (try? requireOnline())?.receiptDelayRule else { return }
        let delay = delayRule.mayDelay(connection) ? configuration.commitDelays.receivedReceipts : .zero
        let begin = ContinuousClock.now
        let received: (reception: Reception, rcvKey: AuthorizationPrivateKey)?
        let early = await decryptMessageEarly(message.body, rcvID, key)
        do {
            received = try await tryThreeTimes {
                try await storeWithRetry(within: { $0?.reception.canDelayCommit == true ? delay : .zero }) { db in
                    guard let queue = try RcvQueue.find(server: key.server, rcvID: rcvID, db) else { return nil }
                    return (
                        try Receiver(
                            queue: queue,
                            brokerID: message.id,
                            nowSeconds: now,
                            db: db,
                            earlyDecryption: early
                        )
                        .receiveBody(
                            message.body
                        ), queue.key
                    )
                }
            }
        } catch {
            guard (try? requireOnline()) != nil else { return }
            logger.error("message not received", metadata: ["error": "\(error)"])
            emit(.error(connection, .internal("message not stored")), in: .connection(connection))
            return await giveUpUnstorableMessage(message.id, rcvID, key)
        }
        guard let (reception, rcvKey) = received, let run = try? requireOnline() else { return }
        if delay > .zero, reception.canDelayCommit, ContinuousClock.now - begin >= delay {
            delayRule.recordExpiration(connection)
        }
        statistics.updateCounts(key.user, key.server) { one in
            switch reception.error {
            case nil: one.recvMsgs += 1
            case .agent(.duplicate)?: one.recvDuplicates += 1
            case .agent(.crypto)?: one.recvCryptoErrs += 1
            default: one.recvErrs += 1
            }
        }
        let acknowledgement = RelayAcknowledgement(relay: key, rcvID: rcvID, rcvKey: rcvKey, messageID: message.id)
        let isOpen =
            if reception.message != nil {
                run.receiveWindow.didStore(connection, acknowledgement)
            } else if reception.wasStoredBefore {
                run.receiveWindow.didReceiveAgain(connection, acknowledgement)
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
    private func startWork(causedBy reception: Reception, _ connection: ConnectionID, _ run: Run) {
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
    func receiveFetched(_ message: RcvMessage, _ queue: RcvQueue, _ key: RelayClients.Key) async -> Bool {
        let now = currentSeconds()
        do {
            let reception = try await storeWithRetry { db -> Reception? in
                guard let queue = try RcvQueue.find(server: key.server, rcvID: queue.rcvID, db) else { return nil }
                return try Receiver(queue: queue, brokerID: message.id, nowSeconds: now, db: db).receiveBody(
                    message.body
                )
            }
            guard let reception, let run = try? requireOnline() else { return false }
            statistics.updateCounts(key.user, key.server) { $0.recvMsgs += 1 }
            startWork(causedBy: reception, queue.connection, run)
            if let message = reception.message {
                run.receiveWindow.didResume(queue.connection)
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

    /// Acknowledges a message that cannot be stored, because the message would block its queue. If the database accepts
    /// no writes at all, nothing is acknowledged: the relay keeps the message, and delivers it again after the next
    /// start.
    private func giveUpUnstorableMessage(_ messageID: [UInt8], _ rcvID: [UInt8], _ key: RelayClients.Key) async {
        do {
            let queue = try await storeWithRetry { db in
                try db.execute(
                    "UPDATE rcv_queues SET refused_messages = refused_messages + 1 WHERE server = ? AND rcv_id = ?",
                    key.server.str,
                    rcvID
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
    private func discardUndecryptableMessage(
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

    /// Handles the result of a message in the outbox.
    func handleOutboxOutcome(_ outcome: OutboxOutcome, on connection: ConnectionID) {
        guard let run = try? requireOnline() else { return }
        if let id = outcome.settledMessage?.externalID { run.onSettled(id) }
        switch outcome {
        case .sent(let message, let isProxied) where message.kind == .message:
            let event = AgentEvent.sent(
                connection,
                message.id,
                externalID: message.externalID ?? "",
                isProxied: isProxied
            )
            emit(Emission(event, reportedMessage: message.id), in: .sentMessages(connection))
        case .failed(let message, let error) where message.kind == .message:
            let event = AgentEvent.messageError(connection, message.id, externalID: message.externalID ?? "", error)
            emit(Emission(event, reportedMessage: message.id), in: .sentMessages(connection))
        case .delayed(let message, let error):
            emit(
                .messageWarning(connection, message.id, externalID: message.externalID ?? "", error),
                in: .sentMessages(connection)
            )
        case .unreadable(let error): emit(.error(connection, error), in: .connection(connection))
        case .failed(let message, let error):
            emit(
                Emission(.error(connection, message.kind.userError(error)), reportedMessage: message.id),
                in: .connection(connection)
            )
        case .sent(let message, _) where message.kind == .receipts:
            run.deletions.addElement(.events, .sentMessage(connection, message.id))
        case .sent(let message, _):
            run.jobs.addElement(.connection(connection)) { [weak self] in
                await self?.advanceConnection(after: message.kind, message.id, on: connection)
            }
        }
    }

    /// Continues the connection procedure or a rotation after one of its messages has reached the relay. Deletes a
    /// connection that is marked for deletion, if this was its last message.
    private func advanceConnection(
        after kind: OutboxMessage.Kind,
        _ id: AgentMessageID,
        on connection: ConnectionID
    ) async {
        do {
            let (event, isLast) = try await storeWithRetry { db -> (PendingEvent?, Bool) in
                try Self.removeSentMessage(id, on: connection, db)
                return (
                    try Self.advanceState(after: kind, on: connection, db), try Self.isToBeDeletedNow(connection, db)
                )
            }
            if let event { emit(event) }
            if isLast { try await delete(connections: [connection], waitDelivery: false) }
        } catch { logger.error("state of a connection not updated after sending", metadata: ["error": "\(error)"]) }
    }

    /// Changes the state of a connection after one of its messages has reached the relay.
    private static func advanceState(
        after kind: OutboxMessage.Kind,
        on connection: ConnectionID,
        _ db: DatabaseConnection
    ) throws -> PendingEvent? {
        guard let sndQueue = try SndQueue.findCurrent(connection, db) else { return nil }
        switch kind {
        case .connInfo:
            try sndQueue.setStatus(sndQueue.isSecuredBySender ? .active : .confirmed, db)
            return sndQueue.isSecuredBySender ? try .add(.connected, connection, db) : nil
        case .connInfoReply:
            try sndQueue.setStatus(.confirmed, db)
            return nil
        case .hello:
            try sndQueue.setStatus(.active, db)
            return try RcvQueue.findCurrent(connection, db)?.status == .active ? .add(.connected, connection, db) : nil
        case .queueKey: return try .addSwitchEvent(.snd, .confirmed, connection, db)
        case .queueTest:
            guard sndQueue.switchStatus == .sendingQTEST,
                let replacement = try SndQueue.findReplacement(of: connection, db)
            else { return nil }
            try replacement.promote(over: sndQueue, db)
            return try .addSwitchEvent(.snd, .completed, connection, db)
        case .message, .queueContinue, .receipts, .ratchetKey, .ratchetReady, .queueAdd, .queueUse: return nil
        }
    }
}

extension OutboxMessage.Kind {
    /// Returns the error for the user when the relay refuses a message of this kind.
    func userError(_ error: AgentError) -> AgentError {
        switch self {
        case .message, .queueContinue, .receipts, .ratchetReady: error
        case .connInfo, .connInfoReply, .hello, .ratchetKey: .connection(.notAvailable, context: "")
        case .queueAdd: error.asRotationError("QADD")
        case .queueKey: error.asRotationError("QKEY")
        case .queueUse: error.asRotationError("QUSE")
        case .queueTest: error.asRotationError("QTEST")
        }
    }
}

extension AgentError {
    fileprivate func asRotationError(_ message: String) -> AgentError {
        if case .smp(_, .auth) = self { .agent(.queue("\(message): AUTH")) } else { self }
    }
}
