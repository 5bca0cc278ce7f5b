import Synchronization

/// Wakes a worker. Signals that come while the worker works become one signal, which wakes the worker when it waits
/// again. If several workers wait, a signal wakes all of them.
package final class WakeSignal: Sendable {
    private struct State {
        var isSet = false
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether a task waits for a signal.
    package var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty } }

    package func wake() {
        let waiters = state.withLock { state in
            if state.waiters.isEmpty { state.isSet = true }
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: true) }
    }

    /// Waits for a signal.
    /// - Returns: false when the task is cancelled; the signal is then kept for the next waiter.
    package func waitForSignal() async -> Bool {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.isSet {
                        state.isSet = false
                        return true
                    }
                    state.waiters[number] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: false)
        }
    }
}

extension WakeSignal {
    /// Maximal duration of a timer. A longer pause is shortened, because it may come from a database, and the system
    /// does not support timers of centuries.
    private static let maxPause: Duration = .seconds(86_400)

    /// Runs `work` repeatedly until the task is cancelled: after the first pause, at every signal, and after each pause
    /// that `work` has returned. A signal before this call counts too. A pause of more than a day is shortened to a
    /// day. If `work` has returned nil, only a signal runs it again.
    /// - Parameter firstPause: the time until the first run; zero for an immediate run.
    package func runAtSignals(after firstPause: Duration? = .zero, _ work: () async -> Duration?) async {
        var sleeper: Task<Void, Never>?
        if firstPause == .zero { wake() } else { sleeper = firstPause.map(wakeLater) }
        while await waitForSignal() {
            sleeper?.cancel()
            sleeper = await work().map(wakeLater)
        }
        sleeper?.cancel()
    }

    private func wakeLater(after pause: Duration) -> Task<Void, Never> {
        Task {
            if (try? await Task.sleep(for: min(pause, Self.maxPause))) != nil { wake() }
        }
    }
}
