import Concurrency
package import NIOCore
package import SimpleXCrypto
import SMP
import Logging
package import SQLCipher
import Synchronization
import Transport

/// Makes duplex connections over relays, sends and receives messages over these connections, and keeps the state of the
/// connections through every crash (simplexmq `protocol/agent-protocol.md`).
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
/// one call. The next call for the connection follows after the handler has returned. If the handler throws an error,
/// its stored events are delivered again after the next start.
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

    /// Closes the connections to the database file now. Without this call, they are closed after some time without use.
    package func releaseDatabaseResources() async { await database.releaseResources() }

    /// Blocks writes to the database until the returned function is called or released.
    /// - Parameter waiting: a function that is called once, on any thread, when a write is blocked. The function must
    ///   not block.
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
        let relayFailureLog = RelayFailureLog()
        /// Data that the handler does not need any more, and that the agent deletes later.
        var deletions: SerialBatches<DeletionGroup, DeletableData>
        var files: FileTransfers
        var notifications: NotificationWorker
        var tasks: BackgroundTasks
        /// A function that is called as soon as a message of the outbox is sent or given up. The database may not have
        /// stored this result yet.
        var onSettled: @Sendable (_ externalID: String) -> Void
    }

    /// A sequence of events that the handler gets in order. Each connection, relay and file has a lane, and the sent
    /// messages of a connection have a separate lane. Different lanes do not wait for each other.
    enum Lane: Hashable, Sendable {
        case connection(ConnectionID)
        case relay(RelayClients.Key)
        case file(FileID)
        /// The results of sent messages have a separate lane, so that these results and received messages do not wait
        /// for each other.
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
        /// Received messages for which the agent sends receipts. They are deleted in the commit that stores the
        /// receipts.
        case receipts
        /// Data whose repetition after a crash does no harm: most events, sent messages, and received messages without
        /// a receipt. Their deletion may be delayed by ``CommitDelays/deletionDelay``.
        case events
        /// Events whose repetition after a crash would do harm, so they are deleted at once. After a repeated report of
        /// a failed message, the caller could send the message once more. After one more delivery, an event that
        /// several starts have delivered would count as the cause of crashes.
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

    /// Makes an agent: opens its database, or creates the database. The network is not used before
    /// ``start(settled:handler:)``.
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
            writerLendingTime: Database.usualWriterLendingTime,
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

    /// Goes offline. Running work ends before the return. Waiting work stays in the database.
    package func stop() async {
        let run = state.withLock { state in
            defer { state.run = nil }
            return state.run
        }
        guard let run else { return }
        // An empty write commits all delayed changes, and from now on no commit is delayed. If the pool of databases
        // refuses the write, the database is closed. A closed database has no delayed changes, because these would keep
        // it open.
        try? await PoolRequest.runAsSeparateRequest { [database] in try await database.write { _ in } }
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
        try? await PoolRequest.runAsSeparateRequest { [database, statistics] in
            try await database.write { db in try statistics.storeSnapshot(db) }
        }
        await database.close()
    }

    /// Number of transactions that were committed since the database was opened. Each commit causes one sync of the
    /// disk.
    package var commitCount: Int { database.commitCount }
    /// Number of times that the database has closed its unused connections. If possible, it first moves its write-ahead
    /// log into the database file.
    package var idleCloseCount: Int { database.idleCloseCount }

    /// Returns the parts that the agent has while it is online.
    /// - Throws: `AgentError.inactive` when the agent is not online.
    func requireOnline() throws(AgentError) -> Run {
        guard let run = state.withLock({ $0.run }) else { throw .inactive }
        return run
    }

    /// Whether the last write has found that the open database file was deleted or replaced.
    package var isDatabaseReplaced: Bool { database.isReplaced }
}
