import Concurrency
import SQLCipher
import Synchronization

extension Emission {
    fileprivate func changeAttemptCount(by more: Int64, _ db: DatabaseConnection) throws {
        try storedEvent?.changeAttemptCount(by: more, db)
        if case .message(let connection, let meta, _, _) = event {
            try StoredMessage.changeAttemptCount(by: more, connection, meta.recipientInfo.id, db)
        }
    }
}

/// Events of an earlier run that the agent is now delivering again.
private final class RepeatedDelivery: Sendable {
    /// The repeated events that the handler of this task is processing. They are no parameter, because the handler lies
    /// in the module above, which only calls functions of the agent.
    @TaskLocal static var current: RepeatedDelivery?

    private let emissions: [Emission]
    private let isAttemptCounted = Mutex(false)

    init(_ emissions: [Emission]) { self.emissions = emissions }

    func countAttempt(_ db: DatabaseConnection) throws {
        for emission in emissions { try emission.changeAttemptCount(by: 1, db) }
        isAttemptCounted.withLock { $0 = true }
    }

    func uncountAttempt(_ agent: Agent) async {
        let isAttemptCounted = isAttemptCounted.withLock { isAttemptCounted in
            defer { isAttemptCounted = false }
            return isAttemptCounted
        }
        guard isAttemptCounted else { return }
        do {
            try await agent.storeWithRetry { [emissions] db in
                for emission in emissions { try emission.changeAttemptCount(by: -1, db) }
            }
        } catch {
            agent.logger.error("attempt to handle an event is still counted", metadata: ["error": "\(error)"])
        }
    }
}

extension Agent {
    /// Emits an event to the handler, after the earlier events of the lane.
    func emit(_ emission: Emission, in lane: Lane) {
        guard let run = try? requireOnline() else { return }
        run.emissions.addElement(lane, emission)
    }

    func emit(_ event: AgentEvent, in lane: Lane) { emit(Emission(event), in: lane) }

    func emit(_ pending: PendingEvent) { emit(Emission(pending)) }

    /// Emits an event of a connection, after the earlier events of its lane.
    func emit(_ emission: Emission) {
        guard let connection = emission.event.connection else { return }
        // Receipts have the lane of sent messages, so that they do not delay received messages.
        if case .receipts = emission.event {
            emit(emission, in: .sentMessages(connection))
        } else {
            emit(emission, in: .connection(connection))
        }
    }

    /// Delivers the waiting events of a lane to the handler. An event that an earlier start has delivered is passed in
    /// a separate call, since the event may have ended the process.
    func deliverEmissions(_ emissions: [Emission], _ deletions: SerialBatches<DeletionGroup, DeletableData>) async {
        guard let handler = state.withLock({ $0.handler }) else { return }
        var together: [Emission] = []
        for emission in emissions {
            guard (emission.deliveryAttempts ?? 0) > 0 else {
                together.append(emission)
                continue
            }
            guard await passToHandler(together, to: handler, deletions), await waitBeforeRedelivery(before: emission),
                await passToHandler([emission], to: handler, deletions)
            else { return }
            together = []
        }
        _ = await passToHandler(together, to: handler, deletions)
    }

    /// Waits before the delivery of an event, if the process has ended more than once during its delivery.
    /// - Returns: false when the agent stops during the pause.
    private func waitBeforeRedelivery(before emission: Emission) async -> Bool {
        guard let attempts = emission.deliveryAttempts, (2..<Self.maxDeliveryAttempts).contains(attempts) else {
            return true
        }
        let (isOver, delay) = (WakeSignal(), configuration.redeliveryBackoff.computeDelay(attempt: Int(attempts) - 2))
        let waits =
            (try? requireOnline())?.tasks.startTask {
                try? await Task.sleep(for: delay)
                isOver.wake()
            } ?? false
        if waits { _ = await isOver.waitForSignal() }
        if waits, (try? requireOnline()) != nil { return true }
        // The agent is stopping. The handler is removed, so that no later event is delivered before this event.
        state.withLock { $0.handler = nil }
        return false
    }

