internal import Clocks
internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import Synchronization

/// The clocks that time the deliveries.
struct DeliveryClock: Sendable {
    /// Returns the milliseconds since 1970.
    var wallMilliseconds: @Sendable () -> Int64 = { WallClock.milliseconds() }
    /// Returns the milliseconds since a fixed moment. The value never decreases.
    var monotonicMilliseconds: @Sendable () -> Int64 = { MonotonicClock.microseconds() / 1_000 }
}

/// The progress of a subscription in the journal: its position, and the entries that were read but not accepted by the
/// receiver yet.
///
/// This object reads ahead in the journal up to the limit of waiting entries. It keeps the numbers of the entries in
/// memory, not their contents.
final class SubscriptionProgress: Sendable {
    struct State {
        var subscription: EventSubscription
        var window: DeliveryWindow
        /// Stored states of entries that were not read from the journal yet.
        var storedEntries: [UInt64: SubscribedEntry] = [:]
        /// Entries that are set aside until the owner of a consumer decides about them.
        var setAsideEntries: [UInt64: SubscribedEntry] = [:]
        /// Number of failed attempts in a row.
        var consecutiveFailures = 0
        /// The time before which nothing is sent, even if an entry is due, in milliseconds since 1970.
        var earliestSendMilliseconds: Int64 = 0
        /// Milliseconds by which the wall clock is ahead of the monotonic clock.
        var clockLeadMilliseconds: Int64?
        let clock: DeliveryClock

        /// Returns the time in milliseconds since 1970. If the clock was set, this function also moves the due times,
        /// so that each pause keeps its length.
        mutating func readClock() -> Int64 {
            let now = clock.wallMilliseconds(), lead = now &- clock.monotonicMilliseconds()
            if let change = self.clockLeadMilliseconds.map({ lead &- $0 }), change.magnitude >= 1_000 {
                window.shiftDueTimes(by: change)
                if earliestSendMilliseconds > 0 { earliestSendMilliseconds &+= change }
            }
            self.clockLeadMilliseconds = lead
            return now
        }
    }

    let id: String
    let filter: EventFilter
    let subscriptions: EventSubscriptions
    let source: any EventSource
    let state: Mutex<State>
    /// Lock for storing the outcomes of attempts, so that the stored position passes an entry only after the outcome of
    /// the entry was stored.
    let outcomeLock = AsyncLock()
    /// Maximal number of entries that wait for the receiver. Each page of the journal is taken as a whole, so slightly
    /// more entries may wait.
    private let maxWaitingEntries: Int

    init(
        _ subscription: EventSubscription,
        _ filter: EventFilter,
        _ subscriptions: EventSubscriptions,
        source: any EventSource,
        limit: Int,
        clock: DeliveryClock
    ) {
        id = subscription.id
        self.filter = filter
        self.subscriptions = subscriptions
        self.source = source
        self.maxWaitingEntries = limit
        state = Mutex(
            State(subscription: subscription, window: DeliveryWindow(after: subscription.position), clock: clock)
        )
    }

    var subscription: EventSubscription { state.withLock { $0.subscription } }

    /// Stores the position, so that entries that the filter refuses are not read again after a restart.
    func storePosition() async {
        let last = state.withLock { state -> EventSubscription? in
            guard state.window.position > state.subscription.position else { return nil }
            state.subscription.position = state.window.position
            return state.subscription
        }
        if let last { try? await subscriptions.apply(SubscriptionChange(last)) }
    }

    /// Loads the stored states of entries.
    /// - Returns: false when the database does not answer, because the store is closed.
    func loadEntryStates() async -> Bool {
        guard let entries = try? await subscriptions.readEntries(of: id) else { return false }
        state.withLock { state in
            let (now, position) = (state.readClock(), state.subscription.position)
            for entry in entries {
                switch entry.state {
                case .done: state.window.doneSeqs.insert(entry.seq)
                case .waiting: state.storedEntries[entry.seq] = entry
                case .handedOut where entry.seq > position: state.storedEntries[entry.seq] = entry
                case .handedOut:
                    state.window.insertEntry(
                        DeliveryWindow.Entry(
                            seq: entry.seq,
                            kind: .replay,
                            chats: [],
                            attempts: entry.attemptCount,
                            firstAttemptMilliseconds: entry.firstAttemptMilliseconds,
                            dueMilliseconds: entry.dueMilliseconds(at: now),
                            isRunning: true
                        )
                    )
                case .setAside:
                    state.setAsideEntries[entry.seq] = entry
                    if entry.seq > position { state.window.doneSeqs.insert(entry.seq) }
                case .replay, .gap:
                    state.window.insertEntry(
                        DeliveryWindow.Entry(
                            seq: entry.seq,
                            kind: entry.state == .gap ? .gap : .replay,
                            chats: [],
                            attempts: entry.attemptCount,
                            firstAttemptMilliseconds: entry.firstAttemptMilliseconds,
                            dueMilliseconds: entry.dueMilliseconds(at: now)
                        )
                    )
                }
            }
        }
        return true
    }

