internal import ChatCore
internal import Concurrency
internal import OutgoingHTTP
internal import Synchronization

/// Sends the events of the journal to one receiver.
///
/// It reads the journal as far as the receiver has room, and keeps numbers of entries in memory, not the entries. An entry is read again when it is
/// sent: what was deleted meanwhile is not sent.
final class DeliveryWorker: Sendable {
    fileprivate struct State {
        var subscription: EventSubscription
        var window: DeliveryWindow
        /// What the database has of entries that are yet to be read.
        var noted: [UInt64: SubscribedEntry] = [:]
        /// Attempts in a row that have failed.
        var failures = 0
        /// Milliseconds since 1970 before which nothing is sent, whatever is due.
        var notBefore: Int64 = 0
        /// How far the wall clock is ahead of time that only grows, in milliseconds.
        var lead: Int64?

        /// Milliseconds since 1970. When the clock was set, what is due moves with it: a pause gets no longer by that.
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
    private let receiver: any EventReceiver
    private let subscriptions: EventSubscriptions
    private let source: any EventSource
    private let http: OutgoingHTTP
    private let settings: DeliverySettings
    private let mayReceive: @Sendable () -> Bool
    /// Called when the state of the subscription has changed by itself.
    private let ended: @Sendable (EventSubscription) -> Void
    private let counts: DeliveryCounts
    private let state: Mutex<State>
    private let signal = WakeSignal()
    private let sending = BackgroundTasks()
    /// What an attempt changes is stored one after the other, so that no position passes an entry whose end is not stored.
    private let storing = AsyncLock()
    private let running = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter mayReceive: whether the key of the subscription is one still.
    init(
        _ subscription: EventSubscription, _ receiver: any EventReceiver, _ subscriptions: EventSubscriptions, source: any EventSource, http: OutgoingHTTP,
        settings: DeliverySettings, counts: DeliveryCounts, mayReceive: @escaping @Sendable () -> Bool,
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

    /// Entries of the journal that were read and are yet to be taken.
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

    /// Ends what is being sent: it will be sent again, with the same id.
    func stop() async {
        let task = running.withLock { $0 }
        task?.cancel()
        await task?.value
        await sending.finish()
        // So that entries that the filter has passed over are not looked at again.
        let last = state.withLock { state -> EventSubscription? in
            guard state.window.position > state.subscription.position else { return nil }
            state.subscription.position = state.window.position
            return state.subscription
        }
        if let last { try? await subscriptions.note(SubscriptionChange(last)) }
    }

    // MARK: The loop

    /// - Returns: false when the database does not answer: the store is closed.
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
                            seq: entry.seq, kind: entry.state == .gap ? .gap : .replay, chats: [], attempts: entry.attempts, firstAttempt: entry.firstAttempt,
                            due: entry.due(at: now)))
                }
            }
        }
        return true
    }

    /// - Returns: when to come again.
    private func step() async -> Duration? {
        guard let expires = receiver.expires else { return await sendDue() }
        let left = expires - WallClock.milliseconds()
        guard left > 0 else {
            await expire()
            return nil
        }
        return min(await sendDue() ?? .milliseconds(left), .milliseconds(left))
    }

    /// Its time is over.
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

    /// Reads on in the journal while there is room.
    /// - Returns: false when it cannot be read.
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
            // Deleted since it was looked at: seen at the next turn.
            if source.oldest > scanned &+ 1, page.first.map({ $0.seq > scanned &+ 1 }) ?? true { continue }
            let unseen = source.unseenUsers
            state.withLock { state in
                let now = state.now()
                for event in page where !state.window.done.contains(event.seq) && filter.admits(event, unseen: unseen) {
                    let noted = state.noted.removeValue(forKey: event.seq)
                    state.window.append(
                        DeliveryWindow.Entry(
                            seq: event.seq, kind: .event, chats: event.traits.value.chats, attempts: noted?.attempts ?? 0, firstAttempt: noted?.firstAttempt,
                            due: noted?.due(at: now) ?? 0))
                }
                state.window.scanned = page.last?.seq ?? max(scanned, known)
                let position = state.window.position
                if state.window.entries.isEmpty { state.window.done = state.window.done.filter { $0 > position } }
            }
            guard await notePassed() else { return false }
        }
    }

    /// Entries that the filter passes over before the position is stored.
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

    /// The journal has lost entries that the receiver has not had: it gets a `gap` in their place.
    private func cut(before oldest: UInt64) async -> Bool {
        await storing.run {
            var change = SubscriptionChange(subscription)
            let lost = state.withLock { $0.window.entries.filter { !$0.isRunning && ($0.seq < oldest || $0.kind == .gap) } }
            change.subscription.position = max(change.subscription.position, oldest &- 1)
            change.removed = lost.map { SubscribedEntry(seq: $0.seq, state: .waiting) }
            change.stored = [SubscribedEntry(seq: oldest &- 1, state: .gap)]
            guard await store(change) else { return false }
            state.withLock { $0.window.cut(before: oldest) }
            return true
        }
    }

    /// Stores a change, and takes it over. In `storing`'s turn.
    private func store(_ change: SubscriptionChange) async -> Bool {
        do { try await subscriptions.note(change) } catch { return false }
        state.withLock { $0.subscription = change.subscription }
        return true
    }

    // MARK: One attempt

    private func send(_ entry: DeliveryWindow.Entry) async {
        let started = WallClock.milliseconds()
        guard let (request, type, eventId) = await request(for: entry, now: started) else { return }
        guard let request else { return await pass(entry) }
        let begin = MonotonicClock.microseconds()
        let result: Result<OutgoingAnswer, OutgoingError>
        do throws(OutgoingError) { result = .success(try await http.send(request)) } catch { result = .failure(error) }
        switch result {
        case .failure(.cancelled): return
        case .failure(.noRoom): return postpone(entry, by: 1_000)
        default: break
        }
        var attempt = DeliveryAttempt(
            eventId: eventId, type: type, attempt: entry.attempts + 1, started: started, milliseconds: (MonotonicClock.microseconds() - begin) / 1_000, status: nil,
            outcome: "failed")
        let outcome: DeliveryOutcome
        switch result {
        case .success(let answer):
            attempt.status = answer.status
            outcome = receiver.outcome(answer)
        case .failure(let error):
            attempt.error = error.description
            outcome = .refused(retryAfter: nil)
        }
        await finish(entry, outcome, attempt)
    }

    /// - Returns: nil when the journal cannot be read now; without a request where there is nothing to send any more.
    private func request(for entry: DeliveryWindow.Entry, now: Int64) async -> (OutgoingRequest?, type: String, id: String)? {
        let epoch = source.epoch
        let cursor = EventForm.cursor(epoch, entry.seq)
        if entry.kind == .gap { return (receiver.request(forGap: entry.seq &+ 1, epoch: epoch, now: now), "gap", "gap-" + cursor) }
        guard let page = try? await source.entries(after: entry.seq &- 1, limit: 1) else {
            postpone(entry, by: 1_000)
            return nil
        }
        guard let event = page.first, event.seq == entry.seq, receiver.filter.admits(event, unseen: source.unseenUsers) else {
            guard entry.seq < source.oldest, entry.kind == .event else { return (nil, "", cursor) }
            // Lost since: found out at the next turn.
            postpone(entry, by: 0)
            return nil
        }
        return (receiver.request(for: receiver.filter.limited(event), epoch: epoch, now: now), event.traits.value.type, cursor)
    }

    private func postpone(_ entry: DeliveryWindow.Entry, by milliseconds: Int64) {
        state.withLock { state in
            let now = state.now()
            state.window.change(entry.seq, entry.kind) { entry in
                entry.isRunning = false
                entry.due = now + milliseconds
            }
        }
    }

    /// Nothing is to be sent of this entry any more.
    private func pass(_ entry: DeliveryWindow.Entry) async {
        await storing.run {
            let change = state.withLock { $0.end(of: entry, at: nil) }
            if await store(change) { forget(entry) } else { postpone(entry, by: 1_000) }
        }
    }

    private func forget(_ entry: DeliveryWindow.Entry) {
        state.withLock { state in
            state.window.remove(entry.seq, entry.kind)
            let position = state.subscription.position
            if entry.seq > position { state.window.done.insert(entry.seq) }
            state.window.done = state.window.done.filter { $0 > position }
        }
    }

    private func finish(_ entry: DeliveryWindow.Entry, _ outcome: DeliveryOutcome, _ attempt: DeliveryAttempt) async {
        await storing.run {
            switch outcome {
            case .delivered: await delivered(entry, attempt)
            case .rejected: await setAside(entry, attempt)
            case .gone: await gone(entry, attempt)
            case .refused(let retryAfter): await refused(entry, attempt, retryAfter)
            }
        }
    }

    private func delivered(_ entry: DeliveryWindow.Entry, _ attempt: DeliveryAttempt) async {
        counts.add(.delivered)
        let now = WallClock.milliseconds()
        var change = state.withLock { state in
            // A receiver that takes events again gets at once what has waited for it.
            if state.failures >= settings.schedule.failuresBeforeProbing { state.window.hurry() }
            state.failures = 0
            state.notBefore = 0
            return state.end(of: entry, at: now)
        }
        change.attempt = attempt
        change.attempt?.outcome = "delivered"
        // Where it cannot be stored the event is sent once more, with the same id.
        if await store(change) { forget(entry) } else { postpone(entry, by: 5_000) }
    }

    /// It is not sent any more, unless somebody asks for it.
    private func setAside(_ entry: DeliveryWindow.Entry, _ attempt: DeliveryAttempt) async {
        counts.add(.abandoned)
        var change = state.withLock { $0.end(of: entry, at: nil) }
        change.attempt = attempt
        change.attempt?.outcome = "abandoned"
        if await store(change) { forget(entry) } else { postpone(entry, by: 5_000) }
    }

    private func gone(_ entry: DeliveryWindow.Entry, _ attempt: DeliveryAttempt) async {
        counts.add(.failed)
        var change = SubscriptionChange(subscription)
        change.subscription.state = .gone
        change.attempt = attempt
        change.attempt?.outcome = "gone"
        _ = await store(change)
        postpone(entry, by: 0)
        ended(subscription)
    }

    private func refused(_ entry: DeliveryWindow.Entry, _ attempt: DeliveryAttempt, _ retryAfter: Int64?) async {
        let now = state.withLock { $0.now() }
        let asked = retryAfter.map { min($0, DeliverySchedule.longestPause / 1_000) * 1_000 }
        var tried = entry
        tried.attempts += 1
        tried.firstAttempt = entry.firstAttempt ?? attempt.started
        tried.due = now + max(settings.schedule.pause(after: tried.attempts), asked ?? 0)
        let subscription = state.withLock { state -> EventSubscription in
            state.failures += 1
            if let asked { state.notBefore = max(state.notBefore, now + asked) }
            if state.failures >= settings.schedule.failuresBeforeProbing {
                state.notBefore = max(state.notBefore, now + settings.schedule.probe(after: state.failures))
            }
            return state.subscription
        }
        let takesOthers = subscription.succeeded.map { $0 > tried.firstAttempt ?? now } ?? false
        if settings.schedule.isExhausted(tried.attempts), takesOthers { return await setAside(entry, attempt) }
        counts.add(.failed)
        var change = SubscriptionChange(subscription)
        let since = subscription.failingSince ?? now
        change.subscription.failingSince = since
        let hasFailed = now - since > Int64(settings.schedule.patience / .milliseconds(1))
        if hasFailed { change.subscription.state = .failed }
        let kept: SubscribedEntry.State =
            switch entry.kind {
            case .event: .waiting
            case .replay: .replay
            case .gap: .gap
            }
        change.stored = [
            SubscribedEntry(seq: entry.seq, state: kept, attempts: tried.attempts, firstAttempt: tried.firstAttempt, nextAttempt: tried.due)
        ]
        change.attempt = attempt
        change.attempt?.nextAttempt = hasFailed ? nil : tried.due
        _ = await store(change)
        state.withLock { state in
            state.window.change(entry.seq, entry.kind) { entry in
                entry = tried
                entry.isRunning = false
            }
        }
        if hasFailed { ended(change.subscription) }
    }

    // MARK: By its owner

    /// Sends a request that is no event of the journal, once, and notes the outcome.
    func sendOnce(_ request: OutgoingRequest, id eventId: String, type: String) async -> DeliveryAttempt {
        let (started, begin) = (WallClock.milliseconds(), MonotonicClock.microseconds())
        var attempt = DeliveryAttempt(eventId: eventId, type: type, attempt: 1, started: started, milliseconds: 0, status: nil, outcome: "failed")
        do throws(OutgoingError) {
            let answer = try await http.send(request)
            attempt.status = answer.status
            if receiver.outcome(answer) == .delivered { attempt.outcome = "delivered" }
        } catch {
            attempt.error = error.description
        }
        attempt.milliseconds = (MonotonicClock.microseconds() - begin) / 1_000
        try? await subscriptions.log(attempt, of: id)
        return attempt
    }
}

