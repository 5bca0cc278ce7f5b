internal import ChatCore
internal import Concurrency
internal import Synchronization

/// Hands out the events of a consumer to its workers.
///
/// Each change is stored before it is answered. So after a crash, an acknowledged event is not handed out again, and an
/// id that a worker has got is known.
final class ConsumerQueue: Sendable {
    /// One handing out of an event.
    struct Handout: Sendable {
        let id: String
        let attempt: Int
        /// The time until which the event must be acknowledged, in milliseconds since 1970.
        let deadline: Int64
        /// The entry as JSON, in the form of all transports.
        let entry: [UInt8]
    }

    struct Counts: Sendable {
        /// Number of entries of the journal that are not acknowledged yet, or were not checked by the filter yet.
        var lag: UInt64
        var handedOut: Int
        var setAside: Int
    }

    /// The calls that wait for events.
    private struct Waiting {
        var isStopped = false
        var last: UInt64 = 0
        var signals: [UInt64: WakeSignal] = [:]
    }

    let consumer: Consumer
    let place: SubscriptionPlace
    private let settings: DeliverySettings
    private let waiting = Mutex(Waiting())
    /// Lock for everything that a worker or the owner does with the consumer.
    private let turns = AsyncLock()
    private let loaded = Mutex((entries: false, chats: false))

    init(
        _ consumer: Consumer,
        _ subscription: EventSubscription,
        _ subscriptions: EventSubscriptions,
        source: any EventSource,
        settings: DeliverySettings
    ) {
        self.consumer = consumer
        self.settings = settings
        place = SubscriptionPlace(
            subscription,
            consumer.filter,
            subscriptions,
            source: source,
            limit: settings.window,
            clock: settings.clock
        )
    }

    private var source: any EventSource { place.source }

    /// Loads the stored states of entries, so that the counts are known before a worker comes.
    func start() { Task { try? await turn { _ = await place.fill() } } }

    /// Ends the waiting calls, and stores the position.
    func stop() async {
        let signals = waiting.withLock { waiting in
            waiting.isStopped = true
            return waiting.signals.values.map(\.self)
        }
        for signal in signals { signal.signal() }
        await turns.run { if loaded.withLock({ $0.entries }) { await place.keepPosition() } }
    }

    /// Wakes the calls that wait for events.
    func wake() {
        for signal in waiting.withLock({ Array($0.signals.values) }) { signal.signal() }
    }

    /// Whether a call waits for events.
    var hasWaiting: Bool { waiting.withLock { !$0.signals.isEmpty } }

    private var isStopped: Bool { waiting.withLock { $0.isStopped } }

    var counts: Counts {
        let latest = source.latest
        return place.state.withLock { state in
            let (now, scanned) = (state.now(), state.window.scanned)
            return Counts(
                lag: UInt64(state.window.entries.count) + (latest > scanned ? latest - scanned : 0),
                handedOut: state.window.entries.count { $0.isRunning && $0.due > now }
                    + state.noted.values.count { $0.state == .out && $0.seq > scanned },
                setAside: state.aside.count
            )
        }
    }

    /// Returns the counts after the stored states were loaded.
    func loadedCounts() async throws -> Counts { try await turn { counts } }

    /// Runs the body as the only operation on the consumer.
    private func turn<T>(_ body: () async throws -> T) async throws -> T {
        try await turns.run {
            guard !isStopped else { throw Self.unavailable }
            if !loaded.withLock({ $0.entries }) {
                guard await place.load() else { throw Self.unavailable }
                loaded.withLock { $0.entries = true }
            }
            if !loaded.withLock({ $0.chats }) {
                try await loadChats()
                loaded.withLock { $0.chats = true }
            }
            return try await body()
        }
    }

    private static var unavailable: ProblemDetails {
        ProblemDetails(.unavailable, "The consumer cannot be read or stored now.")
    }

    /// Reads the chats of events that are handed out again by request of the owner.
    private func loadChats() async throws {
        let seqs = place.state.withLock { state in
            state.window.entries.filter { $0.kind == .replay }.map(\.seq)
        }
        for seq in seqs {
            let chats = try await event(seq)?.traits.value.chats ?? []
            place.state.withLock { $0.window.change(seq, .replay) { $0.chats = chats } }
        }
    }

