internal import ChatCore
internal import Concurrency
internal import Logging
internal import Synchronization

/// Appends the events of an open store to the broker's stream, in order. An event that the broker does not have yet is
/// kept only in the journal.
final class BrokerFeed: Sendable {
    /// Limits of one append. A single entry above the limit of bytes is appended alone.
    private static let block = (count: 100, bytes: 1 << 20)

    private struct State {
        /// The broker's position; nil until this feed has read it from the broker.
        var found: Found?
        var failures = 0
        /// The time before which this feed sends no further command to the broker.
        var rest: ContinuousClock.Instant?
        /// The names under which the broker has positions in former journals of the store. After the next append, the
        /// feed asks the broker to remove these positions.
        var former: Set<String> = []
        /// Whether the last append failed because the broker's position was not the expected one.
        var isDisputed = false
    }

    /// Error for two consecutive appends that failed because the broker's position was not the expected one.
    private struct Disputed: Error {}

    private struct Found {
        /// The epoch of the journal for which this feed has read the broker's position.
        let epoch: String
        /// The broker's position, maybe in an earlier journal.
        let at: BrokerPosition?
        /// The number of the last entry of this journal that the broker has.
        let taken: UInt64?
    }

    private let source: any EventSource
    private let store: String
    private let tenant: String
    private let broker: any EventBroker
    private let log: Logger
    private let isLost: @Sendable () async -> Bool
    private let signal = WakeSignal()
    private let state = Mutex(State())
    private let running = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter isLost: returns whether another gateway has the store and its journal.
    init(
        _ source: any EventSource,
        store: String,
        tenant: String,
        _ broker: any EventBroker,
        log: Logger,
        isLost: @escaping @Sendable () async -> Bool = { false }
    ) {
        self.source = source
        self.isLost = isLost
        self.store = store
        self.tenant = tenant
        self.broker = broker
        self.log = log
        source.onPublish { [weak self] _ in self?.signal.signal() }
        source.onReplaced { [weak self] in
            guard let self else { return }
            state.withLock { state in
                if let found = state.found { state.former.insert(journal(found.epoch).place) }
                state.found = nil
            }
            self.signal.signal()
        }
    }

    func start() {
        running.withLock { running in
            guard running == nil else { return }
            running = Task { [weak self, signal] in
                await signal.run { await self?.step() }
            }
        }
    }

