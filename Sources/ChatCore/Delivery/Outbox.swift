internal import Agent
internal import ChatAPI
internal import Concurrency
internal import Logging
internal import SQLCipher
import Synchronization

/// Passes the deliveries of the outbox to the agent, in the order of the rows, one batch at a time, so that under load
/// many messages share the agent's transaction. Each message is passed once, and a failed message does not block later
/// ones.
///
/// The chat database and the agent's commit separately, and the process may end between any two commits. A delivery
/// goes through these states, each entered by one commit:
/// 1. Pending in the chat, unknown to the agent. Only this outbox ends this state, by the agent's `accept`.
/// 2. Pending in the chat, accepted by the agent under its external id. The agent sends it, with the same bytes each
///    time, which the peer recognizes.
/// 3. Sent or failed in the chat, still stored by the agent. The handler's commit ends state 2.
/// 4. Deleted by the agent, after the handler has returned. `accept` would send it again, as another message.
///
/// The commits that enter states 3 and 4 may be delayed (`Database.write(within:)`): each joins a later commit of the
/// same database that a caller waits for. Until then the delivery is in the earlier state for all observers: the
/// handler returns after the commit of state 3.
///
/// Therefore a delivery is passed to the agent only in state 1; in state 2 the outbox waits for its result:
/// - New deliveries are in state 1 until they are taken: only this outbox takes them.
/// - Deliveries that are pending when the store is opened are in state 1 or 2. ``resume()`` asks the agent *before* the
///   agent starts: until then nothing is sent, reported or deleted, so the answer stays true. Every later start asks
///   the same.
/// - Between taking and `accept` a delivery is in state 1: after a failure there it is given back. A delivery that the
///   agent has refused is also given back, until the refusal is stored. A delivery that the agent has accepted is never
///   given back, whatever fails later.
/// - A process that ends before the commit of `accept` leaves state 1, also for deliveries that were recorded as one
///   batch: they are one batch at the next start. A process that ends later leaves state 2, 3 or 4.
///
/// A connection waits for messages that are underway. A message is underway from its taking, or from ``resume()``, and
/// therefore before the agent can report its result. The agent reports the result of each message that it has, or is
/// asked again at the next start. So no result arrives too early to be noticed.
final class Outbox: Sendable {
    private let store: ChatStore
    private let agent: Agent
    private let hooks: OutboxHooks
    private let logger: Logger
    private let state: Mutex<State>
    private let signal = WakeSignal()
    /// Signals to a waiting caller that there is room for more messages.
    private let room = WakeSignal()

    private struct State {
        var order: DeliveryOrder
        /// Whether a task is already searching for the missing delivery.
        var isLookedFor = false
        var queue: OutboxQueue
        var isRunning = false
        /// The backoff after a refusal by the agent or the store.
        var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(1))
        /// Callers that wait until the agent has all present deliveries.
        var flushes: [CheckedContinuation<Bool, Never>] = []
        /// The number of messages in flight up to which there is room; nil when no caller waits for room.
        var awaitedRoom: Int?

