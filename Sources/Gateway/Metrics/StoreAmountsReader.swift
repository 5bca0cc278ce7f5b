internal import Concurrency
internal import Synchronization

/// Reads the amounts that stores use, such as numbers of chat items and bytes, for metrics. A store whose databases do
/// not answer delays only its own amounts. Such a store is not read again until it answers, and the metrics name it.
final class StoreAmountsReader: Sendable {
    /// A store whose amounts are read.
    struct Source: Sendable {
        let id: String
        /// Reads the amounts, and keeps them for the metrics.
        let readAmounts: @Sendable () async -> Void
    }

    /// The maximal time for which a request for metrics waits for the amounts. Amounts that are read later appear in
    /// later metrics.
    static let maxWait = Duration.seconds(1)
    /// Maximal number of stores whose amounts are read at the same time. After ``maxWait``, a store that does not
    /// answer no longer counts.
    static let maxConcurrentReads = 4

    private struct State {
        var isRunning = false
        /// The times at which the running readings began, by the ids of the stores.
        var startTimes: [String: ContinuousClock.Instant] = [:]
    }

    private let maxWait: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    /// The callers that wait for the end of a reading. The key is the id of the store, or nil for a reading of all
    /// stores.
    private let readingEnds = CompletionWaiters<String?>()

    init(
        patience: Duration = StoreAmountsReader.maxWait,
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

    /// Reads the amounts of one store. Returns when they are read, or after ``maxWait``. Does nothing while another
    /// reading of the store is still running.
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
