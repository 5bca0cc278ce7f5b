internal import Synchronization

/// The backup that is made; there is one at a time.
final class BackupSlot: Sendable {
    private enum Step {
        case none
        /// It waits for the turns of the stores, and has nothing open.
        case gathering
        case copying
        /// It copies one store after the other, each in its turn, and has nothing of another one open.
        case inTurns
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
    /// - Throws: when it was stopped before: who did that has not waited.
    func beginCopying() throws { try begin(.copying) }

    /// From here on it holds the turn of what it copies.
    /// - Throws: when it was stopped before.
    func beginTurns() throws { try begin(.inTurns) }

    private func begin(_ step: Step) throws {
        try state.withLock { state in
            guard !state.isStopped else { throw CancellationError() }
            state.step = step
        }
    }

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
    /// - Parameter ofStore: whether it is stopped because a store is closed, whose turn the caller has.
    func stop(ofStore: Bool = false) async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                if ofStore, state.step == .inTurns { return true }
                if state.step != .none { state.isStopped = true }
                // While it gathers, it may wait for the caller's turn.
                guard state.step == .copying || state.step == .inTurns else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isDue { continuation.resume() }
        }
    }
}
