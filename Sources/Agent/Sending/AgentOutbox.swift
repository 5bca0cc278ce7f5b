import Clocks
import Concurrency
import Logging
import SMP
import SQLCipher
import Synchronization
import Transport

/// Sends the messages of the outbox: the messages of one connection in order, and the messages of different connections
/// concurrently.
final class AgentOutbox: Sendable {
    private struct Worker {
        /// Whether a message was added while the worker was about to end.
        var hasNewMessages = false
        /// Whether the peer has reported space in its queue, or the connection has another queue.
        var hasQueueSpace = false
        /// Whether the queue is full. New messages then wait too.
        var waitsForQueueSpace = false
        var sleepTask: Task<Void, Never>?
        var relayKey: RelayClients.Key?
        /// Number of messages that wait to be sent. Messages that were added after the last reading may be missing.
        var waitingCount = 0
        /// Creation time of the first message that its relay has not accepted yet, in seconds since 1970; nil when no
        /// message waits. After the result of a message, the time is also nil until the next batch is read, or an
        /// attempt fails.
        var waitingSinceSeconds: Int64?
        /// Time of the next attempt in seconds since 1970; nil while the worker sends.
        var nextAttemptAtSeconds: Int64?
        /// The error of the last attempt; nil after a success.
        var lastError: String?
        /// Whether the log has reported that messages of the connection wait for long.
        var isLate = false
    }
    /// The progress and the failed attempts of a running worker.
    private struct WorkerRun {
        let connection: ConnectionID
        var progress = OutboxProgress()
        /// Number of failed attempts to send the next message.
        var attempt = 0
        /// Number of failed attempts to read the messages.
        var failedReads = 0
    }
    private struct State {
        var workers: [ConnectionID: Worker] = [:]
        /// The progress of workers that have ended. The next worker of the connection continues after this progress,
        /// because reported messages stay in the database until the handler has processed the results.
        var progress: [ConnectionID: OutboxProgress] = [:]
        var isClosed = false
    }
    private let state = Mutex(State())
    private let workerTasks = BackgroundTasks()
    private let database: Database
    private let clients: RelayClients
    private let networkGate: NetworkGate
    private let configuration: AgentConfiguration
    private let logger: Logger
    private let onOutcome: @Sendable (ConnectionID, OutboxOutcome) -> Void

    /// Number of messages that are read from the database in one step.
    private static let batchSize = 32

    init(
        database: Database,
        clients: RelayClients,
        gate: NetworkGate,
        configuration: AgentConfiguration,
        logger: Logger,
        report: @escaping @Sendable (ConnectionID, OutboxOutcome) -> Void
    ) {
        self.database = database
        self.clients = clients
        self.networkGate = gate
        self.configuration = configuration
        self.logger = logger
        self.onOutcome = report
    }

    /// Starts or wakes the worker of a connection after messages were added. With `hasQueueSpace`, the worker tries a
    /// full queue again immediately.
    func wakeWorker(_ connection: ConnectionID, hasQueueSpace: Bool = false) {
        let starts = state.withLock { state in
            guard !state.isClosed else { return false }
            guard state.workers[connection] != nil else {
                state.workers[connection] = Worker()
                return true
            }
            state.workers[connection]?.hasNewMessages = true
            // A worker that waits for space in the queue reads the database only when the queue has space. So the new
            // message is counted now.
            if !hasQueueSpace, state.workers[connection]?.waitsForQueueSpace == true {
                state.workers[connection]?.waitingCount += 1
            }
            if hasQueueSpace { state.workers[connection]?.hasQueueSpace = true }
            if hasQueueSpace || state.workers[connection]?.waitsForQueueSpace != true {
                state.workers[connection]?.sleepTask?.cancel()
            }
            return false
        }
        if starts { workerTasks.startTask { await self.runWorker(connection) } }
    }

    /// Makes the workers that wait for a relay try again immediately, because the relay is reachable again.
    func wakeWorkers(all key: RelayClients.Key) {
        state.withLock { state in
            for worker in state.workers.values where worker.relayKey == key { worker.sleepTask?.cancel() }
        }
    }

    func stopWorkers() {
        state.withLock { state in
            state.isClosed = true
            for worker in state.workers.values { worker.sleepTask?.cancel() }
        }
        workerTasks.cancelAll()
    }

    /// Waits until no worker is running.
    func waitForWorkers() async { await workerTasks.cancelAndWait() }