    /// Returns an event of the journal; nil if it was deleted, or if the consumer may not see it now.
    private func event(_ seq: UInt64) async throws -> Event? {
        guard seq > 0, let found = try await source.entries(after: seq &- 1, limit: 1).first, found.seq == seq,
            place.filter.admits(found, unseen: source.inactiveHiddenUsers)
        else { return nil }
        return place.filter.limited(found)
    }

    /// Stores a change, and applies it to the entries in memory.
    private func commit(_ change: SubscriptionChange, _ apply: (inout SubscriptionPlace.State) -> Void) async throws {
        try await place.storing.run {
            guard await place.store(change) else { throw Self.unavailable }
            place.state.withLock { apply(&$0) }
        }
    }

    // MARK: Taking

    /// Hands out events. If there are none, waits for events for up to `seconds`.
    /// - Parameter isAdmitted: whether the key of the worker is still valid.
    func take(limit: Int, seconds: Int64, isAdmitted: @Sendable () -> Bool) async throws -> [Handout] {
        let signal = WakeSignal()
        let number = waiting.withLock { waiting in
            waiting.last += 1
            waiting.signals[waiting.last] = signal
            return waiting.last
        }
        defer { waiting.withLock { _ = $0.signals.removeValue(forKey: number) } }
        let end = MonotonicClock.microseconds() + seconds * 1_000_000
        while isAdmitted(), !isStopped {
            let (taken, next) = try await turn { try await takeNow(limit) }
            let left = end - MonotonicClock.microseconds()
            guard taken.isEmpty, left > 0, !Task.isCancelled else { return taken }
            let pause = min(Duration.microseconds(left), .milliseconds(max(1, next ?? .max)))
            // The timer ends the pause when an entry becomes due, or when the time of the request is over.
            let timer = Task { if (try? await Task.sleep(for: pause)) != nil { signal.signal() } }
            _ = await signal.wait()
            timer.cancel()
        }
        return []
    }

    /// Hands out the events that are due.
    /// - Returns: the events, and the milliseconds until the next event may be due.
    private func takeNow(_ limit: Int) async throws -> ([Handout], Int64?) {
        while true {
            guard await place.fill() else { throw Self.unavailable }
            try await setAsideExhausted()
            let (taken, next) = place.state.withLock { state -> ([DeliveryWindow.Entry], Int64?) in
                let now = state.now()
                let room = min(limit, settings.handedOut - state.window.running)
                let (taken, due) = state.window.take(at: now, room: room)
                let deadline = state.window.entries.lazy.filter(\.isRunning).map(\.due).min()
                return (taken, [due, deadline].compactMap(\.self).min().map { $0 - now })
            }
            guard !taken.isEmpty else { return ([], next) }
            let handed = try await handOut(taken)
            if !handed.isEmpty { return (handed, nil) }
        }
    }

    /// Makes entries whose deadline has passed available, and sets aside entries with too many attempts.
    private func setAsideExhausted() async throws {
        let exhausted = place.state.withLock { state in
            let now = state.now()
            for entry in state.window.entries where entry.isRunning && entry.due <= now {
                state.window.change(entry.seq, entry.kind) { $0.isRunning = false }
            }
            let room = settings.setAside - state.aside.count
            return Array(
                state.window.entries.lazy.filter {
                    !$0.isRunning && $0.due <= now && $0.attempts >= self.consumer.maxAttempts
                }.prefix(max(0, room))
            )
        }
        guard !exhausted.isEmpty else { return }
        let change = place.state.withLock { state in
            let now = state.now()
            var change = state.end(of: exhausted)
            change.setAside(exhausted, at: now)
            return change
        }
        try await commit(change) { $0.setAside(exhausted, change) }
    }

