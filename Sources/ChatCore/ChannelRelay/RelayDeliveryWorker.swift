internal import ChatStore
internal import Concurrency
internal import Logging
internal import SQLCipher
import Synchronization

/// Passes messages of channels on to the members: one page of members at a time, all channels in turn. The worker waits
/// while many messages are in flight, so that more of the waiting messages share a body. The worker does not wait for
/// members whose servers do not accept messages at the moment.
final class RelayDeliveryWorker: Worker {
    let followUpWork = FollowUp.relayDelivery
    private let store: ChatStore
    private let outbox: Outbox
    private let logger: Logger
    let signal = WakeSignal()
    /// Number of messages to members since the start.
    let deliveryCount = Atomic<Int64>(0)

    /// The worker waits while more messages than this number are in flight, but not longer than `maxOutboxWait`.
    private static let maxMessagesInFlight = 2 * RelayJobs.membersPerPage
    private static let maxOutboxWait: Duration = .seconds(3)

    init(store: ChatStore, outbox: Outbox, logger: Logger) {
        self.store = store
        self.outbox = outbox
        self.logger = logger
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        try db.hasRow("SELECT 1 FROM relay_jobs UNION ALL SELECT 1 FROM relay_tasks") ? .zero : nil
    }

    func run(from start: WorkerStart) async {
        await signal.run(logger, after: start.pause, whenFailed: "messages of channels not forwarded") {
            while !Task.isCancelled {
                let sequences = try await store.read { db in try RelayJobs.readPendingSequences(db) }
                guard !sequences.isEmpty else { break }
                for sequence in sequences where !Task.isCancelled {
                    let passed = try await store.write { tx in
                        try RelayJobs.sendNextPage(sequence, tx)
                        return tx.deliveries.count
                    }
                    deliveryCount.wrappingAdd(Int64(passed), ordering: .relaxed)
                    await outbox.waitForCapacity(Self.maxMessagesInFlight, atMost: Self.maxOutboxWait)
                }
            }
            return nil
        }
    }
}
