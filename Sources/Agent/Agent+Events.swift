import SMP
import SQLCipher

extension Agent {
    /// Hands an event to the handler in its lane.
    func tell(_ event: AgentEvent, in lane: Lane) {
        guard let run = try? online() else { return }
        run.lanes.add(lane) { [weak self] in await self?.deliver(event) }
    }

    /// Hands over a connection event and forgets it afterwards.
    func tell(_ pending: PendingEvent) {
        guard let run = try? online(), let connection = pending.event.connection else { return }
        run.lanes.add(.connection(connection)) { [weak self] in await self?.deliver(pending) }
    }

    func deliver(_ event: AgentEvent) async {
        guard let handler = state.withLock({ $0.handler }) else { return }
        await handler(event)
    }

    func deliver(_ pending: PendingEvent) async {
        await deliver(pending.event)
        do { try await database.write { db in try pending.remove(db) } } catch { logger.error("event not forgotten", metadata: ["error": "\(error)"]) }
    }

    /// What a relay's client reports.
    func handle(_ event: SMPClientEvent, of key: RelayClients.Key) {
        guard let run = try? online() else { return }
        func connections(_ ids: [[UInt8]]) -> [ConnectionID] { ids.compactMap { run.clients.connection(key, rcvID: $0) } }
        let server = key.server.withoutPassword.str
        switch event {
        case .message(let rcvID, let message):
            guard let connection = run.clients.connection(key, rcvID: rcvID) else { return }
            run.lanes.add(.connection(connection)) { [weak self] in await self?.receive(message, rcvID, key, connection) }
        case .badMessage(let rcvID, let id, _):
            guard let connection = run.clients.connection(key, rcvID: rcvID) else { return }
            run.lanes.add(.connection(connection)) { [weak self] in
                await self?.deliver(.error(connection, .agent(.crypto(.decryptCB))))
                await self?.acknowledge(key, rcvID, id)
            }
        case .end(let rcvID):
            for connection in connections([rcvID]) { tell(.end(connection), in: .connection(connection)) }
        case .deleted(let rcvID):
            for connection in connections([rcvID]) { tell(.error(connection, .smp(server: server, .auth)), in: .connection(connection)) }
        // An agent is neither a notification server nor a service.
        case .notification, .serviceEnd: return
        case .connected: run.outbox.wake(all: key)
        case .disconnected(let ids): tell(.down(server: server, connections(ids)), in: .relay(key))
        case .subscribed(let ids): tell(.up(server: server, connections(ids)), in: .relay(key))
        case .subscriptionFailed(let rcvID, let error):
            guard !error.isTemporary else { return }
            for connection in connections([rcvID]) { tell(.error(connection, AgentError(error, server: key.server)), in: .connection(connection)) }
        }
    }

    /// Takes a message apart in a transaction, tells what it leads to, and lets the relay forget it.
    private func receive(_ message: RcvMessage, _ rcvID: [UInt8], _ key: RelayClients.Key, _ connection: ConnectionID) async {
        let now = currentSeconds()
        let reception: Reception
        do {
            reception = try await database.write { db in
                guard let queue = try RcvQueue.find(server: key.server, rcvID: rcvID, db) else { return Reception() }
                return try Receiver(queue: queue, brokerID: message.id, now: now, db: db).receive(message.body)
            }
        } catch {
            // Not acknowledged: the relay delivers it again.
            logger.error("message not received", metadata: ["error": "\(error)"])
            return await deliver(.error(connection, .internal("message not stored")))
        }
        if reception.acknowledges { try? online().tasks.add { await self.acknowledge(key, rcvID, message.id) } }
        if reception.wakesOutbox { try? online().outbox.wake(connection) }
        if reception.securesQueue { completeSecuring(connection) }
        for event in reception.events { await deliver(event) }
        if let message = reception.message { await deliver(message) }
        if let error = reception.error { await deliver(.error(connection, error)) }
    }