    /// Returns an event of the journal; nil if it was deleted, or if the receiver may not see it now.
    func readEvent(_ seq: UInt64) async throws -> Event? {
        guard seq > 0, let found = try await source.readEntries(after: seq &- 1, limit: 1).first, found.seq == seq,
            filter.admits(found, unseen: source.inactiveHiddenUsers)
        else { return nil }
        return filter.visibleForm(of: found)
    }

    /// Reads the chats of replayed events from the journal, since the stored rows do not contain the chats. The chats
    /// are needed to send the events of one chat in order.
    func loadReplayedChats() async throws {
        let seqs = state.withLock { state in state.window.entries.filter { $0.kind == .replay }.map(\.seq) }
        for seq in seqs {
            let chats = try await readEvent(seq)?.traits.value.chats ?? []
            state.withLock { $0.window.changeEntry(seq, .replay) { $0.chats = chats } }
        }
    }

    /// Reads further entries from the journal, up to the limit of waiting entries.
    /// - Returns: false when the journal cannot be read.
    func readAhead() async -> Bool {
        while true {
            let oldest = source.oldestSeq
            let (scanned, isCut, isFull) = state.withLock { state in
                (
                    state.window.lastReadSeq,
                    state.window.hasLostEntry(before: oldest) || state.window.lastReadSeq &+ 1 < oldest,
                    state.window.entries.count >= maxWaitingEntries
                )
            }
            if isCut {
                guard await insertGap(before: oldest) else { return false }
                continue
            }
            let known = source.latestSeq
            guard !isFull, scanned < known else { return true }
            guard let page = try? await source.readEntries(after: scanned, limit: EventHub.minEntriesPerRead) else {
                return false
            }
            // The journal has deleted entries since `oldest` was read. The next iteration handles the deletion.
            if source.oldestSeq > scanned &+ 1, page.first.map({ $0.seq > scanned &+ 1 }) ?? true { continue }
            let unseen = source.inactiveHiddenUsers
            state.withLock { state in
                let now = state.readClock()
                for event in page
                where !state.window.doneSeqs.contains(event.seq) && filter.admits(event, unseen: unseen) {
                    let noted = state.storedEntries.removeValue(forKey: event.seq)
                    state.window.appendEntry(
                        DeliveryWindow.Entry(
                            seq: event.seq,
                            kind: .event,
                            chats: event.traits.value.chats,
                            attempts: noted?.attemptCount ?? 0,
                            firstAttemptMilliseconds: noted?.firstAttemptMilliseconds,
                            dueMilliseconds: noted?.dueMilliseconds(at: now) ?? 0,
                            isRunning: noted?.state == .handedOut
                        )
                    )
                }
                state.window.lastReadSeq = page.last?.seq ?? max(scanned, known)
                let position = state.window.position
                if state.window.entries.isEmpty {
                    state.window.doneSeqs = state.window.doneSeqs.filter { $0 > position }
                }
            }
            guard await storePassedPosition() else { return false }
        }
    }

    /// Number of entries, refused by the filter, that the position may pass before the position is stored again.
    private static let maxUnstoredPassedEntries: UInt64 = 500

    private func storePassedPosition() async -> Bool {
        await outcomeLock.runLocked {
            let change = state.withLock { state -> EventSubscription? in
                guard state.window.position >= state.subscription.position &+ Self.maxUnstoredPassedEntries else {
                    return nil
                }
                var changed = state.subscription
                changed.position = state.window.position
                return changed
            }
            guard let change else { return true }
            return await storeChange(SubscriptionChange(change))
        }
    }

