public import ChatAPI
public import ChatCore
internal import Concurrency
public import Logging
internal import Synchronization

/// A core that continues after its databases were replaced.
///
/// When a command replaces the databases (by another key, an import, a deletion), the core closes them and runs nothing
/// more. This class opens a new core before the command is answered. Meanwhile, every other command is answered with
/// `chatStoreChanged` (503). On a full disk, this state lasts until the disk has free space. The new core is stopped,
/// since the core must be stopped for such commands.
public final class ReopeningCore: GatewayCore {
    private struct State {
        /// The core; `nil` while the databases are being opened.
        var core: ChatController?
        var journal: EventJournal
        var generation: UInt64 = 0
        var handlers: [@Sendable ([Event]) -> Void] = []
        var followers: [@Sendable (ChatChange) -> Void] = []
        var replaced: [@Sendable () -> Void] = []
        var isClosed = false
        /// The last limits that were set, even while no core existed.
        var limits: StoreLimits?
        /// Task that tries to open the databases again after the first attempt has failed.
        var opening: Task<Void, Never>?
    }

    private let state: Mutex<State>
    private let open: @Sendable () async throws -> ChatController
    private let log: Logger

    public init(_ core: ChatController, log: Logger, open: @escaping @Sendable () async throws -> ChatController) {
        state = Mutex(State(core: core, journal: core.journal))
        self.open = open
        self.log = log
    }

    public var isReady: Bool { core?.isReady ?? false }
    public var isRunning: Bool { core?.isRunning ?? false }
    public var networkFigures: NetworkFigures { core?.networkFigures ?? NetworkFigures() }
    public var channelFigures: ChannelFigures? { get async { await core?.channelFigures() } }

    public var storeFigures: StoreFigures? { get async { await core?.storeFigures } }
    public func set(_ limits: StoreLimits) {
        let core = state.withLock { state in
            state.limits = limits
            return state.core
        }
        core?.set(limits)
    }

    /// The revision of the core. It also changes when another store replaces the store.
    public var revision: UInt64 {
        let (core, generation) = state.withLock { ($0.core, $0.generation) }
        return generation << 48 | (core?.revision ?? 0)
    }

    /// The commits of the present core. The counts start again at zero with each new core.
    public var commits: DatabaseCommits { core?.commits ?? DatabaseCommits() }
    public var eventSource: any EventSource { ReopeningSource(core: self) }
    public var networkInfo: UserNetworkInfo { core?.networkInfo ?? .unsaid }
    public var isEncrypted: Bool { core?.isEncrypted ?? false }
    public var movedQueues: Int { core?.movedQueues ?? 0 }
    public var databases: ChatDatabases? { core?.databases }
    public var storedFiles: ChatFiles? { core?.storedFiles }
    public var archives: ChatArchives? { core?.archives }
    public var eventSubscriptions: EventSubscriptions? { core?.eventSubscriptions }

    public func send(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        claim: RequestClaim?
    ) async -> APIResult<ChatResponse> {
        guard let core else { return .error(.error(errorType: .chatStoreChanged)) }
        let answer = await core.send(command, as: userId, with: rights, claim: claim)
        if case .database = command, core.isStoreChanged { await reopen(core) }
        return answer
    }

    public func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) {
        let core = state.withLock { state in
            state.followers.append(handler)
            return state.core
        }
        core?.onChange(handler)
    }

    public func read(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        origin: UInt64
    ) async -> APIResult<ChatResponse> {
        guard let core else { return .error(.error(errorType: .chatStoreChanged)) }
        return await core.read(command, as: userId, with: rights, origin: origin)
    }

    public func activateHiddenUser(viewPwd: String, with rights: CommandRights) async -> APIResult<ChatResponse> {
        guard let core else { return .error(.error(errorType: .chatStoreChanged)) }
        return await core.activateHiddenUser(viewPwd: viewPwd, with: rights)
    }

    public var remoteCtrlSession: RemoteCtrlStatus? { get async { await core?.remoteCtrlStatus } }
    public func remoteHostSession(_ id: Int64?) async -> RemoteHostStatus? { await core?.remoteHostSession(id) }
    public func connectedHost(_ id: Int64) -> (core: ChatController, host: ConnectedHost)? { core?.connectedHost(id) }

    public func storedRequest(_ key: [UInt8]) async throws -> StoredRequest? {
        guard let core else { throw Closed() }
        return try await core.storedRequest(key)
    }

    /// Stops the core and closes the databases.
    public func close() async {
        let opening = state.withLock { state in
            state.isClosed = true
            return state.opening
        }
        opening?.cancel()
        await opening?.value
        await core?.close()
    }

    private struct Closed: Error {}

    fileprivate var core: ChatController? { state.withLock { $0.core } }
    fileprivate var journal: EventJournal { state.withLock { $0.journal } }

    private func reopen(_ old: ChatController) async {
        let isMine = state.withLock { state in
            guard state.core === old else { return false }
            state.core = nil
            return true
        }
        guard isMine else { return }
        await old.close()
        do { take(try await open()) } catch {
            log.critical("the databases cannot be opened again", metadata: ["error": "\(error)"])
            openLater()
        }
    }

    /// Tries repeatedly to open the databases, until an attempt succeeds or this core is closed.
    private func openLater() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.opening = Task { [weak self, open] in
                var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(2))
                while (try? await Task.sleep(for: backoff.next())) != nil {
                    if let new = try? await open() {
                        guard let self else { return await new.close() }
                        return take(new)
                    }
                }
            }
        }
    }

    private func take(_ new: ChatController) {
        let (handlers, followers, replaced) = state.withLock { state in
            if let limits = state.limits { new.set(limits) }
            state.core = new
            state.journal = new.journal
            state.generation += 1
            return (state.handlers, state.followers, state.replaced)
        }
        for handler in handlers { new.journal.onPublish { handler($0.map(Event.init)) } }
        for follower in followers { new.onChange(follower) }
        for handler in replaced { handler() }
    }

    fileprivate func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void) {
        let journal = state.withLock { state in
            state.handlers.append(handler)
            return state.journal
        }
        journal.onPublish { handler($0.map(Event.init)) }
    }

    fileprivate func onReplaced(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.replaced.append(handler) }
    }
}

/// The journal of the open store, or of the store that was open last.
private struct ReopeningSource: EventSource {
    let core: ReopeningCore

    var epoch: String { core.journal.epoch }
    var origin: JournalOrigin? { core.journal.origin }
    var oldest: UInt64 { core.journal.oldest }
    var latest: UInt64 { core.journal.latest }
    var inactiveHiddenUsers: Set<Int64> { core.journal.inactiveHiddenUsers }

    func entries(after seq: UInt64, limit: Int) async throws -> [Event] {
        try await core.journal.entries(after: seq, limit: limit).map(Event.init)
    }

    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void) { core.onPublish(handler) }
    func onReplaced(_ handler: @escaping @Sendable () -> Void) { core.onReplaced(handler) }
}
