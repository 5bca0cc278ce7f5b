internal import ChatStore
internal import Concurrency
internal import Logging

/// Deletes expired items, marks expired badges, and checks proofs of badges when their checks are due. The worker works
/// when the core starts, when a TTL is set, when a badge is stored, and when the next item or badge is due.
final class ExpiryWorker: Worker {
    let followUpWork = FollowUp.expiringItems
    private let store: ChatStore
    private let logger: Logger
    let signal = WakeSignal()

    /// The maximum time between two checks, since the system clock may be changed.
    private static let maxCheckInterval = Duration.seconds(1800)

    init(store: ChatStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        // A query for the next item that expires in any chat takes long, so the first round of the worker makes this
        // query.
        guard try !ExpiringItems.hasAnyTTL(in: db) else { return .zero }
        return try ExpiringBadges.findTimeUntilNextChange(.now, db).map { min(Self.maxCheckInterval, $0) }
    }

    func run(from start: WorkerStart) async {
        await signal.run(logger, after: start.pause, whenFailed: "old messages not deleted") {
            while !Task.isCancelled, try await store.write({ try ExpiringItems.deleteDueItems($0) }) {}
            while !Task.isCancelled, try await store.write({ try ExpiringBadges.markDueBadges($0) }) {}
            let waits = try await store.read { db in
                [try ExpiringItems.timeUntilNextExpiry(.now, db), try ExpiringBadges.findTimeUntilNextChange(.now, db)]
            }
            return waits.compactMap(\.self).min().map { min(Self.maxCheckInterval, $0) }
        }
    }
}
