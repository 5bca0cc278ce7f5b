internal import ChatCore
internal import Concurrency
internal import OutgoingHTTP
internal import Synchronization

/// Sends the events of the journal to one receiver.
///
/// The worker reads ahead in the journal up to the limit of waiting entries. It keeps the numbers of the entries in
/// memory, not their contents. Each entry is read again when it is sent, so that deleted entries are not sent.
final class DeliveryWorker: Sendable {
    struct State {
        var subscription: EventSubscription
        var window: DeliveryWindow
        /// Stored states of entries that were not read from the journal yet.
        var noted: [UInt64: SubscribedEntry] = [:]
        /// Number of failed attempts in a row.
        var failures = 0
        /// Nothing is sent before this time, in milliseconds since 1970, even if an entry is due.
        var notBefore: Int64 = 0
        /// Milliseconds by which the wall clock is ahead of the monotonic clock.
        var lead: Int64?

        /// Returns the time in milliseconds since 1970. If the clock was set, this function moves the due times by the
        /// same amount, so that each pause keeps its length.
        mutating func now() -> Int64 {
            let now = WallClock.milliseconds(), lead = now &- MonotonicClock.microseconds() / 1_000
            if let change = self.lead.map({ lead &- $0 }), change.magnitude >= 1_000 {
                window.move(by: change)
                if notBefore > 0 { notBefore &+= change }
            }
            self.lead = lead
            return now
        }
    }

    let id: String
    let receiver: any EventReceiver
    let subscriptions: EventSubscriptions
    let source: any EventSource
    let http: OutgoingHTTP
    let settings: DeliverySettings
    private let mayReceive: @Sendable () -> Bool
    /// Called after the worker itself has ended the subscription.
    let ended: @Sendable (EventSubscription) -> Void
    let counts: DeliveryCounts
    let state: Mutex<State>
    private let signal = WakeSignal()
    private let sending = BackgroundTasks()
    /// Lock for storing the outcomes of attempts, so that the stored position passes an entry only after the outcome of
    /// the entry was stored.
    let storing = AsyncLock()
    private let running = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter mayReceive: whether the key of the subscription is still valid and has the scope `events`.
    init(
        _ subscription: EventSubscription,
        _ receiver: any EventReceiver,
        _ subscriptions: EventSubscriptions,
        source: any EventSource,
        http: OutgoingHTTP,
        settings: DeliverySettings,
        counts: DeliveryCounts,
        mayReceive: @escaping @Sendable () -> Bool,
        ended: @escaping @Sendable (EventSubscription) -> Void
    ) {
        id = subscription.id
        self.receiver = receiver
        self.subscriptions = subscriptions
        self.source = source
        self.http = http
        self.settings = settings
        self.counts = counts
        self.mayReceive = mayReceive
        self.ended = ended
        state = Mutex(State(subscription: subscription, window: DeliveryWindow(after: subscription.position)))
    }

    var subscription: EventSubscription { state.withLock { $0.subscription } }

    /// The number of entries that were read from the journal and not accepted yet.
    var waiting: Int { state.withLock { $0.window.entries.count } }

    func wake() { signal.signal() }

    func start() {
        running.withLock { running in
            guard running == nil else { return }
            running = Task { [self] in
                guard await load() else { return }
                await signal.run { await step() }
            }
        }
    }

    /// Ends the running attempts. Their entries are sent again later, with the same ids.
    func stop() async {
        let task = running.withLock { $0 }
        task?.cancel()
        await task?.value
        await sending.finish()
        // The position is stored, so that entries which the filter does not admit are not read again.
        let last = state.withLock { state -> EventSubscription? in
            guard state.window.position > state.subscription.position else { return nil }
            state.subscription.position = state.window.position
            return state.subscription
        }
        if let last { try? await subscriptions.note(SubscriptionChange(last)) }
    }

    // MARK: The loop

    /// Loads the stored states of entries.
    /// - Returns: false when the database does not answer, because the store is closed.
    private func load() async -> Bool {
        guard let entries = try? await subscriptions.entries(of: id) else { return false }
        state.withLock { state in
            let now = state.now()
            for entry in entries {
                switch entry.state {
                case .done: state.window.done.insert(entry.seq)
                case .waiting: state.noted[entry.seq] = entry
                case .replay, .gap:
                    state.window.insert(
                        DeliveryWindow.Entry(
                            seq: entry.seq,
                            kind: entry.state == .gap ? .gap : .replay,
                            chats: [],
                            attempts: entry.attempts,
                            firstAttempt: entry.firstAttempt,
                            due: entry.due(at: now)
                        )
                    )
                }
            }
        }
        return true
    }

