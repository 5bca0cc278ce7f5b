internal import Agent
public import ChatAPI
internal import Concurrency
internal import Files
internal import Logging
public import NIOCore
internal import SQLCipher
import Synchronization

/// The chat engine: executes commands, handles events of the network, and writes the resulting events to its journal.
///
/// `send` is the only entry point for commands. Commands run concurrently. Each change and its events are one
/// transaction.
public final class ChatController: Sendable {
    /// The journal of all events, durable and in order.
    public let journal: EventJournal

    let configuration: ChatConfiguration
    let work: StoreWork
    var statements: StatementLimit { work.statements }
    let store: ChatStore
    let agent: Agent
    let outbox: Outbox
    let timedItems: TimedItemWorker
    let retired: RetiredConnectionWorker
    let linkData: LinkDataWorker
    let expiry: ExpiryWorker
    let searchIndex: SearchIndexWorker
    let memberSteps: MemberStepWorker
    let channelLinks: ChannelLinkWorker
    let files: FileWorker
    /// The files that are in the object storage.
    let objects: FileObjects
    let objectWorker: ObjectWorker
    let servedChannels: ServedChannelWorker
    let relayDelivery: RelayDeliveryWorker
    let uploads = UploadsUnderway()
    let remoteControl: RemoteControl
    let remoteHosts: RemoteHosts
    let logger: Logger
    /// The ids of the connections that a command is joining.
    let joining = Mutex<Set<Int64>>([])
    /// Addresses that were reported as full.
    let fullAddresses = Mutex<Set<ConnectionID>>([])
    /// Commands that wait for the relay's answer after the acceptance of a request, by the id of the request.
    let joinings = CompletionWaiters<Int64>()
    let relayTests = RelayTests()
    let viewPasswords = ViewPasswordTries(), administratorsViewPasswords = ViewPasswordTries()
    /// The folders for files.
    let folders: LocalFolders
    let running = Mutex(Running())
    let isReplacementReported = Atomic(false)
    let networkInformation = Mutex(UserNetworkInfo.unsaid)
    /// Orders starts, stops and operations that close the databases.
    let turns = AsyncLock()

