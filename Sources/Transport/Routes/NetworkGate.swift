import Synchronization

/// The last reported state of the network. Clients do not reconnect while the network is not available.
package final class NetworkGate: Sendable {
    private struct State {
        var isNetworkAvailable = true
        var nextNumber = 0
        var continuations: [Int: CheckedContinuation<Void, Never>] = [:]
    }
    private let state = Mutex(State())
    /// The longest wait. After this time, a client tries to reconnect anyway, since the program that reported the loss
    /// of the network may have ended.
    private let maxWait: Duration

    package init(maxWait: Duration = .seconds(1_800)) {
        self.maxWait = maxWait
    }

    package var isNetworkAvailable: Bool { state.withLock { $0.isNetworkAvailable } }

    package func setNetworkAvailable(_ isAvailable: Bool) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isNetworkAvailable = isAvailable
            guard isAvailable else { return [] }
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the network is available, the task is cancelled, or the longest wait has passed.
    package func waitForNetwork() async {
        guard !isNetworkAvailable else { return }
        let number = state.withLock { state in
            state.nextNumber &+= 1
            return state.nextNumber
        }
        let timer = Task { [maxWait] in
            try? await Task.sleep(for: maxWait)
            self.resumeWaiter(number)
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state in
                    if state.isNetworkAvailable || Task.isCancelled { return true }
                    state.continuations[number] = continuation
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            resumeWaiter(number)
        }
    }

    private func resumeWaiter(_ number: Int) {
        state.withLock { $0.continuations.removeValue(forKey: number) }?.resume()
    }
}