    private func runWorker(_ connection: ConnectionID) async {
        var run = WorkerRun(connection: connection)
        run.progress = state.withLock { $0.progress[connection] } ?? OutboxProgress()
        while !state.withLock({ $0.isClosed }) {
            state.withLock { state in
                state.workers[connection]?.hasNewMessages = false
                state.workers[connection]?.hasQueueSpace = false
            }
            let batch: OutboxBatch?
            do {
                batch = try await readBatch(connection, after: run.progress)
                run.failedReads = 0
            } catch {
                guard await handleReadError(error, &run) else { return }
                continue
            }
            guard let batch, !batch.messages.isEmpty else {
                if endIfIdle(run) { return }
                continue
            }
            recordBatch(batch, connection)
            await networkGate.waitForNetwork()
            if await sendBatch(batch, &run), batch.messages.count < Self.batchSize, endIfIdle(run) { return }
        }
    }

    /// Handles an error of the database when the messages of a connection are read. After a temporary error, waits
    /// until the next attempt.
    /// - Returns: whether the worker continues.
    private func handleReadError(_ error: any Error, _ run: inout WorkerRun) async -> Bool {
        guard !state.withLock({ $0.isClosed }) else { return false }
        guard (error as? DatabaseError)?.isTemporary == true else {
            logger.error("messages to be sent cannot be read", metadata: ["error": "\(error)"])
            onOutcome(run.connection, .unreadable(.internal("messages to be sent cannot be read: \(error)")))
            return !endIfIdle(run)
        }
        if run.failedReads == 0 { logger.error("messages to be sent not read yet", metadata: ["error": "\(error)"]) }
        let delay = configuration.sendRetry.computeDelay(attempt: run.failedReads)
        _ = await sleepBeforeRetry(run.connection, delay, isFull: false)
        run.failedReads += 1
        return true
    }

    /// Stores the relay, the number and the age of the messages that a worker has to send.
    private func recordBatch(_ batch: OutboxBatch, _ connection: ConnectionID) {
        state.withLock {
            $0.workers[connection]?.relayKey = RelayClients.Key(user: batch.user, server: batch.queue.server)
            $0.workers[connection]?.waitingCount = batch.waitingCount
        }
        // The waiting time counts from the creation of the message, so it includes the time without a network.
        if let first = batch.messages.first {
            state.withLock { $0.workers[connection]?.waitingSinceSeconds = first.createdAtSeconds }
        }
    }

    /// Sends the messages of a batch in order.
    /// - Returns: whether each message has its result; false if the messages must be read again, or the outbox is
    ///   closed.
    private func sendBatch(_ batch: OutboxBatch, _ run: inout WorkerRun) async -> Bool {
        for message in batch.messages {
            // A message that is sent over the new queue of a rotation may have been sent over the old queue before. If
            // the result of the first sending was reported, the result is not reported again.
            let isReported = run.progress.isReported(message)
            do throws(SMPClientError) {
                let isProxied = try await sendMessage(message, on: run.connection, batch)
                run.attempt = 0
                endWaitAfterSending(run.connection, by: batch.queue.server)
                if batch.mayBeDeletedUnread(message) {
                    try? await database.write { [connection = run.connection] db in
                        try MessageRepetition.recordSentMessage(message.id, of: connection, db)
                    }
                }
                settleMessage(message, batch, &run)
                if !isReported { onOutcome(run.connection, .sent(message, isProxied: isProxied)) }
            } catch {
                guard await handleRefusal(message, batch, after: error, isReported: isReported, &run) else {
                    return false
                }
                continue
            }
            if state.withLock({ $0.isClosed }) { return false }
        }
        return true
    }

    /// Handles the refusal of a message. Unless the message is given up, waits until the next attempt.
    /// - Returns: whether the message is given up, and the next message of the batch can be sent.
    private func handleRefusal(
        _ message: OutboxMessage,
        _ batch: OutboxBatch,
        after error: SMPClientError,
        isReported: Bool,
        _ run: inout WorkerRun
    ) async -> Bool {
        let agentError = AgentError(error, server: batch.queue.server)
        // The relay has refused the new queue. The old queue still exists, so the messages are sent over it again.
        if batch.isReplacement, error == .smp(.auth), (try? await dropReplacement(run.connection)) == true {
            if message.kind == .queueTest {
                settleMessage(message, batch, &run)
                onOutcome(run.connection, .failed(message, agentError))
            }
            return false
        }
        let delay = retryDelay(after: error, message, attempt: run.attempt)
        if delay == nil || error == .smp(.quota) {
            clients.statistics.updateCounts(batch.user, batch.queue.server) { error.countSendError(in: &$0) }
        }
        guard let delay else {
            run.attempt = 0
            _ = endWaiting(run.connection)
            settleMessage(message, batch, &run)
            if !isReported { onOutcome(run.connection, .failed(message, agentError)) }
            return true
        }
        if !isReported, error == .smp(.quota) || error.isHostFault {
            onOutcome(run.connection, .delayed(message, agentError))
        }
        recordWaiting(run.connection, since: message.createdAtSeconds, for: batch.queue.server, error)
        run.attempt += 1
        // If the peer has reported space in its queue, the delays begin again with the shortest one, even if the queue
        // is full again.
        if await sleepBeforeRetry(run.connection, delay, isFull: error == .smp(.quota)) { run.attempt = 0 }
        return false
    }

