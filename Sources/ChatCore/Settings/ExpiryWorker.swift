internal import Logging

/// Deletes the items that are older than they are kept: when the core starts, when a time is set, and when the next is due.
final class ExpiryWorker: Sendable {
    private let store: ChatStore
    private let logger: Logger
    private let signal = WakeSignal()

    /// It looks again at least this often, in nanoseconds: the clock may be set.
    private static let patience: Int64 = 1800 * 1_000_000_000

    init(store: ChatStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// A time was set.
    func wake() { signal.signal() }

    func run() async {
        var sleeper: Task<Void, Never>?
        signal.signal()
        while await signal.wait() {
            sleeper?.cancel()
            var wait: Int64? = Self.patience
            do {
                while !Task.isCancelled, try await store.write({ try ExpiringItems.deleteDue($0) }) {}
                wait = try await store.read { try ExpiringItems.wait(.now, $0) }
            } catch {
                logger.error("old messages not deleted", metadata: ["error": "\(error)"])
            }
            guard let wait else { continue }
            let pause = min(Self.patience, wait)
            sleeper = Task { [signal] in
                if (try? await Task.sleep(for: .nanoseconds(pause))) != nil { signal.signal() }
            }
        }
        sleeper?.cancel()
    }
}
