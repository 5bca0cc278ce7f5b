internal import Concurrency
internal import Synchronization

/// The state of the running backup. Only one backup runs at a time.
final class BackupSlot: Sendable {
    private enum Step {
        case none
        /// The backup waits for the locks `turns` of the stores, and has no files open.
        case gathering
        case copying
        /// The backup copies one store after the other. For each store, the backup first waits for the store's lock
        /// `turns`.
        case inTurns
    }

    private struct State {
        var step = Step.none
        /// The only store that is copied; nil for all stores.
        var wanted: String?
        /// The store for whose lock `turns` the backup waits. The backup has no files of this store yet.
        var awaited: String?
        /// Stores that the backup copies or has copied. The copy contains the keys of these stores.
        var taken: Set<String> = []
        /// Stores whose locks `turns` the backup holds.
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

    /// Begins a backup.
    /// - Parameter store: the only store that is copied; nil for all stores.
    /// - Returns: false while another backup runs.
    func begin(of store: String? = nil) -> Bool {
        state.withLock { state in
            guard state.step == .none else { return false }
            state = State(step: .gathering, wanted: store)
            return true
        }
    }

    var isUnderWay: Bool { state.withLock { $0.step != .none } }

    /// Records that the backup holds the locks of the stores, and waits for no other lock.
    /// - Throws: when the backup was stopped before this call. Then `stop` did not wait for the end of the backup.
    func beginCopying(_ stores: [String]) throws {
        try advance { state in
            state.step = .copying
            state.taken.formUnion(stores)
            state.turns.formUnion(stores)
        }
    }

    /// Records that the backup waits for the lock of a store.
    /// - Throws: when the backup was stopped before.
    func awaitTurn(of store: String) throws {
        try advance { state in (state.step, state.awaited) = (.inTurns, store) }
    }

    /// Records that the backup has acquired the lock for which it waited.
    /// - Throws: when the backup was stopped before this call. Then `stop(of:)` did not wait for the end of the backup.
    func takeTurn(of store: String) throws {
        try advance { state in
            state.awaited = nil
            state.taken.insert(store)
            state.turns.insert(store)
        }
    }

    /// Records that the backup has released the lock of a store.
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

    /// Whether the backup must end without a result.
    @Sendable func isStopped() -> Bool { state.withLock { $0.isStopped } }

    /// The condition for the backup of the present task to continue.
    var mayContinue: @Sendable () -> Bool { WorkProgress.condition { !self.isStopped() } }

    /// Stops the running backup. On return, the backup has no files open.
    func stop() async {
        await stop { state in
            state.isStopped = true
            // Only a backup that copies has files open. A backup that waits for locks is not awaited, because it may
            // wait for a long time.
            return state.step == .copying || state.step == .inTurns
        }
    }

    /// Stops the backup if it copies, has copied or waits for the given store, so that the backup releases its locks.
    /// Does not wait for the end of the backup. The caller acquires the lock of the store afterwards.
    func requestStop(of store: String) {
        state.withLock { state in if state.concerns(store) { state.isStopped = true } }
    }

    /// Stops the backup if it holds the lock of a store or waits for that lock. Does not wait for the end of the
    /// backup.
    func requestStop(atTurnOf store: String) {
        state.withLock { state in if state.awaited == store || state.turns.contains(store) { state.isStopped = true } }
    }

    /// Stops the backup if it copies, has copied or waits for the given store. The caller must hold the lock of the
    /// store. On return, the backup has no data of the store, neither in memory nor on the disk.
    func stop(of store: String) async {
        await stop { state in
            guard state.concerns(store) else { return false }
            state.isStopped = true
            // The backup may wait for the lock that the caller holds, so a wait for its end might never end.
            return state.taken.contains(store)
        }
    }

    /// Stops the running backup.
    /// - Parameter mark: changes the state of a running backup. Returns whether to wait for the end of the backup.
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
