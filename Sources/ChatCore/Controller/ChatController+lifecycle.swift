internal import Agent
internal import ChatAPI
internal import Concurrency
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher
import Synchronization

// The states of the chat: started, suspended, stopped.
extension ChatController: StoreLifecycle {
    /// The maximum time, in microseconds, for which a suspension waits for messages that are being sent or received:
    /// one hour.
    private var maxSuspensionMicroseconds: Int64 { 3_600_000_000 }

    struct RunState {
        var isRunning = false
        /// Whether a start is in progress. During a start, events of the network are already handled.
        var isStarting = false
        /// Whether the chat is running, but neither sends nor receives until it is activated.
        var isSuspended = false
        /// Whether messages are received as they arrive. If false, `/_ntf conn messages` requests each message.
        var receivesMessages = true
        var isClosed = false
        /// Whether the databases were closed and replaced.
        var isStoreChanged = false
        /// Whether a command of maintenance is running: one that exports, replaces, encrypts or deletes the databases.
        var isUnderMaintenance = false
        /// The new key of the databases; nil if the key was not changed.
        var newDatabaseKey: DatabaseKey?
        /// Whether all later commands are refused, because the controller will be closed.
        var isEnding = false
        var workers: [Task<Void, Never>] = []
        /// The task that ends the network activity when the time that an app has before its suspension is over.
        var suspensionTask: Task<Void, Never>?
    }

    /// Whether the chat is suspended: it sends and receives nothing until it is activated.
    package var isSuspended: Bool { runState.withLock { $0.isSuspended && $0.workers.isEmpty } }

    /// Whether the profiles are being migrated from or to another device. The chat cannot start during a migration.
    var isMigrating: Bool {
        get async throws {
            try await runBlocking { [folder = services.configuration.migrationFolder] in folder.isPresent }
        }
    }

    var isClosed: Bool { runState.withLock { $0.isClosed } }
    var isOnline: Bool { runState.withLock { $0.isRunning || $0.isStarting } }
    var isSuspending: Bool { runState.withLock { $0.isSuspended } }

    /// Starts the chat: passes the deliveries in the outbox to the agent, and receives waiting messages. Does nothing
    /// if the chat is already running.
    /// - Parameter receives: whether messages are received as they arrive. A program that only handles push
    ///   notifications requests each message instead.
    /// - Returns: whether this call has started the chat.
    @discardableResult
    package func start(receives: Bool = true) async throws -> Bool {
        try await lifecycleLock.runLocked {
            let starts = try runState.withLock { running in
                guard !running.isStoreChanged else { throw ChatFailure(ChatErrorType.chatStoreChanged) }
                guard !running.isRunning, !running.isClosed else { return false }
                running.isStarting = true
                running.receivesMessages = receives
                return true
            }
            guard starts else { return false }
            defer { runState.withLock { $0.isStarting = false } }
            guard try await !isMigrating else {
                services.logger.warning("the chat stays stopped, because its profiles are migrating to another device")
                return false
            }
            try await services.compareDatabases(in: store)
            try await services.applyClientServices(in: store)
            try await goOnline()
            runState.withLock { $0.isRunning = true }
            return true
        }
    }

    /// Stops the chat. Commands that need no network continue. Deliveries in the outbox are passed to the agent at the
    /// next start.
    package func stop() async {
        let watchdog = endStatementsLater()
        await lifecycleLock.runLocked { await stopWithLock() }
        watchdog.cancel()
        guard !runState.withLock({ $0.isClosed }) else { return }
        services.storeWork.allowWork()
    }

    /// Starts a task that ends the running statements of both databases after a delay. Callers who wait for the
    /// statements can then continue. After its wait, the caller cancels the returned task.
    func endStatementsLater() -> Task<Void, Never> {
        Task { [work = services.storeWork, patience = services.configuration.statementTimeout] in
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            work.endWork()
        }
    }

    func stopWithLock() async {
        let suspension = runState.withLock { running in
            running.isRunning = false
            running.isSuspended = false
            defer { running.suspensionTask = nil }
            return running.suspensionTask
        }
        suspension?.cancel()
        await goOffline()
    }

    /// `/_app suspend`: suspends the chat after `microseconds`. Until then, messages that are being sent or received
    /// can still arrive. A suspended chat sends and receives nothing until it is activated.
    func suspend(microseconds: Int64) async -> ChatResponse {
        await lifecycleLock.runLocked {
            let suspends = runState.withLock { running in
                guard running.isRunning, !running.isSuspended else { return false }
                running.isSuspended = true
                return true
            }
            guard suspends else { return .cmdOk(user_: nil) }
            let suspension = Task { [weak self] in
                await self?.services.outbox.flush()
                guard let longest = self?.maxSuspensionMicroseconds,
                    (try? await Task.sleep(for: .microseconds(min(max(0, microseconds), longest)))) != nil
                else { return }
                await self?.finishSuspension()
            }
            runState.withLock { $0.suspensionTask = suspension }
            return .cmdOk(user_: nil)
        }
    }

    private func finishSuspension() async {
        await lifecycleLock.runLocked {
            // While this function waited for the lock, another command may have activated or stopped the chat.
            guard runState.withLock({ $0.isSuspended }), !Task.isCancelled else { return }
            await goOffline()
            _ = try? await store.write { tx in try tx.emit(.chatSuspended, user: nil) }
        }
    }

    /// `/_app activate`: activates the chat.
    func activate() async throws -> ChatResponse {
        try await lifecycleLock.runLocked {
            let (resumes, suspension) = runState.withLock { running in
                defer { running.suspensionTask = nil }
                return (running.isSuspended, running.suspensionTask)
            }
            suspension?.cancel()
            guard resumes else { return .cmdOk(user_: nil) }
            if runState.withLock({ $0.workers.isEmpty }) { try await goOnline() }
            runState.withLock { $0.isSuspended = false }
            return .cmdOk(user_: nil)
        }
    }

    private func goOnline() async throws {
        // The outbox resumes before the agent sends, so that no message is passed twice to the agent.
        try await services.outbox.resume()
        let receives = runState.withLock { $0.receivesMessages }
        let muted: @Sendable () async throws -> Set<ConnectionID> = { [store] in
            try await store.read { db in try MutedConnections.findAll(in: db) }
        }
        try await services.agent.start(
            subscribes: receives,
            muted: muted,
            settled: { [outbox = services.outbox] in outbox.recordShipmentResult($0) }
        ) {
            [weak self] events in try await self?.handleAgentEvents(events)
        }
        do { try await services.resumeAcceptingRequests(in: store) } catch {
            runState.withLock { $0.isStarting = false }
            await services.agent.stop()
            throw error
        }
        let workers = await startWorkers()
        runState.withLock { $0.workers = workers }
    }

    /// Handles events of the agent. The agent considers the events delivered when this function returns.
    func handleAgentEvents(_ events: [AgentEvent]) async throws {
        try await agentEventHandler.handleEvents(events)
    }

    var agentEventHandler: AgentEventHandler { AgentEventHandler(services, store, self) }

    private func goOffline() async {
        let workers = runState.withLock { running in
            defer { running.workers = [] }
            return running.workers
        }
        for worker in workers { worker.cancel() }
        for worker in workers { await worker.value }
        // Handlers of events may still wait because the store is full. These handlers end now, since the chat is
        // offline.
        store.quota.wakeAllWaiters()
        await services.agent.stop()
    }
}