    /// Number of starts that deliver an event before the event is set aside. An event is handled within milliseconds,
    /// and later starts wait longer before the delivery. So a process that ends during each delivery is probably ended
    /// by the event, and not by another cause.
    static let maxDeliveryAttempts: Int64 = 5

    /// Subtracts one from the delivery counts of the events that the handler is processing, so that the present
    /// delivery does not count. Call this function before the handler waits for other work. If the process ends during
    /// the wait, these events are not the cause.
    package func uncountDeliveryAttempt() async { await RepeatedDelivery.current?.uncountAttempt(self) }

    /// Passes events to the handler in one call.
    /// - Returns: whether the handler has returned without an error.
    private func passToHandler(
        _ emissions: [Emission],
        to handler: EventHandler,
        _ deletions: SerialBatches<DeletionGroup, DeletableData>
    ) async -> Bool {
        guard !emissions.isEmpty else { return true }
        let repeated = emissions.filter { $0.deliveryAttempts != nil }
        let repeatedDelivery = repeated.isEmpty ? nil : RepeatedDelivery(repeated)
        if let repeatedDelivery {
            // The delivery is counted before the call of the handler, since the handler may end the process.
            do { try await storeWithRetry { db in try repeatedDelivery.countAttempt(db) } } catch {
                logger.error("attempt to handle an event not counted", metadata: ["error": "\(error)"])
            }
        }
        let events = emissions.map {
            ($0.deliveryAttempts ?? 0) < Self.maxDeliveryAttempts ? $0.event : .setAside($0.event)
        }
        do { try await RepeatedDelivery.$current.withValue(repeatedDelivery) { try await handler(events) } } catch {
            // The handler has thrown an error, and is removed. So later events are neither delivered before these
            // events, nor count as delivered. The next start delivers all of them.
            state.withLock { $0.handler = nil }
            logger.notice("events wait for the next start", metadata: ["error": "\(error)"])
            // The handler has failed, but the process continues, so the attempt does not count.
            await repeatedDelivery?.uncountAttempt(self)
            return false
        }
        finishDeliveredEmissions(emissions, deletions)
        return true
    }

    /// Starts the deletion of the rows of processed events.
    private func finishDeliveredEmissions(
        _ emissions: [Emission],
        _ deletions: SerialBatches<DeletionGroup, DeletableData>
    ) {
        for emission in emissions {
            if let acknowledgement = emission.pendingAcknowledgement { acknowledgeToRelay(acknowledgement) }
            let kind: DeletionGroup =
                emission.event.isMessageFailure || emission.deliveryAttempts != nil ? .urgentEvents : .events
            if let pending = emission.storedEvent { deletions.addElement(kind, .event(pending)) }
            if let id = emission.reportedMessage, let connection = emission.event.connection {
                deletions.addElement(kind, .sentMessage(connection, id))
            }
        }
    }

    static func removeSentMessage(_ id: AgentMessageID, on connection: ConnectionID, _ db: DatabaseConnection) throws {
        try MessageRepetition.removeReportedMessage(id, of: connection, db)
    }
}

extension AgentEvent {
    /// Whether the event reports a failed message. The handler may have asked the user to send the failed message
    /// again.
    fileprivate var isMessageFailure: Bool { if case .messageError = self { true } else { false } }

    /// The connection of the event; nil for an event without a connection.
    var connection: ConnectionID? {
        switch self {
        case .confirmation(let id, _, _), .request(let id, _, _), .joined(let id, _), .info(let id, _),
            .connected(let id), .message(let id, _, _, _), .sent(let id, _, _, _),
            .messageError(let id, _, _, _), .messageWarning(let id, _, _, _), .gap(let id, _), .receipts(let id, _),
            .ratchetSync(let id, _), .queueSwitchChanged(let id, _), .subscriptionEnded(let id),
            .waitingMessageReceived(let id, _, _):
            id
        case .error(let id, _): id
        case .setAside(let event): event.connection
        case .down, .up, .service, .hostConnected, .hostDisconnected, .queueDeleted, .connectionsDeleted, .file: nil
        }
    }
}
