internal import Concurrency
internal import Synchronization

/// The state of the running backup. Only one backup runs at a time.
///
/// During a backup, a request may need the lock `lifecycleLock` of a store. A backup of all stores then postpones the
/// store (``giveWay(for:isForTurn:)``): it copies the other stores first, and this store again afterwards. A backup of
/// a single store is stopped instead.
final class BackupSlot: Sendable {
    private enum Step {
        case idle
        /// The backup waits for the locks `lifecycleLock` of the stores, and has no files open.
        case awaitingLocks
        case copying
        /// The backup copies a single store, or one store after the other. For each store, the backup first waits for
        /// the store's lock `lifecycleLock`.
        case copyingInTurns
    }

    /// The progress of copying one store. `release` releases the lock `lifecycleLock` of the store, and is nil after
    /// the release.
    private enum PartState {
        /// The backup holds the lock, and has copied nothing yet.
        case lockHeld(release: @Sendable () -> Void)
        case running(release: (@Sendable () -> Void)?)
        /// The copying must end without a result.
        case interrupted(release: (@Sendable () -> Void)?)

        var releaseLock: (@Sendable () -> Void)? {
            switch self {
            case .lockHeld(let release): release
            case .running(let release), .interrupted(let release): release
            }
        }
    }

    private struct State {
        var step = Step.idle
        /// The only store that is copied; nil for all stores.
        var requestedStore: String?
        /// The store for whose lock `lifecycleLock` the backup waits. The backup has no files of this store yet.
        var awaitedStore: String?
        /// Whether the backup must not copy the awaited store when it gets the lock.
        var isDeclined = false
        /// Whether the copy of a single store has data of the store.
        var hasStoreData = false
        var partStates: [String: PartState] = [:]
        /// Requests that wait for the end of the copying of a store.
        var partWaiters: [String: [CheckedContinuation<Void, Never>]] = [:]
        /// Stores that were deleted or emptied since the last call of ``takeEmptiedStores()``.
        var emptiedStores: Set<String> = []
        var isStopped = false
        var endWaiters: [CheckedContinuation<Void, Never>] = []

        /// Records that the backup has got the lock for which it waited.
        /// - Returns: false when the backup must not copy the store.
        mutating func recordAwaitedLockTaken(_ store: String, _ release: @escaping @Sendable () -> Void) -> Bool {
            awaitedStore = nil
            guard !isDeclined else { return false }
            partStates[store] = .lockHeld(release: release)
            return true
        }
    }

    private let state = Mutex(State())

    /// Begins a backup.
    /// - Parameter store: the only store that is copied; nil for all stores.
    /// - Returns: false while another backup runs.
    func begin(of store: String? = nil) -> Bool {
        state.withLock { state in
            guard state.step == .idle else { return false }
            state = State(step: .awaitingLocks, requestedStore: store)
            return true
        }
    }

    var isBackupUnderWay: Bool { state.withLock { $0.step != .idle } }

    // MARK: Copying

    /// Marks the backup as waiting for the lock of a store, while it collects the locks of all stores.
    /// - Throws: when the backup was stopped before.
    func recordLockWait(of store: String) throws {
        try changeUnlessStopped { ($0.awaitedStore, $0.isDeclined) = (store, false) }
    }

    /// Marks the lock of a store as held by the backup. The backup holds the lock until it has copied or postponed the
    /// store.
    /// - Parameter release: releases the lock.
    /// - Returns: false when the backup must postpone the store. The caller then releases the lock.
    /// - Throws: when the backup was stopped before.
    func recordLockHeld(_ store: String, release: @escaping @Sendable () -> Void) throws -> Bool {
        try changeUnlessStopped { $0.recordAwaitedLockTaken(store, release) }
    }