    /// Stores that entries are handed out.
    /// - Parameter taken: entries that are marked as running.
    private func handOut(_ taken: [DeliveryWindow.Entry]) async throws -> [Handout] {
        do {
            var handed: [(entry: DeliveryWindow.Entry, json: [UInt8])] = []
            var (skipped, kept): ([DeliveryWindow.Entry], [DeliveryWindow.Entry]) = ([], [])
            var bytes = 0
            for entry in taken {
                if let json = try await json(of: entry) {
                    bytes += json.count
                    if handed.isEmpty || bytes <= settings.takenBytes {
                        handed.append((entry, json))
                    } else {
                        kept.append(entry)
                    }
                } else if entry.seq < source.oldest {
                    // The journal has lost the entry meanwhile. The next step handles the loss.
                    kept.append(entry)
                } else {
                    skipped.append(entry)
                }
            }
            release(kept)
            let (out, change) = place.state.withLock { [handed, skipped] state in
                let now = state.now()
                let out = handed.map { entry, _ in
                    var entry = entry
                    entry.attempts += 1
                    entry.firstAttempt = max(now, (entry.firstAttempt ?? 0) &+ 1)
                    entry.due = now + consumer.deadlineSeconds * 1_000
                    return entry
                }
                var change = state.end(of: skipped)
                change.stored += out.map(SubscribedEntry.init)
                return (out, change)
            }
            try await commit(change) { [skipped] state in
                state.forget(skipped)
                for entry in out { state.window.change(entry.seq, entry.kind) { $0 = entry } }
            }
            return zip(out, handed).map { entry, handed in
                Handout(
                    id: HandoutID(entry, at: entry.firstAttempt ?? 0).text(of: consumer, epoch: source.epoch),
                    attempt: entry.attempts,
                    deadline: entry.due,
                    entry: handed.json
                )
            }
        } catch {
            release(taken)
            throw error
        }
    }

    private func json(of entry: DeliveryWindow.Entry) async throws -> [UInt8]? {
        guard entry.kind != .gap else { return EventForm.gap(oldest: entry.seq &+ 1, epoch: source.epoch) }
        return try await event(entry.seq).map { EventForm.entry($0, epoch: source.epoch) }
    }

    /// Makes entries available again that were taken, but are not handed out.
    private func release(_ entries: [DeliveryWindow.Entry]) {
        place.state.withLock { state in
            for entry in entries { state.window.change(entry.seq, entry.kind) { $0.isRunning = false } }
        }
    }

    // MARK: Acknowledging and refusing

    /// Acknowledges events.
    ///
    /// An id counts until its event is handed out again, also after its deadline. An event that was acknowledged
    /// already is accepted again.
    /// - Parameter keeping: makes the answer to a request with an idempotency key from the number of events, and the
    ///   number of events that were acknowledged already.
    /// - Throws: `notHandedOut` if an id does not count. Then no event is acknowledged.
    func acknowledge(
        _ ids: [String],
        keeping: @Sendable (Int, Int) throws -> AnsweredRequest?
    ) async throws -> (new: Int, already: Int) {
        defer { wake() }
        return try await turn {
            let (found, already) = try find(ids) { $0.isDone($1) }
            // A repetition of a request without an effect has no effect either, so its answer is not kept.
            guard !found.isEmpty else { return (0, already) }
            let (change, passed) = try place.state.withLock { state in
                var change = state.end(of: found.entries)
                change.end(found.aside)
                let passed = state.pass(found.entries, keeping: settings.done, &change)
                change.subscription.succeeded = state.now()
                change.answered = try keeping(found.count, already)
                return (change, passed)
            }
            try await commit(change) { state in
                for seq in passed { state.window.replay(seq) }
                state.forget(found.entries)
                for entry in found.entries { state.noted[entry.seq] = nil }
                for entry in found.aside { state.aside[entry.seq] = nil }
            }
            return (found.count, already)
        }
    }

