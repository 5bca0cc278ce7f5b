import SQLCipher

/// An event for the handler, with what is to be forgotten when the handler has returned from it.
struct Telling: Sendable {
    var event: AgentEvent
    /// The row that brings the event again after a crash.
    var kept: PendingEvent?
    /// The message of the outbox that the event accounts for.
    var accountsFor: AgentMessageID?
    /// The message that the event is an error of. The relay delivers the next one of the queue when the handler has returned from the event: so a
    /// relay or peer that sends nothing else makes one event of a queue wait.
    var acknowledges: RelayAcknowledgement?
    /// How often earlier starts have handed over the event, which an earlier run had left; nil for an event of this run.
    var attempts: Int64?

    init(_ event: AgentEvent, accountsFor message: AgentMessageID? = nil) {
        self.event = event
        accountsFor = message
    }

    init(_ pending: PendingEvent) {
        event = pending.event
        kept = pending
    }
}

extension Telling {
    fileprivate func countAttempt(_ db: Connection) throws {
        try kept?.countAttempt(db)
        if case .message(let connection, let meta, _, _) = event { try StoredMessage.countAttempt(connection, meta.recipient.id, db) }
    }
}

extension Agent {
    /// Tells the handler, after what was told in the lane before.
    func tell(_ telling: Telling, in lane: Lane) {
        guard let run = try? online() else { return }
        run.tellings.add(lane, telling)
    }

    func tell(_ event: AgentEvent, in lane: Lane) { tell(Telling(event), in: lane) }

    func tell(_ pending: PendingEvent) {
        guard let connection = pending.event.connection else { return }
        tell(Telling(pending), in: .connection(connection))
    }

    /// Gives the handler what waits in a lane. What an earlier start has handed over already goes alone: it may be what has ended the process.
    func deliver(_ tellings: [Telling]) async {
        guard let handler = state.withLock({ $0.handler }) else { return }
        var together: [Telling] = []
        for telling in tellings {
            guard (telling.attempts ?? 0) > 0 else {
                together.append(telling)
                continue
            }
            guard await deliver(together, to: handler), await deliver([telling], to: handler) else { return }
            together = []
        }
        _ = await deliver(together, to: handler)
    }

    /// How often starts hand over an event before they set it aside. A process may also be ended from outside, at any moment: that this happens so
    /// often in a row while one event is handled, which takes milliseconds, is no chance.
    static let handoverLimit: Int64 = 5

    /// - Returns: whether the handler has returned.
    private func deliver(_ tellings: [Telling], to handler: Handler) async -> Bool {
        guard !tellings.isEmpty else { return true }
        let repeated = tellings.filter { $0.attempts != nil }
        if !repeated.isEmpty {
            // Before the handler has them: it may end the process.
            do { try await storing { db in for telling in repeated { try telling.countAttempt(db) } } } catch {
                logger.error("attempt not counted", metadata: ["error": "\(error)"])
            }
        }
        let events = tellings.map { ($0.attempts ?? 0) < Self.handoverLimit ? $0.event : .setAside($0.event) }
        do { try await handler(events) } catch { return false }
        await finish(tellings)
        return true
    }

    /// Forgets what the handler has returned from.
    private func finish(_ tellings: [Telling]) async {
        for acknowledgement in tellings.compactMap(\.acknowledges) { acknowledge(acknowledgement) }
        let done = tellings.filter { $0.kept != nil || $0.accountsFor != nil }
        guard !done.isEmpty else { return }
        do {
            let deleted = try await storing { db in
                for telling in done {
                    try telling.kept?.remove(db)
                    if let id = telling.accountsFor, let connection = telling.event.connection { try Self.removeSent(id, on: connection, db) }
                }
                return try Set(done.filter { $0.accountsFor != nil }.compactMap(\.event.connection)).filter { try Self.isToBeDeletedNow($0, db) }
            }
            if !deleted.isEmpty { try await delete(connections: Array(deleted), waitDelivery: false) }
        } catch { logger.error("told events not forgotten", metadata: ["error": "\(error)"]) }
    }

    static func removeSent(_ id: AgentMessageID, on connection: ConnectionID, _ db: Connection) throws {
        try Repetition.removeTold(id, of: connection, db)
    }
}

extension AgentEvent {
    /// The connection that the event is about, where it is about one.
    var connection: ConnectionID? {
        switch self {
        case .confirmation(let id, _, _), .request(let id, _, _), .joined(let id, _), .info(let id, _), .connected(let id), .message(let id, _, _, _), .sent(let id, _, _, _),
            .messageError(let id, _, _, _), .messageWarning(let id, _, _, _), .gap(let id, _), .receipts(let id, _), .ratchetSync(let id, _), .switched(let id, _), .end(let id):
            id
        case .error(let id, _): id
        case .setAside(let event): event.connection
        case .down, .up, .hostConnected, .hostDisconnected, .queueDeleted, .connectionsDeleted: nil
        }
    }
}
