import Synchronization

/// The progress of one long piece of work, and the request to cancel this work.
///
/// Running work finds its progress in ``currentProgress``. Functions that copy much data report the copied amount to
/// it. Work can be cancelled only until its effect begins. The work checks the condition of
/// ``makeContinueCondition(_:)`` while it prepares the effect, and calls ``preventCancellation()`` before the effect.
package final class WorkProgress: Sendable {
    /// The unit in which work is counted.
    package enum Unit: String, Sendable {
        case bytes
        /// Steps of work that copies nothing.
        case steps
    }

    /// The amount of work that is done.
    package struct Amount: Sendable, Hashable {
        package let doneAmount: Int64
        /// The amount at the end of the work, as an estimate; nil when it is unknown.
        package let totalAmount: Int64?
        package let unit: Unit

        package init(done: Int64, total: Int64?, unit: Unit) {
            (self.doneAmount, self.totalAmount, self.unit) = (done, total, unit)
        }
    }

    private struct State {
        var done: Int64 = 0
        var total: Int64?
        var unit: Unit?
        var isCancelled = false
        var isCancellable: Bool
    }

    /// The progress of the present task; nil when nobody follows the task. ``runBlocking(_:)`` passes it to its thread.
    /// It is no parameter, because functions that copy data also run without an operation, and are called far below the
    /// request that begins an operation.
    @TaskLocal package static var currentProgress: WorkProgress?

    private let state: Mutex<State>

    /// Makes the progress of a new piece of work.
    /// - Parameter isCancellable: whether ``requestCancellation()`` can have an effect. If so, the work calls
    ///   ``preventCancellation()`` before its effect, or can end without an effect at any time.
    package init(isCancellable: Bool) { state = Mutex(State(isCancellable: isCancellable)) }

    /// The amount that is done; nil before ``beginCounting(_:of:)``.
    package var amount: Amount? {
        state.withLock { state in
            state.unit.map {
                // The total is an estimate, because files may grow during the work. So the total is at least the amount
                // that is done.
                Amount(done: state.done, total: state.total.map { [done = state.done] in max($0, done) }, unit: $0)
            }
        }
    }

    /// Begins to count the work in `unit`, from zero.
    /// - Parameter total: the expected number at the end; nil when it is unknown.
    package func beginCounting(_ unit: Unit, of total: Int64? = nil) {
        state.withLock { ($0.done, $0.total, $0.unit) = (0, total, unit) }
    }

    package func advance(by count: Int64) {
        state.withLock { $0.done = max($0.done, $0.done.addingReportingOverflow(count).partialValue) }
    }

    /// Sets the amount that is done, which never decreases.
    package func advance(to done: Int64, of total: Int64? = nil) {
        state.withLock { state in
            state.done = max(state.done, done)
            if let total { state.total = total }
        }
    }

    /// Runs a body that starts tasks which live longer than the present work, for example the workers of a store. These
    /// tasks inherit no progress, so they cannot report into work that has ended.
    package static func withoutProgress<T, E: Error>(_ body: () async throws(E) -> T) async throws(E) -> T {
        let result: Result<T, E> = await $currentProgress.withValue(nil) {
            do throws(E) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    // MARK: Cancellation

    /// Whether the work must end without an effect.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }
    /// Whether ``requestCancellation()`` has an effect now.
    package var isCancellable: Bool { state.withLock { $0.isCancellable && !$0.isCancelled } }

    /// Asks the work to end without an effect. The work may still complete, if it no longer checks for cancellation.
    /// - Returns: false if the work can no longer be cancelled.
    package func requestCancellation() -> Bool {
        state.withLock { state in
            guard state.isCancellable else { return false }
            state.isCancelled = true
            return true
        }
    }

    /// Begins the effect of the present work. From now on the work cannot be cancelled.
    /// - Throws: `CancellationError` if the work was cancelled before.
    package static func preventCancellation() throws {
        let mayCommit = currentProgress?.state.withLock { state in
            if !state.isCancelled { state.isCancellable = false }
            return !state.isCancelled
        }
        guard mayCommit ?? true else { throw CancellationError() }
    }

    /// Returns a condition that holds while the given condition holds and the present work is not cancelled.
    package static func makeContinueCondition(_ mayContinue: @escaping @Sendable () -> Bool) -> @Sendable () -> Bool {
        guard let currentProgress else { return mayContinue }
        return { mayContinue() && !currentProgress.isCancelled }
    }
}