    /// Replaces lost entries by one gap entry, and stores the change. An entry is lost when the journal has deleted it
    /// before the receiver got it. Returns false when the change cannot be stored.
    private func insertGap(before oldest: UInt64) async -> Bool {
        await outcomeLock.runLocked {
            var change = SubscriptionChange(subscription)
            let (lost, isKnown) = state.withLock { state in
                (
                    state.window.entries.filter { !$0.isRunning && ($0.seq < oldest || $0.kind == .gap) },
                    state.window.isRunning(gap: oldest &- 1)
                )
            }
            change.subscription.position = max(change.subscription.position, oldest &- 1)
            change.entriesToRemove = lost.map { SubscribedEntry(seq: $0.seq, state: .waiting) }
            if !isKnown { change.entriesToStore = [SubscribedEntry(seq: oldest &- 1, state: .gap)] }
            guard await storeChange(change) else { return false }
            state.withLock { state in
                state.window.insertGap(before: oldest)
                // If the entry with this number was set aside, the gap has replaced the row of this entry in the
                // database.
                state.setAsideEntries[oldest &- 1] = nil
            }
            return true
        }
    }

    /// Stores a change, and sets the changed subscription in memory. The caller changes the entries in memory. The
    /// caller must hold the lock `outcomeLock`. Returns false when the change cannot be stored.
    func storeChange(_ change: SubscriptionChange) async -> Bool {
        do { try await subscriptions.apply(change) } catch { return false }
        state.withLock { $0.subscription = change.subscription }
        return true
    }
}

extension SubscriptionProgress.State {
    /// Makes the change of the database that marks entries as done.
    func makeDoneChange(of ended: [DeliveryWindow.Entry]) -> SubscriptionChange {
        var change = SubscriptionChange(subscription)
        let seqs = Set(ended.lazy.filter { $0.kind == .event }.map(\.seq))
        change.subscription.position = max(subscription.position, window.position(afterDone: seqs))
        for entry in ended {
            // A replayed entry may be after the position. It then stays stored as done, because the position will pass
            // it later.
            if entry.seq > change.subscription.position {
                change.entriesToStore.append(SubscribedEntry(seq: entry.seq, state: .done))
            } else if entry.kind != .event || entry.attempts > 0, !window.hasOtherKind(than: entry) {
                change.entriesToRemove.append(SubscribedEntry(seq: entry.seq, state: .done))
            }
        }
        return change
    }

    /// Moves the position past waiting events, if too many later events are done. The passed events are stored as
    /// replayed events, and keep their order.
    /// - Parameters:
    ///   - ended: the entries for which ``makeDoneChange(of:)`` has made the change.
    ///   - limit: the maximal number of events that are stored as done.
    ///   - row: makes the database row of a passed event, which has become a replayed event.
    /// - Returns: the numbers of the passed events.
    func advancePastWaitingEvents(
        _ ended: [DeliveryWindow.Entry],
        keeping limit: Int,
        _ change: inout SubscriptionChange,
        row: (DeliveryWindow.Entry) -> SubscribedEntry
    ) -> [UInt64] {
        let position = change.subscription.position
        let done = window.doneSeqs.union(ended.map(\.seq)).filter { $0 > position }.sorted()
        guard done.count > limit else { return [] }
        let seqs = Set(ended.lazy.filter { $0.kind == .event }.map(\.seq))
        // The position passes about half of the done events at once, so that such moves of the position are rare.
        let middle = done[done.count - limit / 2 - 1]
        let passed = window.entries.filter { $0.kind == .event && $0.seq < middle && !seqs.contains($0.seq) }
        change.entriesToStore += passed.map { entry in
            var entry = entry
            entry.kind = .replay
            return row(entry)
        }
        change.subscription.position = max(position, window.position(afterDone: seqs.union(passed.map(\.seq))))
        return passed.map(\.seq)
    }

    /// Removes entries that are done from the window. The caller has stored and applied the change of
    /// ``makeDoneChange(of:)``.
    mutating func removeDoneEntries(_ entries: [DeliveryWindow.Entry]) {
        let position = subscription.position
        for entry in entries {
            window.removeEntry(entry.seq, entry.kind)
            if entry.seq > position { window.doneSeqs.insert(entry.seq) }
        }
        window.doneSeqs = window.doneSeqs.filter { $0 > position }
    }
}

extension SubscribedEntry {
    /// Returns the time of the next attempt, in milliseconds since 1970. The next attempt is due now if the clock was
    /// set back to a time before the first attempt. A difference below a second is no change of the clock.
    fileprivate func dueMilliseconds(at now: Int64) -> Int64 {
        (firstAttemptMilliseconds ?? 0) > now &+ 1_000 ? now : nextAttemptUnixMilliseconds
    }
}
