internal import ChatAPI
internal import ChatCore
internal import Synchronization

/// The core of an unlocked store.
final class StoreCore: GatewayCore {
    private struct State {
        var running = 0
        /// The number of requests that were not answered yet.
        var requests = 0
        var ending: StreamEnd?
        var idle: CheckedContinuation<Void, Never>?
    }

    private let core: ReopeningCore
    private let state = Mutex(State())

    init(_ core: ReopeningCore) { self.core = core }

    /// The reason why commands are refused; nil while commands are accepted.
    var ending: StreamEnd? { state.withLock { $0.ending } }

    /// Whether commands run or requests wait for their answers.
    var isBusy: Bool { state.withLock { $0.running + $0.requests > 0 } }
    func beginRequest() { state.withLock { $0.requests += 1 } }
    func endRequest() { state.withLock { $0.requests -= 1 } }

    var isReady: Bool { ending == nil && core.isReady }
    var isRunning: Bool { ending == nil && core.isRunning }
    var networkFigures: NetworkFigures { core.networkFigures }
    var channelFigures: ChannelFigures? { get async { await core.channelFigures } }
    var storeFigures: StoreFigures? { get async { await core.storeFigures } }
    func set(_ limits: StoreLimits) { core.set(limits) }
    var eventSource: any EventSource { core.eventSource }
    var networkInfo: UserNetworkInfo { core.networkInfo }
    var isEncrypted: Bool { core.isEncrypted }
    var revision: UInt64 { core.revision }
    var commits: DatabaseCommits { core.commits }
    var movedQueues: Int { core.movedQueues }
    var databases: ChatDatabases? { core.databases }
    var storedFiles: ChatFiles? { ending == nil ? core.storedFiles : nil }
    var archives: ChatArchives? { ending == nil ? core.archives : nil }
    var eventSubscriptions: EventSubscriptions? { ending == nil ? core.eventSubscriptions : nil }

    func send(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        claim: RequestClaim?
    ) async -> APIResult<ChatResponse> {
        await admitted { await $0.send(command, as: userId, with: rights, claim: claim) }
    }

    func read(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        origin: UInt64
    ) async -> APIResult<ChatResponse> {
        await admitted { await $0.read(command, as: userId, with: rights, origin: origin) }
    }

    func activateHiddenUser(viewPwd: String, with rights: CommandRights) async -> APIResult<ChatResponse> {
        await admitted { await $0.activateHiddenUser(viewPwd: viewPwd, with: rights) }
    }

    func storedRequest(_ key: [UInt8]) async throws -> StoredRequest? { try await core.storedRequest(key) }
    var remoteCtrlSession: RemoteCtrlStatus? { get async { await core.remoteCtrlSession } }
    func remoteHostSession(_ id: Int64?) async -> RemoteHostStatus? { await core.remoteHostSession(id) }
    func connectedHost(_ id: Int64) -> (core: ChatController, host: ConnectedHost)? {
        ending == nil ? core.connectedHost(id) : nil
    }
    func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) { core.onChange(handler) }

    private func admitted(_ body: (ReopeningCore) async -> APIResult<ChatResponse>) async -> APIResult<ChatResponse> {
        let admits = state.withLock { state in
            guard state.ending == nil else { return false }
            state.running += 1
            return true
        }
        guard admits else { return .error(.error(errorType: .chatStoreChanged)) }
        defer {
            let idle = state.withLock { state in
                state.running -= 1
                guard state.running == 0 else { return CheckedContinuation<Void, Never>?.none }
                defer { state.idle = nil }
                return state.idle
            }
            idle?.resume()
        }
        return await body(core)
    }

    /// Refuses all later commands.
    func refuse(_ reason: StreamEnd) { state.withLock { $0.ending = reason } }

    /// Waits up to `patience` for running commands, then closes the databases.
    func close(patience: Duration) async {
        let timer = Task { [weak self] in
            try? await Task.sleep(for: patience)
            self?.stopWaiting()
        }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.running > 0 { state.idle = continuation }
                return state.running == 0
            }
            if isIdle { continuation.resume() }
        }
        timer.cancel()
        await core.close()
    }

    private func stopWaiting() {
        let idle = state.withLock { state in
            defer { state.idle = nil }
            return state.idle
        }
        idle?.resume()
    }
}
