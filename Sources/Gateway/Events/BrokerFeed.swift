internal import ChatCore
internal import Concurrency
internal import Logging
internal import Synchronization

/// Appends the events of an open store to the broker's stream, in order. An event that the broker does not have yet is
/// kept only in the journal.
final class BrokerFeed: Sendable {
    /// Limits of one append: the number of entries, and the number of bytes. A single entry with more bytes is appended
    /// alone.
    private static let appendLimits = (count: 100, bytes: 1 << 20)

    private struct State {
        /// The broker's position; nil until this feed has read it from the broker.
        var knownPosition: KnownPosition?
        var failureCount = 0
        /// The time before which this feed sends no further command to the broker.
        var pauseEnd: ContinuousClock.Instant?
        /// The names under which the broker has positions in former journals of the store. After the next append, the
        /// feed asks the broker to remove these positions.
        var formerPositions: Set<String> = []
        /// Whether the last append failed because the broker's position was not the expected one.
        var hasHadConflict = false
    }

    /// Error for two consecutive appends that failed because the broker's position was not the expected one.
    private struct RepeatedConflict: Error {}

    private struct KnownPosition {
        /// The epoch of the journal for which this feed has read the broker's position.
        let epoch: String
        /// The broker's position under the name of this journal: the last journal entry that the broker has. The entry
        /// may belong to an earlier journal. Nil if the broker has no position under this name. The broker may then
        /// still have a position under the name of the earlier journal.
        let brokerPosition: BrokerPosition?
        /// The number of the last entry of this journal that the broker has.
        let lastAppended: UInt64?
    }

    private let source: any EventSource
    private let storeID: String
    private let tenant: String
    private let broker: any EventBroker
    private let log: Logger
    private let isStoreLost: @Sendable () async -> Bool
    private let wakeSignal = WakeSignal()
    private let state = Mutex(State())
    private let loopTask = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter isLost: returns whether another gateway has taken over the store and its journal.
    init(
        _ source: any EventSource,
        store: String,
        tenant: String,
        _ broker: any EventBroker,
        log: Logger,
        isLost: @escaping @Sendable () async -> Bool = { false }
    ) {
        self.source = source
        self.isStoreLost = isLost
        self.storeID = store
        self.tenant = tenant
        self.broker = broker
        self.log = log
        source.onPublish { [weak self] _ in self?.wakeSignal.wake() }
        source.onJournalReplaced { [weak self] in
            guard let self else { return }
            state.withLock { state in
                if let found = state.knownPosition {
                    state.formerPositions.insert(makeBrokerJournal(found.epoch).positionName)
                }
                state.knownPosition = nil
            }
            self.wakeSignal.wake()
        }
    }

    func start() {
        loopTask.withLock { running in
            guard running == nil else { return }
            running = Task { [weak self, wakeSignal] in
                await wakeSignal.runAtSignals { await self?.appendWaitingEntries() }
            }
        }
    }

