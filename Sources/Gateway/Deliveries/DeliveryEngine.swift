internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import JSON
internal import Logging
internal import OutgoingHTTP
internal import SimpleXCrypto
internal import Prometheus
internal import Synchronization

/// Sends the events of a store to all subscribed receivers outside of the gateway, and hands out events to the workers
/// of consumers. Each subscription has its own pace.
final class DeliveryEngine: Sendable {
    /// Maximal number of subscriptions of one kind in a store.
    static let maxSubscriptions = 100
    /// Maximal number of subscriptions of one kind for one key without the scope `admin`, so that other keys can have
    /// subscriptions too.
    static let maxSubscriptionsPerKey = 25

    private struct State {
        var workers: [String: DeliveryWorker] = [:]
        var consumerQueues: [String: ConsumerQueue] = [:]
        var isStopped = false
        /// The task that reads the subscriptions at the start, and begins their deliveries.
        var startTask: Task<Void, Never>?
        /// Whether the subscriptions were read from the database.
        var hasReadSubscriptions = false
        /// The sender for push services; nil until a browser has subscribed.
        var pushSender: PushSender?
    }

    let source: any EventSource
    let http: OutgoingHTTP
    let counts: DeliveryCounts
    /// Returns the subscriptions; nil while the databases are not open.
    private let openSubscriptions: @Sendable () -> EventSubscriptions?
    private let keys: KeyRing
    private let storeID: String?
    private let settings: DeliverySettings
    private let log: Logger
    private let state = Mutex(State())
    /// Lock for changes of subscriptions.
    private let changeLock = AsyncLock()
    /// Lock for new subscriptions of browsers, so that two requests cannot subscribe the same browser twice.
    let subscriptionLock = AsyncLock()
    /// The running tasks that give events back to a consumer's queue, because no worker has got these events.
    private let runningHandoutReturns = RunningWork()

    /// - Parameters:
    ///   - store: the store whose keys are checked; nil for the first store.
    ///   - totals: the counters of deliveries of all stores together.
    init(
        source: any EventSource,
        subscriptions: @escaping @Sendable () -> EventSubscriptions?,
        keys: KeyRing,
        store: String?,
        settings: DeliverySettings,
        http: OutgoingHTTP,
        totals: DeliveryCounts? = nil,
        log: Logger
    ) {
        counts = DeliveryCounts(within: totals)
        self.source = source
        openSubscriptions = subscriptions
        self.keys = keys
        self.storeID = store
        self.settings = settings
        self.http = http
        self.log = log
        source.onPublish { [weak self] _ in self?.wakeReceivers() }
        source.onJournalReplaced { [weak self] in
            guard let self else { return }
            Task { await self.restartDeliveries() }
        }
    }

    /// Starts the deliveries.
    func start() { state.withLock { $0.startTask = Task { await restartDeliveries() } } }

    /// Whether the store has receivers of events. Also true until the subscriptions are read.
    var hasReceivers: Bool { state.withLock { !$0.hasReadSubscriptions || !$0.workers.isEmpty } }

    /// Whether a worker of a consumer waits for events.
    var hasWaitingConsumers: Bool { state.withLock { $0.consumerQueues.values.contains(where: \.hasWaitingCall) } }

    /// Ends all deliveries, and starts the deliveries of the subscriptions in the database.
    private func restartDeliveries() async {
        await changeLock.runLocked {
            defer { state.withLock { $0.hasReadSubscriptions = true } }
            await endDeliveries()
            state.withLock { $0.pushSender = nil }
            guard !state.withLock({ $0.isStopped }), let subscriptions = openSubscriptions(),
                let all = try? await subscriptions.readAll()
            else { return }
            if all.contains(where: { $0.kind == PushSubscription.kind }) {
                do { _ = try await loadPushSender() } catch {
                    log.error("browsers are not notified", metadata: ["error": "\(error)"])
                }
            }
            for subscription in all {
                if subscription.state == .gone, isDeletedWithReceiver(subscription) {
                    try? await subscriptions.delete(subscription.id)
                } else {
                    startDeliveries(subscription, subscriptions)
                }
            }
        }
    }

