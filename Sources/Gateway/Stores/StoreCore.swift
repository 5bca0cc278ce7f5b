internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import Logging
internal import Synchronization

/// The core of a store, whether its databases are open, being replaced, being closed, or closed.
///
/// When a command replaces the databases (by another key, an import, a deletion), the controller closes them and runs
/// nothing more. This core opens the new databases before the command is answered, with the same limits and for the
/// same handlers. Until the new databases are open, every other command is answered with `chatStoreChanged` (503). On a
/// full disk, this state lasts until the disk has free space. The chat must be stopped before a command that replaces
/// the databases, and the chat of the new controller is stopped too.
final class StoreCore: GatewayCore {
    private struct State {
        /// The controller; nil while the databases are being replaced, and for a core that was made without a
        /// controller.
        var currentController: ChatController?
        /// The journal of the last controller; nil if there was no controller yet.
        var journal: EventJournal?
        /// The number of replacements of the controller.
        var generation: UInt64 = 0
        /// The last limits that were set, even while no controller existed.
        var limits: StoreLimits?
        /// The function that returns the rights of API keys; nil before the keys are known.
        var plannedRights: (@Sendable (String) -> PlannedRights)?
        var refusalReason: StreamEnd?
        var publishHandlers: [@Sendable ([Event]) -> Void] = []
        var changeHandlers: [@Sendable (ChatChange) -> Void] = []
        var replacementHandlers: [@Sendable () -> Void] = []
        /// Task that tries to open the databases again after the first attempt has failed.
        var reopeningTask: Task<Void, Never>?
    }

    /// The requests that were not answered yet.
    let runningRequests = RunningWork()
    /// The replacements of the controller that run now.
    private let runningReplacements = RunningWork()
    /// The store's share of the processor, for its requests; nil for no limit.
    let share: ProcessorShare?
    private let state: Mutex<State>
    private let openDatabases: (@Sendable () async throws -> ChatController)?
    private let log: Logger

    /// - Parameters:
    ///   - controller: the controller of the open databases; nil for a store that is closed.
    ///   - share: the store's share of the processor; nil for no limit.
    ///   - open: opens the new databases after a replacement; nil to leave them closed.
    init(
        _ controller: ChatController? = nil,
        share: ProcessorShare? = nil,
        log: Logger,
        open: (@Sendable () async throws -> ChatController)? = nil
    ) {
        state = Mutex(State(currentController: controller, journal: controller?.journal))
        self.openDatabases = open
        self.share = share
        self.log = log
    }

    /// The controller, which stays available while commands are refused and after ``closeDatabases(patience:)``. It is
    /// nil while the databases are being replaced, and for a core that was made without a controller.
    private var currentController: ChatController? { state.withLock { $0.currentController } }
    fileprivate var journal: EventJournal? { state.withLock { $0.journal } }

    var controller: ChatController? { state.withLock { $0.refusalReason == nil ? $0.currentController : nil } }
    var status: CoreStatus { controller.map(CoreStatus.init) ?? .closed }
    var areDatabasesEncrypted: Bool { currentController?.areDatabasesEncrypted ?? false }
    var eventSource: any EventSource { StoreEvents(core: self) }

    /// A number that changes with each change in the chat database, and also when the databases are replaced.
    var revision: UInt64 {
        let (controller, generation) = state.withLock { ($0.currentController, $0.generation) }
        return generation << 48 | (controller?.revision ?? 0)
    }

    func setLimits(_ limits: StoreLimits) {
        let controller = state.withLock { state in
            state.limits = limits
            return state.currentController
        }
        controller?.setLimits(limits)
    }

    func setPlannedRightsLookup(_ lookUp: @escaping @Sendable (String) -> PlannedRights) {
        let controller = state.withLock { state in
            state.plannedRights = lookUp
            return state.currentController
        }
        controller?.setPlannedRightsLookup(lookUp)
    }

