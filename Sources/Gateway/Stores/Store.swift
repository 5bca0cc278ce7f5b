internal import Clocks
internal import ChatAPI
internal import ChatCore
internal import Concurrency
internal import Descriptors
internal import Files
internal import SimpleXCrypto
internal import Synchronization

/// A store, which has its own databases, files and keys. It is locked, or unlocked with a core, events, models and
/// everything else that requests need.
final class Store: Sendable {
    enum Phase: Sendable {
        case locked
        case unlocking
        case unlocked(OpenedStore)
        case locking
        case deleted

        var name: String {
            switch self {
            case .locked: "locked"
            case .unlocking: "unlocking"
            case .unlocked: "unlocked"
            case .locking: "locking"
            case .deleted: "deleted"
            }
        }
    }

    private struct State {
        var phase = Phase.locked
        var record: StoreRecord
        var hasAppPassword: Bool
        var unlockDelay: UnlockDelay
        /// The lease of this node; nil while this node does not have the store, and for a single node.
        var lease: StoreLease?
        var writeFence: WriteFence?
        /// The time of the last use, in microseconds of the monotonic clock.
        var lastUsedMicroseconds = MonotonicClock.microseconds()
        /// The number of the newest event, from the last call of ``recordLatestEvent(_:)``.
        var latestSeq: UInt64 = 0
        /// The number of crashes of the process while the store was opened.
        var crashCount: Int
        /// Whether the last attempt to open the store failed, for another reason than a wrong password.
        var hasOpeningFailed = false
        /// The work on the databases that are open or being opened.
        var storeWork: StoreWork?
        /// Numbers of requests that plan messages: the requests that run now, and all requests since the start of the
        /// gateway.
        var planCounts = (running: 0, begun: UInt64(0))
    }

    let id: String
    let folder: StoreFolder
    private let state: Mutex<State>
    /// Lock for unlocking, locking and deletion, which run one after the other.
    let lifecycleLock = AsyncLock()
    /// Lock for changes of the record.
    private let recordLock = AsyncLock()

    init(
        _ id: String,
        _ folder: StoreFolder,
        _ record: StoreRecord,
        hasAppPassword: Bool,
        _ delay: UnlockDelay.Settings
    ) {
        self.id = id
        self.folder = folder
        state = Mutex(
            State(
                record: record,
                hasAppPassword: hasAppPassword,
                unlockDelay: UnlockDelay(delay),
                crashCount: folder.crashCount.crashCount
            )
        )
    }

    var isFirst: Bool { id == StoreID.firstStore }
    var record: StoreRecord { state.withLock { $0.record } }
    var phase: Phase { state.withLock { $0.phase } }
    var hasAppPassword: Bool { state.withLock { $0.hasAppPassword } }

    /// Returns the services for requests with a key of this store.
    /// - Throws: `storeLocked`; `unauthorized` after the store and its keys were deleted.
    func requireServices() throws(ProblemDetails) -> GatewayServices {
        let phase = state.withLock { state in
            state.lastUsedMicroseconds = MonotonicClock.microseconds()
            return state.phase
        }
        switch phase {
        case .unlocked(let opened): return opened.services
        case .deleted: throw ProblemDetails(.unauthorized)
        case .locked, .unlocking, .locking: throw ProblemDetails(.storeLocked)
        }
    }

    var openedStore: OpenedStore? {
        if case .unlocked(let opened) = phase { opened } else { nil }
    }

    func changePhase(_ phase: Phase) {
        state.withLock { state in
            state.phase = phase
            if case .unlocked = phase { state.hasOpeningFailed = false }
            state.lastUsedMicroseconds = MonotonicClock.microseconds()
        }
    }

    /// Whether the store stays closed because the process has crashed too often while it was opened.
    var isHeldClosed: Bool {
        state.withLock { if case .locked = $0.phase { $0.crashCount >= CrashCount.maxCrashes } else { false } }
    }
    /// Whether the store is locked because the last attempt to open it failed.
    var hasOpeningFailed: Bool {
        state.withLock { if case .locked = $0.phase { $0.hasOpeningFailed } else { false } }
    }
    func setOpeningFailed(_ hasFailed: Bool) { state.withLock { $0.hasOpeningFailed = hasFailed } }
    var crashCount: Int { state.withLock { $0.crashCount } }
    func setCrashCount(_ crashes: Int) { state.withLock { $0.crashCount = crashes } }

    func setWork(_ work: StoreWork) { state.withLock { $0.storeWork = work } }
    func resumeWork() { state.withLock { $0.storeWork }?.allowWork() }

    /// Starts a task that ends the running work on the databases each time `patience` has passed, until the task is
    /// cancelled. So a caller does not wait too long for this work.
    func startTimeoutTask(after patience: Duration) -> Task<Void, Never> {
        Task { [self] in
            while (try? await Task.sleep(for: patience)) != nil { state.withLock { $0.storeWork }?.endWork() }
        }
    }

    /// Whether the store opens without a password, and no client has locked it.
    var canOpenByItself: Bool {
        state.withLock { $0.record.protection == .keyFile && !$0.record.staysLocked && !$0.hasAppPassword }
    }