    private func settleMessage(_ message: OutboxMessage, _ batch: OutboxBatch, _ run: inout WorkerRun) {
        run.progress.recordSettledMessage(message, batch)
        countSettledMessage(run.connection)
    }

    /// Figures of the waiting messages.
    var figures: OutboxFigures {
        let now = WallClock.seconds()
        return state.withLock { state in
            var figures = OutboxFigures()
            figures.connections = state.workers.count
            for worker in state.workers.values {
                figures.waitingMessages += worker.waitingCount
                guard let age = worker.waitingSinceSeconds.map({ max(0, now - $0) }) else { continue }
                if age >= configuration.lateMessageAgeSeconds { figures.lateConnections += 1 }
                figures.oldestAgeSeconds = max(figures.oldestAgeSeconds, age)
            }
            return figures
        }
    }

    /// The state of each worker.
    var workerStates: [WorkerState] {
        state.withLock { state in
            state.workers.map { connection, worker in
                WorkerState(
                    kind: .delivery,
                    connection: connection,
                    server: worker.relayKey?.server,
                    activity: worker.waitsForQueueSpace
                        ? .waitingForSpace : worker.nextAttemptAtSeconds == nil ? .running : .waitingToRetry,
                    waitingCount: worker.waitingCount,
                    waitingSinceSeconds: worker.waitingSinceSeconds,
                    nextAttemptAtSeconds: worker.nextAttemptAtSeconds,
                    lastError: worker.lastError
                )
            }
        }
    }

    /// Returns the number of messages that wait for a relay.
    func waitingCount(for key: RelayClients.Key) -> Int {
        state.withLock { $0.workers.values.reduce(0) { $0 + ($1.relayKey == key ? $1.waitingCount : 0) } }
    }

    private func countSettledMessage(_ connection: ConnectionID) {
        state.withLock { state in
            guard let messages = state.workers[connection]?.waitingCount, messages > 0 else { return }
            state.workers[connection]?.waitingCount = messages - 1
        }
    }

    /// Stores the waiting time and the error of a message that its relay has not accepted. A long wait is logged once.
    private func recordWaiting(
        _ connection: ConnectionID,
        since: Int64,
        for server: ProtocolServer,
        _ error: SMPClientError
    ) {
        let age = WallClock.seconds() - since
        let late = state.withLock { state -> Int? in
            state.workers[connection]?.waitingSinceSeconds = since
            state.workers[connection]?.lastError = "\(error)"
            guard age >= configuration.lateMessageAgeSeconds, state.workers[connection]?.isLate == false else {
                return nil
            }
            state.workers[connection]?.isLate = true
            return state.workers[connection]?.waitingCount
        }
        guard let messages = late else { return }
        logger.warning(
            "messages wait to be sent",
            metadata: [
                "relay": "\(server.withoutPassword.str)", "seconds": "\(age)", "messages": "\(messages)",
                "error": "\(error)",
            ]
        )
    }

    private func endWaitAfterSending(_ connection: ConnectionID, by server: ProtocolServer) {
        if endWaiting(connection) {
            logger.notice("messages that waited are being sent", metadata: ["relay": "\(server.withoutPassword.str)"])
        }
    }

    /// Clears the waiting time and the error of a connection whose messages no longer wait for a relay.
    /// - Returns: whether the log has reported a long wait of the connection.
    private func endWaiting(_ connection: ConnectionID) -> Bool {
        state.withLock { state in
            defer {
                state.workers[connection]?.waitingSinceSeconds = nil
                state.workers[connection]?.lastError = nil
                state.workers[connection]?.isLate = false
            }
            return state.workers[connection]?.isLate == true
        }
    }

    private func readBatch(_ connection: ConnectionID, after progress: OutboxProgress) async throws -> OutboxBatch? {
        try await database.read { [willRead = configuration.willReadOutbox] db in
            try willRead()
            return try OutboxBatch(connection, after: progress, limit: Self.batchSize, db)
        }
    }

