import Clocks
import Concurrency
import Logging
import NTF
import SMP
import SQLCipher
import SimpleXCrypto
import Synchronization
import Transport

/// Updates the relays and the notification server to match the token and the connections. The work concerns the
/// notifiers of queues, the subscriptions of the notification server to these notifiers, and the deletion of tokens.
/// The database contains all pending work. The work for one server is a lane, and different lanes do not wait for each
/// other. A failed lane is tried again, each time after a longer delay.
final class NotificationWorker: Sendable {
    enum Lane: Hashable, Sendable {
        case relay(RelayClients.Key)
        case server(ProtocolServer)
        case deletion(ProtocolServer)
        case pushInterval

        var isAtRelay: Bool { if case .relay = self { true } else { false } }

        /// The relay or the notification server of the lane; nil for the lane `pushInterval`.
        var server: ProtocolServer? {
            switch self {
            case .relay(let key): key.server
            case .server(let server), .deletion(let server): server
            case .pushInterval: nil
            }
        }
    }

    private struct State {
        var runningLanes: Set<Lane> = []
        /// Lanes that have ended since the current round began. The round may have read their work as due before the
        /// lanes did it, so the round does not start these lanes again.
        var endedLanes: Set<Lane> = []
        /// Number of consecutive failures of a lane, and the time of the next attempt.
        var failedLanes: [Lane: (attempts: Int, until: ContinuousClock.Instant)] = [:]
    }

    /// Maximal number of subscriptions that a lane processes in one round.
    private static let maxEntriesPerRound = 150
    /// Seconds from a new subscription to its first check.
    private static let firstCheckDelaySeconds: Int64 = 86_400
    /// Seconds until the next attempt after a refusal that may be permanent.
    private static let refusalPauseSeconds: Int64 = 3_600
    /// Interval in minutes of periodic pushes. It is the shortest interval that servers allow.
    private static let pushIntervalMinutes: UInt16 = 20

    private let state = Mutex(State())
    private let roundSignal = WakeSignal()
    let database: Database
    let clients: RelayClients
    let sessions: NotificationSessions
    let networkGate: NetworkGate
    let configuration: AgentConfiguration
    let statistics: StatisticsCounter
    let logger: Logger
    let tasks = BackgroundTasks()
    /// A function that returns the connections for which the chat wants no pushes.
    private let mutedConnections: @Sendable () async throws -> Set<ConnectionID>

    init(
        database: Database,
        clients: RelayClients,
        gate: NetworkGate,
        configuration: AgentConfiguration,
        statistics: StatisticsCounter,
        logger: Logger,
        muted: @escaping @Sendable () async throws -> Set<ConnectionID>
    ) {
        self.mutedConnections = muted
        self.database = database
        self.clients = clients
        self.networkGate = gate
        self.configuration = configuration
        self.statistics = statistics
        self.logger = logger
        sessions = NotificationSessions(clients: clients)
    }

    /// The state of each lane that runs, or waits after a failure.
    var workerStates: [WorkerState] {
        let (running, failed) = state.withLock { ($0.runningLanes, $0.failedLanes) }
        let now = (instant: ContinuousClock.now, seconds: WallClock.seconds())
        return running.union(failed.keys).map { lane in
            let until = running.contains(lane) ? nil : failed[lane]?.until
            return WorkerState(
                kind: lane.isAtRelay ? .notifier : .notification,
                server: lane.server,
                activity: until == nil ? .running : .waitingToRetry,
                nextAttemptAtSeconds: until.map { now.seconds + max(0, ($0 - now.instant).components.seconds) }
            )
        }
    }

    /// Starts a round of work after a change of the token, a connection or a queue.
    func startRound() { roundSignal.wake() }

    func runRounds() async {
        await roundSignal.runAtSignals {
            await networkGate.waitForNetwork()
            do { return try await startDueWork() } catch {
                logger.error(
                    "work for notifications failed: next attempt in 60 seconds",
                    metadata: ["error": "\(error)"]
                )
                return .seconds(60)
            }
        }
    }

