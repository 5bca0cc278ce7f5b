internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import Logging
package import NIOCore
internal import SQLCipher

extension ChatController {
    /// Opens both databases, and creates missing databases. Nothing uses the network before `start`.
    /// - Parameter work: the handle with which another task can end running statements, even while the databases are
    ///   being opened.
    package static func open(
        _ configuration: ChatConfiguration,
        work: StoreWork = StoreWork(),
        group: any EventLoopGroup
    ) async throws(ChatOpenError) -> ChatController {
        let opening = StoreOpening(configuration, work, group)
        do { return try await opening.openController() } catch { throw opening.convertError(error) }
    }
}

/// The steps that open the databases of a store, and make its controller.
private struct StoreOpening: Sendable {
    private let configuration: ChatConfiguration
    private let work: StoreWork
    private let group: any EventLoopGroup
    private let chatPath: String
    private let agentPath: String
    private let replacement: StoreReplacement
    /// The place of the store in the pool of open databases. Both databases share one place: a command that uses both
    /// databases then never waits for a place that it occupies itself.
    private let poolMember: OpenPool.PoolMember?
    private let folders: LocalFolders
    private let logger: Logger

    /// The databases that exist before the opening.
    private struct ExistingDatabases: Sendable {
        let hasChat: Bool
        let hasAgent: Bool
        /// Whether the store is marked as a store without databases, because it is new, or its databases were deleted.
        let isEmptied: Bool
    }

    init(_ configuration: ChatConfiguration, _ work: StoreWork, _ group: any EventLoopGroup) {
        self.configuration = configuration
        self.work = work
        self.group = group
        chatPath = configuration.databasePrefix + "_chat.db"
        agentPath = configuration.databasePrefix + "_agent.db"
        replacement = StoreReplacement(prefix: configuration.databasePrefix)
        poolMember = configuration.openPool.map { OpenPool.PoolMember(of: $0) }
        folders = LocalFolders(
            dataDirectory: configuration.dataDirectory,
            prefix: configuration.databasePrefix,
            hidesNames: configuration.hidesFileNames
        )
        var coreLogger = Logger(label: "chat.simplex.core")
        if let id = configuration.storeID { coreLogger[metadataKey: "store"] = "\(id)" }
        logger = coreLogger
    }