    func stop() async {
        let task = running.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// The number of entries in the journal that the broker does not have yet. While the broker's position is unknown,
    /// all entries are counted.
    var waiting: UInt64 {
        let (latest, oldest) = (source.latest, source.oldest)
        let found = state.withLock { $0.found }
        let taken = found?.epoch == source.epoch ? found?.taken ?? 0 : 0
        let first = max(taken, oldest &- 1)
        return latest > first ? latest - first : 0
    }

    /// Whether entries wait and the broker can accept them now.
    var isBusy: Bool { broker.isUp && waiting > 0 }

    // MARK: The loop

    /// Appends all waiting entries.
    /// - Returns: the time until the next step; nil to wait for a signal.
    private func step() async -> Duration? {
        // Events that are published during a pause wait until the pause has ended.
        if let time = state.withLock({ $0.rest.map { $0 - .now } }), time > .zero { return time }
        do {
            while !Task.isCancelled, try await appendSome() {}
            state.withLock { ($0.failures, $0.rest) = (0, nil) }
            return nil
        } catch let resting as BrokerResting {
            // An append of another store failed, so the broker gets no commands for a while. No command of this store
            // was sent, so this is not counted as a failure of this store.
            state.withLock { $0.rest = .now + resting.time }
            return resting.time
        } catch {
            // This feed must read the position again, because the broker may have carried out the append that failed.
            return state.withLock { state in
                state.found = nil
                state.failures = min(state.failures + 1, 6)
                let time = Duration.milliseconds(250 << (state.failures - 1))
                state.rest = .now + time
                return time
            }
        }
    }

    /// Takes one step: asks the broker for its position in the journal, or appends entries.
    /// - Returns: whether there may be more to append, so that the caller has to call again.
    private func appendSome() async throws -> Bool {
        let journal = journal(source.epoch)
        let known = source.latest
        guard let found = state.withLock({ $0.found }), found.epoch == journal.epoch else {
            try await find(journal)
            return true
        }
        let seq = found.taken ?? 0
        guard seq < known else { return false }
        var entries: [BrokerEntry] = []
        var position = seq
        let oldest = source.oldest
        if seq &+ 1 < oldest, found.taken != nil || oldest > 1 {
            // The journal deleted these entries because of its limits before they were appended.
            position = oldest &- 1
            if found.taken != nil {
                entries.append(
                    BrokerEntry(
                        id: "gap-" + EventForm.cursor(journal.epoch, position),
                        type: "gap",
                        json: EventForm.gap(oldest: oldest, epoch: journal.epoch)
                    )
                )
                log.error(
                    "events were deleted before the broker took them",
                    metadata: ["store": "\(store)", "from": "\(seq + 1)", "to": "\(position)"]
                )
            }
        }
        let page = position < known ? try await source.entries(after: position, limit: Self.block.count) : []
        // The journal has deleted entries since `oldest` was read. The next call handles the gap.
        if source.oldest > oldest, page.first.map({ $0.seq > position &+ 1 }) ?? true { return true }
        var bytes = 0
        let unseen = source.inactiveHiddenUsers
        var last = page.isEmpty ? known : position
        for event in page {
            guard bytes == 0 || bytes + event.json.count <= Self.block.bytes else { break }
            bytes += event.json.count
            last = event.seq
            guard EventFilter().admits(event, unseen: unseen) else { continue }
            entries.append(
                BrokerEntry(
                    id: EventForm.cursor(journal.epoch, event.seq),
                    type: event.traits.value.type,
                    json: EventForm.entry(event, epoch: journal.epoch)
                )
            )
        }
        if let conflict = try await broker.append(entries, of: journal, from: found.at, to: last) {
            setPosition(conflict.position, of: journal)
            // Repeated conflicts could cause endless attempts without a pause. So the second conflict in a row is an
            // error.
            let wasDisputed = state.withLock { state in
                defer { state.isDisputed = true }
                return state.isDisputed
            }
            if wasDisputed { throw Disputed() }
            return true
        }
        state.withLock { $0.isDisputed = false }
        setPosition(BrokerPosition(epoch: journal.epoch, seq: last), of: journal)
        // The broker now has a position in this journal, so it no longer needs the positions in former journals.
        for place in state.withLock({ $0.former }) where place != journal.place {
            try await broker.forget(place, of: tenant)
            _ = state.withLock { $0.former.remove(place) }
        }
        return true
    }

    private func journal(_ epoch: String) -> BrokerJournal { BrokerJournal(tenant: tenant, store: store, epoch: epoch) }

    private func setPosition(_ at: BrokerPosition?, taken: UInt64? = nil, of journal: BrokerJournal) {
        state.withLock {
            $0.found = Found(
                epoch: journal.epoch,
                at: at,
                taken: taken ?? at.flatMap { self.taken(at: $0, of: journal) }
            )
        }
    }

    /// Returns the number of the last entry of this journal that the broker has. The position may be in this journal,
    /// or in the journal that this one continues; nil for a position in any other journal.
    private func taken(at position: BrokerPosition, of journal: BrokerJournal) -> UInt64? {
        if position.epoch == journal.epoch { return position.seq }
        guard let origin = source.origin, position.epoch == origin.epoch else { return nil }
        // This journal has only the entries of the earlier journal up to `origin.end`.
        return min(position.seq, origin.end)
    }

    /// Asks the broker for its position in the journal.
    private func find(_ journal: BrokerJournal) async throws {
        let at = try await broker.position(journal)
        guard let at else {
            // The broker may have the position of the earlier journal that this journal continues, under the name of
            // that journal.
            let earlier = source.origin.map { self.journal($0.epoch) }
            guard let earlier, earlier.place != journal.place, let old = try await broker.position(earlier) else {
                return setPosition(nil, of: journal)
            }
            state.withLock { _ = $0.former.insert(earlier.place) }
            return setPosition(nil, taken: taken(at: old, of: journal), of: journal)
        }
        let latest = source.latest
        guard at.epoch == journal.epoch, at.seq > latest else { return setPosition(at, of: journal) }
        guard await !isLost() else { throw CancellationError() }
        // The broker is ahead of the journal: somebody has replaced the files of the store by older ones, and not by a
        // restoration. The journal continues from its own latest entry.
        let conflict = try await broker.append([], of: journal, from: at, to: latest)
        setPosition(conflict.map(\.position) ?? BrokerPosition(epoch: journal.epoch, seq: latest), of: journal)
    }
}
