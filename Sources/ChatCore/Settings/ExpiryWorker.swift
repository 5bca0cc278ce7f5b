internal import Concurrency
internal import Logging

/// Deletes the items that are older than they are kept: when the core starts, when a time is set, and when the next is due.
final class ExpiryWorker: Sendable {
    private let store: ChatStore
    private let logger: Logger
    private let signal = WakeSignal()

    /// It looks again at least this often: the clock may be set.
    private static let patience = Duration.seconds(1800)

    init(store: ChatStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// A time was set.
    func wake() { signal.signal() }

    func run() async {
        await signal.run(logger, whenFailed: "old messages not deleted") {
            while !Task.isCancelled, try await store.write({ try ExpiringItems.deleteDue($0) }) {}
            guard let wait = try await store.read({ try ExpiringItems.wait(.now, $0) }) else { return nil }
            return min(Self.patience, wait)
        }
    }
}
