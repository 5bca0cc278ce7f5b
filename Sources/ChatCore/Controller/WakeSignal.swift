internal import Logging
import Synchronization

/// Wakes one worker. Signals that come while it works are one signal when it is done.
final class WakeSignal: Sendable {
    private struct State {
        var isSet = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    func signal() {
        let waiter = state.withLock { state in
            if state.waiter == nil { state.isSet = true }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: true)
    }

    /// Waits for a signal.
    /// - Returns: false when the task is cancelled; the signal is then kept for the next who waits.
    func wait() async -> Bool {
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
    func run(_ work: () async -> Duration?) async {
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

    /// As ``run(_:)``. What fails is noted with the level and the words given, and tried again after a while.
    func run(_ logger: Logger, _ level: Logger.Level = .error, whenFailed words: Logger.Message, _ work: () async throws -> Duration?) async {
        await run {
            do {
                return try await work()
            } catch {
                logger.log(level: level, words, metadata: ["error": "\(error)"])
                return Self.pauseAfterFailure
            }
        }
    }

    /// How long what failed is left alone.
    private static let pauseAfterFailure: Duration = .seconds(10)
}
