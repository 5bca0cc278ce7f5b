import ChatCore
import ChatStore
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// The feed that appends the entries of a journal to a broker's stream.
@Suite struct BrokerFeedTests {
    /// A broker in memory.
    private final class MemoryBroker: EventBroker {
        struct BrokerUnavailable: Error {}

        struct State {
            var positions: [String: BrokerPosition] = [:]
            var appendedIDs: [String] = []
            var callCount = 0
            /// Returns the error to throw at a call, or nil for success.
            var failure: @Sendable (_ ask: Int) -> (any Error)? = { _ in nil }
            /// Whether another writer moves the position before every attempt to append.
            var isDisputed = false
        }

        let state = Mutex(State())
        var isUp: Bool { true }

        private func countCall<T: Sendable>(_ body: (inout State) -> T) throws -> T {
            try state.withLock { state in
                state.callCount += 1
                if let failure = state.failure(state.callCount) { throw failure }
                return body(&state)
            }
        }

        func readPosition(_ journal: BrokerJournal) async throws -> BrokerPosition? {
            try countCall { $0.positions[journal.positionName] }
        }

        func appendEntries(
            _ entries: [BrokerEntry],
            of journal: BrokerJournal,
            from expected: BrokerPosition?,
            to seq: UInt64
        ) async throws -> BrokerConflict? {
            try countCall { state in
                if state.isDisputed {
                    return BrokerConflict(position: BrokerPosition(epoch: "other", seq: UInt64(state.callCount)))
                }
                let at = state.positions[journal.positionName]
                guard at == expected else { return BrokerConflict(position: at) }
                state.appendedIDs += entries.map(\.id)
                state.positions[journal.positionName] = BrokerPosition(epoch: journal.epoch, seq: seq)
                return nil
            }
        }

        func removePosition(_ place: String, of tenant: String) async throws {
            try countCall { $0.positions[place] = nil }
        }
    }

    private func makeFeed(_ journal: MemoryJournal, _ broker: MemoryBroker, store: String = "s1") -> BrokerFeed {
        BrokerFeed(
            journal,
            store: store,
            tenant: "acme",
            broker,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    @Test(arguments: ["s1", StoreID.firstStore])
    func `After a store is restored from a copy, the broker is sent only entries that are newer than the copy`(
        store: String
    ) async throws {
        let broker = MemoryBroker()
        let before = MemoryJournal(epoch: "old")
        before.publish(["a", "b", "c", "lost", "lost"])
        let first = makeFeed(before, broker, store: store)
        first.start()
        try await waitUntil("all events are appended") { broker.state.withLock { $0.appendedIDs.count } == 5 }
        await first.stop()
        // The copy was made when the journal had three entries. The copy was used before the first call of the broker.
        let after = MemoryJournal(epoch: "new", origin: JournalOrigin(epoch: "old", end: 3))
        after.publish(["a", "b", "c", "d", "e", "f", "g"])
        let second = makeFeed(after, broker, store: store)
        second.start()
        let ids = (1...5).map { "old-\($0)" } + (4...7).map { "new-\($0)" }
        try await waitUntil("the new events are appended") { broker.state.withLock { $0.appendedIDs } == ids }
        // The broker keeps one position for each store. For the first store, the name of the position contains the
        // epoch, so the position with the old name must be removed.
        try await waitUntil("the broker has one position") {
            broker.state.withLock { Array($0.positions.values) } == [BrokerPosition(epoch: "new", seq: 7)]
        }
        await second.stop()
    }

    @Test
    func `If another writer keeps changing the broker's position, the feed calls the broker again after pauses`()
        async throws
    {
        let broker = MemoryBroker()
        broker.state.withLock { $0.isDisputed = true }
        let journal = MemoryJournal(epoch: "e")
        journal.publish(["a", "b"])
        let feed = makeFeed(journal, broker)
        feed.start()
        try await waitUntil("the broker was asked several times") { broker.state.withLock { $0.callCount } > 3 }
        // Without pauses, thousands of calls would be made in this time.
        #expect(broker.state.withLock { $0.callCount } < 100)
        broker.state.withLock { $0.isDisputed = false }
        try await waitUntil("all events are appended") { broker.state.withLock { $0.appendedIDs } == ["e-1", "e-2"] }
        await feed.stop()
    }

    @Test
    func `If the broker's position belongs to another journal, the feed sends the whole present journal to the broker`()
        async throws
    {
        let broker = MemoryBroker()
        broker.state.withLock { $0.positions["s1"] = BrokerPosition(epoch: "gone", seq: 9) }
        let journal = MemoryJournal(epoch: "e")
        journal.publish(["a", "b"])
        let feed = makeFeed(journal, broker)
        feed.start()
        try await waitUntil("both events are appended") { broker.state.withLock { $0.appendedIDs } == ["e-1", "e-2"] }
        #expect(broker.state.withLock { $0.positions } == ["s1": BrokerPosition(epoch: "e", seq: 2)])
        await feed.stop()
    }

    @Test
    func `While the broker is unavailable, new events do not cause additional calls to the broker`() async throws {
        let (broker, journal) = (MemoryBroker(), MemoryJournal(epoch: "e"))
        broker.state.withLock { $0.failure = { _ in MemoryBroker.BrokerUnavailable() } }
        let feed = makeFeed(journal, broker)
        feed.start()
        for _ in 0..<60 {
            journal.publish(["a"])
            try await Task.sleep(for: .milliseconds(10))
        }
        // The calls are made immediately, after 250 ms, after another 500 ms, and on a slow machine after 1 s, 2 s…
        #expect(broker.state.withLock { $0.callCount } <= 6)
        broker.state.withLock { $0.failure = { _ in nil } }
        try await waitUntil("all events are appended") { broker.state.withLock { $0.appendedIDs.count } == 60 }
        await feed.stop()
    }

    @Test
    func `If a broker requests a pause, the next call follows right after this pause, even after 30 such requests`()
        async throws
    {
        let (broker, journal) = (MemoryBroker(), MemoryJournal(epoch: "e"))
        broker.state.withLock { $0.failure = { $0 <= 30 ? BrokerPaused(time: .milliseconds(10)) : nil } }
        journal.publish(["a"])
        let feed = makeFeed(journal, broker)
        feed.start()
        // With the usual growing pauses, so many failures would take minutes, and the wait would fail.
        try await waitUntil("the event is appended") { broker.state.withLock { $0.appendedIDs } == ["e-1"] }
        await feed.stop()
    }
}
