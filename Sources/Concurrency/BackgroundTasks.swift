import Synchronization

/// Tasks that run independently of their creators, and are cancelled together with their owner.
package final class BackgroundTasks: Sendable {
    private struct State {
        var nextNumber = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        var isCancelled = false
    }
    private let state = Mutex(State())

    package init() {}

    /// Starts a task.
    /// - Returns: whether the task was started; false after ``cancelAll()``.
    @discardableResult
    package func startTask(_ body: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            let number = state.nextNumber
            state.nextNumber += 1
            // The task is detached, so that it inherits neither priority nor task-local values of the caller.
            state.tasks[number] = Task.detached { [weak self] in
                await body()
                self?.removeEndedTask(number)
            }
            return true
        }
    }

    private func removeEndedTask(_ number: Int) { state.withLock { $0.tasks[number] = nil } }

    /// Refuses further tasks from now on, and cancels the running tasks.
    package func cancelAll() {
        state.withLock { state in
            state.isCancelled = true
            for task in state.tasks.values { task.cancel() }
        }
    }

    /// Cancels all tasks as ``cancelAll()`` does, and returns when they have ended.
    package func cancelAndWait() async {
        cancelAll()
        for task in state.withLock({ Array($0.tasks.values) }) { await task.value }
    }
}
