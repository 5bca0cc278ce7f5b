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
    private let queue: Mutex<Queue>
    private let signal = WakeSignal()
    private let gate = Gate()

    private struct Queue {
        /// The id of the delivery that comes next. Committers report in any order, but the ids have no gaps.
        var expected: Int64
        var early: [Int64: Delivery] = [:]
        var ready: [Delivery]
    }

    private static let batchLimit = 200

    /// How long deliveries gather after a batch: under load several share a transaction of the agent, and a single one does not wait.
    private static let pace = Duration.milliseconds(3)

    /// Takes over what an earlier run left; must be made before anything else writes deliveries.
    static func open(store: ChatStore, agent: Agent, logger: Logger) async throws -> Outbox {
        let (pending, last) = try await store.read { db in
            (
                try Delivery.pending(in: db),
                try db.first("SELECT seq FROM sqlite_sequence WHERE name = 'deliveries'")?.int64("seq") ?? 0
            )
        }
        let outbox = Outbox(store: store, agent: agent, logger: logger, queue: Queue(expected: last + 1, ready: pending))
        store.observers.withLock { $0.deliveries = { [weak outbox] deliveries in outbox?.add(deliveries) } }
        return outbox
    }

    private init(store: ChatStore, agent: Agent, logger: Logger, queue: Queue) {
        self.store = store
        self.agent = agent
        self.logger = logger
        self.queue = Mutex(queue)
    }

    private func add(_ deliveries: [Delivery]) {
        queue.withLock { queue in
            for delivery in deliveries { queue.early[delivery.deliveryId] = delivery }
            while let next = queue.early.removeValue(forKey: queue.expected) {
                queue.expected += 1
                queue.ready.append(next)
            }
        }
        signal.signal()
    }

    /// Works until the task is cancelled.
    func run() async {
        signal.signal()
        while await signal.wait() {
            while !Task.isCancelled {
                let batch = queue.withLock { queue -> [Delivery] in
                    let batch = Array(queue.ready.prefix(Self.batchLimit))
                    queue.ready.removeFirst(batch.count)
                    return batch
                }
                guard !batch.isEmpty else { break }
                await gate.begin()
                let done = await handOver(batch)
                await gate.end()
                if done {
                    try? await Task.sleep(for: Self.pace)
                } else {
                    queue.withLock { $0.ready.insert(contentsOf: batch, at: 0) }
                    try? await Task.sleep(for: .seconds(1))
                }
            }
        }
    }

    /// Returns when the batch that is being handed over now, if there is one, is with the agent.
    func settle() async {
        await gate.wait()
    }

    /// - Returns: whether the agent has taken or refused every delivery; otherwise all are to be tried again.
    private func handOver(_ batch: [Delivery]) async -> Bool {
        let epoch = store.journal.epoch
        do {
            let known = batch.compactMap { delivery in ConnectionID(text: delivery.agentConnId).map { ($0, delivery) } }
            let results = try await agent.accept(
                known.map { id, delivery in
                    // One that cannot be compressed enough is refused by the agent.
                    OutgoingMessage(
                        connection: id, notify: delivery.notifies, body: (try? delivery.agentBody()) ?? delivery.body,
                        externalID: Delivery.externalID(delivery.deliveryId, epoch: epoch), pqEncryption: delivery.postQuantum.isWanted)
                })
            try await tell(zip(known, results).compactMap { known, result in
                guard case .success(let accepted) = result, let isOn = accepted.pqEncryption, isOn != (known.1.postQuantum.isSending ?? false)
                else { return nil }
                return (known.1.connectionId, isOn)
            })
            let refused = zip(known, results).compactMap { known, result in
                if case .failure(let error) = result { (known.1, error) } else { nil }
            }
            if !refused.isEmpty {
                try await store.write { tx in
                    for (delivery, error) in refused { try DeliveryStatus.fail(delivery, error, tx) }
                }
            }
            return true
        } catch {
            logger.error("outbox: deliveries not handed over", metadata: ["error": "\(error)", "count": "\(batch.count)"])
            return false
        }
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

/// Lets others wait for the end of a piece of work that is going on.
private actor Gate {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() { isBusy = true }

    func end() {
        isBusy = false
        for waiter in waiting { waiter.resume() }
        waiting = []
    }

    func wait() async {
        guard isBusy else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
