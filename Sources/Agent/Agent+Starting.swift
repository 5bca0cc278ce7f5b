import Clocks
import Concurrency
import SMP
import SQLCipher

extension Agent {
    /// Goes online: emits the remaining events of the last run, subscribes to all queues, and sends the waiting
    /// messages.
    /// - Parameter muted: a function that returns the connections whose messages cause no push. ``NotificationWorker``
    ///   calls the function in each of its rounds that may have work, see ``startNotificationRound()``.
    /// - Parameter subscribes: whether to subscribe to existing queues. Otherwise ``fetchWaitingMessages(_:)`` requests
    ///   their messages.
    /// - Parameter settled: a function that gets the external id of a message when a relay has received the message, or
    ///   when the agent has given up the message. The call comes before the event for the handler. After the call, the
    ///   caller can send messages that it has held back.
    package func start(
        subscribes: Bool = true,
        muted: @escaping @Sendable () async throws -> Set<ConnectionID> = { [] },
        settled: @escaping @Sendable (_ externalID: String) -> Void = { _ in },
        handler: @escaping @Sendable ([AgentEvent]) async throws -> Void
    ) async throws {
        let run = try await makeRun(muted: muted, settled: settled)
        let starts = state.withLock { state in
            guard state.run == nil else { return false }
            state.handler = handler
            state.run = run
            return true
        }
        guard starts else { throw AgentError.command(.prohibited, context: "start") }
        let now = WallClock.seconds()
        let (resumed, services): (ResumableWork, Set<AgentUserID>)
        do {
            (resumed, services) = try await database.write { db in
                (try ResumableWork(at: now, db), try ClientServices.readUsers(db))
            }
            try await run.files.resumeTransfers()
        } catch {
            await stop()
            throw error
        }
        // A service may have been created after the clients were made, and before the agent was online. So all services
        // are made known to the clients now.
        for user in services { run.clients.addService(user) }
        unsynchronizedConnections.withLock { $0 = resumed.unsynchronizedConnections }
        resumeWork(resumed, run, subscribes: subscribes)
        startPeriodicWork(run)
    }

    /// Makes the parts that the agent has only while it is online.
    private func makeRun(
        muted: @escaping @Sendable () async throws -> Set<ConnectionID>,
        settled: @escaping @Sendable (_ externalID: String) -> Void
    ) async throws -> Run {
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
        ) { [weak self] in await self?.deleteData($1, $0) }
        let files = FileTransfers(
            database: database,
            clients: clients,
            gate: networkGate,
            configuration: configuration,
            logger: logger
        ) { [weak self] in self?.emit(.file($0, $1), in: .file($0)) }
        let notifications = NotificationWorker(
            database: database,
            clients: clients,
            gate: networkGate,
            configuration: configuration,
            statistics: statistics,
            logger: logger,
            muted: muted
        )
        return Run(
            clients: clients,
            outbox: outbox,
            jobs: SerialBatches(limit: 1) { for job in $1 { await job() } },
            emissions: SerialBatches(limit: ReceiveWindow.defaultMaxMessages, pause: \.gatheringTime) { [weak self] in
                await self?.deliverEmissions($1, deletions)
            },
            receiveWindow: ReceiveWindow(limit: ReceiveWindow.defaultMaxMessages),
            deletions: deletions,
            files: files,
            notifications: notifications,
            tasks: BackgroundTasks(),
            onSettled: settled
        )
    }

    /// Continues the work of the last run: subscribes to queues, emits events, and continues connection procedures and
    /// deletions.
    private func resumeWork(_ resumed: ResumableWork, _ run: Run, subscribes: Bool) {
        for event in resumed.events { emit(event) }
        for message in resumed.messages {
            guard let connection = message.event.connection else { continue }
            run.receiveWindow.recordResumedMessage(connection)
            emit(message, in: .connection(connection))
        }
        for queue in resumed.queues { run.clients.registerStoredQueue(queue.user, queue.queue) }
        let subscribed = subscribes ? resumed.queues : []
        for (key, queues) in Dictionary(
            grouping: subscribed,
            by: { RelayClients.Key(user: $0.user, server: $0.queue.server) }
        ) {
            run.tasks.startTask { [clients = run.clients] in
                await clients.subscribeQueues(queues.map(\.queue.credentials), key)
            }
        }
        for connection in resumed.connectionsToAllow { completeAllowing(connection) }
        for connection in resumed.connectionsToJoin { completeJoin(connection) }
        for connection in resumed.connectionsToSecure { completeSecuring(connection) }
        for connection in resumed.connectionsToRotate { continueRotation(connection) }
        for connection in resumed.connectionsToSendFrom { run.outbox.wakeWorker(connection) }
        deleteQueues(resumed.queuesToDelete)
        if !resumed.connectionsToEnd.isEmpty {
            run.tasks.startTask { [weak self] in await self?.deleteMarkedConnections(resumed.connectionsToEnd) }
        }
    }

    /// Starts the work that runs while the agent is online: deletes chunks of files and old data, and keeps the
    /// subscriptions for notifications up to date.
    private func startPeriodicWork(_ run: Run) {
        run.tasks.startTask { [files = run.files] in await files.deleteQueuedChunks() }
        run.tasks.startTask { [notifications = run.notifications] in await notifications.runRounds() }
        run.tasks.startTask { [weak self, pause = configuration.oldDataDeletionInterval] in
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
        let now = WallClock.seconds()
        do { try await database.write { db in try AgentSchema.deleteOldData(at: now, db) } } catch {
            logger.error("old data not deleted", metadata: ["error": "\(error)"])
        }
    }
}
