internal import ChatStore
internal import Concurrency
internal import Logging
import Synchronization

/// Deletes disappearing messages when they are due. The worker sleeps until the next message is due, and is woken when
/// an item with a time is added.
final class TimedItemWorker: Worker {
    let followUp = FollowUp.timedItems
    private let store: ChatStore
    private let logger: Logger
    private let signal = WakeSignal()

    init(store: ChatStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// Makes the worker read the time of the next deletion again, since a new item may be due earlier.
    func wake() { signal.wake() }

    func run() async {
        await signal.run(logger, whenFailed: "disappearing messages not deleted") {
            try await store.write { tx in try TimedItems.deleteDueItems(tx) }
            guard let due = try await store.read({ try TimedItems.findNextDueTime($0) }) else { return nil }
            return max(.zero, due.duration(since: .now))
        }
    }
}
