import Concurrency
package import NIOCore
package import SimpleXCrypto
package import SMP
import Logging
package import SQLCipher
import Synchronization
import Transport

/// Duplex connections over relays: makes them, sends and receives over them, and keeps their state through every crash
/// (simplexmq `protocol/agent-protocol.md`).
///
/// - Life: ``open(configuration:group:)``, ``start(settled:handler:)``, ``stop()``, ``close()``.
/// - Users: ``createUser(servers:)``, ``setServers(_:)``, ``deleteUser(_:deletingQueues:)``.
/// - Connections: ``createInvitation(user:)``, ``prepareJoin(user:request:)``, ``join(connection:request:connInfo:)``,
///   ``allow(connection:confirmation:connInfo:)``, ``delete(connections:waitDelivery:)``.
/// - Messages: ``sendMessages(_:)``, ``fetchUnconfirmedExternalIDs()``,
///   ``acknowledgeMessages(connection:messageIDs:receipts:)``.
/// - Files: `Agent+Files.swift`.
/// - Pushes: the device's token in `Agent+Notifications.swift`, the contents of a push in
///   `Agent+NotificationData.swift`.
///
/// The handler given to `start` gets the events of a connection in order, and all waiting events of the connection in
/// one call. The next call for the connection follows after the return. If the handler throws an error, its events are
/// delivered again after the next start.
package final class Agent: Sendable {
    typealias EventHandler = @Sendable ([AgentEvent]) async throws -> Void
    typealias Job = @Sendable () async -> Void

    struct State {
        var handler: EventHandler?
        var run: Run?
        var networkSettings: NetworkSettings
        var isSlowNetwork = false
        /// Time of the last report about the network state.
        var networkInfoAt: ContinuousClock.Instant?
    }

    let configuration: AgentConfiguration
    let database: Database

    /// Moves the write-ahead log of the database into the database file.
    package func checkpointDatabase() async throws { try await database.checkpoint() }

    /// Closes the connections to the database now, as after a time without use.
    package func releaseDatabaseResources() async { await database.releaseResources() }

    /// Blocks writes to the database until the result is called or released.
    /// - Parameter waiting: is called once when a write waits, on any thread. It must not wait.
    package func blockDatabaseWrites(waiting: @escaping @Sendable () -> Void) async throws -> @Sendable () -> Void {
        let hold = try await database.holdWrites(waiting: waiting)
        return { hold.endHold() }
    }

    let eventLoopGroup: any EventLoopGroup
    let logger: Logger
    let state: Mutex<State>
    /// A ``NetworkGate`` that is closed while the system reports no network. Network operations wait for it to open.
    let networkGate = NetworkGate()
    let statistics = StatisticsCounter()
    let clientNotices = ClientNotices()
    /// Connections whose ratchets must be renegotiated before messages can be sent. The set is up to date only while
    /// the agent is online.
    let unsynchronizedConnections = Mutex<Set<ConnectionID>>([])
    /// Lock for commands about the push token of the device.
    let pushTokenLock = AsyncLock()

    /// Parts of the agent that exist while the agent is online.
    struct Run: Sendable {
        var clients: RelayClients
        var outbox: AgentOutbox
        /// Jobs of the agent. The jobs of one ``Lane`` run one after another.
        var jobs: SerialBatches<Lane, Job>
        /// Events that wait for the handler. The handler gets the events of one ``Lane`` in order.
        var emissions: SerialBatches<Lane, Emission>
        var receiveWindow: ReceiveWindow
        let receiptDelayRule = ReceiptDelayRule()
        let relayTroubles = RelayFailureLog()
        /// Data that the handler does not need any more, and that the agent deletes later.
        var deletions: SerialBatches<DeletionGroup, DeletableData>
        var files: FileTransfers
        var notifications: NotificationWorker
        var tasks: BackgroundTasks
        /// A function that is called immediately when a message of the outbox no longer waits, possibly before this
        /// result is stored durably.
        var onSettled: @Sendable (_ externalID: String) -> Void
    }

    /// A sequence of events that the handler gets in order. Each connection, relay and file has a lane, and the sent
    /// messages of a connection have a separate lane. Different lanes do not wait for each other.
    enum Lane: Hashable, Sendable {
        case connection(ConnectionID)
        case relay(RelayClients.Key)
        case file(FileID)
        /// Sent messages have a separate lane, so that they and received messages do not wait for each other.
        case sentMessages(ConnectionID)

        /// Time during which the agent gathers events before the next call of the handler, so that the handler can
        /// process several events in one transaction; nil for no wait. The report of a sent message is less urgent than
        /// a received message.
        var gatheringTime: Duration? {
            switch self {
            case .connection: .milliseconds(3)
            case .relay, .file: nil
            case .sentMessages: .milliseconds(20)
            }
        }
    }
    /// Groups of data by the time of their deletion. The data of a group is deleted together.
    enum DeletionGroup {
        /// Messages that are deleted in the commit that stores receipts for the peers.
        case receipts
        /// Events and sent messages whose deletion can wait for long.
        case events
        /// Events that would do harm if they were repeated after a crash. After a repeated report of a failed message,
        /// the caller could send the message once more. An event that several starts deliver counts as an event that
        /// crashes the process.
        case urgentEvents
    }

    private init(configuration: AgentConfiguration, database: Database, group: any EventLoopGroup) {
        self.configuration = configuration
        self.database = database
        self.eventLoopGroup = group
        var logger = Logger(label: "chat.simplex.agent")
        if let id = configuration.storeID { logger[metadataKey: "store"] = "\(id)" }
        self.logger = logger
        state = Mutex(
            State(
                networkSettings: NetworkSettings(
                    client: configuration.clientConfiguration,
                    proxy: configuration.proxyPolicy
                )
            )
        )
    }

    /// Opens the database, or creates it. The network is not used before ``start(settled:handler:)``.
    /// - Parameter limit: the time limit of SQL statements.
    package static func open(
        configuration: AgentConfiguration,
        limit: StatementLimit = StatementLimit(),
        group: any EventLoopGroup
    ) async throws -> Agent {
        let database = try await Database.open(
            at: configuration.databasePath,
            key: configuration.databaseKey,
            migrations: AgentSchema.migrations,
            lendingTime: Database.usualLendingTime,
            upgrade: configuration.upgradesSchema,
            fence: configuration.writeFence,
            limit: limit,
            member: configuration.poolMember
        )
        let agent = Agent(configuration: configuration, database: database, group: group)
        try await database.read { [statistics = agent.statistics, notices = agent.clientNotices] db in
            try statistics.loadCounts(db)
            try notices.loadNotices(db)
        }
        return agent
    }

    /// Migrates an existing database of an agent to the present schema.
    /// - Throws: `DatabaseError`; `.newerSchema` for a database of a later version.
    package static func migrate(databaseAt path: String, key: DatabaseKey) async throws {
        let database = try await Database.open(
            at: path,
            key: key,
            migrations: AgentSchema.migrations,
            readers: 1,
            create: false
        )
        await database.close()
    }

    /// Goes online: emits the remaining events of the last run, subscribes to all queues, and sends the waiting
    /// messages.
    /// - Parameter muted: returns the connections without pushes. Each review of notifications calls it, see
    ///   ``reviewNotifications()``.
    /// - Parameter subscribes: whether to subscribe to existing queues. Otherwise ``fetchWaitingMessages(_:)`` requests
    ///   their messages.
    /// - Parameter settled: called with the external id of a message when a relay has the message, or when the agent
    ///   has given the message up. Called before the handler gets the event. A caller that holds back other messages
    ///   can send them after this call.
    package func start(
        subscribes: Bool = true,
        muted: @escaping @Sendable () async throws -> Set<ConnectionID> = { [] },
        settled: @escaping @Sendable (_ externalID: String) -> Void = { _ in },
        handler: @escaping @Sendable ([AgentEvent]) async throws -> Void
    ) async throws {
        let (network, isSlow) = state.withLock { ($0.networkSettings, $0.isSlowNetwork) }
        let clients = RelayClients(
            network: network,
            isSlow: isSlow,
            services: try await database.read { db in try ClientServices(db) },
            gate: networkGate,
            statistics: statistics,
            group: eventLoopGroup,
            onCertificate: { [weak self] in self?.storeServiceCertificate($1, $0) },
            onEvent: { [weak self] in self?.handleClientEvent($1, of: $0) }
        )
        let outbox = AgentOutbox(
            database: database,
            clients: clients,
            gate: networkGate,
            configuration: configuration,
            logger: logger
        ) { [weak self] in self?.handleOutboxOutcome($1, on: $0) }
        let deletions = SerialBatches<DeletionGroup, DeletableData>(
            limit: .max,
            pause: { $0 == .receipts ? .milliseconds(50) : nil }
        ) { [weak self] in
            await self?.deleteData($1, $0)
        }
        let files = FileTransfers(
            database: database,
            clients: clients,
            gate: networkGate,
            configuration: configuration,
            logger: logger
        ) { [weak self] in
            self?.emit(.file($0, $1), in: .file($0))
        }
        let notifications = NotificationWorker(
            database: database,
            clients: clients,
            gate: networkGate,
            configuration: configuration,
            statistics: statistics,
            logger: logger,
            muted: muted
        )
        let run = Run(
            clients: clients,
            outbox: outbox,
            jobs: SerialBatches(limit: 1) { for job in $1 { await job() } },
            emissions: SerialBatches(limit: ReceiveWindow.defaultLimit, pause: \.gatheringTime) { [weak self] in
                await self?.deliverEmissions($1, deletions)
            },
            receiveWindow: ReceiveWindow(limit: ReceiveWindow.defaultLimit),
            deletions: deletions,
            files: files,
            notifications: notifications,
            tasks: BackgroundTasks(),
            onSettled: settled
        )
        let starts = state.withLock { state in
            guard state.run == nil else { return false }
            state.handler = handler
            state.run = run
            return true
        }
        guard starts else { throw AgentError.command(.prohibited, context: "start") }
        let now = currentSeconds()
        let (resumed, services): (Resumption, Set<AgentUserID>)
        do {
            (resumed, services) = try await database.write { db in
                (try Resumption(at: now, db), try ClientServices.readUsers(db))
            }
            try await files.resumeTransfers()
        } catch {
            await stop()
            throw error
        }
        // A service may have been created after the clients were made, and before the agent was online. So all services
        // are made known to the clients now.
        for user in services { clients.addService(user) }
        unsynchronizedConnections.withLock { $0 = resumed.unsynchronizedConnections }
        for event in resumed.events { emit(event) }
        for message in resumed.messages {
            guard let connection = message.event.connection else { continue }
            run.receiveWindow.didResume(connection)
            emit(message, in: .connection(connection))
        }
        for queue in resumed.queues { clients.restoreQueue(queue.user, queue.queue) }
        let subscribed = subscribes ? resumed.queues : []
        for (key, queues) in Dictionary(
            grouping: subscribed,
            by: { RelayClients.Key(user: $0.user, server: $0.queue.server) }
        ) {
            run.tasks.startTask { await clients.subscribeQueues(queues.map(\.queue.credentials), key) }
        }
        for connection in resumed.connectionsToAllow { completeAllowing(connection) }
        for connection in resumed.connectionsToJoin { completeJoin(connection) }
        for connection in resumed.connectionsToSecure { completeSecuring(connection) }
        for connection in resumed.connectionsToRotate { continueRotation(connection) }
        for connection in resumed.connectionsToSendFrom { outbox.wakeWorker(connection) }
        deleteQueues(resumed.queuesToDelete)
        if !resumed.connectionsToEnd.isEmpty {
            run.tasks.startTask { [weak self] in await self?.deleteMarkedConnections(resumed.connectionsToEnd) }
        }
        run.tasks.startTask { await files.deleteQueuedChunks() }
        run.tasks.startTask { await notifications.runRounds() }
        run.tasks.startTask { [weak self, pause = configuration.deletionInterval] in
            while (try? await Task.sleep(for: pause)) != nil { await self?.deleteOldDataPeriodically() }
        }
    }

    /// Deletes connections that are marked for deletion and have nothing left to send.
    private func deleteMarkedConnections(_ connections: [ConnectionID]) async {
        do { try await delete(connections: connections, waitDelivery: false) } catch {
            logger.error("connections not deleted before the next start", metadata: ["error": "\(error)"])
        }
    }

    /// Deletes old data periodically, since an agent may run for months.
    private func deleteOldDataPeriodically() async {
        let now = currentSeconds()
        do { try await database.write { db in try AgentSchema.deleteOldData(at: now, db) } } catch {
            logger.error("old data not deleted", metadata: ["error": "\(error)"])
        }
    }

    /// Goes offline. Running work ends before the return. Waiting work stays in the database.
    package func stop() async {
        let run = state.withLock { state in
            defer { state.run = nil }
            return state.run
        }
        guard let run else { return }
        // An empty write commits all delayed changes. From here on, no commit is delayed. If the write is refused, no
        // changes are delayed, because delayed changes keep the database open.
        try? await PoolRequest.runSeparately { [database] in try await database.write { _ in } }
        run.outbox.stopWorkers()
        run.tasks.cancelAll()
        await run.files.endTransfers()
        await run.notifications.close()
        await run.clients.close()
        await run.outbox.waitForWorkers()
        await run.tasks.cancelAndWait()
        await run.jobs.closeAndWait()
        await run.emissions.closeAndWait()
        await run.deletions.closeAndWait(finishing: true)
    }

    /// Goes offline, and closes the database.
    package func close() async {
        await stop()
        // Statistics that cannot be stored are lost, which is no error. Since the write is a separate request, it waits
        // only for a short time for the pool of databases.
        try? await PoolRequest.runSeparately { [database, statistics] in
            try await database.write { db in try statistics.storeSnapshot(db) }
        }
        await database.close()
    }

    /// Number of transactions that were committed since the database was opened. Each commit causes one sync.
    package var commitCount: Int { database.commitCount }
    /// Number of times that the database has closed its connections, and has moved its log into the file if possible.
    package var idleCloseCount: Int { database.idleCloseCount }

    /// Returns the parts of the online agent.
    /// - Throws: `AgentError.inactive` when the agent is not online.
    func requireOnline() throws(AgentError) -> Run {
        guard let run = state.withLock({ $0.run }) else { throw .inactive }
        return run
    }

    /// Whether the last write has found that the open database file was deleted or replaced.
    package var isDatabaseReplaced: Bool { database.isReplaced }

    // MARK: Users

    /// Creates a user whose new queues are created on `servers`.
    package func createUser(servers: [ProtocolServer]) async throws -> AgentUserID {
        try await createUser(servers: servers.map { AgentServer($0) })
    }

    /// Creates a user with servers.
    /// - Parameters:
    ///   - servers: relays for new queues and for the forwarding of messages.
    ///   - fileServers: servers for uploads.
    ///   - isService: whether relays know all queues of the user by one certificate, see ``ClientServices``.
    ///   - request: the caller's request. If an earlier call with this request has created a user, that user is
    ///     returned, with the given servers.
    /// - Throws: `AgentError.command(.prohibited, …)` for a service if each connection has a separate session.
    package func createUser(
        servers: [AgentServer],
        fileServers: [AgentServer] = [],
        isService: Bool = false,
        for request: AgentRequestKey? = nil
    ) async throws -> AgentUserID {
        guard !isService || networkSettings.sessionMode != .entity else {
            throw AgentError.command(.prohibited, context: "createUser")
        }
        let user = try await database.write { db in
            let made = try DoneRequest.findUser(request, db)
            if made == nil { try db.execute("INSERT INTO users (deleted, is_service) VALUES (0, ?)", isService) }
            let user = made ?? db.lastInsertRowID
            try storeServers(servers, in: .servers, of: user, db)
            try storeServers(fileServers, in: .fileServers, of: user, db)
            try DoneRequest.recordResult(request, user: user, db)
            return user
        }
        if isService, let run = try? requireOnline() { run.clients.addService(user) }
        return user
    }

    /// Sets the servers of users in one transaction. Existing queues and files stay on their servers. Downloads from the
    /// user's file servers need no approval. Users whose deletion has begun are left out: the caller may have read its
    /// list before the deletion.
    package func setServers(_ all: [AgentUserServers]) async throws {
        try await database.write { db in
            for own in all where try !db.hasRow("SELECT 1 FROM users WHERE user_id = ? AND deleted = 1", own.user) {
                try storeServers(own.relays, in: .servers, of: own.user, db)
                try storeServers(own.fileServers, in: .fileServers, of: own.user, db)
            }
        }
    }

    /// Deletes a user with all connections.
    /// - Parameter deletingQueues: whether to delete the queues on the relays. Unreachable relays are tried again later.
    ///   With false, the queues stay until the relays delete them.
    package func deleteUser(_ user: AgentUserID, deletingQueues: Bool = true) async throws {
        try await forgetFiles(of: user)
        let connections = try await database.write { db in
            try db.execute("UPDATE users SET deleted = 1 WHERE user_id = ?", user)
            try db.execute("DELETE FROM invitation_keys WHERE user_id = ?", user)
            try db.execute("DELETE FROM client_services WHERE user_id = ?", user)
            return try db.query("SELECT conn_id FROM connections WHERE user_id = ?", user).map {
                ConnectionID(bytes: try $0.blob("conn_id"))
            }
        }
        try await delete(connections: connections, waitDelivery: false, deletingQueues: deletingQueues)
    }

    /// Returns a random server of the user for a new queue.
    /// - Parameter avoided: servers that have or had queues of the connection. Other servers are preferred, above all
    ///   servers of other operators. The first server of the list is the last choice.
    func chooseServer(of user: AgentUserID, avoiding avoided: [ProtocolServer] = []) async throws -> ProtocolServer {
        let servers = try await database.read { db in
            guard try db.firstRow("SELECT 1 AS known FROM users WHERE user_id = ? AND deleted = 0", user) != nil else {
                throw AgentError.noUser
            }
            return try readServers(of: user, db)
        }
        guard let chosen = servers.filter(\.isStorage).pickServer(avoiding: avoided) else { throw AgentError.noUser }
        return chosen.server
    }
}
