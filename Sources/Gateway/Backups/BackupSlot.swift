internal import Synchronization

/// The backup that is made; there is one at a time.
final class BackupSlot: Sendable {
    private enum Step {
        case none
        /// It waits for the turns of the stores, and has nothing open.
        case gathering
        case copying
        /// It copies one store after the other, each in its turn.
        case inTurns
    }

    private struct State {
        var step = Step.none
        /// The one store that is copied; nil for all.
        var wanted: String?
        /// The store whose turn it waits for, and of which it has nothing.
        var awaited: String?
        /// Stores that it copies or has copied: it has their keys.
        var taken: Set<String> = []
        /// Stores whose turns it has.
        var turns: Set<String> = []
        var isStopped = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        func concerns(_ store: String) -> Bool {
            switch step {
            case .none: false
            case .gathering: wanted == nil || wanted == store
            case .copying, .inTurns: awaited == store || taken.contains(store)
            }
        }
    }

    private let state = Mutex(State())

    /// - Parameter store: the one that is copied; nil for all.
    /// - Returns: false while another is made.
    func begin(of store: String? = nil) -> Bool {
        state.withLock { state in
            guard state.step == .none else { return false }
            state = State(step: .gathering, wanted: store)
            return true
        }
    }

    var isUnderWay: Bool { state.withLock { $0.step != .none } }

    /// From here on it waits for nobody's turn, and has those of the stores.
    /// - Throws: when it was stopped before: who did that has not waited.
    func beginCopying(_ stores: [String]) throws {
        try advance { state in
            state.step = .copying
            state.taken.formUnion(stores)
            state.turns.formUnion(stores)
        }
    }

    /// From here on it waits for the turn of a store.
    /// - Throws: when it was stopped before.
    func awaitTurn(of store: String) throws {
        try advance { state in (state.step, state.awaited) = (.inTurns, store) }
    }

    /// It has that turn.
    /// - Throws: when it was stopped before: who did that has not waited.
    func takeTurn(of store: String) throws {
        try advance { state in
            state.awaited = nil
            state.taken.insert(store)
            state.turns.insert(store)
        }
    }

    /// It gives up that turn.
    func leaveTurn(of store: String) { _ = state.withLock { $0.turns.remove(store) } }

    private func advance(_ change: (inout State) -> Void) throws {
        try state.withLock { state in
            guard !state.isStopped else { throw CancellationError() }
            change(&state)
        }
    }

    func end() {
        let waiting = state.withLock { state in
            defer { state = State(isStopped: state.isStopped) }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Whether it is to end without result.
    @Sendable func isStopped() -> Bool { state.withLock { $0.isStopped } }

    /// Stops the backup that is made. On return it has nothing open.
    func stop() async {
        await stop { state in
            state.isStopped = true
            // While it gathers, it has nothing, and may wait for long.
            return state.step == .copying || state.step == .inTurns
        }
    }

    /// Tells the backup to end when it has a store or is about to have it, and so to give up its turn. For those who are about to take that turn.
    func give(up store: String) { state.withLock { state in if state.concerns(store) { state.isStopped = true } } }

    /// Tells the backup to end when it has the turn of a store or waits for it.
    func give(upTurnOf store: String) {
        state.withLock { state in if state.awaited == store || state.turns.contains(store) { state.isStopped = true } }
    }

    /// Stops the backup when it has a store, whose turn the caller has. On return it has nothing of it, neither in memory nor on the disk.
    func stop(of store: String) async {
        await stop { state in
            guard state.concerns(store) else { return false }
            state.isStopped = true
            // It may wait for the caller's turn.
            return state.taken.contains(store)
        }
    }

    /// - Parameter mark: called when a backup is made; whether its end is waited for.
    private func stop(_ mark: (inout State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                guard state.step != .none, mark(&state) else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isDue { continuation.resume() }
        }
    }
}