    /// Ends the worker, unless new messages were added.
    /// - Returns: whether the worker has ended.
    private func endIfIdle(_ run: WorkerRun) -> Bool {
        state.withLock { state in
            guard state.workers[run.connection]?.hasNewMessages != true else { return false }
            state.workers[run.connection] = nil
            state.progress[run.connection] = run.progress
            return true
        }
    }

    /// Sends a message of the outbox to its relay, directly or through a forwarding relay.
    /// - Returns: whether another relay has forwarded the message.
    private func sendMessage(
        _ message: OutboxMessage,
        on connection: ConnectionID,
        _ batch: OutboxBatch
    ) async throws(SMPClientError) -> Bool {
        guard let body = try? message.makeEnvelope(for: batch.queue, agentVersion: batch.agentVersion) else {
            throw .response("message")
        }
        // A confirmation contains the key for a queue that its sender cannot secure. So the confirmation itself cannot
        // be authorized with this key.
        let isUnauthorized = message.kind.isConfirmation && !batch.queue.isSecuredBySender
        let request = SMPRequest(
            .send(MessageFlags(notification: message.shouldNotify), body: body),
            entityID: batch.queue.sndID,
            key: isUnauthorized ? nil : batch.queue.key
        )
        let (answer, proxy) = try await clients.sendCommand(
            request,
            to: batch.queue.server,
            user: batch.user,
            connection: connection,
            servers: batch.servers
        )
        guard case .ok = answer else { throw .unexpected(answer.tag) }
        return proxy != nil
    }

    /// Ends a rotation as failed: removes the new queue, because its relay does not have the queue, or refuses the key.
    /// - Returns: whether a rotation was ended; false when the connection lacks the old queue or the new queue.
    private func dropReplacement(_ connection: ConnectionID) async throws -> Bool {
        try await database.write { db in
            guard let queue = try SndQueue.findCurrent(connection, db),
                let replacement = try SndQueue.findReplacement(of: connection, db)
            else { return false }
            try replacement.remove(db)
            try MessageRepetition.endRepetitions(connection, db)
            try queue.setSwitchStatus(nil, db)
            return true
        }
    }

    /// Returns the delay before the next attempt to send a message; nil when the message is given up.
    private func retryDelay(after error: SMPClientError, _ message: OutboxMessage, attempt: Int) -> Duration? {
        let age = WallClock.seconds() - message.createdAtSeconds
        switch error {
        case .smp(.quota):
            guard !message.kind.isConfirmation, age < configuration.quotaTimeoutSeconds else { return nil }
            return configuration.quotaRetry.computeDelay(attempt: attempt)
        // A relay that cannot be reached in any way is tried again too, because it may later have another address or
        // version.
        case _ where error.isTemporary || error.isHostFault:
            return age < configuration.messageTimeoutSeconds
                ? configuration.sendRetry.computeDelay(attempt: attempt) : nil
        default: return nil
        }
    }

    /// Sleeps before the next attempt to send or to read the messages of a connection.
    /// - Returns: whether the queue was full, and the peer has reported space in it.
    private func sleepBeforeRetry(_ connection: ConnectionID, _ delay: Duration, isFull: Bool) async -> Bool {
        let sleep = Task { _ = try? await Task.sleep(for: delay) }
        let next = WallClock.seconds() + delay.components.seconds
        let mayContinue = state.withLock { state in
            state.workers[connection]?.sleepTask = sleep
            state.workers[connection]?.nextAttemptAtSeconds = next
            state.workers[connection]?.waitsForQueueSpace = isFull
            guard !state.isClosed, let worker = state.workers[connection] else { return false }
            return isFull ? !worker.hasQueueSpace : !worker.hasNewMessages
        }
        if !mayContinue { sleep.cancel() }
        await sleep.value
        return state.withLock { state in
            state.workers[connection]?.sleepTask = nil
            state.workers[connection]?.nextAttemptAtSeconds = nil
            state.workers[connection]?.waitsForQueueSpace = false
            return isFull && state.workers[connection]?.hasQueueSpace == true
        }
    }
}

/// The result of a message in the outbox, or of all messages of a connection. The message is still stored, and is
/// deleted when the result was handled.
enum OutboxOutcome: Sendable {
    case sent(OutboxMessage, isProxied: Bool)
    /// The message could not be sent for a reason that the user should know. The agent tries again.
    case delayed(OutboxMessage, AgentError)
    case failed(OutboxMessage, AgentError)
    /// The messages of the connection cannot be read, and another attempt would not help. They stay stored, and are
    /// read again when another message is added, and at the next start.
    case unreadable(AgentError)

    /// The message, if its result is final.
    var settledMessage: OutboxMessage? {
        switch self {
        case .sent(let message, _), .failed(let message, _): message
        case .delayed, .unreadable: nil
        }
    }
}
