import SMP
import Synchronization

/// Tasks that go on by themselves and end with the agent.
final class BackgroundTasks: Sendable {
    private struct State {
        var next = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        var isCancelled = false
    }
    private let state = Mutex(State())

    func add(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isCancelled else { return }
            let number = state.next
            state.next += 1
            // Nobody waits for it, whoever has started it.
            state.tasks[number] = Patience.$isInteractive.withValue(false) {
                Task { [weak self] in
                    await body()
                    self?.ended(number)
                }
            }
        }
    }

    private func ended(_ number: Int) { state.withLock { $0.tasks[number] = nil } }

    /// Takes no more tasks, and asks those that run to end.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            for task in state.tasks.values { task.cancel() }
        }
    }

    /// As ``cancel()``; returns when all have ended.
    func finish() async {
        cancel()
        for task in state.withLock({ Array($0.tasks.values) }) { await task.value }
    }
}
