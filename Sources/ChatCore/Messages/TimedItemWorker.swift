internal import ChatStore
internal import Concurrency
internal import Logging
import Synchronization

/// Deletes disappearing messages when they are due. The worker sleeps until the next message is due. A new item with a
/// time of deletion wakes the worker.
final class TimedItemWorker: Worker {
    let followUpWork = FollowUp.timedItems
    private let store: ChatStore
    private let logger: Logger
    let signal = WakeSignal()

    init(store: ChatStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        try TimedItems.findNextDueTime(db).map { max(.zero, $0.duration(since: .now)) }
    }

    func run(from start: WorkerStart) async {
        await signal.run(logger, after: start.pause, whenFailed: "disappearing messages not deleted") {
            try await store.write { tx in try TimedItems.deleteDueItems(tx) }
            return try await store.read { try self.findTimeUntilWork($0) }
        }
    }
}
