internal import ChatCore
internal import Concurrency
internal import Logging
internal import Synchronization

/// Appends the events of an open store to the broker's stream, in order. What the broker has not taken is in the journal, and nowhere else.
final class BrokerFeed: Sendable {
    /// Bounds of what is appended at once. An entry that is larger alone is appended alone.
    private static let block = (count: 100, bytes: 1 << 20)

    private struct State {
        /// The number of the last entry that the broker has, once that is known; of which journal.
        var position: (epoch: String, seq: UInt64?)?
        var failures = 0
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

    /// - Parameter isLost: whether another gateway has the store, and its journal.
    init(
        _ source: any EventSource, store: String, tenant: String, _ broker: any EventBroker, log: Logger, isLost: @escaping @Sendable () async -> Bool = { false }
    ) {
        self.source = source
        self.isLost = isLost
        self.store = store
        self.tenant = tenant
        self.broker = broker
        self.log = log
        source.onPublish { [weak self] _ in self?.signal.signal() }
        source.onReplaced { [weak self] in
            self?.state.withLock { $0.position = nil }
            self?.signal.signal()
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

    /// Entries of the journal that the broker has yet to take; all, as long as it is not known what it has.
    var waiting: UInt64 {
        let (latest, oldest) = (source.latest, source.oldest)
        let position = state.withLock { $0.position }
        let taken = position?.epoch == source.epoch ? position?.seq ?? 0 : 0
        let first = max(taken, oldest &- 1)
        return latest > first ? latest - first : 0
    }

    /// Whether something waits that would be taken at once.
    var isBusy: Bool { broker.isUp && waiting > 0 }

    // MARK: The loop

    /// - Returns: when to come again.
    private func step() async -> Duration? {
        do {
            while !Task.isCancelled, try await appendSome() {}
            state.withLock { $0.failures = 0 }
            return nil
        } catch {
            // From now on it has to be asked where it is: what was cut off may have been done.
            let failures = state.withLock { state in
                state.position = nil
                state.failures = min(state.failures + 1, 6)
                return state.failures
            }
            return .milliseconds(250 << (failures - 1))
        }
    }

    /// - Returns: whether there is more.
    private func appendSome() async throws -> Bool {
        let journal = BrokerJournal(tenant: tenant, store: store, epoch: source.epoch)
        let known = source.latest
        guard let at = state.withLock({ $0.position }), at.epoch == journal.epoch else {
            try await find(journal)
            return true
        }
        let seq = at.seq ?? 0
        guard seq < known else { return false }
        var entries: [BrokerEntry] = []
        var position = seq
        let oldest = source.oldest
        if seq &+ 1 < oldest, at.seq != nil || oldest > 1 {
            // Lost to the journal's limits before it could be appended.
            position = oldest &- 1
            if at.seq != nil {
                entries.append(
                    BrokerEntry(id: "gap-" + EventForm.cursor(journal.epoch, position), type: "gap", json: EventForm.gap(oldest: oldest, epoch: journal.epoch)))
                log.error("events were deleted before the broker took them", metadata: ["store": "\(store)", "from": "\(seq + 1)", "to": "\(position)"])
            }
        }
        let page = position < known ? try await source.entries(after: position, limit: Self.block.count) : []
        // Deleted since it was looked at: seen at the next turn.
        if source.oldest > oldest, page.first.map({ $0.seq > position &+ 1 }) ?? true { return true }
        var bytes = 0
        let unseen = source.unseenUsers
        var last = page.isEmpty ? known : position
        for event in page {
            guard bytes == 0 || bytes + event.json.count <= Self.block.bytes else { break }
            bytes += event.json.count
            last = event.seq
            guard EventFilter().admits(event, unseen: unseen) else { continue }
            entries.append(
                BrokerEntry(
                    id: EventForm.cursor(journal.epoch, event.seq), type: event.traits.value.type, json: EventForm.entry(event, epoch: journal.epoch)))
        }
        let other = try await broker.append(entries, of: journal, from: at.seq, to: last)
        state.withLock { $0.position = (journal.epoch, other.map(\.seq) ?? last) }
        return true
    }

    /// Asks the broker what it has of the journal.
    private func find(_ journal: BrokerJournal) async throws {
        var seq = try await broker.position(journal)
        let latest = source.latest
        if let taken = seq, taken > latest {
            guard await !isLost() else { throw CancellationError() }
            // An earlier copy of the store was restored: its journal goes on from there.
            if let other = try await broker.append([], of: journal, from: taken, to: latest) { seq = other.seq } else { seq = latest }
        }
        let found = seq
        state.withLock { $0.position = (journal.epoch, found) }
    }

    func write(to text: inout MetricsText) {
        text.value("sxgw_broker_waiting", .gauge, "Events in the journal of the store that the broker has yet to take.", waiting)
    }
}
