internal import Agent
internal import ChatAPI
internal import Logging
internal import SQLCipher
import Synchronization

/// Hands what is in the outbox to the agent: in the order of the rows, each as often as it takes, the agent telling repetitions by the
/// row's id. One batch at a time, so that under load many messages share the agent's transaction.
final class Outbox: Sendable {
    private let store: ChatStore
    private let agent: Agent
    private let logger: Logger
    private let state: Mutex<State>
    private let signal = WakeSignal()

    private struct State {
        /// The id of the delivery that comes next. Committers report in any order, but the ids have no gaps.
        var expected: Int64
        var early: [Int64: Delivery] = [:]
        var queue: OutboxQueue
        var isRunning = false
        /// What the agent or the store could not take is left alone for so long.
        var pause = GrowingPause(upTo: .seconds(1))
        /// Those who wait until all that is here is with the agent.
        var flushes: [CheckedContinuation<Void, Never>] = []
    }

    private static let batchLimit = 200

    /// How long deliveries gather after a batch: several share a transaction of the agent, and under load a message. A single one does not wait.
    private static func pace(after batch: [Shipment]) -> Duration {
        .milliseconds(batch.contains { $0.deliveries.count > 1 } ? 20 : 3)
    }

    /// Takes over what an earlier run left; must be made before anything else writes deliveries.
    static func open(store: ChatStore, agent: Agent, logger: Logger) async throws -> Outbox {
        let (pending, last) = try await store.read { db in
            (
                try Shipment.pending(in: db),
                try db.first("SELECT seq FROM sqlite_sequence WHERE name = 'deliveries'")?.int64("seq") ?? 0
            )
        }
        let outbox = Outbox(store: store, agent: agent, logger: logger, state: State(expected: last + 1, queue: OutboxQueue(pending: pending)))
        store.observers.withLock { $0.deliveries = { [weak outbox] deliveries in outbox?.add(deliveries) } }
        return outbox
    }

    private init(store: ChatStore, agent: Agent, logger: Logger, state: State) {
        self.store = store
        self.agent = agent
        self.logger = logger
        self.state = Mutex(state)
    }

    private func add(_ deliveries: [Delivery]) {
        state.withLock { state in
            for delivery in deliveries { state.early[delivery.deliveryId] = delivery }
            while let next = state.early.removeValue(forKey: state.expected) {
                state.expected += 1
                state.queue.add(next)
            }
        }
        signal.signal()
    }

    /// A message is with its relay, or was given up: what waited for that may go.
    func settled(_ externalID: String) {
        guard let first = Delivery.id(external: externalID, epoch: store.journal.epoch) else { return }
        if state.withLock({ $0.queue.settled(first) }) { signal.signal() }
    }

    /// The agent has deleted a connection.
    func forget(_ connection: ConnectionID) {
        state.withLock { $0.queue.forget(connection.text) }
    }

    /// Returns when all that is here now is with the agent, or nothing is handed over any more.
    func flush() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                if state.isRunning { state.flushes.append(continuation) }
                return state.isRunning
            }
            if waits { signal.signal() } else { continuation.resume() }
        }
    }

    /// Works until the task is cancelled.
    func run() async {
        state.withLock { $0.isRunning = true }
        signal.signal()
        while await signal.wait() {
            while !Task.isCancelled, await handOverNext() {}
        }
        let flushes = state.withLock { state in
            state.isRunning = false
            defer { state.flushes = [] }
            return state.flushes
        }
        for flush in flushes { flush.resume() }
    }

    /// - Returns: whether there was anything to be handed over.
    private func handOverNext() async -> Bool {
        let (batch, flushes) = state.withLock { state in
            let flushes = state.flushes
            state.flushes = []
            return (state.queue.take(limit: flushes.isEmpty ? Self.batchLimit : .max, flushing: !flushes.isEmpty), flushes)
        }
        let done = batch.isEmpty ? true : await handOver(batch)
        if done {
            for flush in flushes { flush.resume() }
        } else {
            state.withLock { state in
                state.queue.giveBack(batch)
                state.flushes = flushes + state.flushes
            }
        }
        if done { state.withLock { $0.pause.reset() } }
        if !batch.isEmpty { try? await Task.sleep(for: done ? Self.pace(after: batch) : state.withLock { $0.pause.next() }) }
        return !batch.isEmpty
    }

    /// - Returns: whether the agent has taken or refused every message; otherwise all are to be tried again.
    private func handOver(_ batch: [Shipment]) async -> Bool {
        let epoch = store.journal.epoch
        do {
            try await record(batch)
            let known = batch.compactMap { shipment in ConnectionID(text: shipment.connection).map { ($0, shipment) } }
            let results = try await agent.accept(
                known.map { id, shipment in
                    OutgoingMessage(
                        connection: id, notify: shipment.notifies, body: shipment.agentBody(),
                        externalID: Delivery.externalID(shipment.first.deliveryId, epoch: epoch), pqEncryption: shipment.last.postQuantum.isWanted,
                        waitingSince: shipment.last.createdAt.nanoseconds / 1_000_000_000)
                })
            try await tell(zip(known, results).compactMap { known, result in
                guard case .success(let accepted) = result, let isOn = accepted.pqEncryption, isOn != (known.1.last.postQuantum.isSending ?? false)
                else { return nil }
                return (known.1.first.connectionId, isOn)
            })
            let refused = zip(known, results).compactMap { known, result in
                if case .failure(let error) = result { (known.1.first, error) } else { nil }
            }
            if !refused.isEmpty {
                try await store.write { tx in
                    for (delivery, error) in refused { try DeliveryStatus.fail(delivery, error, tx) }
                }
                state.withLock { state in for (delivery, _) in refused { state.queue.settled(delivery.deliveryId) } }
            }
            return true
        } catch {
            logger.error("outbox: deliveries not handed over", metadata: ["error": "\(error)", "count": "\(batch.count)"])
            return false
        }
    }

    /// Which deliveries go together is known before the agent has them: after a crash they go together again.
    private func record(_ batch: [Shipment]) async throws {
        let joined = batch.filter { !$0.isRecorded }
        guard !joined.isEmpty else { return }
        try await store.write { tx in for shipment in joined { try shipment.record(tx.db) } }
    }

    /// Messages were encrypted otherwise than those before.
    private func tell(_ changes: [(connectionId: Int64, isPostQuantum: Bool)]) async throws {
        guard !changes.isEmpty else { return }
        try await store.write { tx in
            for change in changes {
                guard let connection = try ConnectionRecord.find(change.connectionId, in: tx.db), let contactId = connection.contactId,
                    let user = try UserRecord.find(connection.userId, in: tx.db),
                    var contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db)
                else { continue }
                try PostQuantumNews.update(sent: true, change.isPostQuantum, in: &contact, user, tx)
            }
        }
    }
}
