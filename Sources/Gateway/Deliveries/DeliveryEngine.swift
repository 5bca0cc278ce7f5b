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
    static let limit = 100
    /// Maximal number of subscriptions of one kind for one key without the scope `admin`, so that other keys can have
    /// subscriptions too.
    static let share = 25

    private struct State {
        var workers: [String: DeliveryWorker] = [:]
        var queues: [String: ConsumerQueue] = [:]
        var isStopped = false
        /// The task that first reads the subscriptions.
        var start: Task<Void, Never>?
        /// Whether the subscriptions were read from the database.
        var isRead = false
        /// The sender for push services; nil until a browser has subscribed.
        var sender: PushSender?
    }

    let source: any EventSource
    let http: OutgoingHTTP
    let counts: DeliveryCounts
    /// Returns the subscriptions; nil while the databases are not open.
    private let openSubscriptions: @Sendable () -> EventSubscriptions?
    private let keys: KeyRing
    private let store: String?
    private let settings: DeliverySettings
    private let log: Logger
    private let state = Mutex(State())
    /// Lock for changes of subscriptions.
    private let turns = AsyncLock()
    /// Lock for new subscriptions of browsers, so that two requests cannot subscribe the same browser twice.
    let subscriptionLock = AsyncLock()
    /// Events that are given back, since no worker has got them.
    private let returns = RunningWork()

    /// - Parameters:
    ///   - store: the store whose keys are checked; nil for the first store.
    ///   - totals: the counts of all stores.
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
        self.store = store
        self.settings = settings
        self.http = http
        self.log = log
        source.onPublish { [weak self] _ in self?.wake() }
        source.onReplaced { [weak self] in
            guard let self else { return }
            Task { await self.restart() }
        }
    }

    /// Starts the deliveries.
    func start() { state.withLock { $0.start = Task { await restart() } } }

    /// Whether there are receivers. Also true while the subscriptions were not read yet.
    var hasReceivers: Bool { state.withLock { !$0.isRead || !$0.workers.isEmpty } }

    /// Whether a worker of a consumer waits for events.
    var hasWaitingWorkers: Bool { state.withLock { $0.queues.values.contains(where: \.hasWaiting) } }

    /// Ends all deliveries, and starts again with the subscriptions in the database.
    private func restart() async {
        await turns.run {
            defer { state.withLock { $0.isRead = true } }
            await end()
            state.withLock { $0.sender = nil }
            guard !state.withLock({ $0.isStopped }), let subscriptions = openSubscriptions(),
                let all = try? await subscriptions.all()
            else { return }
            if all.contains(where: { $0.kind == EventReceivers.push }) {
                do { _ = try await loadSender() } catch {
                    log.error("browsers are not notified", metadata: ["error": "\(error)"])
                }
            }
            for subscription in all {
                if subscription.state == .gone, endsWithReceiver(subscription) {
                    try? await subscriptions.delete(subscription.id)
                } else {
                    run(subscription, subscriptions)
                }
            }
        }
    }

    /// Ends all deliveries. They cannot be started again.
    func stop() async {
        state.withLock { $0.isStopped = true }
        await turns.run { await end(isLast: true) }
    }

    /// Gives events back that no worker has got.
    func giveBack(_ handouts: [ConsumerQueue.Handout], to queue: ConsumerQueue) {
        returns.begin()
        Task {
            await queue.giveBack(handouts)
            returns.end()
        }
    }

    /// Waits until the events of all unsent answers are given back. Called after the last answer, before the databases
    /// are closed.
    func finishReturns(until limit: ContinuousClock.Instant) async { await returns.wait(until: limit) }

    private func end(isLast: Bool = false) async {
        let (workers, queues) = state.withLock { state in
            defer { (state.workers, state.queues) = ([:], [:]) }
            return (state.workers.values.map(\.self), state.queues.values.map(\.self))
        }
        await withTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { await worker.stop() } }
            for queue in queues { group.addTask { await queue.stop(isLast: isLast) } }
        }
    }

    private func run(_ subscription: EventSubscription, _ subscriptions: EventSubscriptions) {
        if let consumer = Consumer(subscription) {
            let queue = ConsumerQueue(consumer, subscription, subscriptions, source: source, settings: settings)
            let starts = state.withLock { state in
                guard !state.isStopped else { return false }
                state.queues[subscription.id] = queue
                return true
            }
            if starts { queue.start() }
            return
        }
        // A later version of the gateway may have stored a subscription in an unknown form. It is kept, but gets no
        // events.
        guard let receiver = EventReceivers.receiver(subscription, sender) else { return }
        let worker = DeliveryWorker(
            subscription,
            receiver,
            subscriptions,
            source: source,
            http: http,
            store: store,
            settings: settings,
            counts: counts,
            mayReceive: { [keys, store, keyId = subscription.keyId] in
                keys.record(id: keyId, of: store)?.scopes.allows(.events) ?? false
            },
            ended: { [weak self] in self?.ended($0) }
        )
        let starts = state.withLock { state in
            guard !state.isStopped else { return false }
            state.workers[subscription.id] = worker
            return true
        }
        if starts { worker.start() }
    }

    private func wake() {
        let (workers, queues) = state.withLock { (Array($0.workers.values), Array($0.queues.values)) }
        for worker in workers { worker.wake() }
        for queue in queues { queue.wake() }
    }

    /// Wakes the workers after keys were made, revoked, or have expired.
    func keysChanged() { wake() }

    /// Handles a subscription that its worker has ended.
    private func ended(_ subscription: EventSubscription) {
        log.notice(
            "events are no longer sent to a receiver",
            metadata: ["subscription": "\(subscription.id)", "reason": "\(subscription.state.rawValue)"]
        )
        guard subscription.state == .gone, endsWithReceiver(subscription) else { return }
        Task { [weak self] in try? await self?.delete(subscription.id) }
    }

    private func endsWithReceiver(_ subscription: EventSubscription) -> Bool {
        EventReceivers.receiver(subscription, sender)?.endsWithReceiver == true
    }

    // MARK: Push services

    private var sender: PushSender? { state.withLock { $0.sender } }

    /// The sender for push services, made at the first call. Push services recognize this store by its key.
    func pushSender() async throws -> PushSender {
        if let sender { return sender }
        return try await turns.run { try await loadSender() }
    }

    /// Loads the sender, or makes its key at the first call. The key stays the same.
    private func loadSender() async throws -> PushSender {
        let bytes = try await requireSubscriptions().senderKey("vapid") {
            try P256.PrivateKey().rawRepresentation.bytes
        }
        let made = PushSender(
            key: try P256.PrivateKey(rawRepresentation: SecretBytes(bytes)),
            contact: settings.pushContact
        )
        state.withLock { $0.sender = made }
        return made
    }

    // MARK: Reading and changes

    /// Returns the present state of a subscription; nil when there is no subscription of this kind with this id.
    func find(_ id: String, kind: String) async throws -> EventSubscription? {
        if let known = current(id) { return known.kind == kind ? known : nil }
        return try await requireSubscriptions().all().first { $0.id == id && $0.kind == kind }
    }

    func all(kind: String) async throws -> [EventSubscription] {
        try await requireSubscriptions().all().filter { $0.kind == kind }.map { current($0.id) ?? $0 }
    }

    /// Whether the key of the subscription still exists.
    func isOwned(_ subscription: EventSubscription) -> Bool { keys.record(id: subscription.keyId, of: store) != nil }

    func waiting(_ id: String) -> Int? { worker(id)?.waiting }

    /// Adds a subscription and starts its deliveries.
    /// - Parameter answer: the answer to a request with an idempotency key, which is stored with the subscription.
    /// - Throws: a problem when the store or the key has the maximal number of subscriptions.
    func add(
        _ subscription: EventSubscription,
        of principal: Principal,
        _ noun: String,
        _ answer: AnsweredRequest?
    ) async throws {
        let isAdded = try await turns.run {
            let subscriptions = try requireSubscriptions()
            let isAdministrator = principal.scopes.contains(.admin)
            // The last tenth of the places is reserved for administrators.
            let (limit, share) = isAdministrator ? (Self.limit, Self.limit) : (Self.limit - Self.limit / 10, Self.share)
            guard try await subscriptions.add(subscription, limit: limit, share: share, answer) else { return false }
            run(subscription, subscriptions)
            return true
        }
        guard isAdded else {
            throw ProblemDetails(
                .conflict,
                "A store can have at most \(Self.limit) \(noun), and a key without the scope admin at most \(Self.share)."
            )
        }
    }

    func delete(_ id: String) async throws {
        try await turns.run {
            await stop(id)
            try await requireSubscriptions().delete(id)
        }
    }

    /// The position from which the deliveries of a changed subscription continue.
    enum Beginning {
        /// The present position.
        case here
        /// The present position. Failed entries are sent again without a pause, and their attempts are counted from
        /// zero.
        case hurrying
        /// The entry after this number. Entries that were sent before are sent again.
        case after(UInt64)
        /// The present position. The given entries are sent once more.
        case replaying(Set<UInt64>)
    }

    /// Changes a subscription, and restarts its deliveries.
    /// - Parameters:
    ///   - answer: makes the answer to a request with an idempotency key, which is stored with the change.
    ///   - body: returns nil when there is nothing to change.
    /// - Returns: nil when there is no such subscription.
    func change(
        _ id: String,
        kind: String,
        _ beginning: Beginning = .here,
        keeping answer: @Sendable (EventSubscription) throws -> AnsweredRequest? = { _ in nil },
        _ body: @Sendable (EventSubscription) throws -> EventSubscription?
    ) async throws -> EventSubscription? {
        try await turns.run {
            let subscriptions = try requireSubscriptions()
            // The worker is stopped first, because it then stores its last position, which is read below.
            await stop(id)
            guard let old = try await subscriptions.all().first(where: { $0.id == id && $0.kind == kind }) else {
                return nil
            }
            var new = old
            defer { run(new, subscriptions) }
            guard var changed = try body(old) else { return old }
            switch beginning {
            case .here: try await subscriptions.replace(changed, try answer(changed))
            case .hurrying:
                changed.failingSince = nil
                try await subscriptions.makeDueNow(id)
                try await subscriptions.replace(changed, try answer(changed))
            case .after(let seq):
                changed.position = seq
                try await subscriptions.move(changed, try answer(changed))
            case .replaying(let seqs):
                try await subscriptions.replace(changed)
                try await subscriptions.replay(seqs, of: id, try answer(changed))
            }
            new = changed
            return changed
        }
    }

    /// Sends a request that belongs to no event of the journal. There is no later attempt.
    /// - Returns: nil when the subscription has no worker.
    func sendOnce(
        _ request: OutgoingRequest,
        _ id: String,
        eventId: String,
        type: String
    ) async throws -> DeliveryAttempt? {
        _ = try requireSubscriptions()
        return await worker(id)?.sendOnce(request, id: eventId, type: type)
    }

    func attempts(of id: String) async throws -> [DeliveryAttempt] {
        try await requireSubscriptions().attempts(of: id)
    }

    private func worker(_ id: String) -> DeliveryWorker? { state.withLock { $0.workers[id] } }

    private func knownQueue(_ id: String) -> ConsumerQueue? { state.withLock { $0.queues[id] } }

    /// Returns the queue of a consumer, after running changes of subscriptions; nil if there is no such consumer.
    func queue(_ id: String) async throws -> ConsumerQueue? {
        await state.withLock { $0.start }?.value
        if let known = knownQueue(id) { return known }
        return try await turns.run {
            if let known = knownQueue(id) { return known }
            let subscriptions = try requireSubscriptions()
            guard !state.withLock({ $0.isStopped }) else {
                throw ProblemDetails(.unavailable, "The store is being closed.")
            }
            guard
                let stored = try await subscriptions.all().first(where: {
                    $0.id == id && $0.kind == EventReceivers.consumer
                })
            else { return nil }
            run(stored, subscriptions)
            return knownQueue(id)
        }
    }

    /// Returns a subscription with its present position.
    private func current(_ id: String) -> EventSubscription? {
        worker(id)?.subscription ?? knownQueue(id)?.place.subscription
    }

    private func stop(_ id: String) async {
        await state.withLock { $0.workers.removeValue(forKey: id) }?.stop()
        await state.withLock { $0.queues.removeValue(forKey: id) }?.stop()
    }

    private func requireSubscriptions() throws(ProblemDetails) -> EventSubscriptions {
        guard let subscriptions = openSubscriptions() else {
            throw ProblemDetails(.unavailable, "The databases are not open.")
        }
        return subscriptions
    }

    /// Numbers of the receivers by state, and of the events that wait for them.
    var load: (receivers: [EventSubscription.State: Int], waiting: Int) {
        let workers = state.withLock { Array($0.workers.values) }
        return (
            workers.reduce(into: [:]) { $0[$1.subscription.state, default: 0] += 1 },
            workers.reduce(0) { $0 + $1.waiting }
        )
    }

    /// Writes the figures of the consumers.
    func write(to text: inout MetricsText) {
        let queues = state.withLock { Array($0.queues.values) }.map { ($0.consumer.name, $0.counts) }
            .sorted { $0.0 < $1.0 }
        text.family("sxgw_consumer_lag", .gauge, "Events that are not acknowledged yet, by consumer.")
        for (name, counts) in queues { text.sample([("consumer", name)], counts.lag) }
        text.family("sxgw_consumer_handed_out", .gauge, "Events that workers have now, by consumer.")
        for (name, counts) in queues { text.sample([("consumer", name)], counts.handedOut) }
        text.family("sxgw_consumer_set_aside", .gauge, "Events that are set aside after failed attempts, by consumer.")
        for (name, counts) in queues { text.sample([("consumer", name)], counts.setAside) }
    }
}

extension Consumer {
    init?(_ subscription: EventSubscription) {
        guard subscription.kind == EventReceivers.consumer,
            let json = try? JSONValue(parsing: Array(subscription.settings.utf8))
        else { return nil }
        self.init(json: json)
    }
}
