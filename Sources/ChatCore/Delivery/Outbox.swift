internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Logging
internal import SQLCipher
import Synchronization

/// Passes the deliveries of the outbox to the agent in the order of the rows, one batch at a time. Under load, many
/// messages share one transaction of the agent. Each message is passed once, and a failed message does not block later
/// messages.
///
/// The database of the chat and the database of the agent commit separately, and the process may end between any two
/// commits. A delivery has these states in turn, and one commit begins each state:
/// 1. Pending in the chat, unknown to the agent. Only this outbox ends this state, by a call of the agent's
///    `acceptMessages`.
/// 2. Pending in the chat, accepted by the agent under its external id. Each attempt of the agent sends the same bytes,
///    so that the peer recognizes a repetition.
/// 3. Sent or failed in the chat, still stored by the agent. The commit of the event handler begins this state.
/// 4. Deleted by the agent, after the handler has returned. A call of `acceptMessages` would now send the delivery
///    again, as another message.
///
/// The commits of states 3 and 4 may be delayed (`Database.write(within:)`): each of them joins a later commit of the
/// same database for which a caller waits. Until then all observers see the earlier state, since the handler returns
/// after the commit of state 3.
///
/// Therefore the outbox passes a delivery to the agent only in state 1, and waits for the result in state 2:
/// - New deliveries are in state 1 until this outbox removes them from its queue. Nothing else passes deliveries to the
///   agent.
/// - Deliveries that are pending when the store is opened are in state 1 or 2. Before every start of the agent,
///   ``resume()`` asks the agent which of these deliveries it has. Until the start, the agent sends, reports and
///   deletes nothing, so its answer stays true.
/// - Between its removal from the queue and `acceptMessages`, a delivery is in state 1. After a failure between these
///   steps, the delivery returns to the queue. A delivery that the agent has refused also returns to the queue until
///   the refusal is stored. A delivery that the agent has accepted never returns, even if a later step fails.
/// - If the process ends before the commit of `acceptMessages`, the delivery is in state 1 at the next start.
///   Deliveries that were recorded as one batch are then one batch again. If the process ends later, the delivery is in
///   state 2, 3 or 4.
///
/// Later deliveries of a connection wait for its messages that are underway. A message is underway after its removal
/// from the queue, or after ``resume()``, and therefore before the agent can report its result. The agent reports the
/// result of each message that it has. If a report is missing, the next ``resume()`` shows whether the agent still has
/// the message. So the outbox misses no result.
final class Outbox: Sendable {
    private let store: ChatStore
    private let agent: Agent
    private let hooks: OutboxHooks
    private let logger: Logger
    private let state: Mutex<State>
    private let signal = WakeSignal()
    /// The signal that wakes a caller who waits until more messages may be sent.
    private let belowLimitSignal = WakeSignal()

    private struct State {
        var order: DeliveryOrder
        /// Whether a task is already searching the database for a delivery whose commit was not reported.
        var isSearchingMissingDelivery = false
        var queue: OutboxQueue
        var isRunning = false
        /// The backoff after a refusal by the agent or the store.
        var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(1))
        /// Callers of ``flush()``, which wait until the agent has all deliveries of the outbox.
        var flushContinuations: [CheckedContinuation<Bool, Never>] = []
        /// The number of messages in flight at which a waiting caller continues; nil when no caller waits.
        var awaitedLimit: Int?

