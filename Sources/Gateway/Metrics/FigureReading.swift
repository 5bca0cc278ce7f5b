internal import Concurrency
internal import Synchronization

/// Reads the amounts of stores for metrics. A store whose databases do not answer delays only its own amounts: it is
/// not read again until it answers, and the metrics name it.
final class FigureReading: Sendable {
    /// A store whose amounts are read.
    struct Source: Sendable {
        let id: String
        /// Reads the amounts, and keeps them for the metrics.
        let readAmounts: @Sendable () async -> Void
    }

    /// The maximal time in which metrics wait for the amounts. A later answer is in later metrics.
    static let maxWait = Duration.seconds(1)
    /// Number of stores whose amounts are read at a time. A store that does not answer within ``maxWait`` no longer
    /// counts.
    static let maxConcurrentReads = 4

    private struct State {
        var isRunning = false
        /// The beginnings of readings that have not ended.
        var startTimes: [String: ContinuousClock.Instant] = [:]
    }

    private let maxWait: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    /// Waits for the end of a reading of one store, or, without an id, of all stores.
    private let readingEnds = CompletionWaiters<String?>()

    init(
        patience: Duration = FigureReading.maxWait,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.maxWait, self.now) = (patience, now)
    }

    /// Reads the amounts of stores. If a reading of all stores runs, waits only for its end.
    func refreshAmounts(_ sources: [Source]) async {
        let end = readingEnds.expectCompletion(nil)
        let begins = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if begins { Task { await readAllSources(sources) } }
        await readingEnds.waitForCompletion(for: end, of: nil, atMost: maxWait)
    }

    private func readAllSources(_ sources: [Source]) async {
        await withTaskGroup(of: Void.self) { tasks in
            for (index, source) in sources.enumerated() {
                if index >= Self.maxConcurrentReads { await tasks.next() }
                tasks.addTask { await self.readSource(source) }
            }
        }
        state.withLock { $0.isRunning = false }
        readingEnds.reportCompletion(nil)
    }

    /// Returns when the store has answered, or after ``maxWait``. A store whose last reading has not ended is left out.
    private func readSource(_ source: Source) async {
        let begins = state.withLock { state in
            guard state.startTimes[source.id] == nil else { return false }
            state.startTimes[source.id] = now()
            return true
        }
        guard begins else { return }
        let end = readingEnds.expectCompletion(source.id)
        Task {
            await source.readAmounts()
            _ = state.withLock { $0.startTimes.removeValue(forKey: source.id) }
            readingEnds.reportCompletion(source.id)
        }
        await readingEnds.waitForCompletion(for: end, of: source.id, atMost: maxWait)
    }

    /// The stores that have not answered within ``maxWait``, with the time since the beginning of the reading, the
    /// longest time first.
    var lateStores: [(id: String, time: Duration)] {
        let now = now()
        return state.withLock { $0.startTimes }.map { (id: $0.key, time: $0.value.duration(to: now)) }
            .filter { $0.time > maxWait }
            .sorted { ($0.time, $1.id) > ($1.time, $0.id) }
    }
}