    /// Refuses events, which are handed out again after a pause, or are set aside.
    /// - Parameter keeping: makes the answer to a request with an idempotency key from the number of events, and the
    ///   number of events that are set aside.
    /// - Throws: `notHandedOut` if an id does not count. Then no event is refused.
    func refuse(
        _ ids: [String],
        delay: Int64,
        keeping: @Sendable (Int, Int) throws -> AnsweredRequest?
    ) async throws -> (refused: Int, setAside: Int) {
        defer { wake() }
        return try await turn {
            let (found, _) = try find(ids) { _, _ in false }
            let (refused, exhausted, change) = try place.state.withLock { state in
                let now = state.now()
                let room = max(0, settings.setAside - state.aside.count)
                // An event that was refused already keeps its pause.
                let out = found.entries.filter(\.isRunning)
                let exhausted = Array(out.lazy.filter { $0.attempts >= self.consumer.maxAttempts }.prefix(room))
                let refused = out.filter { !exhausted.contains($0) }.map { entry in
                    var entry = entry
                    entry.isRunning = false
                    entry.due = now + delay * 1_000
                    return entry
                }
                var change = state.end(of: exhausted)
                change.setAside(exhausted, at: now)
                change.stored += refused.map(SubscribedEntry.init)
                change.answered = try keeping(found.count, exhausted.count)
                return (refused, exhausted, change)
            }
            try await commit(change) { state in
                state.setAside(exhausted, change)
                for entry in refused {
                    state.window.change(entry.seq, entry.kind) { $0 = entry }
                    if state.noted[entry.seq] != nil { state.noted[entry.seq] = SubscribedEntry(entry) }
                }
            }
            return (found.count, exhausted.count)
        }
    }

    /// Makes events available again that no worker has got, since the connection ended before the answer was sent. The
    /// attempt does not count.
    func giveBack(_ handouts: [Handout]) async {
        defer { wake() }
        try? await turn {
            let epoch = source.epoch
            let entries = place.state.withLock { state in
                handouts.compactMap { handout -> DeliveryWindow.Entry? in
                    guard let id = HandoutID(handout.id, of: consumer, epoch: epoch), var entry = state.entry(id),
                        entry.isRunning, entry.firstAttempt == id.time
                    else { return nil }
                    (entry.isRunning, entry.due, entry.attempts) = (false, 0, entry.attempts - 1)
                    return entry
                }
            }
            guard !entries.isEmpty else { return }
            var change = SubscriptionChange(place.subscription)
            change.stored = entries.map(SubscribedEntry.init)
            try await commit(change) { state in
                for entry in entries {
                    state.window.change(entry.seq, entry.kind) { $0 = entry }
                    if state.noted[entry.seq] != nil { state.noted[entry.seq] = SubscribedEntry(entry) }
                }
            }
        }
    }

    /// Entries to which ids belong.
    private struct Found {
        var entries: [DeliveryWindow.Entry] = []
        var aside: [SubscribedEntry] = []

        var count: Int { entries.count + aside.count }
        var isEmpty: Bool { count == 0 }
    }

    /// Returns the entries whose newest handing out has one of the ids.
    /// - Parameter passes: whether an id is accepted whose entry is not kept.
    /// - Returns: the entries, and the number of other accepted ids.
    private func find(
        _ ids: [String],
        passes: (SubscriptionPlace.State, HandoutID) -> Bool
    ) throws -> (Found, already: Int) {
        var (found, already, wrong) = (Found(), 0, [String]())
        var known: Set<String> = []
        let epoch = source.epoch
        place.state.withLock { state in
            for text in ids where known.insert(text).inserted {
                guard let id = HandoutID(text, of: consumer, epoch: epoch) else {
                    wrong.append(text)
                    continue
                }
                if let entry = state.entry(id) {
                    if entry.firstAttempt == id.time { found.entries.append(entry) } else { wrong.append(text) }
                } else if !id.isGap, let entry = state.aside[id.seq] {
                    if entry.firstAttempt == id.time { found.aside.append(entry) } else { wrong.append(text) }
                } else if passes(state, id) {
                    already += 1
                } else {
                    wrong.append(text)
                }
            }
        }
        guard wrong.isEmpty else {
            var problem = ProblemDetails(
                .notHandedOut,
                "The consumer has not handed out an event with this id, or has handed the event out again since then."
            )
            problem.members = [("ids", .array(wrong.prefix(100).map { .string(String($0.prefix(200))) }))]
            throw problem
        }
        return (found, already)
    }

