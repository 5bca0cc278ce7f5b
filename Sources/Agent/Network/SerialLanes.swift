import Synchronization

/// Runs jobs with the same key one after another, in the order in which they came, and those with different keys at once.
final class SerialLanes<Key: Hashable & Sendable>: Sendable {
    typealias Job = @Sendable () async -> Void

    private struct State {
        /// Waiting jobs of the keys that have a job running.
        var lanes: [Key: [Job]] = [:]
        var isClosed = false
        /// Told when the last lane is empty.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    func add(_ key: Key, _ job: @escaping Job) {
        let starts = state.withLock { state in
            guard !state.isClosed else { return false }
            guard state.lanes[key] == nil else {
                state.lanes[key]?.append(job)
                return false
            }
            state.lanes[key] = []
            return true
        }
        if starts { Task { await self.run(key, first: job) } }
    }

    private func run(_ key: Key, first: @escaping Job) async {
        await first()
        while let next = state.withLock({ state -> Job? in
            guard state.lanes[key]?.isEmpty == false, !state.isClosed else {
                state.lanes[key] = nil
                if state.lanes.isEmpty {
                    for waiting in state.waiting { waiting.resume() }
                    state.waiting = []
                }
                return nil
            }
            return state.lanes[key]?.removeFirst()
        }) { await next() }
    }

    /// Takes and starts no more jobs, and returns when those that run have ended.
    func close() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.isClosed = true
                if state.lanes.isEmpty { continuation.resume() } else { state.waiting.append(continuation) }
            }
        }
    }
}
