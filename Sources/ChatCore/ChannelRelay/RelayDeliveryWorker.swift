internal import Concurrency
internal import Logging
internal import SQLCipher
import Synchronization

/// Passes on what members of channels have written, a page of members at a time, all channels in turn. It goes no faster than messages get out, so that more of
/// those that wait go together; members whose servers do not take messages are not waited for.
final class RelayDeliveryWorker: Sendable {
    private let store: ChatStore
    private let outbox: Outbox
    private let logger: Logger
    private let signal = WakeSignal()
    /// How many messages members were sent.
    let deliveries = Atomic<Int64>(0)

    /// The number of messages that may be in flight, and how long the worker waits for them to become fewer.
    private static let room = 2 * RelayJobs.page
    private static let patience: Duration = .seconds(3)

    init(store: ChatStore, outbox: Outbox, logger: Logger) {
        self.store = store
        self.outbox = outbox
        self.logger = logger
    }

    func wake() { signal.signal() }

    func run() async {
        await signal.run(logger, whenFailed: "messages of channels not passed on") {
            while !Task.isCancelled {
                let lanes = try await store.read { db in try RelayJobs.lanes(db) }
                guard !lanes.isEmpty else { break }
                for lane in lanes where !Task.isCancelled {
                    let passed = try await store.write { tx in
                        try RelayJobs.work(lane, tx)
                        return tx.deliveries.count
                    }
                    deliveries.wrappingAdd(Int64(passed), ordering: .relaxed)
                    await outbox.waitForRoom(Self.room, atMost: Self.patience)
                }
            }
            return nil
        }
    }
}