    // MARK: Events that are set aside

    /// An event that is set aside.
    struct SetAside: Sendable {
        let seq: UInt64
        let attempts: Int
        /// The time since which it is set aside, in milliseconds since 1970.
        let since: Int64
        /// The entry as JSON; nil if the journal no longer has the event, or if the consumer may not see it now.
        let entry: [UInt8]?
    }

    /// Returns a page of the events that are set aside, in the order of the journal.
    func setAside(_ page: PageRequest) async throws -> (events: [SetAside], ends: PageEnds) {
        let all = try await turn { place.state.withLock { Array($0.aside.values) } }
        let (found, ends) = page.page(of: all) { ListPlace(number: Int64(clamping: $0.seq)) }
        var events: [SetAside] = []
        for entry in found {
            let json = try await event(entry.seq).map { EventForm.entry($0, epoch: source.epoch) }
            events.append(
                SetAside(seq: entry.seq, attempts: entry.attempts, since: entry.nextAttempt, entry: json)
            )
        }
        return (events, ends)
    }

    /// Hands out events again that are set aside. Their attempts are counted from the beginning.
    /// - Parameters:
    ///   - seqs: numbers of events; nil for all events that the journal still has.
    ///   - expired: makes the problem for an event that the journal no longer has.
    /// - Returns: the number of events.
    func retry(
        _ seqs: Set<UInt64>?,
        expired: @Sendable () -> ProblemDetails,
        keeping: @Sendable (Int) throws -> AnsweredRequest?
    ) async throws -> Int {
        defer { wake() }
        return try await turn {
            let oldest = source.oldest
            var chosen = try chooseAside(seqs)
            if seqs != nil, chosen.contains(where: { $0.seq < oldest }) { throw expired() }
            chosen.removeAll { $0.seq < oldest }
            var chats: [UInt64: Set<EventChat>] = [:]
            for entry in chosen { chats[entry.seq] = try await event(entry.seq)?.traits.value.chats ?? [] }
            let position = place.subscription.position
            let again = chosen.map { entry in
                SubscribedEntry(
                    seq: entry.seq,
                    // An entry after the position is handed out at its place. Earlier entries are replayed.
                    state: entry.seq > position ? .waiting : .replay,
                    firstAttempt: entry.firstAttempt
                )
            }
            var change = SubscriptionChange(place.subscription)
            change.stored = again
            change.answered = try keeping(again.count)
            try await commit(change) { [chats] state in
                for entry in again {
                    state.aside[entry.seq] = nil
                    state.window.done.remove(entry.seq)
                    guard entry.seq <= state.window.scanned else {
                        state.noted[entry.seq] = entry
                        continue
                    }
                    state.window.insert(
                        DeliveryWindow.Entry(
                            seq: entry.seq,
                            kind: entry.state == .replay ? .replay : .event,
                            chats: chats[entry.seq] ?? [],
                            firstAttempt: entry.firstAttempt
                        )
                    )
                }
            }
            return again.count
        }
    }

    /// Deletes events that are set aside. They are not handed out again.
    /// - Parameter seqs: numbers of events; nil for all events.
    func deleteAside(_ seqs: Set<UInt64>?) async throws {
        try await turn {
            let chosen = try chooseAside(seqs)
            guard !chosen.isEmpty else { return }
            var change = SubscriptionChange(place.subscription)
            change.end(chosen)
            try await commit(change) { state in
                for entry in chosen { state.aside[entry.seq] = nil }
            }
        }
    }

    private func chooseAside(_ seqs: Set<UInt64>?) throws(ProblemDetails) -> [SubscribedEntry] {
        let aside = place.state.withLock { $0.aside }
        guard let seqs else { return Array(aside.values) }
        let chosen = seqs.compactMap { aside[$0] }
        guard chosen.count == seqs.count else {
            throw ProblemDetails(.notFound, "An event with one of these ids is not set aside.")
        }
        return chosen
    }
}