    func close() async {
        await tasks.cancelAndWait()
        await sessions.close()
    }

    // MARK: Rounds

    /// Starts the due work in each free lane.
    /// - Returns: the time until the next work; nil for no pending work.
    private func startDueWork() async throws -> Duration? {
        state.withLock { $0.endedLanes = [] }
        let now = WallClock.seconds()
        let isUsed = try await database.read { db in
            try db.firstRow(
                "SELECT 1 AS used FROM ntf_token UNION ALL SELECT 1 FROM ntf_subscriptions UNION ALL SELECT 1 FROM deleted_ntf_tokens LIMIT 1"
            ) != nil
        }
        guard isUsed else { return nil }
        let muted = try await mutedConnections()
        let (token, due, next, deleted, isIntervalDue) = try await database.write { db in
            let token = try StoredToken.find(db)
            try NotificationSubscription.storeMutedConnections(muted, db)
            try NotificationSubscription.reconcileSubscriptions(with: token, db)
            return (
                token, try NotificationSubscription.findDue(at: now, limit: 2_000, db),
                try NotificationSubscription.findNextActionTime(after: now, db),
                try DeletedToken.readAll(db),
                try db.firstRow("SELECT interval_due FROM ntf_token")?.bool("interval_due") ?? false
            )
        }
        var lanes: [Lane: [NotificationSubscription]] = [:]
        for one in due {
            switch one.action {
            case .key, .remove:
                guard one.action == .remove || token?.receivesInstantPushes == true else { continue }
                lanes[.relay(RelayClients.Key(user: one.user, server: one.server)), default: []].append(one)
            case .create, .check:
                guard token?.receivesInstantPushes == true else { continue }
                lanes[.server(one.notificationServer), default: []].append(one)
            }
        }
        for (lane, all) in lanes {
            let batch = Array(all.prefix(Self.maxEntriesPerRound))
            startLane(lane) { worker in
                switch lane {
                case .relay: try await worker.processRelayEntries(batch)
                default: if let token { try await worker.processServerEntries(batch, token) }
                }
            }
        }
        for (server, tokens) in Dictionary(grouping: deleted, by: \.server) {
            startLane(.deletion(server)) { worker in try await worker.deleteTokens(tokens, at: now) }
        }
        if isIntervalDue, let token, token.status == .active, let id = token.id {
            startLane(.pushInterval) { worker in try await worker.setPushInterval(token, id) }
        }
        return timeUntilNextWork(now, next)
    }

    private func timeUntilNextWork(_ now: Int64, _ next: Int64?) -> Duration? {
        let retry = state.withLock { $0.failedLanes.values.map(\.until).min() }.map { max($0 - .now, .milliseconds(1)) }
        // The wait is at most a day, because the system's clock may be set to another time during the wait.
        let check = next.map { Duration.seconds(min(max($0 - now, 1), 86_400)) }
        return [retry, check].compactMap(\.self).min()
    }

    private func startLane(_ lane: Lane, _ body: @escaping @Sendable (NotificationWorker) async throws -> Void) {
        let starts = state.withLock { state in
            if let failed = state.failedLanes[lane], failed.until > .now { return false }
            guard !state.endedLanes.contains(lane) else { return false }
            return state.runningLanes.insert(lane).inserted
        }
        guard starts else { return }
        tasks.startTask { [weak self] in
            guard let self else { return }
            var failure: (any Error)?
            do { try await body(self) } catch { failure = error }
            recordLaneEnd(lane, failure)
        }
    }

    private func recordLaneEnd(_ lane: Lane, _ failure: (any Error)?) {
        state.withLock { state in
            state.runningLanes.remove(lane)
            state.endedLanes.insert(lane)
            guard failure != nil else { return _ = state.failedLanes.removeValue(forKey: lane) }
            let attempts = (state.failedLanes[lane]?.attempts ?? 0) + 1
            state.failedLanes[lane] = (attempts, .now + configuration.sendRetry.computeDelay(attempt: attempts - 1))
        }
        if let failure, !Task.isCancelled {
            logger.info("work for notifications waits for its next attempt", metadata: ["error": "\(failure)"])
        }
        startRound()
    }