    func openController() async throws -> ChatController {
        let existing = try await finishReplacement()
        try requireExpectedDatabases(existing)
        let store = try await openChatDatabase()
        if existing.hasChat, !existing.hasAgent { try await requireUnfinishedFirstStart(store) }
        let agent = try await openAgent()
        try await runBlocking { [replacement, fence = configuration.writeFence] in
            try fence.runIfValid { replacement.removeEmptyStoreMark() }
        }
        try await requireSameProfiles(store, agent)
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
        for queues in moved { logUnreachableQueues(queues) }
        try await StoredObject.addListedForDeletion(at: replacement.objectsToDeletePath, in: store)
        let mayHaveStoredFiles = try await store.read { try StoredObject.anyExists(in: $0) }
        let services = makeServices(store, agent, outbox, mayHaveStoredFiles: mayHaveStoredFiles)
        let controller = ChatController(
            services,
            store: store,
            unreachableQueues: moved.reduce(0) { $0 + $1.queueCount }
        )
        logger.reportSlowStatements(of: store.database.slowStatements, database: "chat")
        logger.reportSlowStatements(of: agent.slowStatements, database: "agent")
        await store.quota.refreshAgentBytesIfLimited(agent)
        if configuration.objectSettings == nil, mayHaveStoredFiles {
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
    }

    func convertError(_ error: any Error) -> ChatOpenError {
        switch error {
        case let error as ChatOpenError: error
        case DatabaseError.wrongKey: .wrongKey(database: chatPath)
        case let error as DatabaseError: .database(error)
        case let error as FileSystemError:
            error.isStorageFull ? .database(.diskFull) : .otherError(error.message())
        default: .otherError("\(error)")
        }
    }

    // MARK: Steps

    /// Completes a replacement of the databases that was interrupted, and finds the databases.
    private func finishReplacement() async throws -> ExistingDatabases {
        try await runBlocking { [replacement, chatPath, agentPath, fence = configuration.writeFence] in
            try fence.runIfValid { try replacement.finish() }
            let isEmptied = try DiskFiles.hasEntry(replacement.emptyStoreMarkPath)
            return ExistingDatabases(
                hasChat: DiskFiles.hasBytes(chatPath),
                hasAgent: DiskFiles.hasBytes(agentPath),
                isEmptied: isEmptied
            )
        }
    }

    /// Refuses a store whose databases are missing. Empty databases are made only if the configuration expects missing
    /// databases. Otherwise the empty databases would hide that the databases were lost.
    private func requireExpectedDatabases(_ existing: ExistingDatabases) throws {
        let mayMake =
            configuration.missingDatabasePolicy == .create
            || configuration.missingDatabasePolicy == .createIfEmptied && existing.isEmptied
        guard existing.hasChat || existing.hasAgent || mayMake else {
            throw ChatOpenError.databaseLost(path: configuration.dataDirectory)
        }
        guard existing.hasChat || !existing.hasAgent else { throw ChatOpenError.databaseLost(path: chatPath) }
        guard existing.hasAgent || mayMake else { throw ChatOpenError.databaseLost(path: agentPath) }
    }

    private func openChatDatabase() async throws -> ChatStore {
        try await ChatStore.open(
            at: chatPath,
            key: configuration.databaseKey,
            retention: configuration.journalRetention,
            upgrade: configuration.upgradesSchema,
            fence: configuration.writeFence,
            limit: work.statements,
            afterCopying: configuration.isCopy ? ChatStore.makeIndependentCopy : nil,
            badgeKeys: configuration.badgeKeys,
            member: poolMember,
            id: configuration.storeID,
            onMessageSteps: configuration.onMessageSteps
        )
    }

    /// Checks that a chat database without a database of the agent has no users. If it has users, the database of the
    /// agent was lost, and the store is refused. If it has no users, an interrupted first start has left the chat
    /// database.
    private func requireUnfinishedFirstStart(_ store: ChatStore) async throws {
        let hasUsers = try await store.read { db in try db.firstRow("SELECT 1 AS n FROM users") != nil }
        guard !hasUsers else { throw ChatOpenError.databaseLost(path: agentPath) }
    }

    private func openAgent() async throws -> Agent {
        var agentConfiguration = AgentConfiguration(databasePath: agentPath, databaseKey: configuration.databaseKey)
        agentConfiguration.commitDelays = configuration.agentCommitDelays
        agentConfiguration.upgradesSchema = configuration.upgradesSchema
        agentConfiguration.writeFence = configuration.writeFence
        agentConfiguration.poolMember = poolMember
        agentConfiguration.storeID = configuration.storeID
        agentConfiguration.onRelayLost = configuration.onRelayLost
        agentConfiguration.clientConfiguration = configuration.clientConfiguration
        agentConfiguration.notificationServers =
            configuration.notificationServers ?? configuration.serverPresets.notificationServers
        agentConfiguration.presetRelays = PresetOperator.knownServers
        agentConfiguration.fileRoots = { [folders] in folders.paths.fileRoots }
        do {
            return try await Agent.open(configuration: agentConfiguration, limit: work.statements, group: group)
        } catch DatabaseError.wrongKey { throw ChatOpenError.wrongKey(database: agentPath) }
    }

    /// Refuses the databases if the database of the agent lacks profiles of the chat database. In this case, the two
    /// databases are from different times.
    private func requireSameProfiles(_ store: ChatStore, _ agent: Agent) async throws {
        let users = try await store.read { db in
            try db.query("SELECT agent_user_id FROM users").map { try $0.int64("agent_user_id") }
        }
        guard try await agent.fetchUsers().isSuperset(of: users) else {
            throw ChatOpenError.otherError(
                "\(agentPath) lacks profiles that the other database has: the two databases are from different times"
            )
        }
    }

    private func logUnreachableQueues(_ queues: UnreachableQueues) {
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

    private func makeServices(
        _ store: ChatStore,
        _ agent: Agent,
        _ outbox: Outbox,
        mayHaveStoredFiles: Bool
    ) -> CoreServices {
        CoreServices(
            configuration: configuration,
            work: work,
            agent: agent,
            outbox: outbox,
            folders: folders,
            objects: FileObjects(
                configuration.objectSettings,
                mayHaveStoredFiles: mayHaveStoredFiles,
                store: store,
                folders: folders
            ),
            store: store,
            group: group,
            logger: logger
        )
    }
}
