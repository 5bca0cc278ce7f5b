import Synchronization

/// The last reported state of the network. Clients do not reconnect while the network is not available.
package final class NetworkGate: Sendable {
    private struct State {
        var isOpen = true
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }
    private let state = Mutex(State())
    /// The longest wait. After it a client tries to reconnect anyway, since the program that reported the loss may have
    /// ended.
    private let patience: Duration

    package init(patience: Duration = .seconds(1_800)) {
        self.patience = patience
    }

    package var isOpen: Bool { state.withLock { $0.isOpen } }

    package func set(isOpen: Bool) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isOpen = isOpen
            guard isOpen else { return [] }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the network is available, the task is cancelled, or the longest wait has passed.
    package func wait() async {
        guard !isOpen else { return }
        let number = state.withLock { state in
            state.next &+= 1
            return state.next
        }
        let timer = Task { [patience] in
            try? await Task.sleep(for: patience)
            self.resume(number)
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            resume(number)
        }
    }

    private func resume(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
}
