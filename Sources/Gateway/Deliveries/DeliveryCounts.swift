internal import Prometheus
internal import Synchronization

/// The number of attempts to send events of one store, or of all stores, by outcome.
final class DeliveryCounts: Sendable {
    enum Outcome: String, CaseIterable { case delivered, failed, abandoned }

    private let counts = Mutex<[Outcome: UInt64]>([:])
    private let totals: DeliveryCounts?

    /// - Parameter totals: the counts of attempts of all stores together, which also count each attempt of this store.
    ///   They remain when the store is closed.
    init(within totals: DeliveryCounts? = nil) { self.totals = totals }

    func countAttempt(_ outcome: Outcome) {
        counts.withLock { $0[outcome, default: 0] &+= 1 }
        totals?.countAttempt(outcome)
    }

    var countsByOutcome: [(Outcome, UInt64)] {
        counts.withLock { counts in Outcome.allCases.map { ($0, counts[$0] ?? 0) } }
    }

    func writeMetrics(to text: inout MetricsText) {
        text.writeFamily(
            "sxgw_delivery_attempts_total",
            .counter,
            "Attempts to send events to webhooks and push services, by outcome."
        )
        for (outcome, count) in countsByOutcome { text.writeSample([("outcome", outcome.rawValue)], count) }
    }
}
