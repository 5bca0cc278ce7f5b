internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import Synchronization

/// Hands out the events of a consumer to its workers.
///
/// Each change is stored before the request for the change is answered. So after a crash, an acknowledged event is not
/// handed out again, and a worker can still acknowledge an event that it has got.
final class ConsumerQueue: Sendable {
    struct Counts: Sendable {
        /// Number of entries of the journal that are not acknowledged yet, or were not checked by the filter yet.
        var unacknowledgedCount: UInt64
        var handedOutCount: Int
        var setAsideCount: Int
    }

    /// The requests of workers that wait for events.
    struct WaitingCalls {
        var isStopped = false
        /// Whether this queue still accepts events that are given back because no worker got them. False as soon as
        /// another queue may serve the consumer.
        var canTakeBack = true
        var lastNumber: UInt64 = 0
        var signals: [UInt64: WakeSignal] = [:]
    }

    let consumer: Consumer
    let place: SubscriptionProgress
    let settings: DeliverySettings
    let waitingCalls = Mutex(WaitingCalls())
    /// Lock for all operations on the consumer, so that only one operation runs at a time.
    private let operationLock = AsyncLock()
    private let hasLoaded = Mutex((entries: false, chats: false))

    init(
        _ consumer: Consumer,
        _ subscription: EventSubscription,
        _ subscriptions: EventSubscriptions,
        source: any EventSource,
        settings: DeliverySettings
    ) {
        self.consumer = consumer
        self.settings = settings
        place = SubscriptionProgress(
            subscription,
            consumer.filter,
            subscriptions,
            source: source,
            limit: settings.maxWaitingEntries,
            clock: settings.clock
        )
    }

    var source: any EventSource { place.source }

    /// Loads the stored states of entries, so that the numbers of waiting entries are known before the first worker
    /// takes events.
    func start() { Task { try? await runAlone { _ = await place.readAhead() } } }

    /// Ends the calls of workers that wait for events, and stores the position of the consumer in the journal.
    /// - Parameter isLast: true if no other queue can serve the consumer before the databases are closed. In this case,
    ///   events in unsent answers can still be given back.
    func stop(isLast: Bool = false) async {
        let signals = waitingCalls.withLock { waiting in
            (waiting.isStopped, waiting.canTakeBack) = (true, isLast)
            return waiting.signals.values.map(\.self)
        }
        for signal in signals { signal.wake() }
        await operationLock.runLocked { if hasLoaded.withLock({ $0.entries }) { await place.storePosition() } }
    }

    /// Wakes the calls that wait for events.
    func wake() {
        for signal in waitingCalls.withLock({ Array($0.signals.values) }) { signal.wake() }
    }

    /// Whether a request of a worker waits for events.
    var hasWaitingCall: Bool { waitingCalls.withLock { !$0.signals.isEmpty } }

    var isStopped: Bool { waitingCalls.withLock { $0.isStopped } }

    var counts: Counts {
        let latest = source.latestSeq
        return place.state.withLock { state in
            let (now, scanned) = (state.readClock(), state.window.lastReadSeq)
            return Counts(
                unacknowledgedCount: UInt64(state.window.entries.count) + (latest > scanned ? latest - scanned : 0),
                handedOutCount: state.window.entries.count { $0.isRunning && $0.dueMilliseconds > now }
                    + state.storedEntries.values.count { $0.state == .handedOut && $0.seq > scanned },
                setAsideCount: state.setAsideEntries.count
            )
        }
    }

    /// Loads the stored states of entries if necessary, and returns the counts.
    func loadCounts() async throws -> Counts { try await runAlone { counts } }

    /// Runs `body` while no other operation on the consumer runs.
    /// - Parameter returns: true if `body` only gives handed-out events back. `body` can then run even after
    ///   ``stop(isLast:)``.
    func runAlone<T>(returns: Bool = false, _ body: () async throws -> T) async throws -> T {
        try await operationLock.runLocked {
            let isOpen = waitingCalls.withLock { returns ? $0.canTakeBack : !$0.isStopped }
            guard isOpen else { throw Self.consumerUnavailableProblem }
            if !hasLoaded.withLock({ $0.entries }) {
                guard await place.loadEntryStates() else { throw Self.consumerUnavailableProblem }
                hasLoaded.withLock { $0.entries = true }
            }
            if !hasLoaded.withLock({ $0.chats }) {
                try await place.loadReplayedChats()
                hasLoaded.withLock { $0.chats = true }
            }
            return try await body()
        }
    }

    static var consumerUnavailableProblem: ProblemDetails {
        ProblemDetails(.unavailable, "The consumer cannot be read or stored now.")
    }

    /// Stores a change, and applies it to the entries in memory.
    func commitChange(_ change: SubscriptionChange, _ apply: (inout SubscriptionProgress.State) -> Void) async throws {
        try await place.outcomeLock.runLocked {
            guard await place.storeChange(change) else { throw Self.consumerUnavailableProblem }
            place.state.withLock { apply(&$0) }
        }
    }

    // MARK: Acknowledging and refusing

