import Synchronization

/// The number of attempts to send events of one store, by outcome.
final class DeliveryCounts: Sendable {
    enum Outcome: String, CaseIterable { case delivered, failed, abandoned }

    private let counts = Mutex<[Outcome: UInt64]>([:])

    func add(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] &+= 1 } }
    var all: [(Outcome, UInt64)] { counts.withLock { counts in Outcome.allCases.map { ($0, counts[$0] ?? 0) } } }
}