extension SubscriptionPlace.State {
    /// Returns the entry of an id, if it is not done and not set aside.
    fileprivate func entry(_ id: HandoutID) -> DeliveryWindow.Entry? {
        if let entry = window.entries.first(where: id.names) { return entry }
        // After a restart, an entry may be handed out that was not read again yet.
        guard !id.isGap, let entry = noted[id.seq] else { return nil }
        return DeliveryWindow.Entry(
            seq: entry.seq,
            kind: .event,
            chats: [],
            attempts: entry.attempts,
            firstAttempt: entry.firstAttempt,
            due: entry.nextAttempt,
            isRunning: entry.state == .out
        )
    }

    /// Whether an entry that was handed out is acknowledged, or was deleted from the entries that are set aside.
    fileprivate func isDone(_ id: HandoutID) -> Bool {
        id.seq <= subscription.position || window.done.contains(id.seq)
    }

    /// Lets the position pass waiting events, if too many events after them are done. The passed events are stored as
    /// replayed events, and keep their order.
    /// - Parameters:
    ///   - ended: the entries that ``end(of:)`` has ended.
    ///   - limit: the maximal number of events that are stored as done.
    /// - Returns: the numbers of the passed events.
    fileprivate func pass(
        _ ended: [DeliveryWindow.Entry],
        keeping limit: Int,
        _ change: inout SubscriptionChange
    ) -> [UInt64] {
        let position = change.subscription.position
        let done = window.done.union(ended.map(\.seq)).filter { $0 > position }.sorted()
        guard done.count > limit else { return [] }
        let seqs = Set(ended.lazy.filter { $0.kind == .event }.map(\.seq))
        // Half of the numbers are removed at once, so that this happens rarely.
        let middle = done[done.count - limit / 2 - 1]
        let passed = window.entries.filter { $0.kind == .event && $0.seq < middle && !seqs.contains($0.seq) }
        change.stored += passed.map { entry in
            var entry = entry
            entry.kind = .replay
            return SubscribedEntry(entry)
        }
        change.subscription.position = max(position, window.position(without: seqs.union(passed.map(\.seq))))
        return passed.map(\.seq)
    }

    /// Applies the stored change by which entries are set aside.
    fileprivate mutating func setAside(_ entries: [DeliveryWindow.Entry], _ change: SubscriptionChange) {
        forget(entries)
        let seqs = Set(entries.map(\.seq))
        for row in change.stored where row.state == .aside && seqs.contains(row.seq) { aside[row.seq] = row }
        for seq in seqs { noted[seq] = nil }
    }
}

extension SubscriptionChange {
    /// Sets entries aside that ``SubscriptionPlace/State/end(of:)`` has ended.
    fileprivate mutating func setAside(_ entries: [DeliveryWindow.Entry], at now: Int64) {
        let seqs = Set(entries.map(\.seq))
        stored.removeAll { seqs.contains($0.seq) }
        removed.removeAll { seqs.contains($0.seq) }
        stored += entries.map { entry in
            SubscribedEntry(
                seq: entry.seq,
                state: .aside,
                attempts: entry.attempts,
                firstAttempt: entry.firstAttempt,
                nextAttempt: now
            )
        }
    }

    /// Ends entries that were set aside.
    fileprivate mutating func end(_ aside: [SubscribedEntry]) {
        for entry in aside {
            if entry.seq > subscription.position {
                stored.append(SubscribedEntry(seq: entry.seq, state: .done))
            } else {
                removed.append(entry)
            }
        }
    }
}

extension SubscribedEntry {
    /// The row of an entry of a consumer.
    fileprivate init(_ entry: DeliveryWindow.Entry) {
        let state: State =
            switch entry.kind {
            case .gap: .gap
            case .event: entry.isRunning ? .out : .waiting
            case .replay: entry.isRunning ? .out : .replay
            }
        self.init(
            seq: entry.seq,
            state: state,
            attempts: entry.attempts,
            firstAttempt: entry.firstAttempt,
            nextAttempt: entry.due
        )
    }
}