    /// Acknowledges events.
    ///
    /// An id is valid until its event is handed out again, even after the deadline of the event. A repeated
    /// acknowledgement of an event is accepted.
    /// - Parameter keeping: makes the answer to a request with an idempotency key. Its arguments are the number of
    ///   newly acknowledged events, and the number of events that were acknowledged before.
    /// - Throws: `notHandedOut` if an id is not valid. Then no event is acknowledged.
    func acknowledgeEvents(
        _ ids: [String],
        keeping: @Sendable (Int, Int) throws -> AnsweredRequest?
    ) async throws -> (new: Int, already: Int) {
        defer { wake() }
        return try await runAlone {
            let (found, already) = try findHandouts(ids) { $0.isDone($1) }
            // This request has no effect. A repetition of the request has no effect either, so the answer is not kept.
            guard !found.isEmpty else { return (0, already) }
            let (change, passed) = try place.state.withLock { state in
                var change = state.makeDoneChange(of: found.entries)
                change.markSetAsideAsDone(found.setAsideEntries)
                let passed = state.advancePastWaitingEvents(found.entries, keeping: settings.maxDoneEntries, &change) {
                    SubscribedEntry($0)
                }
                change.subscription.lastSuccessMilliseconds = state.readClock()
                change.answeredRequest = try keeping(found.count, already)
                return (change, passed)
            }
            try await commitChange(change) { state in
                for seq in passed { state.window.turnIntoReplay(seq) }
                state.removeDoneEntries(found.entries)
                for entry in found.entries { state.storedEntries[entry.seq] = nil }
                for entry in found.setAsideEntries { state.setAsideEntries[entry.seq] = nil }
            }
            return (found.count, already)
        }
    }

    /// Refuses events on behalf of a worker. Each event is handed out again after a pause, or is set aside after too
    /// many attempts.
    /// - Parameter keeping: makes the answer to a request with an idempotency key. Its arguments are the number of all
    ///   refused events, and the number of events that are set aside.
    /// - Throws: `notHandedOut` if an id is not valid. Then no event is refused.
    func refuseEvents(
        _ ids: [String],
        delay: Int64,
        keeping: @Sendable (Int, Int) throws -> AnsweredRequest?
    ) async throws -> (refused: Int, setAside: Int) {
        defer { wake() }
        return try await runAlone {
            let (found, _) = try findHandouts(ids) { _, _ in false }
            let (refused, exhausted, change) = try place.state.withLock { state in
                let now = state.readClock()
                let room = max(0, settings.maxSetAsideEntries - state.setAsideEntries.count)
                // Only events that a worker has now are refused. An event that was refused before keeps its pause.
                let out = found.entries.filter(\.isRunning)
                let exhausted = Array(out.lazy.filter { $0.attempts >= self.consumer.maxAttempts }.prefix(room))
                let refused = out.filter { !exhausted.contains($0) }.map { entry in
                    var entry = entry
                    entry.isRunning = false
                    entry.dueMilliseconds = now + delay * 1_000
                    return entry
                }
                var change = state.makeDoneChange(of: exhausted)
                change.setAside(exhausted, at: now)
                change.entriesToStore += refused.map(SubscribedEntry.init)
                change.answeredRequest = try keeping(found.count, exhausted.count)
                return (refused, exhausted, change)
            }
            try await commitChange(change) { state in
                state.applySetAside(exhausted, change)
                for entry in refused {
                    state.window.changeEntry(entry.seq, entry.kind) { $0 = entry }
                    if state.storedEntries[entry.seq] != nil { state.storedEntries[entry.seq] = SubscribedEntry(entry) }
                }
            }
            return (found.count, exhausted.count)
        }
    }

    /// The entries with the ids in a request, divided into entries in the window and entries that are set aside.
    private struct FoundEntries {
        var entries: [DeliveryWindow.Entry] = []
        var setAsideEntries: [SubscribedEntry] = []

        var count: Int { entries.count + setAsideEntries.count }
        var isEmpty: Bool { count == 0 }
    }

    /// Returns the entries whose newest handouts have the given ids.
    /// - Parameter passes: returns whether an id is accepted although no entry in memory belongs to it.
    /// - Returns: the entries, and the number of ids that were accepted without an entry.
    private func findHandouts(
        _ ids: [String],
        passes: (SubscriptionProgress.State, HandoutID) -> Bool
    ) throws -> (FoundEntries, already: Int) {
        var (found, already, wrong) = (FoundEntries(), 0, [String]())
        var known: Set<String> = []
        let epoch = source.epoch
        place.state.withLock { state in
            for text in ids where known.insert(text).inserted {
                guard let id = HandoutID(text, of: consumer, epoch: epoch) else {
                    wrong.append(text)
                    continue
                }
                if let entry = state.findEntry(id) {
                    if entry.firstAttemptMilliseconds == id.handoutMilliseconds {
                        found.entries.append(entry)
                    } else {
                        wrong.append(text)
                    }
                } else if !id.isGap, let entry = state.setAsideEntries[id.seq] {
                    if entry.firstAttemptMilliseconds == id.handoutMilliseconds {
                        found.setAsideEntries.append(entry)
                    } else {
                        wrong.append(text)
                    }
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
            problem.extraMembers = [("ids", .array(wrong.prefix(100).map { .string(String($0.prefix(200))) }))]
            throw problem
        }
        return (found, already)
    }
}
