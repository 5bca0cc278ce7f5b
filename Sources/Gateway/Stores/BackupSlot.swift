internal import Synchronization

/// The backup that is made; there is one at a time.
final class BackupSlot: Sendable {
    private enum Step {
        case none
        /// It waits for the turns of the stores, and has nothing open.
        case gathering
        case copying
    }

    private struct State {
        var step = Step.none
        var isStopped = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// - Returns: false while another is made.
    func begin() -> Bool {
        state.withLock { state in
            guard state.step == .none else { return false }
            (state.step, state.isStopped) = (.gathering, false)
            return true
        }
    }

    var isUnderWay: Bool { state.withLock { $0.step != .none } }

    /// From here on it waits for nobody's turn.
    func beginCopying() { state.withLock { $0.step = .copying } }

    func end() {
        let waiting = state.withLock { state in
            state.step = .none
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Whether it is to end without result.
    @Sendable func isStopped() -> Bool { state.withLock { $0.isStopped } }

    /// Stops the backup that is made. On return it has nothing open. May be called in the turn of a store.
    func stop() async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                if state.step != .none { state.isStopped = true }
                // While it gathers, it may wait for the caller's turn.
                guard state.step == .copying else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isDue { continuation.resume() }
        }
    }
}
