internal import ChatAPI
internal import ChatCore
internal import Concurrency
internal import Descriptors
internal import Files
internal import SimpleXCrypto
internal import Synchronization

/// A store: locked, or unlocked with a core, events, models and all that requests need.
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
        var delay: UnlockDelay
        /// The lease of this node, if there are several nodes.
        var lease: StoreLease?
        var fence: WriteFence?
        /// Microseconds of the monotonic clock.
        var used = MonotonicClock.microseconds()
        /// The newest event that was seen.
        var latest: UInt64 = 0
        /// How often the process has crashed while the store was opened.
        var crashes: Int
        /// Work on the databases that are open, or are being opened.
        var work: StoreWork?
    }

    let id: String
    let folder: StoreFolder
    private let state: Mutex<State>
    /// Unlocking, locking and deleting go one after the other.
    let turns = AsyncLock()

    init(_ id: String, _ folder: StoreFolder, _ record: StoreRecord, hasAppPassword: Bool, _ delay: UnlockDelay.Settings) {
        self.id = id
        self.folder = folder
        state = Mutex(
            State(
                record: record, hasAppPassword: hasAppPassword, delay: UnlockDelay(delay),
                crashes: folder.openings.value))
    }

    var isFirst: Bool { id == Stores.first }
    var record: StoreRecord { state.withLock { $0.record } }
    var phase: Phase { state.withLock { $0.phase } }
    var hasAppPassword: Bool { state.withLock { $0.hasAppPassword } }

    /// What requests with a key of this store work with.
    /// - Throws: `storeLocked`; `unauthorized` when the store is deleted, and its keys with it.
    func services() throws(ProblemDetails) -> GatewayServices {
        let phase = state.withLock { state in
            state.used = MonotonicClock.microseconds()
            return state.phase
        }
        switch phase {
        case .unlocked(let opened): return opened.services
        case .deleted: throw ProblemDetails(.unauthorized)
        case .locked, .unlocking, .locking: throw ProblemDetails(.storeLocked)
        }
    }

    var opened: OpenedStore? {
        if case .unlocked(let opened) = phase { opened } else { nil }
    }

    func set(_ phase: Phase) {
        state.withLock { state in
            state.phase = phase
            state.used = MonotonicClock.microseconds()
        }
    }

    /// Whether it stays closed, because the process crashed while it was opened.
    var isHeld: Bool {
        state.withLock { if case .locked = $0.phase { $0.crashes >= OpeningCount.most } else { false } }
    }
    var crashes: Int { state.withLock { $0.crashes } }
    func set(crashes: Int) { state.withLock { $0.crashes = crashes } }

    func set(_ work: StoreWork) { state.withLock { $0.work = work } }
    func allowWork() { state.withLock { $0.work }?.allow() }

    /// Ends long work after a while, so that what waits for it goes on, and work that begins meanwhile. The task lasts until somebody cancels it.
    func endingWork(after patience: Duration) -> Task<Void, Never> {
        Task { [self] in
            while (try? await Task.sleep(for: patience)) != nil { state.withLock { $0.work }?.end() }
        }
    }

    /// Whether nobody has to give a password, and nobody has locked it.
    var opensByItself: Bool { state.withLock { $0.record.protection == .keyFile && !$0.record.staysLocked && !$0.hasAppPassword } }

    var lease: StoreLease? { state.withLock { $0.lease } }
    var fence: WriteFence? { state.withLock { $0.fence } }
    /// Whether another node may have the store, though it is open here.
    var isLost: Bool { state.withLock { $0.lease?.isValid() == false || $0.fence?.isPassed == true } }
    func set(_ lease: StoreLease?, _ fence: WriteFence?) { state.withLock { ($0.lease, $0.fence) = (lease, fence) } }

    /// When a request came last, or an event.
    var lastUse: Int64 { state.withLock { $0.used } }

    func isUnused(for time: Duration) -> Bool {
        let parts = time.components
        return MonotonicClock.microseconds() - lastUse >= parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000
    }

    /// New events are a use of the store.
    func noteEvents(_ latest: UInt64) {
        state.withLock { state in
            guard state.latest != latest else { return }
            (state.latest, state.used) = (latest, MonotonicClock.microseconds())
        }
    }

    func replace(_ record: StoreRecord) { state.withLock { $0.record = record } }
    func set(hasAppPassword: Bool) { state.withLock { $0.hasAppPassword = hasAppPassword } }

    func change(_ body: @Sendable (inout StoreRecord) -> Void) async throws {
        let (old, new) = state.withLock { state in
            let old = state.record
            body(&state.record)
            return (old, state.record)
        }
        guard old != new else { return }
        let (folder, fence) = (folder, fence)
        do { try await blocking { try fence.passing { try folder.write(new) } } } catch {
            // A change that is not on the disk does not count: a repeated request tries again.
            state.withLock { $0.record = old }
            throw error
        }
    }

    /// Whether a passphrase may be tried now.
    func checkDelay() throws(ProblemDetails) {
        let left = state.withLock { $0.delay.remaining(at: MonotonicClock.microseconds()) }
        guard left > 0 else { return }
        var problem = ProblemDetails(.tooManyRequests, "Wrong passphrases were tried.")
        problem.headers = [("Retry-After", "\(left / 1_000_000 + 1)")]
        throw problem
    }

    func tried(isRight: Bool) {
        state.withLock { isRight ? $0.delay.succeeded() : $0.delay.failed(at: MonotonicClock.microseconds()) }
    }
}

/// What there is of a store while it is unlocked.
struct OpenedStore: Sendable {
    let services: GatewayServices
    let core: StoreCore
    let keyring: StoreKeyring
    /// Where it is one of those that may be open.
    let openStores: Allowance
    /// See ``StoreHost/settle(_:of:)``.
    let opening: Task<Void, Never>

    /// Ends all that uses the store, and forgets its key.
    func close(_ reason: StreamEnd, patience: Duration) async {
        core.refuse(reason)
        await services.endStreams(reason)
        await core.close(patience: patience)
        opening.cancel()
        await opening.value
        keyring.erase()
        openStores.giveBack()
    }
}
