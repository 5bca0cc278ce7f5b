internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import Synchronization

/// Hands out the events of a consumer to its workers.
///
/// Each change is stored before it is answered. So after a crash, an acknowledged event is not handed out again, and an
/// id that a worker has got is known.
final class ConsumerQueue: Sendable {
    struct Counts: Sendable {
        /// Number of entries of the journal that are not acknowledged yet, or were not checked by the filter yet.
        var lag: UInt64
        var handedOut: Int
        var setAside: Int
    }

    /// The calls that wait for events.
    struct Waiting {
        var isStopped = false
        /// Whether this queue still accepts events that are given back. False as soon as another queue may serve the
        /// consumer.
        var takesBack = true
        var last: UInt64 = 0
        var signals: [UInt64: WakeSignal] = [:]
    }

    let consumer: Consumer
    let place: SubscriptionPlace
    let settings: DeliverySettings
    let waiting = Mutex(Waiting())
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

    var source: any EventSource { place.source }

    /// Loads the stored states of entries, so that the numbers of waiting entries are known before the first worker
    /// takes events.
    func start() { Task { try? await runAlone { _ = await place.fill() } } }

    /// Ends the waiting calls, and stores the position.
    /// - Parameter isLast: whether no other queue follows until the databases are closed. Then events whose answers are
    ///   not sent can still be given back.
    func stop(isLast: Bool = false) async {
        let signals = waiting.withLock { waiting in
            (waiting.isStopped, waiting.takesBack) = (true, isLast)
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

    var isStopped: Bool { waiting.withLock { $0.isStopped } }

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
    func loadedCounts() async throws -> Counts { try await runAlone { counts } }

    /// Runs the body as the only operation on the consumer.
    /// - Parameter returns: whether the body gives handed-out events back, which is also permitted after the last stop.
    func runAlone<T>(returns: Bool = false, _ body: () async throws -> T) async throws -> T {
        try await turns.run {
            let isOpen = waiting.withLock { returns ? $0.takesBack : !$0.isStopped }
            guard isOpen else { throw Self.unavailable }
            if !loaded.withLock({ $0.entries }) {
                guard await place.load() else { throw Self.unavailable }
                loaded.withLock { $0.entries = true }
            }
            if !loaded.withLock({ $0.chats }) {
                try await place.loadChats()
                loaded.withLock { $0.chats = true }
            }
            return try await body()
        }
    }

    static var unavailable: ProblemDetails {
        ProblemDetails(.unavailable, "The consumer cannot be read or stored now.")
    }

    /// Stores a change, and applies it to the entries in memory.
    func commit(_ change: SubscriptionChange, _ apply: (inout SubscriptionPlace.State) -> Void) async throws {
        try await place.storing.run {
            guard await place.store(change) else { throw Self.unavailable }
            place.state.withLock { apply(&$0) }
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
        return try await runAlone {
            let (found, already) = try find(ids) { $0.isDone($1) }
            // A repetition of a request without an effect has no effect either, so its answer is not kept.
            guard !found.isEmpty else { return (0, already) }
            let (change, passed) = try place.state.withLock { state in
                var change = state.end(of: found.entries)
                change.end(found.aside)
                let passed = state.passWaiting(found.entries, keeping: settings.done, &change) { SubscribedEntry($0) }
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
        return try await runAlone {
            let (found, _) = try find(ids) { _, _ in false }
            let (refused, exhausted, change) = try place.state.withLock { state in
                let now = state.now()
                let room = max(0, settings.setAside - state.aside.count)
                // Only events that a worker has now are refused. An event that was refused before keeps its pause.
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

    /// The entries that a request names by ids.
    private struct Found {
        var entries: [DeliveryWindow.Entry] = []
        var aside: [SubscribedEntry] = []

        var count: Int { entries.count + aside.count }
        var isEmpty: Bool { count == 0 }
    }

    /// Returns the entries whose newest handing out has one of the ids.
    /// - Parameter passes: returns whether an id is accepted although its entry is no longer in memory.
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
}