    /// Adds a resource that the backup holds for a store in addition to the store's lock.
    /// - Parameter further: a function that releases the resource. It is called before the lock is released.
    /// - Returns: false when the backup has postponed the store. The caller then releases the resource.
    func addReleaseStep(_ store: String, _ further: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .lockHeld(let release) = state.partStates[store] else { return false }
            state.partStates[store] = .lockHeld {
                further()
                release()
            }
            return true
        }
    }

    /// Whether the backup holds the lock of a store, and has not begun to copy it.
    func isLockHeld(_ store: String) -> Bool {
        state.withLock { if case .lockHeld = $0.partStates[store] { true } else { false } }
    }

    /// Marks the backup as copying, after it has got all locks for which it waited.
    /// - Throws: when the backup was stopped before. ``stop()`` does not wait for a backup that has not begun to copy.
    func beginCopying() throws { try changeUnlessStopped { $0.step = .copying } }

    /// Marks a backup that copies one store at a time as waiting for the lock of the next store.
    /// - Throws: when the backup was stopped before.
    func recordTurnWait(of store: String) throws {
        try changeUnlessStopped { state in
            (state.step, state.awaitedStore, state.isDeclined) = (.copyingInTurns, store, false)
        }
    }

    /// Marks the lock of a store as held by the backup, after the wait that ``recordTurnWait(of:)`` has recorded.
    /// - Parameter release: releases the lock.
    /// - Returns: false when the backup must postpone the store. The caller then releases the lock.
    /// - Throws: when the backup was stopped before. ``stopCopying(of:)`` does not wait for a backup without data of
    ///   the store.
    func recordTurnTaken(of store: String, release: @escaping @Sendable () -> Void) throws -> Bool {
        try changeUnlessStopped { state in
            guard state.recordAwaitedLockTaken(store, release) else { return false }
            state.hasStoreData = true
            return true
        }
    }

    /// Marks the copying of a store as running. The caller must call ``endStoreCopy(of:)`` later.
    /// - Returns: false when the backup has postponed the store.
    /// - Throws: when the backup was stopped before.
    func beginStoreCopy(of store: String) throws -> Bool {
        try changeUnlessStopped { state in
            guard case .lockHeld(let release) = state.partStates[store] else { return false }
            state.partStates[store] = .running(release: release)
            return true
        }
    }

    /// Releases the lock of a store whose copying may continue without the lock.
    func releaseTurn(of store: String) {
        let release = state.withLock { state -> (@Sendable () -> Void)? in
            let release = state.partStates[store]?.releaseLock
            switch state.partStates[store] {
            case .running: state.partStates[store] = .running(release: nil)
            case .interrupted: state.partStates[store] = .interrupted(release: nil)
            case .lockHeld, nil: return nil
            }
            return release
        }
        release?()
    }

    /// Marks the copying of a store as ended, and releases the lock of the store. If the copying was interrupted, the
    /// caller must first remove the copied files.
    func endStoreCopy(of store: String) {
        let (part, waiting) = state.withLock { state in
            (state.partStates.removeValue(forKey: store), state.partWaiters.removeValue(forKey: store) ?? [])
        }
        part?.releaseLock?()
        for waiter in waiting { waiter.resume() }
    }

    func isCopyInterrupted(_ store: String) -> Bool {
        state.withLock { if case .interrupted = $0.partStates[store] { true } else { false } }
    }

    /// Returns the stores that were deleted or emptied since the last call. Their copied parts are obsolete.
    func takeEmptiedStores() -> Set<String> {
        state.withLock { state in
            defer { state.emptiedStores = [] }
            return state.emptiedStores
        }
    }

    private func changeUnlessStopped<T>(_ change: (inout State) -> T) throws -> T {
        try state.withLock { state in
            guard !state.isStopped else { throw CancellationError() }
            return change(&state)
        }
    }

    /// Releases the locks of stores whose copying has not begun.
    /// - Parameter kept: stores whose locks are not released.
    func releaseHeldLocks(except kept: Set<String> = []) {
        let releases = state.withLock { state in
            let held = state.partStates.filter { store, part in
                if case .lockHeld = part { !kept.contains(store) } else { false }
            }
            for store in held.keys { state.partStates[store] = nil }
            return held.values.compactMap(\.releaseLock)
        }
        for release in releases { release() }
    }

    func endBackup() {
        let waiting = state.withLock { state in
            defer { state = State(isStopped: state.isStopped) }
            return state.endWaiters + state.partWaiters.values.joined()
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Whether the backup must end without a result.
    @Sendable func isStopped() -> Bool { state.withLock { $0.isStopped } }

    /// A function that returns whether the backup of the present task may continue.
    var mayContinue: @Sendable () -> Bool { WorkProgress.makeContinueCondition { !self.isStopped() } }

    /// Returns a function that returns whether the copying of a store may continue.
    func mayContinue(of store: String) -> @Sendable () -> Bool {
        WorkProgress.makeContinueCondition { !self.isStopped() && !self.isCopyInterrupted(store) }
    }

    // MARK: Requests

    /// Stops the running backup. On return, the backup has no files open.
    func stop() async {
        await changeAndWait { state, continuation in
            state.isStopped = true
            // A backup that waits for locks has no files open, and may wait for a long time.
            guard state.step == .copying || state.step == .copyingInTurns else { return false }
            state.endWaiters.append(continuation)
            return true
        }
    }

    /// Makes the backup release the lock of a store and end the copying of the store, but does not wait for the backup.
    /// The caller acquires the lock of the store afterwards. A backup of only this store is stopped.
    /// - Parameter isForTurn: true if the caller needs only the lock. The copying then continues if the backup has
    ///   already released the lock.
    func giveWay(for store: String, isForTurn: Bool = false) {
        let release = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.step != .idle else { return nil }
            let hasTurn = state.partStates[store]?.releaseLock != nil
            if let wanted = state.requestedStore {
                if wanted == store, !isForTurn || hasTurn || state.awaitedStore == store { state.isStopped = true }
                return nil
            }
            if state.awaitedStore == store { state.isDeclined = true }
            switch state.partStates[store] {
            case .lockHeld(let release):
                state.partStates[store] = nil
                return release
            case .running(let release) where hasTurn || !isForTurn:
                state.partStates[store] = .interrupted(release: release)
            case .running, .interrupted, nil: break
            }
            return nil
        }
        release?()
    }

    /// Ends the copying of a store. The caller must hold the lock of the store. On return, the backup has no files of
    /// the store open. A backup of only this store is stopped, and has no data of the store on return.
    func stopCopying(of store: String) async {
        await changeAndWait { state, continuation in
            guard let wanted = state.requestedStore else {
                guard let part = state.partStates[store] else { return false }
                state.partStates[store] = .interrupted(release: part.releaseLock)
                state.partWaiters[store, default: []].append(continuation)
                return true
            }
            guard wanted == store else { return false }
            state.isStopped = true
            // The backup may wait for the lock that the caller holds, so a wait for its end might never end.
            guard state.hasStoreData else { return false }
            state.endWaiters.append(continuation)
            return true
        }
    }

    /// Marks the copied part of a store as obsolete, because the store was deleted or emptied.
    func recordEmptiedStore(_ store: String) {
        state.withLock { if $0.step != .idle { $0.emptiedStores.insert(store) } }
    }

    /// Changes the state of a running backup. If `mark` stores the continuation in the state, waits until somebody
    /// resumes the continuation.
    /// - Parameter mark: changes the state, and returns whether it has stored the continuation.
    private func changeAndWait(_ mark: (inout State, CheckedContinuation<Void, Never>) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isKept = state.withLock { state in state.step != .idle && mark(&state, continuation) }
            if !isKept { continuation.resume() }
        }
    }
}