        /// Returns whether the number of messages in flight no longer exceeds the limit of a waiting caller. In that
        /// case, the caller can continue, and ``awaitedLimit`` is set to nil.
        mutating func clearReachedLimit() -> Bool {
            guard let most = awaitedLimit, queue.deliveryIdsOnIdleConnections.count <= most else { return false }
            awaitedLimit = nil
            return true
        }
    }

    private static let maxShipmentsPerBatch = 200

    /// Returns the pause after a batch. Deliveries that arrive during the pause share one transaction of the agent, and
    /// under load also one agent message. A delivery after the pause is passed on immediately.
    private static func pauseDuration(after batch: [Shipment]) -> Duration {
        .milliseconds(batch.contains { $0.deliveries.count > 1 } ? 20 : 3)
    }

    /// Opens the outbox with the deliveries of earlier runs. Must be called before a delivery is written.
    static func open(
        store: ChatStore,
        agent: Agent,
        hooks: OutboxHooks = OutboxHooks(),
        logger: Logger
    ) async throws -> Outbox {
        let (pending, last) = try await store.read { db in
            (try Shipment.findPending(in: db), try Self.readLastDeliveryId(db))
        }
        let state = State(order: DeliveryOrder(next: last + 1), queue: OutboxQueue(pending: pending))
        let outbox = Outbox(store: store, agent: agent, hooks: hooks, logger: logger, state: state)
        store.observers.withLock { $0.onDeliveries = { [weak outbox] deliveries in outbox?.addCommitted(deliveries) } }
        return outbox
    }

    private init(store: ChatStore, agent: Agent, hooks: OutboxHooks, logger: Logger, state: State) {
        self.store = store
        self.agent = agent
        self.hooks = hooks
        self.logger = logger
        self.state = Mutex(state)
    }

    /// Returns the last delivery id that was assigned, even if the delivery no longer exists.
    private static func readLastDeliveryId(_ db: StoreConnection) throws -> Int64 {
        try db.firstRow("SELECT seq FROM sqlite_sequence WHERE name = 'deliveries'")?.readCount("seq") ?? 0
    }

    private func addCommitted(_ deliveries: [Delivery]) {
        state.withLock { state in
            for delivery in state.order.addCommitted(deliveries) { state.queue.add(delivery) }
        }
        signal.wake()
        searchMissingDelivery()
    }

    /// Searches the database, after a delay, for the missing delivery, which blocks later deliveries. Only one search
    /// runs at a time.
    private func searchMissingDelivery() {
        let missing = state.withLock { state -> Int64? in
            guard !state.isSearchingMissingDelivery, let missing = state.order.missingDeliveryId else { return nil }
            state.isSearchingMissingDelivery = true
            return missing
        }
        guard let missing else { return }
        Task { [weak self, hooks] in
            await hooks.waitBeforeGapSearch()
            guard let self else { return }
            do { try await self.resolveMissingDelivery(at: missing) } catch DatabaseError.closed { return } catch {
                self.logger.error("outbox: missing deliveries not read", metadata: ["error": "\(error)"])
            }
            self.state.withLock { $0.isSearchingMissingDelivery = false }
            self.searchMissingDelivery()
        }
    }

    /// Checks in the database whether the missing delivery exists. Neither its commit nor its failure was reported.
    /// After the check, later deliveries no longer wait for this delivery.
    private func resolveMissingDelivery(at missing: Int64) async throws {
        guard state.withLock({ $0.order.missingDeliveryId }) == missing else { return }
        logger.error(
            "outbox: a delivery was not reported, and later deliveries wait for it: the database is read again",
            metadata: ["delivery": "\(missing)"]
        )
        let (stored, last) = try await store.database.read { db in
            (try Shipment.findPending(from: missing, in: db).flatMap(\.deliveries), try Self.readLastDeliveryId(db))
        }
        state.withLock { state in
            for delivery in state.order.fillFromDatabase(stored, through: last) { state.queue.add(delivery) }
        }
        signal.wake()
    }

    /// Waits until at most `most` messages are in flight, but not longer than `patience`. A message does not count if
    /// its connection already had another message in the queue.
    func waitForCapacity(_ most: Int, atMost patience: Duration) async {
        guard isAboveLimit(most) else { return }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [self] in while isAboveLimit(most), await belowLimitSignal.waitForSignal() {} }
            tasks.addTask { try? await Task.sleep(for: patience) }
            await tasks.next()
            tasks.cancelAll()
        }
    }

    private func isAboveLimit(_ most: Int) -> Bool {
        state.withLock { state in
            guard state.queue.deliveryIdsOnIdleConnections.count > most else { return false }
            state.awaitedLimit = most
            return true
        }
    }

    /// Prepares the outbox for a start of the agent: asks the agent which pending deliveries it already has. The agent
    /// sends these deliveries without the outbox. Must be called before every start of the agent.
    func resume() async throws {
        let held = try await agent.fetchUnconfirmedExternalIDs()
        let epoch = store.journal.epoch
        state.withLock {
            $0.queue.sortShipmentsAfterRestart { held.contains(Delivery.makeExternalID($0, epoch: epoch)) }
        }
    }

    /// Removes a shipment after the relay has accepted its message, or after the agent has given up the message.
    /// Deliveries that waited for this message may then be passed on.
    func recordShipmentResult(_ externalID: String) {
        guard let first = Delivery.parseExternalID(external: externalID, epoch: store.journal.epoch) else { return }
        let (isReady, mayContinue) = state.withLock { state in
            (state.queue.finishShipment(first), state.clearReachedLimit())
        }
        if isReady { signal.wake() }
        if mayContinue { belowLimitSignal.wake() }
        hooks.onDeliveryResult(first)
    }

    /// Forgets the messages of a connection, after the agent has deleted the connection.
    func removeConnection(_ connection: ConnectionID) {
        let mayContinue = state.withLock { state in
            state.queue.removeConnection(connection.text)
            return state.clearReachedLimit()
        }
        if mayContinue { belowLimitSignal.wake() }
    }

    /// Waits until the agent has all deliveries that are now in the outbox, or until the outbox stops.
    /// - Returns: whether the agent has all these deliveries.
    @discardableResult
    func flush() async -> Bool {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                if state.isRunning { state.flushContinuations.append(continuation) }
                return state.isRunning
            }
            if waits { signal.wake() } else { continuation.resume(returning: false) }
        }
    }

    /// Marks the outbox as running, so that later calls of ``flush()`` wait. Must be called before ``run()``.
    func markRunning() { state.withLock { $0.isRunning = true } }

    /// Passes deliveries to the agent until the task is cancelled.
    func run() async {
        signal.wake()
        while await signal.waitForSignal() {
            while !Task.isCancelled, await passNextBatch() {}
        }
        let flushes = state.withLock { state in
            state.isRunning = false
            defer { state.flushContinuations = [] }
            return state.flushContinuations
        }
        for flush in flushes { flush.resume(returning: false) }
    }

    /// Passes the next batch to the agent.
    /// - Returns: whether the batch contained a delivery.
    private func passNextBatch() async -> Bool {
        do { try await hooks.onStep(.beforeTaking) } catch { return false }
        let (batch, flushes) = state.withLock { state in
            let flushes = state.flushContinuations
            state.flushContinuations = []
            return (
                state.queue.takeShipments(
                    limit: flushes.isEmpty ? Self.maxShipmentsPerBatch : .max,
                    flushing: !flushes.isEmpty
                ),
                flushes
            )
        }
        let left = batch.isEmpty ? [] : await passToAgent(batch)
        if left.isEmpty {
            for flush in flushes { flush.resume(returning: true) }
        } else {
            state.withLock { state in
                state.queue.putBackShipments(left)
                state.flushContinuations = flushes + state.flushContinuations
            }
        }
        if left.isEmpty { state.withLock { $0.backoff.resetAttempts() } }
        if !batch.isEmpty {
            try? await Task.sleep(
                for: left.isEmpty ? Self.pauseDuration(after: batch) : state.withLock { $0.backoff.takeNextDelay() }
            )
        }
        return !batch.isEmpty
    }

    /// Passes shipments to the agent.
    /// - Returns: the shipments that the agent does not have. They must be passed again.
    private func passToAgent(_ batch: [Shipment]) async -> [Shipment] {
        let known = batch.compactMap { shipment in ConnectionID(text: shipment.agentConnId).map { ($0, shipment) } }
        let results: [Result<AcceptedMessage, AgentError>]
        do {
            try await recordBatches(batch)
            try await hooks.onStep(.beforeAccepting)
            results = try await submitToAgent(known)
        } catch {
            logger.error(
                "outbox: deliveries not handed over to the agent",
                metadata: ["error": "\(error)", "count": "\(batch.count)"]
            )
            return batch
        }
        let refused = zip(known, results).compactMap { known, result in
            if case .failure(let error) = result { (shipment: known.1, error: error) } else { nil }
        }
        do {
            reportEncryption(of: zip(known, results).compactMap { if case .success = $1 { $0.1 } else { nil } })
            try await hooks.onStep(.afterAccepting)
            try await recordPostQuantum(
                zip(known, results).compactMap { known, result in
                    guard case .success(let accepted) = result, let isOn = accepted.pqEncryption,
                        isOn != (known.1.lastDelivery.postQuantumState.protectsSent ?? false)
                    else { return nil }
                    return (known.1.firstDelivery.connectionId, isOn)
                }
            )
            guard !refused.isEmpty else { return [] }
            try await store.write { tx in
                for (shipment, error) in refused {
                    try DeliveryStatus.markDeliveryFailed(shipment.firstDelivery, error, tx)
                }
            }
            let mayContinue = state.withLock { state in
                for (shipment, _) in refused { state.queue.finishShipment(shipment.firstDelivery.deliveryId) }
                return state.clearReachedLimit()
            }
            if mayContinue { belowLimitSignal.wake() }
            return []
        } catch {
            // No message is lost: refused messages are passed again, so that their refusal is stored later. The state
            // of post-quantum encryption is recorded after the next message.
            logger.error(
                "outbox: results of deliveries not stored",
                metadata: ["error": "\(error)", "count": "\(batch.count)"]
            )
            return refused.map(\.shipment)
        }
    }

    /// Reports, for traces, that the agent has encrypted the messages of these shipments.
    private func reportEncryption(of shipments: [Shipment]) {
        guard let report = store.onMessageSteps else { return }
        let now = Timestamp.now
        let steps = shipments.flatMap(\.deliveries).compactMap { delivery in
            delivery.chatItemId.map { itemId in
                MessageStepReport(
                    .encrypt,
                    of: itemId,
                    delivery: delivery.deliveryId,
                    from: delivery.createdAt,
                    to: now
                )
            }
        }
        if !steps.isEmpty { report(steps) }
    }

    private func submitToAgent(
        _ shipments: [(ConnectionID, Shipment)]
    ) async throws -> [Result<AcceptedMessage, AgentError>] {
        let epoch = store.journal.epoch
        return try await agent.acceptMessages(
            shipments.map { id, shipment in
                OutgoingMessage(
                    connection: id,
                    notify: shipment.notifiesReceiver,
                    body: shipment.makeAgentBody(),
                    externalID: Delivery.makeExternalID(shipment.firstDelivery.deliveryId, epoch: epoch),
                    pqEncryption: shipment.lastDelivery.postQuantumState.isWanted,
                    waitingSince: shipment.lastDelivery.createdAt.nanoseconds / 1_000_000_000,
                    awaitsReceipt: !shipment.firstDelivery.isForwardedAsRelay
                )
            }
        )
    }

    /// Records which deliveries form a batch before the agent gets the batch, so that the deliveries form the same
    /// batch after a crash.
    private func recordBatches(_ batch: [Shipment]) async throws {
        let joined = batch.filter { !$0.isRecorded }
        guard !joined.isEmpty else { return }
        try await store.write { tx in for shipment in joined { try shipment.recordBatch(tx.db) } }
    }

    /// Records the beginning or the end of post-quantum encryption for messages over these connections.
    private func recordPostQuantum(_ changes: [(connectionId: Int64, isPostQuantum: Bool)]) async throws {
        guard !changes.isEmpty else { return }
        try await store.write { tx in
            for change in changes {
                guard let peer = try ConnectionPeer.find(change.connectionId, in: tx.db), var contact = peer.contact
                else { continue }
                try PostQuantumItems.recordEncryption(sent: true, change.isPostQuantum, in: &contact, peer.user, tx)
            }
        }
    }
}