    // MARK: Lanes

    /// Makes and removes notifiers of queues at one relay.
    /// - Throws: the error of a subscription that will be tried again.
    private func processRelayEntries(_ entries: [NotificationSubscription]) async throws {
        try await runConcurrently(entries) { worker, one in
            switch one.action {
            case .key: try await worker.makeNotifier(one)
            default: try await worker.removeNotifier(one)
            }
        }
    }

    /// Creates and checks subscriptions on one notification server.
    private func processServerEntries(_ entries: [NotificationSubscription], _ token: StoredToken) async throws {
        guard let id = token.id else { return }
        try await runConcurrently(entries) { worker, one in
            switch one.action {
            case .create: try await worker.createSubscription(one, token, id)
            default: try await worker.checkSubscription(one, token)
            }
        }
    }

    /// Runs `body` for all entries at the same time. After the end of all these runs, throws the first error.
    private func runConcurrently(
        _ entries: [NotificationSubscription],
        _ body: @escaping @Sendable (NotificationWorker, NotificationSubscription) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (any Error)?.self) { group in
            for one in entries {
                group.addTask {
                    do { try await body(self, one) } catch { return error }
                    return nil
                }
            }
            var failure: (any Error)?
            for try await error in group { failure = failure ?? error }
            if let failure { throw failure }
        }
    }

    private func makeNotifier(_ one: NotificationSubscription) async throws {
        guard let queue = one.queue else {
            return try await database.write { db in
                try one.restartSubscription(at: WallClock.seconds() + Self.refusalPauseSeconds, db)
            }
        }
        let key = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
        statistics.updateCounts(one.user, one.server) { $0.ntfKeyAttempts += 1 }
        do {
            let notifier = try await clients.requireClient(one.user, one.server, for: one.connection)
                .enableNotifications(queue, key: key.publicKey, dhKey: try X25519.PrivateKey())
            statistics.updateCounts(one.user, one.server) { $0.ntfKey += 1 }
            try await database.write { db in try one.storeNotifier(notifier, key: key, db) }
        } catch let error as SMPClientError where !error.isTemporary && !error.isHostFault {
            recordRefusal(of: one, AgentError(error, server: one.server))
            try await database.write { db in
                try one.restartSubscription(at: WallClock.seconds() + Self.refusalPauseSeconds, db)
            }
        }
    }

    private func removeNotifier(_ one: NotificationSubscription) async throws {
        if let queue = one.queue {
            statistics.updateCounts(one.user, one.server) { $0.ntfKeyDeleteAttempts += 1 }
            do {
                try await clients.requireClient(one.user, one.server, for: one.connection).disableNotifications(queue)
                statistics.updateCounts(one.user, one.server) { $0.ntfKeyDeleted += 1 }
            } catch let error as SMPClientError where !error.isTemporary && !error.isHostFault {
                recordRefusal(of: one, AgentError(error, server: one.server))
            }
        }
        try await database.write { db in try one.remove(db) }
    }

    private func createSubscription(
        _ one: NotificationSubscription,
        _ token: StoredToken,
        _ tokenID: [UInt8]
    ) async throws {
        guard let notifierID = one.notifierID, let notifierKey = one.notifierKey else {
            return try await database.write { db in try one.restartSubscription(at: 0, db) }
        }
        statistics.updateCounts(one.user, token.server) { $0.ntfCreateAttempts += 1 }
        do {
            let id = try await sessions.withSession(token.server) { session in
                try await session.subscribeToNotifier(
                    NotifierAddress(server: one.server, notifierID: notifierID),
                    notifierKey: notifierKey,
                    tokenID: tokenID,
                    key: token.key
                )
            }
            statistics.updateCounts(one.user, token.server) { $0.ntfCreated += 1 }
            try await database.write { db in
                try one.storeSubscriptionID(
                    id,
                    token: tokenID,
                    checkAt: WallClock.seconds() + Self.firstCheckDelaySeconds,
                    db
                )
            }
        } catch let error as AgentError where !error.isTemporaryForNotifications {
            recordRefusal(of: one, error)
            try await database.write { db in
                try one.restartSubscription(at: WallClock.seconds() + Self.refusalPauseSeconds, db)
            }
        }
    }

    private func checkSubscription(_ one: NotificationSubscription, _ token: StoredToken) async throws {
        guard let id = one.subscriptionID else {
            return try await database.write { db in try one.restartSubscription(at: 0, db) }
        }
        statistics.updateCounts(one.user, token.server) { $0.ntfCheckAttempts += 1 }
        do {
            let status = try await sessions.withSession(token.server) { session in
                try await session.checkSubscription(id, key: token.key)
            }
            statistics.updateCounts(one.user, token.server) { $0.ntfChecked += 1 }
            try await database.write { db in
                if status.isSubscribed {
                    try one.storeNextCheck(
                        nextAt: WallClock.seconds() + NotificationSubscription.longestPauseSeconds,
                        db
                    )
                } else {
                    try one.restartSubscription(at: 0, db)
                }
            }
        } catch AgentError.ntf(_, .auth) {
            // The server no longer knows the subscription, so the steps begin again.
            try await database.write { db in try one.restartSubscription(at: 0, db) }
        } catch let error as AgentError where !error.isTemporaryForNotifications {
            recordRefusal(of: one, error)
            try await database.write { db in
                try one.storeNextCheck(nextAt: WallClock.seconds() + NotificationSubscription.longestPauseSeconds, db)
            }
        }
    }

    private func deleteTokens(_ tokens: [DeletedToken], at now: Int64) async throws {
        for token in tokens {
            do {
                try await sessions.withSession(token.server) { session in
                    try await session.sendExpectingOK(.deleteToken, of: token.id, key: token.key)
                }
            } catch let error as AgentError
                where error.isTemporaryForNotifications
                && now - token.deletedAtSeconds < configuration.deletionTimeoutSeconds
            {
                throw error
            } catch let error as AgentError {
                logger.notice(
                    "notification token not deleted at its server",
                    metadata: ["server": "\(token.server)", "error": "\(error)"]
                )
            }
            try await database.write { db in try token.remove(db) }
        }
    }

    private func setPushInterval(_ token: StoredToken, _ id: [UInt8]) async throws {
        do {
            try await sessions.withSession(token.server) { session in
                try await session.sendExpectingOK(
                    .setInterval(minutes: Self.pushIntervalMinutes),
                    of: id,
                    key: token.key
                )
            }
        } catch let error as AgentError where !error.isTemporaryForNotifications {
            logger.notice(
                "interval of periodic pushes not set",
                metadata: ["server": "\(token.server)", "error": "\(error)"]
            )
        }
        try await database.write { db in
            guard try StoredToken.find(db)?.id == id else { return }
            try StoredToken.storePushIntervalDue(isDue: false, db)
        }
    }

    private func recordRefusal(of one: NotificationSubscription, _ error: AgentError) {
        logger.notice(
            "notifications for a connection refused",
            metadata: ["relay": "\(one.server)", "error": "\(error)"]
        )
    }
}

extension AgentError {
    /// Whether an operation that failed with this error may succeed later without any change of settings.
    var isTemporaryForNotifications: Bool {
        switch self {
        case .broker(_, .network), .broker(_, .timeout), .broker(_, .transport(.badBlock)),
            .broker(_, .transport(.badSession)), .inactive:
            true
        case .broker(_, let error): error.isHostFault
        case .ntf(_, let error): error.isTemporary
        default: false
        }
    }
}
