internal import Agent
package import ChatAPI
package import ChatStore
internal import Concurrency
internal import Files
internal import Logging
package import NIOCore
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
    /// The last sizes of the databases, and the numbers of commits and rests before they were read.
    let databaseBytesCache = Mutex<(commits: DatabaseCommitCounts, rests: Int, bytes: DatabaseBytes)?>(nil)
    /// The last figures of the store, and the number of commits before they were read.
    let figuresCache = Mutex<(commits: DatabaseCommitCounts, figures: StoreFigures)?>(nil)
    /// The last figures of the served channels, and the number of commits before they were read.
    let channelFiguresCache = Mutex<(commits: DatabaseCommitCounts, figures: ChannelFigures)?>(nil)
    let isReplacementReported = Atomic(false)
    /// Orders starts, stops and operations that close the databases.
    var lifecycleLock: AsyncLock { services.lifecycleLock }
    /// The running commands. Maintenance of the databases waits until they have ended.
    let runningCommands = RunningWork()
    /// The running commands that acquire the lock `lifecycleLock` themselves.
    let runningCommandsWithLock = RunningWork()

    /// Opens both databases, and creates missing databases. Nothing uses the network before `start`.
    /// - Parameter work: the running statements, which another task can end even while the databases are being opened.
    package static func open(
        _ configuration: ChatConfiguration,
        work: StoreWork = StoreWork(),
        group: any EventLoopGroup
    ) async throws(ChatOpenError) -> ChatController {
        let chatPath = configuration.databasePrefix + "_chat.db"
        let agentPath = configuration.databasePrefix + "_agent.db"
        do {
            var coreLogger = Logger(label: "chat.simplex.core")
            if let id = configuration.storeID { coreLogger[metadataKey: "store"] = "\(id)" }
            let logger = coreLogger
            let replacement = StoreReplacement(prefix: configuration.databasePrefix)
            let halves = try await runBlocking { [fence = configuration.writeFence] in
                try fence.runIfCurrent { try replacement.finish() }
                let isEmptied = try DiskFiles.hasEntry(replacement.emptyMarkPath)
                return (chat: DiskFiles.hasBytes(chatPath), agent: DiskFiles.hasBytes(agentPath), isEmptied: isEmptied)
            }
            // Empty databases are made only if the configuration expects missing databases. Otherwise they would hide a
            // loss of the databases.
            let mayMake =
                configuration.missingDatabasePolicy == .create
                || configuration.missingDatabasePolicy == .createIfEmptied && halves.isEmptied
            guard halves.chat || halves.agent || mayMake else {
                throw ChatOpenError.databaseLost(path: configuration.dataDirectory)
            }
            guard halves.chat || !halves.agent else { throw ChatOpenError.databaseLost(path: chatPath) }
            guard halves.agent || mayMake else { throw ChatOpenError.databaseLost(path: agentPath) }
            // Both databases are one member, so a command that uses both cannot wait for itself.
            let member = configuration.openPool.map { OpenPool.PoolMember(of: $0) }
            let store = try await ChatStore.open(
                at: chatPath,
                key: configuration.databaseKey,
                retention: configuration.journalRetention,
                upgrade: configuration.upgradesSchema,
                fence: configuration.writeFence,
                limit: work.statements,
                afterCopying: configuration.isCopy ? ChatStore.makeIndependentCopy : nil,
                badgeKeys: configuration.badgeKeys,
                member: member,
                id: configuration.storeID,
                onMessageSteps: configuration.onMessageSteps
            )
            if halves.chat, !halves.agent {
                // An interrupted first start may have left the chat database without users, and no database of the
                // agent. Then the latter is created. With users, it was lost.
                let hasUsers = try await store.read { db in try db.firstRow("SELECT 1 AS n FROM users") != nil }
                guard !hasUsers else { throw ChatOpenError.databaseLost(path: agentPath) }
            }
            var agentConfiguration = AgentConfiguration(databasePath: agentPath, databaseKey: configuration.databaseKey)
            agentConfiguration.commitDelays = configuration.agentCommitDelays
            agentConfiguration.upgradesSchema = configuration.upgradesSchema
            (agentConfiguration.writeFence, agentConfiguration.poolMember) = (configuration.writeFence, member)
            (agentConfiguration.storeID, agentConfiguration.onRelayLost) = (
                configuration.storeID, configuration.onRelayLost
            )
            agentConfiguration.clientConfiguration = configuration.clientConfiguration
            agentConfiguration.notificationServers =
                configuration.notificationServers ?? configuration.serverPresets.notificationServers
            agentConfiguration.knownServers = PresetOperator.knownServers
            let folders = LocalFolders(
                dataDirectory: configuration.dataDirectory,
                prefix: configuration.databasePrefix,
                hidesNames: configuration.hidesFileNames
            )
            agentConfiguration.fileRoots = { folders.paths.fileRoots }
            let agent: Agent
            do {
                agent = try await Agent.open(configuration: agentConfiguration, limit: work.statements, group: group)
            } catch DatabaseError.wrongKey { throw ChatOpenError.wrongKey(database: agentPath) }
            try await runBlocking { [fence = configuration.writeFence] in
                try fence.runIfCurrent { replacement.removeEmptyMark() }
            }
            let (users, known) = (
                try await store.read { db in
                    try db.query("SELECT agent_user_id FROM users").map { try $0.int64("agent_user_id") }
                }, try await agent.fetchUsers()
            )
            guard known.isSuperset(of: users) else {
                throw ChatOpenError.otherError(
                    "\(agentPath) lacks profiles that the other database has: the two databases are from different times"
                )
            }
            try await configuration.migrationFolder.finishWithoutLink(in: store, configuration.writeFence)
            let networkConfig = try await NetworkConfig.findStored(in: store) ?? configuration.networkConfig
            agent.setNetworkSettings(
                networkConfig.agentSettings(configuration.clientConfiguration, webDomains: NetworkConfig.webPortDomains)
            )
            let outbox = try await Outbox.open(
                store: store,
                agent: agent,
                hooks: configuration.outboxHooks,
                logger: logger
            )
            let moved = try await agent.findUnreachableQueues(among: configuration.defaultServers)
            for queues in moved {
                let reason =
                    switch queues.reason {
                    case .otherPort: "The relay of some queues now has another port"
                    case .otherRelay: "Another relay has replaced the relay of some queues"
                    case .lost: "A relay no longer has some queues"
                    }
                logger.warning(
                    "\(reason): nothing arrives from these queues, and contacts cannot send to them.",
                    metadata: [
                        "queues": "\(queues.queueCount)", "were at": "\(queues.formerRelay)",
                        "relay is at": "\(queues.presentRelay)",
                    ]
                )
            }
            try await StoredObject.addListedForDeletion(at: replacement.leftObjectListPath, in: store)
            let mayMissFiles = try await store.read { try StoredObject.anyExists(in: $0) }
            let services = CoreServices(
                configuration: configuration,
                work: work,
                agent: agent,
                outbox: outbox,
                folders: folders,
                objects: FileObjects(
                    configuration.objectSettings,
                    mayMissFiles: mayMissFiles,
                    store: store,
                    folders: folders
                ),
                store: store,
                group: group,
                logger: logger
            )
            let controller = ChatController(
                services,
                store: store,
                unreachableQueues: moved.reduce(0) { $0 + $1.queueCount }
            )
            logger.reportSlowStatements(of: store.database.slowStatements, database: "chat")
            logger.reportSlowStatements(of: agent.slowStatements, database: "agent")
            await store.quota.refreshAgentBytesIfLimited(agent)
            if configuration.objectSettings == nil, mayMissFiles {
                logger.error(
                    "files of the store cannot be read: they are in an object storage, and the gateway was started without one",
                    metadata: ["store": "\(configuration.dataDirectory)"]
                )
            }
            do {
                try await services.configureServers(in: store)
                try await services.cleanUpUnfinishedChannels(in: store)
            } catch {
                // The store and the workers refer to each other, so without this call the databases would stay open.
                await controller.close()
                throw error
            }
            return controller
        } catch let error as ChatOpenError {
            throw error
        } catch DatabaseError.wrongKey {
            throw .wrongKey(database: chatPath)
        } catch let error as DatabaseError {
            throw .database(error)
        } catch let error as FileSystemError {
            throw error.isStorageFull ? .database(.diskFull) : .otherError(error.message())
        } catch {
            throw .otherError("\(error)")
        }
    }

    private init(_ services: CoreServices, store: ChatStore, unreachableQueues: Int) {
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
            clock: configuration.planClock,
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
        store.quota.setUploadSizes(folders)
        store.quota.setLimits(configuration.storeLimits)
        store.sendingCheck.setAgent(agent)
        store.observers.withLock {
            $0.onFollowUp = { [workers] followUp in
                for worker in workers where followUp.contains(worker.followUp) { worker.wake() }
                if followUp.contains(.notifications) { agent.reviewNotifications() }
            }
        }
    }

    /// The number of receive queues whose relay had another port or identity when the databases were opened. These
    /// queues deliver no messages.
    package let unreachableQueueCount: Int

    /// Whether commands are answered. The value is true from `open` until `close` or the replacement of the databases.
    package var isReady: Bool { runState.withLock { !$0.isClosed && !$0.isStoreChanged } && !isDatabaseFileReplaced }

    /// Whether a write has detected that another process deleted or replaced a database file while the file was open.
    private var isDatabaseFileReplaced: Bool { store.database.isReplaced || services.agent.isDatabaseReplaced }

    /// The numbers of transactions that each database has committed since it was opened.
    package var commitCounts: DatabaseCommitCounts {
        DatabaseCommitCounts(chat: store.database.commitCount, agent: services.agent.commitCount)
    }

    /// The last reported state of the network.
    package var networkInfo: UserNetworkInfo { services.networkInformation.withLock { $0 } }

    /// Whether a client wants received files to be stored encrypted (`/_files_encrypt`); nil if no client has said this
    /// since the databases were opened.
    package var requestedFileEncryption: Bool? { services.folders.paths.wantsEncryption }

    /// Whether the databases are encrypted.
    package var isEncrypted: Bool { if case .none = services.configuration.databaseKey { false } else { true } }

    /// Whether the chat is started. A started chat sends and receives messages, unless it is suspended.
    package var isRunning: Bool { runState.withLock { $0.isRunning } }

    /// Asks all workers for the time until they have work, in the order of ``workers``. One read takes the place of the
    /// first reads and writes of the workers.
    ///
    /// No work is lost between the read and the wait of a worker. A transaction that the read misses commits later, and
    /// wakes the worker after its commit. The signal of the worker keeps the waking until the worker waits.
    func askWorkers() async -> [WorkerStart] {
        let revision = store.revision.load(ordering: .acquiring)
        let pauses = try? await store.read { [workers] db in
            workers.map { worker -> Duration? in
                // A worker that cannot answer begins at once. Then the worker logs its failure, and tries again.
                do { return try worker.findTimeUntilWork(db) } catch { return .zero }
            }
        }
        return (pauses ?? workers.map { _ in .zero }).map { WorkerStart(pause: $0, revision: revision) }
    }

    /// Starts the background workers.
    func startWorkers() async -> [Task<Void, Never>] {
        services.outbox.markRunning()
        return zip(workers, await askWorkers()).map { worker, start in Task { await worker.run(from: start) } } + [
            Task { [outbox = services.outbox] in await outbox.run() },
            Task { [store, agent = services.agent, pause = services.configuration.writeBackInterval] in
                while (try? await Task.sleep(for: pause)) != nil {
                    // If a long read prevents the write-back, the next round tries it again.
                    try? await store.database.checkpoint()
                    try? await agent.checkpointDatabase()
                }
            },
        ]
    }

    /// Stops the chat, writes the logs of the databases back, and closes the databases. Later commands are refused.
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