    /// Sends the due entries, or ends the subscription if it has expired.
    /// - Returns: the time until the next step; nil to wait for a signal.
    private func step() async -> Duration? {
        guard let expires = receiver.expires else { return await sendDue() }
        let left = expires - WallClock.milliseconds()
        guard left > 0 else {
            await expire()
            return nil
        }
        return min(await sendDue() ?? .milliseconds(left), .milliseconds(left))
    }

    /// Ends a subscription that has expired.
    private func expire() async {
        await storing.run {
            var change = SubscriptionChange(subscription)
            guard change.subscription.state != .gone else { return }
            change.subscription.state = .gone
            if await store(change) { ended(change.subscription) }
        }
    }

    private func sendDue() async -> Duration? {
        guard subscription.state == .active, mayReceive() else { return nil }
        guard await fill() else { return .seconds(1) }
        let (taken, wait) = state.withLock { state -> ([DeliveryWindow.Entry], Int64?) in
            let now = state.now()
            guard state.notBefore <= now else { return ([], state.notBefore - now) }
            let isProbing = state.failures >= settings.schedule.failuresBeforeProbing
            let room = (isProbing ? 1 : settings.parallel) - state.window.running
            let (taken, next) = state.window.take(at: now, room: room)
            return (taken, next.map { $0 - now })
        }
        for entry in taken {
            sending.add { [self] in
                await send(entry)
                signal.signal()
            }
        }
        return wait.map { .milliseconds(max(0, $0)) }
    }

    /// Reads further entries from the journal, up to the limit of waiting entries.
    /// - Returns: false when the journal cannot be read.
    private func fill() async -> Bool {
        let filter = receiver.filter
        while true {
            let oldest = source.oldest
            let (scanned, isCut, isFull) = state.withLock { state in
                (
                    state.window.scanned, state.window.hasLost(before: oldest) || state.window.scanned &+ 1 < oldest,
                    state.window.entries.count >= settings.window
                )
            }
            if isCut {
                guard await cut(before: oldest) else { return false }
                continue
            }
            let known = source.latest
            guard !isFull, scanned < known else { return true }
            guard let page = try? await source.entries(after: scanned, limit: EventHub.block) else { return false }
            // The journal has deleted entries since `oldest` was read. The next iteration handles the deletion.
            if source.oldest > scanned &+ 1, page.first.map({ $0.seq > scanned &+ 1 }) ?? true { continue }
            let unseen = source.inactiveHiddenUsers
            state.withLock { state in
                let now = state.now()
                for event in page where !state.window.done.contains(event.seq) && filter.admits(event, unseen: unseen) {
                    let noted = state.noted.removeValue(forKey: event.seq)
                    state.window.append(
                        DeliveryWindow.Entry(
                            seq: event.seq,
                            kind: .event,
                            chats: event.traits.value.chats,
                            attempts: noted?.attempts ?? 0,
                            firstAttempt: noted?.firstAttempt,
                            due: noted?.due(at: now) ?? 0
                        )
                    )
                }
                state.window.scanned = page.last?.seq ?? max(scanned, known)
                let position = state.window.position
                if state.window.entries.isEmpty { state.window.done = state.window.done.filter { $0 > position } }
            }
            guard await notePassed() else { return false }
        }
    }

    /// Number of consecutive entries refused by the filter after which the position is stored.
    private static let passedLimit: UInt64 = 500

    private func notePassed() async -> Bool {
        await storing.run {
            let change = state.withLock { state -> EventSubscription? in
                guard state.window.position >= state.subscription.position &+ Self.passedLimit else { return nil }
                var changed = state.subscription
                changed.position = state.window.position
                return changed
            }
            guard let change else { return true }
            return await store(SubscriptionChange(change))
        }
    }

    /// Replaces lost entries by a `gap`: entries that the journal has deleted before the receiver got them.
    private func cut(before oldest: UInt64) async -> Bool {
        await storing.run {
            var change = SubscriptionChange(subscription)
            let lost = state.withLock {
                $0.window.entries.filter { !$0.isRunning && ($0.seq < oldest || $0.kind == .gap) }
            }
            change.subscription.position = max(change.subscription.position, oldest &- 1)
            change.removed = lost.map { SubscribedEntry(seq: $0.seq, state: .waiting) }
            change.stored = [SubscribedEntry(seq: oldest &- 1, state: .gap)]
            guard await store(change) else { return false }
            state.withLock { $0.window.cut(before: oldest) }
            return true
        }
    }

    /// Stores a change, and applies it. The caller must hold the lock `storing`.
    func store(_ change: SubscriptionChange) async -> Bool {
        do { try await subscriptions.note(change) } catch { return false }
        state.withLock { $0.subscription = change.subscription }
        return true
    }
}

extension SubscribedEntry {
    /// Returns the time of the next attempt, in milliseconds since 1970. The next attempt is due now if the clock was
    /// set back to a time before the first attempt.
    fileprivate func due(at now: Int64) -> Int64 { (firstAttempt ?? 0) > now ? now : nextAttempt }
}