    /// Ends all deliveries. The deliveries cannot be started again.
    func stop() async {
        state.withLock { $0.isStopped = true }
        await changeLock.runLocked { await endDeliveries(isLast: true) }
    }

    /// Starts a task that gives events back to the queue of their consumer, because no worker got the answer with these
    /// events. Does not wait for the end of the task.
    func giveBack(_ handouts: [ConsumerQueue.Handout], to queue: ConsumerQueue) {
        runningHandoutReturns.beginWork()
        Task {
            await queue.giveBack(handouts)
            runningHandoutReturns.endWork()
        }
    }

    /// Waits until all tasks of ``giveBack(_:to:)`` have ended. Called after the last answer to a worker, before the
    /// databases are closed.
    func waitForHandoutReturns(until limit: ContinuousClock.Instant) async {
        await runningHandoutReturns.waitUntilIdle(until: limit)
    }

    private func endDeliveries(isLast: Bool = false) async {
        let (workers, queues) = state.withLock { state in
            defer { (state.workers, state.consumerQueues) = ([:], [:]) }
            return (state.workers.values.map(\.self), state.consumerQueues.values.map(\.self))
        }
        await withTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { await worker.stop() } }
            for queue in queues { group.addTask { await queue.stop(isLast: isLast) } }
        }
    }

    private func startDeliveries(_ subscription: EventSubscription, _ subscriptions: EventSubscriptions) {
        if let consumer = Consumer(subscription) {
            let queue = ConsumerQueue(consumer, subscription, subscriptions, source: source, settings: settings)
            let starts = state.withLock { state in
                guard !state.isStopped else { return false }
                state.consumerQueues[subscription.id] = queue
                return true
            }
            if starts { queue.start() }
            return
        }
        // A later version of the gateway may have stored the subscription in an unknown form. Such a subscription is
        // kept, but gets no events.
        guard let receiver = EventReceivers.makeReceiver(subscription, pushSender) else { return }
        let worker = DeliveryWorker(
            subscription,
            receiver,
            subscriptions,
            source: source,
            http: http,
            store: storeID,
            settings: settings,
            counts: counts,
            mayReceive: { [keys, storeID, keyId = subscription.keyId] in
                keys.findRecord(id: keyId, of: storeID)?.scopes.allows(.events) ?? false
            },
            ended: { [weak self] in self?.handleEnd($0) }
        )
        let starts = state.withLock { state in
            guard !state.isStopped else { return false }
            state.workers[subscription.id] = worker
            return true
        }
        if starts { worker.start() }
    }

    private func wakeReceivers() {
        let (workers, queues) = state.withLock { (Array($0.workers.values), Array($0.consumerQueues.values)) }
        for worker in workers { worker.wake() }
        for queue in queues { queue.wake() }
    }

    /// Wakes all deliveries and consumers after keys were made or revoked, or have expired.
    func wakeAfterKeyChange() { wakeReceivers() }

    /// Logs the end of the deliveries of a subscription. Deletes a push subscription that has expired or whose receiver
    /// is gone. A webhook is kept.
    private func handleEnd(_ subscription: EventSubscription) {
        log.notice(
            "events are no longer sent to a receiver",
            metadata: ["subscription": "\(subscription.id)", "reason": "\(subscription.state.rawValue)"]
        )
        guard subscription.state == .gone, isDeletedWithReceiver(subscription) else { return }
        Task { [weak self] in try? await self?.deleteSubscription(subscription.id) }
    }

    private func isDeletedWithReceiver(_ subscription: EventSubscription) -> Bool {
        EventReceivers.makeReceiver(subscription, pushSender)?.isDeletedWithReceiver == true
    }

    // MARK: Push services

    private var pushSender: PushSender? { state.withLock { $0.pushSender } }

    /// Returns the sender for push services. The first call makes the sender. Push services recognize this store by the
    /// key of the sender.
    func requirePushSender() async throws -> PushSender {
        if let pushSender { return pushSender }
        return try await changeLock.runLocked { try await loadPushSender() }
    }

    /// Makes the sender for push services from the stored key. The first call makes and stores the key.
    private func loadPushSender() async throws -> PushSender {
        let bytes = try await requireSubscriptions().findOrCreateSenderKey("vapid") {
            try P256.PrivateKey().rawRepresentation.bytes
        }
        let made = PushSender(
            privateKey: try P256.PrivateKey(rawRepresentation: SecretBytes(bytes)),
            contact: settings.pushContact
        )
        state.withLock { $0.pushSender = made }
        return made
    }

    // MARK: Reading and changes

    /// Returns the present state of a subscription; nil when there is no subscription of this kind with this id.
    func findSubscription(_ id: String, kind: String) async throws -> EventSubscription? {
        if let known = findCurrentSubscription(id) { return known.kind == kind ? known : nil }
        return try await requireSubscriptions().readAll().first { $0.id == id && $0.kind == kind }
    }

    func listSubscriptions(kind: String) async throws -> [EventSubscription] {
        try await requireSubscriptions().readAll().filter { $0.kind == kind }.map {
            findCurrentSubscription($0.id) ?? $0
        }
    }

    /// Whether the key of the subscription still exists.
    func hasOwnerKey(_ subscription: EventSubscription) -> Bool {
        keys.findRecord(id: subscription.keyId, of: storeID) != nil
    }

    func waitingCount(_ id: String) -> Int? { findWorker(id)?.waitingCount }

    /// Adds a subscription and starts its deliveries.
    /// - Parameter answer: the answer to a request with an idempotency key, which is stored with the subscription.
    /// - Throws: a problem when the store or the key has the maximal number of subscriptions.
    func addSubscription(
        _ subscription: EventSubscription,
        of principal: Principal,
        _ noun: String,
        _ answer: AnsweredRequest?
    ) async throws {
        let isAdded = try await changeLock.runLocked {
            let subscriptions = try requireSubscriptions()
            let isAdministrator = principal.scopes.contains(.admin)
            // The last tenth of the maximal number of subscriptions is reserved for keys with the scope `admin`.
            let (limit, share) =
                isAdministrator
                ? (Self.maxSubscriptions, Self.maxSubscriptions)
                : (Self.maxSubscriptions - Self.maxSubscriptions / 10, Self.maxSubscriptionsPerKey)
            guard try await subscriptions.add(subscription, limit: limit, share: share, answer) else { return false }
            startDeliveries(subscription, subscriptions)
            return true
        }
        guard isAdded else {
            throw ProblemDetails(
                .conflict,
                "A store can have at most \(Self.maxSubscriptions) \(noun), and a key without the scope admin at most \(Self.maxSubscriptionsPerKey)."
            )
        }
    }

    func deleteSubscription(_ id: String) async throws {
        try await changeLock.runLocked {
            await stopDeliveries(id)
            try await requireSubscriptions().delete(id)
        }
    }

    /// The position from which the deliveries of a changed subscription continue.
    enum ResumePosition {
        /// The subscription's present position.
        case currentPosition
        /// The subscription's present position. Failed entries are sent again without a pause, and their attempts are
        /// counted from zero.
        case retryNow
        /// The entry after the entry with this number. Entries that were sent before are sent again.
        case afterEntry(UInt64)
        /// The subscription's present position. The given entries are sent once more.
        case replayEntries(Set<UInt64>)
    }

    /// Changes a subscription, and restarts its deliveries.
    /// - Parameters:
    ///   - answer: makes the answer to a request with an idempotency key, which is stored with the change.
    ///   - body: returns the changed subscription; nil when there is nothing to change.
    /// - Returns: nil when there is no such subscription.
    func changeSubscription(
        _ id: String,
        kind: String,
        _ beginning: ResumePosition = .currentPosition,
        keeping answer: @Sendable (EventSubscription) throws -> AnsweredRequest? = { _ in nil },
        _ body: @Sendable (EventSubscription) throws -> EventSubscription?
    ) async throws -> EventSubscription? {
        try await changeLock.runLocked {
            let subscriptions = try requireSubscriptions()
            // The worker is stopped first, because it then stores its last position, which is read below.
            await stopDeliveries(id)
            guard let old = try await subscriptions.readAll().first(where: { $0.id == id && $0.kind == kind }) else {
                return nil
            }
            var new = old
            defer { startDeliveries(new, subscriptions) }
            guard var changed = try body(old) else { return old }
            switch beginning {
            case .currentPosition: try await subscriptions.replace(changed, try answer(changed))
            case .retryNow:
                changed.failingSinceMilliseconds = nil
                try await subscriptions.makeEntriesDueNow(id)
                try await subscriptions.replace(changed, try answer(changed))
            case .afterEntry(let seq):
                changed.position = seq
                try await subscriptions.movePosition(changed, try answer(changed))
            case .replayEntries(let seqs):
                try await subscriptions.replace(changed)
                try await subscriptions.markForReplay(seqs, of: id, try answer(changed))
            }
            new = changed
            return changed
        }
    }

    /// Sends a request that belongs to no event of the journal. There is no later attempt.
    /// - Returns: the attempt with its outcome; nil when the subscription has no worker.
    func sendOnce(
        _ request: OutgoingRequest,
        _ id: String,
        eventId: String,
        type: String
    ) async throws -> DeliveryAttempt? {
        _ = try requireSubscriptions()
        return await findWorker(id)?.sendOnce(request, id: eventId, type: type)
    }

    func listAttempts(of id: String) async throws -> [DeliveryAttempt] {
        try await requireSubscriptions().readAttempts(of: id)
    }

    private func findWorker(_ id: String) -> DeliveryWorker? { state.withLock { $0.workers[id] } }

    private func findRunningQueue(_ id: String) -> ConsumerQueue? { state.withLock { $0.consumerQueues[id] } }

    /// Waits for the start of the deliveries, and returns the queue of a consumer; nil if there is no such consumer. If
    /// the consumer has no queue, waits for running changes of subscriptions, and then starts a queue.
    func findQueue(_ id: String) async throws -> ConsumerQueue? {
        await state.withLock { $0.startTask }?.value
        if let known = findRunningQueue(id) { return known }
        return try await changeLock.runLocked {
            if let known = findRunningQueue(id) { return known }
            let subscriptions = try requireSubscriptions()
            guard !state.withLock({ $0.isStopped }) else {
                throw ProblemDetails(.unavailable, "The store is being closed.")
            }
            guard
                let stored = try await subscriptions.readAll().first(where: {
                    $0.id == id && $0.kind == Consumer.kind
                })
            else { return nil }
            startDeliveries(stored, subscriptions)
            return findRunningQueue(id)
        }
    }

    /// Returns a subscription with its present position.
    private func findCurrentSubscription(_ id: String) -> EventSubscription? {
        findWorker(id)?.subscription ?? findRunningQueue(id)?.place.subscription
    }

    private func stopDeliveries(_ id: String) async {
        await state.withLock { $0.workers.removeValue(forKey: id) }?.stop()
        await state.withLock { $0.consumerQueues.removeValue(forKey: id) }?.stop()
    }

    private func requireSubscriptions() throws(ProblemDetails) -> EventSubscriptions {
        guard let subscriptions = openSubscriptions() else {
            throw ProblemDetails(.unavailable, "The databases are not open.")
        }
        return subscriptions
    }

    /// The numbers of receivers by their state, and the number of events that wait for receivers.
    var receiverLoad: (receivers: [EventSubscription.State: Int], waiting: Int) {
        let workers = state.withLock { Array($0.workers.values) }
        return (
            workers.reduce(into: [:]) { $0[$1.subscription.state, default: 0] += 1 },
            workers.reduce(0) { $0 + $1.waitingCount }
        )
    }

    /// Writes the metrics of the consumers.
    func writeMetrics(to text: inout MetricsText) {
        let queues = state.withLock { Array($0.consumerQueues.values) }.map { ($0.consumer.name, $0.counts) }
            .sorted { $0.0 < $1.0 }
        text.writeFamily("sxgw_consumer_lag", .gauge, "Events that are not acknowledged yet, by consumer.")
        for (name, counts) in queues { text.writeSample([("consumer", name)], counts.unacknowledgedCount) }
        text.writeFamily("sxgw_consumer_handed_out", .gauge, "Events that workers have now, by consumer.")
        for (name, counts) in queues { text.writeSample([("consumer", name)], counts.handedOutCount) }
        text.writeFamily(
            "sxgw_consumer_set_aside",
            .gauge,
            "Events that are set aside after failed attempts, by consumer."
        )
        for (name, counts) in queues { text.writeSample([("consumer", name)], counts.setAsideCount) }
    }
}
