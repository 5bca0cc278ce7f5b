internal import Agent
package import ChatAPI
package import ChatStore
internal import Concurrency
internal import Logging
internal import SQLCipher
import Synchronization

/// The chat engine: executes commands, handles events of the network, and writes the resulting events to its journal.
///
/// `send` is the only entry point for commands. Commands run concurrently. Each change and its events are one
/// transaction.
package final class ChatController: Sendable {
    /// The journal of all events, durable and in order.
    package let journal: EventJournal

    let services: CoreServices
    let store: ChatStore
    /// All background workers.
    let workers: [any Worker]
    // The workers whose figures are reported.
    let objectWorker: ObjectWorker
    let relayDeliveryWorker: RelayDeliveryWorker
    let plannedMessageWorker: PlannedMessageWorker
    let runState = Mutex(RunState())
    /// The last known sizes of the databases. The sizes may have changed since then if the number of commits
    /// (`commits`), or of closings while idle (`idleCloseCount`), has changed.
    let databaseBytesCache = Mutex<(commits: DatabaseCommitCounts, idleCloseCount: Int, bytes: DatabaseBytes)?>(nil)
    /// The last known figures of the store. The counts of commits show whether the figures may have changed since then.
    let figuresCache = Mutex<(commits: DatabaseCommitCounts, figures: StoreFigures)?>(nil)
    /// The last known figures of the served channels. The counts of commits show whether the figures may have changed
    /// since then.
    let channelFiguresCache = Mutex<(commits: DatabaseCommitCounts, figures: ChannelFigures)?>(nil)
    let isReplacementReported = Atomic(false)
    /// The lock under which starts, stops and operations that close the databases run one after another.
    var lifecycleLock: AsyncLock { services.lifecycleLock }
    /// The running commands. Maintenance of the databases waits until they have ended.
    let runningCommands = RunningWork()
    /// The running commands that acquire the lock `lifecycleLock` themselves.
    let runningCommandsWithLock = RunningWork()

    init(_ services: CoreServices, store: ChatStore, unreachableQueues: Int) {
        self.services = services
        self.store = store
        self.unreachableQueueCount = unreachableQueues
        journal = store.journal
        let (configuration, agent, logger) = (services.configuration, services.agent, services.logger)
        let (folders, objects) = (services.folders, services.fileObjects)
        objectWorker = ObjectWorker(store: store, objects: objects, folders: folders, logger: logger)
        relayDeliveryWorker = RelayDeliveryWorker(store: store, outbox: services.outbox, logger: logger)
        plannedMessageWorker = PlannedMessageWorker(
            store: store,
            folders: folders,
            clock: configuration.plannedMessageClock,
            logger: logger
        )
        workers = [
            TimedItemWorker(store: store, logger: logger),
            RetiredConnectionWorker(store: store, agent: agent, outbox: services.outbox, logger: logger),
            LinkDataWorker(store: store, agent: agent, logger: logger),
            ExpiryWorker(store: store, logger: logger),
            SearchIndexWorker(store: store, logger: logger),
            MemberStepWorker(store: store, agent: agent, logger: logger),
            ChannelLinkWorker(store: store, agent: agent, logger: logger),
            FileWorker(
                store: store,
                agent: agent,
                folders: folders,
                objects: objects,
                uploads: services.uploadsUnderway,
                logger: logger
            ),
            ServedChannelWorker(
                store: store,
                agent: agent,
                limits: configuration.channelRelayLimits,
                interval: configuration.relayCheckInterval,
                logger: logger
            ),
            objectWorker, relayDeliveryWorker, plannedMessageWorker,
        ]
        services.remoteDesktop.setCore(self)
        store.quota.setUploadFolders(folders)
        store.quota.setLimits(configuration.storeLimits)
        store.sendingCheck.setAgent(agent)
        store.observers.withLock {
            $0.onFollowUp = { [workers] followUpWork in
                for worker in workers where followUpWork.contains(worker.followUpWork) { worker.wake() }
                if followUpWork.contains(.notifications) { agent.startNotificationRound() }
            }
        }
    }

    /// The number of receive queues whose relay had another port or identity than the queues name, when the databases
    /// were opened. These queues deliver no messages.
    package let unreachableQueueCount: Int

    /// Whether commands are answered. The value is true from `open` until `close` or the replacement of the databases.
    package var isReady: Bool { runState.withLock { !$0.isClosed && !$0.isStoreChanged } && !isDatabaseFileReplaced }

    /// Whether a write has detected that another process deleted or replaced a database file while the file was open.
    private var isDatabaseFileReplaced: Bool { store.database.isReplaced || services.agent.isDatabaseReplaced }

    /// The numbers of transactions that each database has committed since it was opened.
    package var commitCounts: DatabaseCommitCounts {
        DatabaseCommitCounts(chat: store.database.commitCount, agent: services.agent.commitCount)
    }

    /// The state of the device's network that a client has reported last.
    package var networkInfo: UserNetworkInfo { services.networkInformation.withLock { $0 } }

    /// Whether a client wants received files to be stored encrypted (`/_files_encrypt`); nil if no client has run this
    /// command since the databases were opened.
    package var requestedFileEncryption: Bool? { services.folders.paths.wantsEncryption }

    package var areDatabasesEncrypted: Bool {
        if case .none = services.configuration.databaseKey { false } else { true }
    }

    /// Whether the chat is started. A started chat sends and receives messages, unless it is suspended.
    package var isRunning: Bool { runState.withLock { $0.isRunning } }

    /// Returns for each worker of ``workers`` the time until it has work. One read of the database finds these times,
    /// so the workers need no reads of their own at the start.
    ///
    /// No work is lost between this read and the time when a worker begins to wait. A transaction that commits after
    /// the read wakes the worker, and the worker's signal is kept until the worker waits.
    func findWorkerStarts() async -> [WorkerStart] {
        let revision = store.revision.load(ordering: .acquiring)
        let pauses = try? await store.read { [workers] db in
            workers.map { worker -> Duration? in
                // If the query of a worker fails, the worker begins at once. Then the worker logs its failure, and
                // tries again.
                do { return try worker.findTimeUntilWork(db) } catch { return .zero }
            }
        }
        return (pauses ?? workers.map { _ in .zero }).map { WorkerStart(pause: $0, revision: revision) }
    }

    /// Starts the background workers.
    func startWorkers() async -> [Task<Void, Never>] {
        services.outbox.markRunning()
        return zip(workers, await findWorkerStarts()).map { worker, start in Task { await worker.run(from: start) } }
            + [
                Task { [outbox = services.outbox] in await outbox.run() },
                Task { [store, agent = services.agent, pause = services.configuration.logWriteBackInterval] in
                    while (try? await Task.sleep(for: pause)) != nil {
                        // If a long read prevents the writing of a log into its database file, the next round tries
                        // again.
                        try? await store.database.checkpoint()
                        try? await agent.checkpointDatabase()
                    }
                },
            ]
    }

    /// Stops the chat, writes the logs of the databases back into the database files, and closes the databases. Later
    /// commands are refused.
    package func close() async {
        let watchdog = endStatementsLater()
        defer { watchdog.cancel() }
        await services.remoteDesktop.close()
        await services.remoteHosts.close()
        await lifecycleLock.runLocked { await stopWithLock() }
        runState.withLock { $0.isClosed = true }
        await services.agent.close()
        try? await store.database.checkpoint()
        await store.database.close()
        store.recentTexts.removeAll()
        // Breaks the reference cycle, since the observers refer to the store.
        store.observers.withLock { $0 = ChatStore.Observers() }
    }
}
