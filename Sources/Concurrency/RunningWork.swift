import Synchronization

/// Counts running work, so that tasks can wait until no work runs.
///
/// A caller counts a piece of work first, and only then checks whether the work may run. Refused work counts until its
/// refusal. So a task can first forbid further work, and then wait: the wait includes every piece of work that was
/// still allowed.
package final class RunningWork: Sendable {
    private struct State {
        var runningCount = 0
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Counts `body` while it runs.
    package func runCounted<T>(_ body: () async throws -> T) async rethrows -> T {
        beginWork()
        defer { endWork() }
        return try await body()
    }

    /// Counts a piece of work as running until ``endWork()`` is called for it.
    package func beginWork() { state.withLock { $0.runningCount += 1 } }

    /// Number of pieces of work that run.
    package var runningCount: Int { state.withLock { $0.runningCount } }

    package func endWork() {
        let waiters = state.withLock { state -> [UInt64: CheckedContinuation<Void, Never>] in
            state.runningCount -= 1
            guard state.runningCount == 0 else { return [:] }
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Whether any work runs.
    package var isRunning: Bool { state.withLock { $0.runningCount > 0 } }

    /// Waits until no work runs. Cancellation does not end the wait.
    /// - Parameter limit: the time at which the wait ends even if work still runs; nil for no limit.
    package func waitUntilIdle(until limit: ContinuousClock.Instant? = nil) async {
        var timer: Task<Void, Never>?
        await withCheckedContinuation { continuation in
            let waiter = state.withLock { state -> UInt64? in
                guard state.runningCount > 0 else { return nil }
                state.lastWaiter += 1
                state.waiters[state.lastWaiter] = continuation
                return state.lastWaiter
            }
            guard let waiter else { return continuation.resume() }
            guard let limit else { return }
            timer = Task {
                if (try? await Task.sleep(until: limit)) != nil { stopWaiting(waiter) }
            }
        }
        timer?.cancel()
    }

    private func stopWaiting(_ waiter: UInt64) { state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume() }

    /// The number of waiting tasks.
    var waitingCount: Int { state.withLock { $0.waiters.count } }
}
