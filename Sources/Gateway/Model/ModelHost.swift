internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import JSON
internal import Synchronization

/// The states of all profiles in use by clients.
final class ModelHost: Sendable {
    private struct Entry {
        let model: ProfileModel
        let loadTask: Task<ProblemDetails?, Never>
    }

    private struct State {
        var entries: [Int64: Entry] = [:]
        var isSweeping = false
        var isStopped = false
    }

    private let core: any GatewayCore
    /// The encoder of responses and states.
    let encoder: JSONEncoder
    /// The encoder's cache of recently encoded texts. It is cleared when the content of the store is replaced, and when
    /// no model is in use. It is released together with this object.
    private let recentTexts: RecentTexts
    private let settings: ProfileModel.Settings
    private let state = Mutex(State())
    private let isRegisteredForChanges = Mutex(false)
    /// Interval between two searches for unused models. An unused model stays in memory at most this long after its
    /// lifetime.
    private let sweepInterval: Duration

    init(core: any GatewayCore, configuration: GatewayConfiguration) {
        self.core = core
        let origins = OriginCounter()
        recentTexts = RecentTexts.makeForResponses()
        encoder = JSONEncoder(recentTexts)
        settings = ProfileModel.Settings(
            heartbeatSeconds: configuration.heartbeatSeconds,
            sessionLifetimeSeconds: configuration.sessionLifetimeSeconds,
            maxSessions: configuration.maxSessionsPerProfile,
            maxSessionItemsAndMembers: configuration.maxSessionItemsAndMembers,
            maxInboxChanges: configuration.maxPendingModelChanges,
            encoder: encoder,
            nextOrigin: { origins.takeNext() }
        )
        sweepInterval = .seconds(max(1, min(30, configuration.sessionLifetimeSeconds)))
        core.eventSource.onJournalReplaced { [weak recentTexts] in recentTexts?.removeAll() }
    }

    private final class OriginCounter: Sendable {
        private let lastOrigin = Atomic<UInt64>(0)
        func takeNext() -> UInt64 { lastOrigin.wrappingAdd(1, ordering: .relaxed).newValue }
    }

    /// Returns the model of a profile. If the model is not in memory, its state is read from the core.
    func loadModel(of userId: Int64) async throws(ProblemDetails) -> ProfileModel {
        let (entry, sweeps) = state.withLock { state -> (Entry?, Bool) in
            if let entry = state.entries[userId] { return (entry, false) }
            guard !state.isStopped else { return (nil, false) }
            let model = ProfileModel(userId: userId, core: core, settings: settings)
            let entry = Entry(
                model: model,
                loadTask: Task {
                    // Registers for changes before the state is read, so that no change is missed.
                    self.registerForChanges()
                    do throws(ProblemDetails) {
                        try await model.loadState()
                        return nil
                    } catch {
                        return error
                    }
                }
            )
            state.entries[userId] = entry
            defer { state.isSweeping = true }
            return (entry, !state.isSweeping)
        }
        guard let entry else { throw ProblemDetails(.unavailable, "The server is stopping.") }
        if sweeps { startSweeping() }
        if let problem = await entry.loadTask.value {
            dropModel(userId, entry.model)
            throw problem
        }
        return entry.model
    }

    /// Whether a client follows a profile, has a session, or has used a profile within the lifetime of a session.
    var hasUsedModels: Bool {
        get async {
            for entry in state.withLock({ Array($0.entries.values) })
            where await !entry.model.expireSessionsAndCheckIdle() {
                return true
            }
            return false
        }
    }

    /// Registers for the changes of the core, only once. Concurrent callers wait until the first caller has registered.
    private func registerForChanges() {
        isRegisteredForChanges.withLock { isRegisteredForChanges in
            if !isRegisteredForChanges {
                core.onChange { [weak self] in self?.applyChange($0) }
                core.eventSource.onJournalReplaced { [weak self] in self?.dropAllModels() }
            }
            isRegisteredForChanges = true
        }
    }

    /// Drops all models, after the content of the store was replaced.
    private func dropAllModels() {
        for (userId, entry) in state.withLock({ $0.entries }) { dropModel(userId, entry.model) }
    }

    private func applyChange(_ change: ChatChange) {
        let entries = state.withLock { Array($0.entries.values) }
        for entry in entries { entry.model.addToInbox(change) }
        // The model of a hidden user that is not active is dropped. So its readers get no further changes of the
        // profile.
        for userId in core.eventSource.inactiveHiddenUsers {
            if let entry = state.withLock({ $0.entries[userId] }) { dropModel(userId, entry.model) }
        }
        if case .users(.deleteUser(let userId, _, _)) = change.command, change.response != nil,
            let entry = state.withLock({ $0.entries[userId] })
        {
            dropModel(userId, entry.model)
        }
    }

    private func dropModel(_ userId: Int64, _ model: ProfileModel) {
        let removed = state.withLock { state -> Bool in
            guard state.entries[userId]?.model === model else { return false }
            state.entries[userId] = nil
            return true
        }
        if removed { Task { await model.endModel() } }
    }

    /// Starts the task that drops unused models. The task runs only while models exist.
    private func startSweeping() {
        Task { [weak self, sweepInterval] in
            while true {
                try? await Task.sleep(for: sweepInterval)
                guard let self else { return }
                for (userId, entry) in state.withLock({ $0.entries })
                where await entry.model.expireSessionsAndCheckIdle() {
                    dropModel(userId, entry.model)
                }
                let goOn = state.withLock { state -> Bool in
                    state.isSweeping = !state.entries.isEmpty && !state.isStopped
                    return state.isSweeping
                }
                guard goOn else { return recentTexts.removeAll() }
            }
        }
    }

    /// Ends the streams and long polls of readers whose credential is not in `valid`. Readers without a credential
    /// continue.
    func endReaders(except valid: Set<Credential>) {
        for entry in state.withLock({ Array($0.entries.values) }) {
            Task { await entry.model.endReaders(except: valid) }
        }
    }

    func stop(_ reason: StreamEnd = .endedNormally) async {
        let entries = state.withLock { state -> [Entry] in
            state.isStopped = true
            defer { state.entries = [:] }
            return Array(state.entries.values)
        }
        for entry in entries { await entry.model.endModel(reason) }
    }
}