    func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) {
        let controller = state.withLock { state in
            state.changeHandlers.append(handler)
            return state.currentController
        }
        controller?.onChange(handler)
    }

    // MARK: Commands

    func runCommand(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        claim: RequestClaim?
    ) async -> APIResult<ChatResponse> {
        guard let controller else { return .error(.error(errorType: .chatStoreChanged)) }
        let answer = await controller.send(
            command,
            as: userId,
            with: rights,
            in: CommandContext(command, claim: claim)
        )
        if case .database = command, controller.isStoreChanged { await replaceController(controller) }
        return answer
    }

    func readResource(
        _ reading: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse> {
        guard let controller else { return .error(.error(errorType: .chatStoreChanged)) }
        return await controller.readResource(reading, as: userId, with: rights)
    }

    func changeResource(
        _ commands: [ChatCommand],
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?> {
        guard let controller else { return .error(.error(errorType: .chatStoreChanged)) }
        return await controller.changeResource(commands, of: reading, if: isExpected, as: userId, with: rights)
    }

    func replaceResource(
        by command: ChatCommand,
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?> {
        guard let controller else { return .error(.error(errorType: .chatStoreChanged)) }
        return await controller.replaceResource(by: command, of: reading, if: isExpected, as: userId, with: rights)
    }

    func runOrderedRead(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        origin: UInt64
    ) async -> APIResult<ChatResponse> {
        guard let controller else { return .error(.error(errorType: .chatStoreChanged)) }
        return await controller.runOrderedRead(command, as: userId, with: rights, origin: origin)
    }

    func findStoredRequest(_ key: [UInt8]) async throws -> StoredRequest? {
        guard let currentController else { throw ClosedError() }
        return try await currentController.findStoredRequest(key)
    }

    private struct ClosedError: Error {}

    // MARK: Replacement

    /// Closes a controller whose databases were replaced, and opens the new databases. If that fails, later attempts
    /// are made in the background.
    private func replaceController(_ old: ChatController) async {
        guard let openDatabases else { return }
        await runningReplacements.runCounted {
            let isMine = state.withLock { state in
                guard state.currentController === old, state.refusalReason == nil else { return false }
                state.currentController = nil
                return true
            }
            guard isMine else { return }
            // A running command could replace the databases again after the new databases were opened. So running
            // commands are ended first.
            await old.endCommands(within: .seconds(5))
            await old.close()
            await WorkProgress.withoutProgress {
                do { setController(try await openDatabases()) } catch {
                    log.critical("the databases cannot be opened again", metadata: ["error": "\(error)"])
                    retryOpening(openDatabases)
                }
            }
        }
    }

    /// Tries repeatedly to open the databases, until an attempt succeeds or this core is closed.
    private func retryOpening(_ open: @escaping @Sendable () async throws -> ChatController) {
        state.withLock { state in
            guard state.refusalReason == nil else { return }
            state.reopeningTask = Task { [weak self] in
                var backoff = Backoff(initial: .milliseconds(100), limit: .seconds(2))
                while (try? await Task.sleep(for: backoff.takeNextDelay())) != nil {
                    if let new = try? await open() {
                        guard let self else { return await new.close() }
                        return setController(new)
                    }
                }
            }
        }
    }

    private func setController(_ new: ChatController) {
        let (published, changed, replaced) = state.withLock { state in
            if let limits = state.limits { new.setLimits(limits) }
            if let rights = state.plannedRights { new.setPlannedRightsLookup(rights) }
            state.currentController = new
            state.journal = new.journal
            state.generation += 1
            return (state.publishHandlers, state.changeHandlers, state.replacementHandlers)
        }
        for handler in published { new.journal.onPublish { handler($0.map(Event.init)) } }
        for handler in changed { new.onChange(handler) }
        for handler in replaced { handler() }
    }

    // MARK: End

    /// The reason why commands are refused; nil while commands are accepted.
    var refusalReason: StreamEnd? { state.withLock { $0.refusalReason } }

    /// Refuses all later commands.
    func refuseCommands(_ reason: StreamEnd) { state.withLock { $0.refusalReason = reason } }

    /// Waits up to `patience` for running commands, then closes the databases. The caller must have called
    /// ``refuseCommands(_:)`` before.
    func closeDatabases(patience: Duration) async {
        await currentController?.endCommands(within: patience)
        await runningReplacements.waitUntilIdle()
        let opening = state.withLock { $0.reopeningTask }
        opening?.cancel()
        await opening?.value
        await currentController?.close()
    }

    // MARK: Events

    fileprivate func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void) {
        let journal = state.withLock { state in
            state.publishHandlers.append(handler)
            return state.journal
        }
        journal?.onPublish { handler($0.map(Event.init)) }
    }

    fileprivate func onJournalReplaced(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.replacementHandlers.append(handler) }
    }
}

/// The journal of the open store, or of the store that was open last. A store that was never open has no events.
private struct StoreEvents: EventSource {
    let core: StoreCore

    var epoch: String { core.journal?.epoch ?? "" }
    var originJournal: JournalOrigin? { core.journal?.originJournal }
    var oldestSeq: UInt64 { core.journal?.oldestSeq ?? 1 }
    var latestSeq: UInt64 { core.journal?.latestSeq ?? 0 }
    var inactiveHiddenUsers: Set<Int64> { core.journal?.inactiveHiddenUsers ?? [] }

    func readEntries(after seq: UInt64, limit: Int) async throws -> [Event] {
        try await core.journal?.readEntries(after: seq, limit: limit).map(Event.init) ?? []
    }

    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void) { core.onPublish(handler) }
    func onJournalReplaced(_ handler: @escaping @Sendable () -> Void) { core.onJournalReplaced(handler) }
}