    var lease: StoreLease? { state.withLock { $0.lease } }
    var fence: WriteFence? { state.withLock { $0.writeFence } }
    /// Whether another node may have the store, although the store is open on this node.
    var isLeaseLost: Bool { state.withLock { $0.lease?.isValid() == false || $0.writeFence?.isTakenOver == true } }
    func setLease(_ lease: StoreLease?, _ fence: WriteFence?) {
        state.withLock { ($0.lease, $0.writeFence) = (lease, fence) }
    }

    /// The time of the last request or event, in microseconds of the monotonic clock.
    var lastUseMicroseconds: Int64 { state.withLock { $0.lastUsedMicroseconds } }

    func hasBeenUnused(for time: Duration) -> Bool {
        let parts = time.components
        return MonotonicClock.microseconds() - lastUseMicroseconds >= parts.seconds * 1_000_000 + parts.attoseconds
            / 1_000_000_000_000
    }

    /// Records the number of the latest event. A new number counts as a use of the store.
    func recordLatestEvent(_ latest: UInt64) {
        state.withLock { state in
            guard state.latestSeq != latest else { return }
            (state.latestSeq, state.lastUsedMicroseconds) = (latest, MonotonicClock.microseconds())
        }
    }

    func replaceRecord(_ record: StoreRecord) { state.withLock { $0.record = record } }
    func setHasAppPassword(_ hasAppPassword: Bool) { state.withLock { $0.hasAppPassword = hasAppPassword } }

    /// Calls `body`, which changes the record, and writes the changed record to the disk. No other change happens
    /// between these two steps.
    func changeRecord(_ body: (inout StoreRecord) async -> Void) async throws {
        try await changeRecord(under: fence, body)
    }

    private func changeRecord(under fence: WriteFence?, _ body: (inout StoreRecord) async -> Void) async throws {
        try await recordLock.runLocked {
            let old = record
            var new = old
            await body(&new)
            guard old != new else { return }
            let (folder, written) = (folder, new)
            // A change that cannot be written has no effect, so that a repeated request tries it again.
            try await runBlocking { try fence.runIfValid { try folder.writeRecord(written) } }
            replaceRecord(written)
        }
    }

    // MARK: Messages that are sent later

    /// A request that plans messages. Until this object is released, the store counts as a store that must stay open
    /// even without requests.
    final class PlanningHold: Sendable {
        private let store: Store

        fileprivate init(_ store: Store) {
            self.store = store
            store.state.withLock { $0.planCounts = ($0.planCounts.running + 1, $0.planCounts.begun + 1) }
        }

        deinit { store.state.withLock { $0.planCounts.running -= 1 } }
    }

    /// Whether a request plans messages now.
    var isPlanning: Bool { state.withLock { $0.planCounts.running > 0 } }
    /// Number of requests that have begun to plan messages, since the start of the gateway.
    var begunPlanningCount: UInt64 { state.withLock { $0.planCounts.begun } }

    /// Makes the store stay open even without requests. Called before a request plans messages.
    /// - Parameter fence: the fence with which the store was opened for the request.
    func beginPlanning(_ fence: WriteFence?) async -> PlanningHold {
        let planning = PlanningHold(self)
        try? await changeRecord(under: fence) { $0.staysOpen = true }
        return planning
    }

    /// Determines whether the store must stay open even without requests. A store must stay open if it sends events to
    /// receivers, or has planned messages. Stores the result in the record of the store, unless another node may serve
    /// the store now.
    /// - Parameter isWanted: a function that reads from the databases whether the store must stay open. The function is
    ///   not called while a request plans messages: the store must then stay open.
    func recordWhetherStaysOpen(_ isWanted: () async -> Bool) async -> Bool {
        var wanted = true
        try? await changeRecord { record in
            if !isPlanning { wanted = await isWanted() }
            if !isLeaseLost { record.staysOpen = wanted }
        }
        return wanted
    }

    /// Throws a problem during the pause after wrong passphrases, in which no passphrase is accepted.
    func checkUnlockDelay() throws(ProblemDetails) {
        let left = state.withLock { $0.unlockDelay.remainingMicroseconds(at: MonotonicClock.microseconds()) }
        guard left > 0 else { return }
        var problem = ProblemDetails(.tooManyRequests, "Too many wrong passphrases were tried.")
        problem.headers = [("Retry-After", "\(left / 1_000_000 + 1)")]
        throw problem
    }

    func recordUnlockAttempt(isRight: Bool) {
        state.withLock {
            isRight ? $0.unlockDelay.recordSuccess() : $0.unlockDelay.recordFailure(at: MonotonicClock.microseconds())
        }
    }
}

/// The parts of an unlocked store.
struct OpenedStore: Sendable {
    let services: GatewayServices
    let core: StoreCore
    let keyring: StoreKeyring
    /// The limit on open stores, in which this store is counted.
    let openStoreLimit: Allowance
    /// The task that ends the opening of the store; see ``StoreHost/endOpeningLater(_:of:)``.
    let openingTask: Task<Void, Never>

    /// Ends everything that uses the store, and overwrites its key.
    func closeStore(_ reason: StreamEnd, patience: Duration) async {
        core.refuseCommands(reason)
        await services.endStreams(reason)
        await services.deliveries?.waitForHandoutReturns(until: ContinuousClock.now + patience)
        await core.closeDatabases(patience: patience)
        openingTask.cancel()
        await openingTask.value
        keyring.eraseKeys()
        openStoreLimit.returnUnit()
    }
}