    func stop() async {
        let task = loopTask.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// The number of entries in the journal that the broker does not have yet. While the broker's position is unknown,
    /// all entries are counted.
    var waitingCount: UInt64 {
        let (latest, oldest) = (source.latestSeq, source.oldestSeq)
        let found = state.withLock { $0.knownPosition }
        let taken = found?.epoch == source.epoch ? found?.lastAppended ?? 0 : 0
        let first = max(taken, oldest &- 1)
        return latest > first ? latest - first : 0
    }

    /// Whether entries wait and the broker can accept them now.
    var isBusy: Bool { broker.isUp && waitingCount > 0 }

    // MARK: The loop

    /// Appends all waiting entries.
    /// - Returns: the time until the next step; nil to wait for a signal.
    private func appendWaitingEntries() async -> Duration? {
        // Events that are published during a pause wait until the pause has ended.
        if let time = state.withLock({ $0.pauseEnd.map { $0 - .now } }), time > .zero { return time }
        do {
            while !Task.isCancelled, try await appendBatch() {}
            state.withLock { ($0.failureCount, $0.pauseEnd) = (0, nil) }
            return nil
        } catch let resting as BrokerPaused {
            // An append of another store failed, so the broker gets no commands for a while. No command of this store
            // was sent, so this is not counted as a failure of this store.
            state.withLock { $0.pauseEnd = .now + resting.remainingTime }
            return resting.remainingTime
        } catch {
            // This feed must read the position again, because the broker may have carried out the append that failed.
            return state.withLock { state in
                state.knownPosition = nil
                state.failureCount = min(state.failureCount + 1, 6)
                let time = Duration.milliseconds(250 << (state.failureCount - 1))
                state.pauseEnd = .now + time
                return time
            }
        }
    }

    /// Takes one step: asks the broker for its position in the journal, or appends entries.
    /// - Returns: whether there may be more to append, so that the caller has to call again.
    private func appendBatch() async throws -> Bool {
        let journal = makeBrokerJournal(source.epoch)
        let known = source.latestSeq
        guard let found = state.withLock({ $0.knownPosition }), found.epoch == journal.epoch else {
            try await loadPosition(journal)
            return true
        }
        guard found.lastAppended ?? 0 < known else { return false }
        let oldest = source.oldestSeq
        let (gap, position) = findGap(after: found.lastAppended, oldest: oldest, journal)
        let page = position < known ? try await source.readEntries(after: position, limit: Self.appendLimits.count) : []
        // The journal has deleted entries since `oldest` was read. The next call handles the gap.
        if source.oldestSeq > oldest, page.first.map({ $0.seq > position &+ 1 }) ?? true { return true }
        let (events, taken) = makeEntries(page, journal)
        let last = taken ?? (page.isEmpty ? known : position)
        let entries = (gap.map { [$0] } ?? []) + events
        if let conflict = try await broker.appendEntries(entries, of: journal, from: found.brokerPosition, to: last) {
            try recordConflict(conflict.position, of: journal)
            return true
        }
        state.withLock { $0.hasHadConflict = false }
        setPosition(BrokerPosition(epoch: journal.epoch, seq: last), of: journal)
        // The broker now has a position in this journal, so it no longer needs the positions in former journals.
        for place in state.withLock({ $0.formerPositions }) where place != journal.positionName {
            try await broker.removePosition(place, of: tenant)
            _ = state.withLock { $0.formerPositions.remove(place) }
        }
        return true
    }

    /// Finds entries that the journal deleted, because of its limits, before these entries were appended. Logs this
    /// gap.
    /// - Returns: the entry that reports the gap, and the position before the next entry to append. The entry is nil
    ///   without a gap, or if nothing was appended before.
    private func findGap(
        after lastAppended: UInt64?,
        oldest: UInt64,
        _ journal: BrokerJournal
    ) -> (gap: BrokerEntry?, position: UInt64) {
        let seq = lastAppended ?? 0
        guard seq &+ 1 < oldest, lastAppended != nil || oldest > 1 else { return (nil, seq) }
        let position = oldest &- 1
        guard lastAppended != nil else { return (nil, position) }
        log.error(
            "events were deleted before the broker took them",
            metadata: ["store": "\(storeID)", "from": "\(seq + 1)", "to": "\(position)"]
        )
        let gap = BrokerEntry(
            id: "gap-" + EventForm.makeCursor(journal.epoch, position),
            type: "gap",
            json: EventForm.encodeGap(oldest: oldest, epoch: journal.epoch)
        )
        return (gap, position)
    }

    /// Makes the entries for the events of a page, up to the limit of bytes.
    /// - Returns: the entries, and the number of the last event that was examined; nil for an empty page.
    private func makeEntries(_ page: [Event], _ journal: BrokerJournal) -> (entries: [BrokerEntry], last: UInt64?) {
        var (entries, last): ([BrokerEntry], UInt64?) = ([], nil)
        var bytes = 0
        let unseen = source.inactiveHiddenUsers
        for event in page {
            guard bytes == 0 || bytes + event.json.count <= Self.appendLimits.bytes else { break }
            bytes += event.json.count
            last = event.seq
            guard EventFilter().admits(event, unseen: unseen) else { continue }
            entries.append(
                BrokerEntry(
                    id: EventForm.makeCursor(journal.epoch, event.seq),
                    type: event.traits.value.type,
                    json: EventForm.encodeEntry(event, epoch: journal.epoch)
                )
            )
        }
        return (entries, last)
    }

    /// Handles a refused append: stores the broker's position, which differs from the expected position.
    /// - Throws: `RepeatedConflict` for the second conflict in a row, because repeated conflicts could cause endless
    ///   attempts without a pause.
    private func recordConflict(_ position: BrokerPosition?, of journal: BrokerJournal) throws {
        setPosition(position, of: journal)
        let wasDisputed = state.withLock { state in
            defer { state.hasHadConflict = true }
            return state.hasHadConflict
        }
        if wasDisputed { throw RepeatedConflict() }
    }

    private func makeBrokerJournal(_ epoch: String) -> BrokerJournal {
        BrokerJournal(tenant: tenant, store: storeID, epoch: epoch)
    }

    private func setPosition(_ at: BrokerPosition?, taken: UInt64? = nil, of journal: BrokerJournal) {
        state.withLock {
            $0.knownPosition = KnownPosition(
                epoch: journal.epoch,
                brokerPosition: at,
                lastAppended: taken ?? at.flatMap { self.findLastAppendedSeq(at: $0, of: journal) }
            )
        }
    }

    /// Returns the number of the last entry of this journal that the broker has. The broker's position may be in this
    /// journal, or in the earlier journal that this journal continues. Returns nil for a position in any other journal.
    private func findLastAppendedSeq(at position: BrokerPosition, of journal: BrokerJournal) -> UInt64? {
        if position.epoch == journal.epoch { return position.seq }
        guard let origin = source.originJournal, position.epoch == origin.epoch else { return nil }
        // This journal has only the entries of the earlier journal up to `origin.lastCommonSeq`.
        return min(position.seq, origin.lastCommonSeq)
    }

    /// Asks the broker for its position in the journal, and stores the position in memory.
    private func loadPosition(_ journal: BrokerJournal) async throws {
        let at = try await broker.readPosition(journal)
        guard let at else {
            // The broker may have the position of the earlier journal that this journal continues, under the name of
            // that journal.
            let earlier = source.originJournal.map { self.makeBrokerJournal($0.epoch) }
            guard let earlier, earlier.positionName != journal.positionName,
                let old = try await broker.readPosition(earlier)
            else {
                return setPosition(nil, of: journal)
            }
            state.withLock { _ = $0.formerPositions.insert(earlier.positionName) }
            return setPosition(nil, taken: findLastAppendedSeq(at: old, of: journal), of: journal)
        }
        let latest = source.latestSeq
        guard at.epoch == journal.epoch, at.seq > latest else { return setPosition(at, of: journal) }
        guard await !isStoreLost() else { throw CancellationError() }
        // The broker is ahead of the journal, because somebody has replaced the files of the store by older files
        // without a restoration. The journal continues from its own latest entry.
        let conflict = try await broker.appendEntries([], of: journal, from: at, to: latest)
        setPosition(conflict.map(\.position) ?? BrokerPosition(epoch: journal.epoch, seq: latest), of: journal)
    }
}