        /// Whether a caller waits for room and the room is there.
        mutating func hasAwaitedRoom() -> Bool {
            guard let most = awaitedRoom, queue.overFreeConnections.count <= most else { return false }
            awaitedRoom = nil
            return true
        }
    }

    private static let batchLimit = 200

    /// The pause after a batch. Deliveries that come meanwhile share a transaction of the agent, and under load an
    /// agent message. A delivery that comes later is passed on at once.
    private static func pace(after batch: [Shipment]) -> Duration {
        .milliseconds(batch.contains { $0.deliveries.count > 1 } ? 20 : 3)
    }

    /// Opens the outbox with the deliveries of earlier runs. Must be called before any delivery is written.
    static func open(
        store: ChatStore,
        agent: Agent,
        hooks: OutboxHooks = OutboxHooks(),
        logger: Logger
    ) async throws -> Outbox {
        let (pending, last) = try await store.read { db in (try Shipment.pending(in: db), try Self.lastId(db)) }
        let state = State(order: DeliveryOrder(next: last + 1), queue: OutboxQueue(pending: pending))
        let outbox = Outbox(store: store, agent: agent, hooks: hooks, logger: logger, state: state)
        store.observers.withLock { $0.deliveries = { [weak outbox] deliveries in outbox?.add(deliveries) } }
        return outbox
    }

    private init(store: ChatStore, agent: Agent, hooks: OutboxHooks, logger: Logger, state: State) {
        self.store = store
        self.agent = agent
        self.hooks = hooks
        self.logger = logger
        self.state = Mutex(state)
    }

    /// The last id that was assigned, whether or not the delivery still exists.
    private static func lastId(_ db: StoreConnection) throws -> Int64 {
        try db.first("SELECT seq FROM sqlite_sequence WHERE name = 'deliveries'")?.count("seq") ?? 0
    }

    private func add(_ deliveries: [Delivery]) {
        state.withLock { state in
            for delivery in state.order.report(deliveries) { state.queue.add(delivery) }
        }
        signal.signal()
        lookForMissing()
    }

    /// Searches for a missing delivery after a delay. Only one search runs at a time.
    private func lookForMissing() {
        let missing = state.withLock { state -> Int64? in
            guard !state.isLookedFor, let missing = state.order.missing else { return nil }
            state.isLookedFor = true
            return missing
        }
        guard let missing else { return }
        Task { [weak self, hooks] in
            await hooks.gapPatience()
            guard let self else { return }
            do { try await self.fillGap(at: missing) } catch DatabaseError.closed { return } catch {
                self.logger.error("outbox: missing deliveries not read", metadata: ["error": "\(error)"])
            }
            self.state.withLock { $0.isLookedFor = false }
            self.lookForMissing()
        }
    }

    /// Resolves a delivery that was reported neither as committed nor as failed: the database decides whether it
    /// exists.
    private func fillGap(at missing: Int64) async throws {
        guard state.withLock({ $0.order.missing }) == missing else { return }
        logger.error(
            "outbox: a delivery was not reported, and later deliveries wait for it: the database is read again",
            metadata: ["delivery": "\(missing)"]
        )
        let (stored, last) = try await store.database.read { db in
            (try Shipment.pending(from: missing, in: db).flatMap(\.deliveries), try Self.lastId(db))
        }
        state.withLock { state in
            for delivery in state.order.fill(stored, through: last) { state.queue.add(delivery) }
        }
        signal.signal()
    }

    /// Returns when at most `most` messages are in flight over connections that were free before, or after `patience`.
    func waitForRoom(_ most: Int, atMost patience: Duration) async {
        guard awaitsRoom(most) else { return }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [self] in while awaitsRoom(most), await room.wait() {} }
            tasks.addTask { try? await Task.sleep(for: patience) }
            await tasks.next()
            tasks.cancelAll()
        }
    }

    private func awaitsRoom(_ most: Int) -> Bool {
        state.withLock { state in
            guard state.queue.overFreeConnections.count > most else { return false }
            state.awaitedRoom = most
            return true
        }
    }

    /// Asks the agent which pending deliveries it has: the agent sends these by itself. Call this before every start of
    /// the agent.
    func resume() async throws {
        let held = try await agent.outstanding()
        let epoch = store.journal.epoch
        state.withLock { $0.queue.resume { held.contains(Delivery.externalID($0, epoch: epoch)) } }
    }

    /// Ends a message that its relay has or that was given up: deliveries that waited for it may be passed on.
    func settled(_ externalID: String) {
        guard let first = Delivery.id(external: externalID, epoch: store.journal.epoch) else { return }
        let (isReady, hasRoom) = state.withLock { state in (state.queue.settled(first), state.hasAwaitedRoom()) }
        if isReady { signal.signal() }
        if hasRoom { room.signal() }
        hooks.settled(first)
    }

    /// Forgets the messages of a connection that the agent has deleted.
    func forget(_ connection: ConnectionID) {
        let hasRoom = state.withLock { state in
            state.queue.forget(connection.text)
            return state.hasAwaitedRoom()
        }
        if hasRoom { room.signal() }
    }

    /// Waits until the agent has all present deliveries, or passing has stopped.
    /// - Returns: whether the agent has all of them.
    @discardableResult
    func flush() async -> Bool {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                if state.isRunning { state.flushes.append(continuation) }
                return state.isRunning
            }
            if waits { signal.signal() } else { continuation.resume(returning: false) }
        }
    }

    /// Makes flushes wait from now on. Call this before ``run()``.
    func begin() { state.withLock { $0.isRunning = true } }

    /// Works until the task is cancelled.
    func run() async {
        signal.signal()
        while await signal.wait() {
            while !Task.isCancelled, await handOverNext() {}
        }
        let flushes = state.withLock { state in
            state.isRunning = false
            defer { state.flushes = [] }
            return state.flushes
        }
        for flush in flushes { flush.resume(returning: false) }
    }

    /// Passes the next batch to the agent.
    /// - Returns: whether there was a delivery to pass on.
    private func handOverNext() async -> Bool {
        do { try await hooks.step(.taking) } catch { return false }
        let (batch, flushes) = state.withLock { state in
            let flushes = state.flushes
            state.flushes = []
            return (
                state.queue.take(limit: flushes.isEmpty ? Self.batchLimit : .max, flushing: !flushes.isEmpty), flushes
            )
        }
        let left = batch.isEmpty ? [] : await handOver(batch)
        if left.isEmpty {
            for flush in flushes { flush.resume(returning: true) }
        } else {
            state.withLock { state in
                state.queue.giveBack(left)
                state.flushes = flushes + state.flushes
            }
        }
        if left.isEmpty { state.withLock { $0.backoff.reset() } }
        if !batch.isEmpty {
            try? await Task.sleep(for: left.isEmpty ? Self.pace(after: batch) : state.withLock { $0.backoff.next() })
        }
        return !batch.isEmpty
    }

    /// - Returns: the shipments that the agent does not have, and that have to be repeated.
    private func handOver(_ batch: [Shipment]) async -> [Shipment] {
        let known = batch.compactMap { shipment in ConnectionID(text: shipment.connection).map { ($0, shipment) } }
        let results: [Result<AcceptedMessage, AgentError>]
        do {
            try await record(batch)
            try await hooks.step(.accepting)
            results = try await accept(known)
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
            try await hooks.step(.accepted)
            try await showPostQuantum(
                zip(known, results).compactMap { known, result in
                    guard case .success(let accepted) = result, let isOn = accepted.pqEncryption,
                        isOn != (known.1.last.postQuantum.isSending ?? false)
                    else { return nil }
                    return (known.1.first.connectionId, isOn)
                }
            )
            guard !refused.isEmpty else { return [] }
            try await store.write { tx in
                for (shipment, error) in refused { try DeliveryStatus.fail(shipment.first, error, tx) }
            }
            let hasRoom = state.withLock { state in
                for (shipment, _) in refused { state.queue.settled(shipment.first.deliveryId) }
                return state.hasAwaitedRoom()
            }
            if hasRoom { room.signal() }
            return []
        } catch {
            // The agent keeps the accepted messages. The next message reports the same encryption, and a refused
            // message is refused again.
            logger.error(
                "outbox: results of deliveries not stored",
                metadata: ["error": "\(error)", "count": "\(batch.count)"]
            )
            return refused.map(\.shipment)
        }
    }

    private func accept(_ shipments: [(ConnectionID, Shipment)]) async throws -> [Result<AcceptedMessage, AgentError>] {
        let epoch = store.journal.epoch
        return try await agent.accept(
            shipments.map { id, shipment in
                OutgoingMessage(
                    connection: id,
                    notify: shipment.notifies,
                    body: shipment.agentBody(),
                    externalID: Delivery.externalID(shipment.first.deliveryId, epoch: epoch),
                    pqEncryption: shipment.last.postQuantum.isWanted,
                    waitingSince: shipment.last.createdAt.nanoseconds / 1_000_000_000,
                    awaitsReceipt: !shipment.first.isPassedOn
                )
            }
        )
    }

    /// Records which deliveries form a batch before the agent has them: after a crash they form the same batch.
    private func record(_ batch: [Shipment]) async throws {
        let joined = batch.filter { !$0.isRecorded }
        guard !joined.isEmpty else { return }
        try await store.write { tx in for shipment in joined { try shipment.record(tx.db) } }
    }

    /// Records that messages over these connections are encrypted in another way than earlier ones.
    private func showPostQuantum(_ changes: [(connectionId: Int64, isPostQuantum: Bool)]) async throws {
        guard !changes.isEmpty else { return }
        try await store.write { tx in
            for change in changes {
                guard let peer = try ConnectionPeer.find(change.connectionId, in: tx.db), var contact = peer.contact
                else { continue }
                try PostQuantumNews.update(sent: true, change.isPostQuantum, in: &contact, peer.user, tx)
            }
        }
    }
}