extension DeliveryWorker.State {
    /// What is stored when an entry has left, or needs not.
    /// - Parameter moment: when it was taken; nil when it was not.
    fileprivate func end(of entry: DeliveryWindow.Entry, at moment: Int64?) -> SubscriptionChange {
        var change = SubscriptionChange(subscription)
        if let moment {
            change.subscription.succeeded = moment
            change.subscription.failingSince = nil
        }
        let ended = SubscribedEntry(seq: entry.seq, state: .done)
        guard entry.kind == .event else {
            // What is asked for once more may be after the position, and stays done then.
            if entry.seq > subscription.position { change.stored = [ended] } else { change.removed = [ended] }
            return change
        }
        change.subscription.position = max(subscription.position, window.position(without: entry.seq))
        if entry.seq > change.subscription.position { change.stored = [ended] }
        return change
    }
}

/// How many attempts have ended how, of a store.
final class DeliveryCounts: Sendable {
    enum Outcome: String, CaseIterable { case delivered, failed, abandoned }

    private let counts = Mutex<[Outcome: UInt64]>([:])

    func add(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] &+= 1 } }
    var all: [(Outcome, UInt64)] { counts.withLock { counts in Outcome.allCases.map { ($0, counts[$0] ?? 0) } } }
}

extension SubscribedEntry {
    /// When it is sent again, in milliseconds since 1970: at once, when the clock was set back before its first attempt.
    fileprivate func due(at now: Int64) -> Int64 { (firstAttempt ?? 0) > now ? now : nextAttempt }
}