    /// Lets the relay forget a message. When that fails it delivers the message again, and it is recognized.
    func acknowledge(_ key: RelayClients.Key, _ rcvID: [UInt8], _ brokerID: [UInt8]) async {
        do {
            let queue = try await database.read { db in try RcvQueue.find(server: key.server, rcvID: rcvID, db) }
            guard let queue else { return }
            try await online().clients.client(key.user, key.server).acknowledge(rcvID: rcvID, key: queue.key, messageID: brokerID)
        } catch { logger.debug("acknowledgement failed", metadata: ["error": "\(error)"]) }
    }

    /// What became of a message of the outbox.
    func sent(_ outcome: OutboxOutcome, on connection: ConnectionID) {
        guard let run = try? online() else { return }
        switch outcome {
        case .sent(let id, .message, _):
            run.lanes.add(.sent(connection)) { [weak self] in
                await self?.deliver(.sent(connection, id))
                await self?.removeSent(id, on: connection)
            }
        case .failed(let id, .message, let error):
            run.lanes.add(.sent(connection)) { [weak self] in
                await self?.deliver(.messageError(connection, id, error))
                await self?.removeSent(id, on: connection)
            }
        case .sent(let id, let kind, _):
            run.lanes.add(.connection(connection)) { [weak self] in await self?.advance(after: kind, id, on: connection) }
        case .failed(let id, let kind, let error):
            run.lanes.add(.connection(connection)) { [weak self] in
                await self?.deliver(.error(connection, kind == .queueContinue ? error : .connection(.notAvailable, context: "")))
                await self?.removeSent(id, on: connection)
            }
        }
    }

    /// A step of the connection procedure has reached the relay.
    private func advance(after kind: OutboxMessage.Kind, _ id: AgentMessageID, on connection: ConnectionID) async {
        do {
            let connected = try await database.write { db -> PendingEvent? in
                try Self.removeSent(id, on: connection, db)
                guard let sndQueue = try SndQueue.of(connection, db) else { return nil }
                let isConnected: Bool
                switch kind {
                case .connInfo:
                    try sndQueue.setStatus(sndQueue.isSecuredBySender ? .active : .confirmed, db)
                    isConnected = sndQueue.isSecuredBySender
                case .connInfoReply:
                    try sndQueue.setStatus(.confirmed, db)
                    isConnected = false
                case .hello:
                    try sndQueue.setStatus(.active, db)
                    isConnected = try RcvQueue.of(connection, db)?.status == .active
                case .message, .queueContinue: isConnected = false
                }
                return isConnected ? try .add(.connected, connection, db) : nil
            }
            if let connected { await deliver(connected) }
        } catch { logger.error("connection not advanced", metadata: ["error": "\(error)"]) }
    }

    private func removeSent(_ id: AgentMessageID, on connection: ConnectionID) async {
        do {
            let deletes = try await database.write { db in
                try Self.removeSent(id, on: connection, db)
                return try Self.isToBeDeletedNow(connection, db)
            }
            if deletes { try await delete(connections: [connection], waitDelivery: false) }
        } catch { logger.error("sent message not removed", metadata: ["error": "\(error)"]) }
    }

    private static func removeSent(_ id: AgentMessageID, on connection: ConnectionID, _ db: Connection) throws {
        try db.execute("DELETE FROM snd_messages WHERE conn_id = ? AND internal_id = ?", connection.bytes, id)
    }
}

extension AgentEvent {
    /// The connection that the event is about, where it is about one.
    var connection: ConnectionID? {
        switch self {
        case .confirmation(let id, _, _), .info(let id, _), .connected(let id), .message(let id, _, _, _), .sent(let id, _),
            .messageError(let id, _, _), .end(let id):
            id
        case .error(let id, _): id
        case .down, .up, .queuesDeleted, .connectionsDeleted: nil
        }
    }
}
