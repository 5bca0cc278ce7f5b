import Synchronization

/// Wakes one worker. Signals that come while it works are one signal when it is done.
public final class WakeSignal: Sendable {
    private struct State {
        var isSet = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    public init() {}

    public func signal() {
        let waiter = state.withLock { state in
            if state.waiter == nil { state.isSet = true }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: true)
    }

    /// Waits for a signal.
    /// - Returns: false when the task is cancelled; the signal is then kept for the next waiter.
    public func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.isSet {
                        state.isSet = false
                        return true
                    }
                    state.waiter = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: false)
        }
    }
}

extension WakeSignal {
    /// Runs `work` now, at every signal, and after the time that it asks for (nil: not before a signal), until the task is cancelled.
    public func run(_ work: () async -> Duration?) async {
        var sleeper: Task<Void, Never>?
        signal()
        while await wait() {
            sleeper?.cancel()
            guard let pause = await work() else { continue }
            sleeper = Task {
                if (try? await Task.sleep(for: pause)) != nil { signal() }
            }
        }
        sleeper?.cancel()
    }
}