    /// Opens both databases, and creates missing databases. Nothing uses the network before `start`.
    /// - Parameter work: the running statements, which another task can end even while the databases are being opened.
    public static func open(
        _ configuration: ChatConfiguration,
        work: StoreWork = StoreWork(),
        group: any EventLoopGroup
    ) async throws(ChatOpenError) -> ChatController {
        let chatPath = configuration.databasePrefix + "_chat.db"
        let agentPath = configuration.databasePrefix + "_agent.db"
        do {
            let logger = Logger(label: "chat.simplex.core")
            let replacement = StoreReplacement(prefix: configuration.databasePrefix)
            let halves = try await blocking { [fence = configuration.fence] in
                try fence.passing { try replacement.finish() }
                let isEmptied = try DiskFiles.hasEntry(replacement.emptyMark)
                return (chat: DiskFiles.hasBytes(chatPath), agent: DiskFiles.hasBytes(agentPath), isEmptied: isEmptied)
            }
            // Empty databases do not replace lost databases.
            let mayMake =
                configuration.makesDatabases == .made
                || configuration.makesDatabases == .madeIfEmptied && halves.isEmptied
            guard halves.chat || halves.agent || mayMake else {
                throw ChatOpenError.lost(path: configuration.dataDirectory)
            }
            guard halves.chat || !halves.agent else { throw ChatOpenError.lost(path: chatPath) }
            guard halves.agent || mayMake else { throw ChatOpenError.lost(path: agentPath) }
            let store = try await ChatStore.open(
                at: chatPath,
                key: configuration.databaseKey,
                isCopy: configuration.isCopy,
                retention: configuration.journalRetention,
                upgrade: configuration.upgradesSchema,
                fence: configuration.fence,
                limit: work.statements
            )
            if halves.chat, !halves.agent {
                // An interrupted first start may have created only the chat database.
                let hasUsers = try await store.read { db in try db.first("SELECT 1 AS n FROM users") != nil }
                guard !hasUsers else { throw ChatOpenError.lost(path: agentPath) }
            }
            var agentConfiguration = AgentConfiguration(databasePath: agentPath, databaseKey: configuration.databaseKey)
            agentConfiguration.commitDelays = configuration.agentCommitDelays
            agentConfiguration.upgradesSchema = configuration.upgradesSchema
            agentConfiguration.fence = configuration.fence
            agentConfiguration.client = configuration.network
            agentConfiguration.notificationServers =
                configuration.notificationServers ?? configuration.serverPresets.notificationServers
            agentConfiguration.knownServers = PresetOperator.knownServers
            let folders = LocalFolders(dataDirectory: configuration.dataDirectory, prefix: configuration.databasePrefix)
            agentConfiguration.roots = { folders.paths.roots }
            let agent: Agent
            do {
                agent = try await Agent.open(configuration: agentConfiguration, limit: work.statements, group: group)
            } catch DatabaseError.wrongKey { throw ChatOpenError.wrongKey(database: agentPath) }
            try await blocking { [fence = configuration.fence] in try fence.passing { replacement.removeEmptyMark() } }
            let (users, known) = (
                try await store.read { db in
                    try db.query("SELECT agent_user_id FROM users").map { try $0.int64("agent_user_id") }
                }, try await agent.users()
            )
            guard known.isSuperset(of: users) else {
                throw ChatOpenError.other(
                    "\(agentPath) lacks profiles that the other database has: the two databases are from different times"
                )
            }
            let networkConfig = try await networkConfig(in: store) ?? configuration.networkConfig
            agent.setNetwork(networkConfig.settings(configuration.network, webDomains: webDomains))
            let outbox = try await Outbox.open(
                store: store,
                agent: agent,
                hooks: configuration.outboxHooks,
                logger: logger
            )
            let moved = try await agent.movedQueues(among: configuration.servers)
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
                        "queues": "\(queues.count)", "were at": "\(queues.former)", "relay is at": "\(queues.present)",
                    ]
                )
            }
            try await StoredObject.adoptLeft(at: replacement.leftObjects, in: store)
            let mayLack = try await store.read { try StoredObject.areAny(in: $0) }
            let controller = ChatController(
                configuration: configuration,
                work: work,
                store: store,
                agent: agent,
                outbox: outbox,
                folders: folders,
                movedQueues: moved.reduce(0) { $0 + $1.count },
                mayLackObjects: mayLack,
                group: group,
                logger: logger
            )
            await controller.refreshQuota()
            if configuration.objects == nil, mayLack {
                logger.error(
                    "files of the store cannot be read: they are in an object storage, and the gateway was started without one",
                    metadata: ["store": "\(configuration.dataDirectory)"]
                )
            }
            try await controller.configureServers()
            try await controller.endUnfinishedChannels()
            return controller
        } catch let error as ChatOpenError {
            throw error
        } catch DatabaseError.wrongKey {
            throw .wrongKey(database: chatPath)
        } catch let error as DatabaseError {
            throw .database(error)
        } catch let error as FileSystemError {
            throw error.isFull ? .database(.full) : .other(error.message())
        } catch {
            throw .other("\(error)")
        }
    }

    private init(
        configuration: ChatConfiguration,
        work: StoreWork,
        store: ChatStore,
        agent: Agent,
        outbox: Outbox,
        folders: LocalFolders,
        movedQueues: Int,
        mayLackObjects: Bool,
        group: any EventLoopGroup,
        logger: Logger
    ) {
        self.configuration = configuration
        self.work = work
        self.store = store
        self.agent = agent
        self.outbox = outbox
        self.movedQueues = movedQueues
        self.logger = logger
        journal = store.journal
        self.folders = folders
        timedItems = TimedItemWorker(store: store, logger: logger)
        retired = RetiredConnectionWorker(store: store, agent: agent, outbox: outbox, logger: logger)
        linkData = LinkDataWorker(store: store, agent: agent, logger: logger)
        expiry = ExpiryWorker(store: store, logger: logger)
        searchIndex = SearchIndexWorker(store: store, logger: logger)
        memberSteps = MemberStepWorker(store: store, agent: agent, logger: logger)
        channelLinks = ChannelLinkWorker(store: store, agent: agent, logger: logger)
        objects = FileObjects(configuration.objects, mayLack: mayLackObjects, store: store, folders: folders)
        objectWorker = ObjectWorker(store: store, objects: objects, folders: folders, logger: logger)
        files = FileWorker(
            store: store,
            agent: agent,
            folders: folders,
            objects: objects,
            uploads: uploads,
            logger: logger
        )
        servedChannels = ServedChannelWorker(
            store: store,
            agent: agent,
            limits: configuration.channelRelay,
            interval: configuration.relayCheckInterval,
            logger: logger
        )
        relayDelivery = RelayDeliveryWorker(store: store, outbox: outbox, logger: logger)
        remoteControl = RemoteControl(
            store: store,
            folders: folders,
            permits: configuration.network.transport.permits,
            group: group,
            logger: logger
        )
        remoteHosts = RemoteHosts(
            store: store,
            folders: folders,
            address: configuration.remoteHostAddress,
            group: group,
            logger: logger
        )
        remoteControl.serve(self)
        store.quota.use(folders)
        store.quota.set(configuration.limits)
        store.gate.use(agent)
        store.observers.withLock {
            $0.followUp = {
                [
                    timedItems, retired, linkData, expiry, searchIndex, memberSteps, channelLinks, files, objectWorker,
                    servedChannels, relayDelivery
                ] followUp in
                if followUp.contains(.timedItems) { timedItems.wake() }
                if followUp.contains(.retiredConnections) { retired.wake() }
                if followUp.contains(.linkData) { linkData.wake() }
                if followUp.contains(.expiringItems) { expiry.wake() }
                if followUp.contains(.searchIndex) { searchIndex.wake() }
                if followUp.contains(.memberSteps) { memberSteps.wake() }
                if followUp.contains(.channelLinks) { channelLinks.wake() }
                if followUp.contains(.files) { files.wake() }
                if followUp.contains(.objects) { objectWorker.wake() }
                if followUp.contains(.servedChannels) { servedChannels.wake() }
                if followUp.contains(.relayDelivery) { relayDelivery.wake() }
            }
        }
    }

    /// The number of receive queues whose relay had another port or identity when the databases were opened. These
    /// queues deliver no messages.
    public let movedQueues: Int

    /// Whether commands are answered. The value is true from `open` until `close` or the replacement of the databases.
    public var isReady: Bool { running.withLock { !$0.isClosed && !$0.isStoreChanged } && !isFileReplaced }

    /// Whether a write has detected that another process deleted or replaced a database file while the file was open.
    private var isFileReplaced: Bool { store.database.isReplaced || agent.isDatabaseReplaced }

    /// The numbers of transactions that each database has committed since it was opened.
    public var commits: DatabaseCommits { DatabaseCommits(chat: store.database.commits, agent: agent.commits) }

    /// The last reported state of the network.
    public var networkInfo: UserNetworkInfo { networkInformation.withLock { $0 } }

    /// Whether the databases are encrypted.
    public var isEncrypted: Bool { if case .none = configuration.databaseKey { false } else { true } }

    /// Whether the chat is started. A started chat sends and receives messages, unless it is suspended.
    public var isRunning: Bool { running.withLock { $0.isRunning } }

    /// Starts the background workers.
    func makeWorkers() -> [Task<Void, Never>] {
        outbox.begin()
        return [
            Task { [outbox] in await outbox.run() }, Task { [timedItems] in await timedItems.run() },
            Task { [retired] in await retired.run() }, Task { [linkData] in await linkData.run() },
            Task { [expiry] in await expiry.run() }, Task { [searchIndex] in await searchIndex.run() },
            Task { [memberSteps] in await memberSteps.run() }, Task { [channelLinks] in await channelLinks.run() },
            Task { [files] in await files.run() }, Task { [objectWorker] in await objectWorker.run() },
            Task { [servedChannels] in await servedChannels.run() },
            Task { [relayDelivery] in await relayDelivery.run() },
            Task { [store, agent, pause = configuration.writeBackInterval] in
                while (try? await Task.sleep(for: pause)) != nil {
                    // If a long read prevents the write-back, the next round repeats it.
                    try? await store.database.checkpoint()
                    try? await agent.writeBack()
                }
            },
        ]
    }

    /// Stops the chat, writes the logs of the databases back, and closes the databases. Later commands are refused.
    public func close() async {
        let watchdog = endingStatementsLater()
        defer { watchdog.cancel() }
        await remoteControl.close()
        await remoteHosts.close()
        await turns.run { await stopWithinTurn() }
        running.withLock { $0.isClosed = true }
        await agent.close()
        try? await store.database.checkpoint()
        await store.database.close()
        RepeatedParts.forget()
        StoredJSON.forget()
        // Breaks the reference cycle, since the observers refer to the store.
        store.observers.withLock { $0 = ChatStore.Observers() }
    }
}
