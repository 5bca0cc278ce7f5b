import Clocks
import SMP
import SQLCipher
import SimpleXCrypto

extension Agent {
    /// Handles an event that the client of a relay has reported for a session.
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
        // Only notification servers get messages of this kind, so an agent ignores them.
        case .notification: return
        case .serviceSubscribed(let known, let expected):
            let error = ServiceSubscriptionError(known, expected)
            emit(.service(server: server, .subscribed(queueCount: known.count, error)), in: .relay(key))
        case .serviceDisconnected(let count):
            emit(.service(server: server, .lost(queueCount: count)), in: .relay(key))
        case .serviceMessagesDelivered: emit(.service(server: server, .delivered), in: .relay(key))
        case .serviceSubscriptionEnded(_, let count):
            emit(.service(server: server, .ended(queueCount: count)), in: .relay(key))
        case .connected(let host):
            run.outbox.wakeWorkers(all: key)
            logRestoredSession(session, run)
            emit(.hostConnected(host.str), in: .relay(key))
        case .connectionFailed(let error): logFailedConnection(session, error, run)
        case .protocolViolated(let error):
            logger.warning(
                "session ended: the relay violated the protocol",
                metadata: ["relay": "\(server)", "error": "\(error)"]
            )
        case .disconnected(let ids, let host):
            reportLostSession(session, queueCount: ids.count, run)
            emit(.hostDisconnected(host.str), in: .relay(key))
            emit(.down(server: server, connections(ids)), in: .relay(key))
        case .subscribed(let ids): handleSubscriptions(ids, connections(ids), key)
        case .subscriptionFailed(let rcvID, let error):
            recordFailedSubscription(rcvID, key, error)
            guard !error.isTemporary else { return }
            for connection in connections([rcvID]) {
                emit(.error(connection, AgentError(error, server: key.server)), in: .connection(connection))
            }
        }
    }

    private func logRestoredSession(_ session: RelayClients.SessionKey, _ run: Run) {
        let server = session.relay.server.withoutPassword.str
        if run.relayFailureLog.recordRestoredSession(session, among: { run.clients.sessionKeys }) {
            logger.notice("relay connected again", metadata: ["relay": "\(server)"])
        } else {
            logger.info("relay connected", metadata: ["relay": "\(server)"])
        }
    }

    private func logFailedConnection(_ session: RelayClients.SessionKey, _ error: SMPClientError, _ run: Run) {
        let server = session.relay.server.withoutPassword.str
        if run.relayFailureLog.recordLostSession(session) {
            let messages = run.outbox.waitingCount(for: session.relay)
            logger.warning(
                "relay cannot be reached",
                metadata: ["relay": "\(server)", "messages": "\(messages)", "error": "\(error)"]
            )
        }
        if case .network(.tls) = error, run.clients.logsTLSErrors {
            logger.notice("TLS handshake failed", metadata: ["relay": "\(server)", "error": "\(error)"])
        }
    }

    /// Reports the loss of a session to the caller (`onRelayLost`) or in the log. Only the first of several lost
    /// sessions with a relay is reported.
    private func reportLostSession(_ session: RelayClients.SessionKey, queueCount: Int, _ run: Run) {
        guard run.relayFailureLog.recordLostSession(session) else { return }
        let server = session.relay.server.withoutPassword.str
        let messages = run.outbox.waitingCount(for: session.relay)
        if let report = configuration.onRelayLost {
            report(server, queueCount, messages)
        } else {
            logger.warning(
                "connection to a relay lost",
                metadata: ["relay": "\(server)", "queues": "\(queueCount)", "messages": "\(messages)"]
            )
        }
    }

    /// Counts and reports queues to which the agent has subscribed. The relay no longer blocks these queues, so the
    /// stored notices about them are removed.
    private func handleSubscriptions(_ ids: [[UInt8]], _ connections: [ConnectionID], _ key: RelayClients.Key) {
        statistics.updateCounts(key.user, key.server) {
            $0.connSubscribed += ids.count
            $0.connSubAttempts += ids.count
        }
        emit(.up(server: key.server.withoutPassword.str, connections), in: .relay(key))
        let free = clientNotices.findQueuesWithNotices(ids, key.server)
        if !free.isEmpty {
            startWrite { [clientNotices] db in try clientNotices.removeNotices(free, key.server, db) }
        }
    }

    /// Counts a failed subscription, and stores the notice of a relay that has blocked the queue.
    private func recordFailedSubscription(_ rcvID: [UInt8], _ key: RelayClients.Key, _ error: SMPClientError) {
        statistics.updateCounts(key.user, key.server) {
            $0.connSubErrs += 1
            $0.connSubAttempts += 1
        }
        if !error.isTemporary, case .smp(.blocked(let info)) = error {
            let now = WallClock.seconds()
            startWrite { [clientNotices] db in try clientNotices.storeNotice(info, key.server, rcvID, at: now, db) }
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
}

extension ServiceSubscriptionError {
    /// Makes the error for a difference between the queues that the relay knows and the expected queues; nil if the two
    /// are equal.
    init?(_ known: ServiceQueues, _ expected: ServiceQueues) {
        guard known != expected else { return nil }
        self = known.count == expected.count ? .queueIDs : .queueCount(expected: expected.count)
    }
}
