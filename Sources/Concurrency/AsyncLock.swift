import DequeModule
import Synchronization

/// An asynchronous lock: one task at a time runs its body, in the order in which the tasks requested the lock. A lock
/// with several places lets as many tasks run at the same time as it has places.
///
/// A task has its turn from the moment when it acquires the lock until it releases the lock. Each store has such a
/// lock. The comments of other files call the possession of this lock "the turn of the store".
///
/// Cancellation does not wake a waiting task: the task gets its turn, and its body finds that the task is cancelled.
/// The lock is not recursive.
package final class AsyncLock: Sendable {
    private struct State {
        var freePlaceCount: Int
        var waiters: Deque<Waiter> = []
    }

    private struct Waiter {
        let continuation: CheckedContinuation<Void, Never>
        let since: ContinuousClock.Instant
    }

    private let state: Mutex<State>
    private let maxHolderCount: Int

    package init(places: Int = 1) {
        state = Mutex(State(freePlaceCount: places))
        maxHolderCount = places
    }

    package func runLocked<T>(_ body: () async throws -> T) async rethrows -> T {
        await waitForLock()
        defer { passToNextTask() }
        return try await body()
    }

    /// Acquires the lock until ``Turn/end()`` is called on the result.
    package func acquireTurn() async -> Turn {
        await waitForLock()
        return Turn(self)
    }

    package final class Turn: Sendable {
        private let lock: Mutex<AsyncLock?>

        fileprivate init(_ lock: AsyncLock) { self.lock = Mutex(lock) }

        deinit { end() }

        /// Ends the turn, which releases the lock. A second call has no effect.
        package func end() {
            let held = lock.withLock { lock in
                defer { lock = nil }
                return lock
            }
            held?.passToNextTask()
        }
    }

    private func waitForLock() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.freePlaceCount > 0 else {
                    state.waiters.append(Waiter(continuation: continuation, since: .now))
                    return false
                }
                state.freePlaceCount -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    fileprivate func passToNextTask() {
        let next = state.withLock { state in
            guard let next = state.waiters.popFirst() else {
                state.freePlaceCount += 1
                return CheckedContinuation<Void, Never>?.none
            }
            return next.continuation
        }
        next?.resume()
    }

    var freePlaces: Int { state.withLock { $0.freePlaceCount } }

    /// The number of tasks that have the lock, the number of tasks that wait for it, and the longest wait.
    package var figures: WaitFigures {
        state.withLock { state in
            WaitFigures(
                running: maxHolderCount - state.freePlaceCount,
                waiting: state.waiters.count,
                since: state.waiters.first?.since
            )
        }
    }

    /// Number of waiting tasks.
    var waitingCount: Int { state.withLock { $0.waiters.count } }
}
