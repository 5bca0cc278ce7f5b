import ChatCore
import ChatStore
import Synchronization
import Testing
import TestSupport

@testable import Gateway

@Suite("Consumers") struct ConsumerTests {
    /// A consumer over a journal in memory, on a clock that the test sets.
    struct ConsumerWorld: Sendable {
        let world: DeliveryWorld
        let manualTime: ManualTime

        final class ManualTime: Sendable {
            let value = Mutex<Int64>(1_000_000)
        }

        static func run(
            _ change: (inout DeliverySettings) -> Void = { _ in },
            _ body: (ConsumerWorld) async throws -> Void
        ) async throws {
            let time = ManualTime()
            let now: @Sendable () -> Int64 = { time.value.withLock { $0 } }
            try await DeliveryWorld.run({ settings in
                settings.clock = DeliveryClock(wallMilliseconds: now, monotonicMilliseconds: now)
                change(&settings)
            }) { world in
                try await body(ConsumerWorld(world: world, manualTime: time))
            }
        }

        static func makePageRequest() throws -> PageRequest {
            try PageRequest(list: "", filters: [], limit: 10, cursor: nil)
        }

        func passTime(seconds: Int64) { manualTime.value.withLock { $0 += seconds * 1_000 } }

        func makeConsumer(
            _ name: String = "bot",
            _ change: (inout Consumer) -> Void = { _ in }
        ) async throws -> ConsumerQueue {
            var consumer = Consumer(
                name: name,
                rights: SubscriptionRights(Principal(keyID: world.keyId, scopes: .events, userId: nil)),
                checksumKey: .random(count: 32)
            )
            change(&consumer)
            let subscription = EventSubscription(
                id: Consumer.subscriptionID(name),
                kind: Consumer.kind,
                keyId: world.keyId,
                settings: consumer.storedSettings,
                position: world.journal.latestSeq,
                created: 0
            )
            #expect(try await world.subscriptions.add(subscription, limit: 10, share: 10))
            return try await openConsumer(name)
        }

        /// Opens a stored consumer, as a process does that starts after the former process was killed.
        func openConsumer(_ name: String = "bot") async throws -> ConsumerQueue {
            let stored = try #require(try await world.storedSubscription(Consumer.subscriptionID(name)))
            let consumer = try #require(Consumer(stored))
            return ConsumerQueue(
                consumer,
                stored,
                world.subscriptions,
                source: world.journal,
                settings: world.settings
            )
        }
    }

    @Test
    func `Two workers of a consumer get different events`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 2, 3])
            let first = try await queue.takeEvents(2), second = try await queue.takeEvents(2)
            #expect(first.map(\.seq) == [1, 2] && second.map(\.seq) == [3])
            #expect((first + second).allSatisfy { $0.attempt == 1 && $0.deadlineMilliseconds == 1_060_000 })
            let entry = try #require(try await scene.world.journal.readEntries(after: 2, limit: 1).first)
            #expect(second.first?.entryJSON == EventForm.encodeEntry(entry, epoch: "test"))
        }
    }

    @Test
    func `An event of a chat is handed out only after the earlier event of the chat is acknowledged`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 1, 2, 1])
            let taken = try await queue.takeEvents()
            #expect(taken.map(\.seq) == [1, 3])
            #expect(try await queue.takeEvents().isEmpty)
            try await queue.acknowledgeEvents(taken[1])
            #expect(try await queue.takeEvents().isEmpty)
            try await queue.acknowledgeEvents(taken[0])
            #expect(try await queue.takeEvents().map(\.seq) == [2])
        }
    }

    @Test
    func `An event without a chat is handed out only after the earlier event without a chat is acknowledged`()
        async throws
    {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.journal.publish(["chatSuspended", "chatSuspended"])
            let taken = try await queue.takeEvents()
            #expect(taken.map(\.seq) == [1])
            try await queue.acknowledgeEvents(taken[0])
            #expect(try await queue.takeEvents().map(\.seq) == [2])
        }
    }

    @Test
    func `An event that is not acknowledged by its deadline is handed out again with a new id`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer { $0.deadlineSeconds = 30 }
            scene.world.publish([1])
            let first = try #require(try await queue.takeEvents().first)
            scene.passTime(seconds: 29)
            #expect(try await queue.takeEvents().isEmpty)
            scene.passTime(seconds: 1)
            let second = try #require(try await queue.takeEvents().first)
            #expect(second.seq == 1 && second.attempt == 2 && second.id != first.id)
        }
    }

    @Test
    func `Events that a worker returns are handed out again at once, as the same attempt with a new id`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 2])
            let first = try await queue.takeEvents()
            try await queue.acknowledgeEvents(first[1])
            await queue.giveBack(first)
            for known in [queue, try await scene.openConsumer()] {
                #expect(try await known.loadCounts().handedOutCount == 0)
            }
            let again = try await queue.takeEvents()
            #expect(again.map(\.seq) == [1] && again.map(\.attempt) == [1] && again[0].id != first[0].id)
            await expectRefused([first[0].id]) { try await queue.acknowledgeEvents(first[0]) }
            // Another worker has taken this event in between, so the first worker cannot give it back again.
            await queue.giveBack(first)
            #expect(queue.counts.handedOutCount == 1)
            try await queue.acknowledgeEvents(again[0])
        }
    }

    @Test
    func `Events can be returned after a consumer stops with its store, but not after the consumer stops alone`()
        async throws
    {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 2])
            let taken = try await queue.takeEvents()
            await queue.stop(isLast: true)
            await queue.giveBack([taken[0]])
            let next = try await scene.openConsumer()
            #expect(try await next.loadCounts().handedOutCount == 1)
            let again = try await next.takeEvents()
            #expect(again.map(\.seq) == [1] && again.map(\.attempt) == [1])
            try await next.acknowledgeEvents(taken[1])
            await next.stop()
            let position = try await scene.world.storedSubscription(Consumer.subscriptionID("bot"))?.position
            await next.giveBack(again)
            #expect(try await scene.openConsumer().loadCounts().handedOutCount == 1)
            #expect(try await scene.world.storedSubscription(Consumer.subscriptionID("bot"))?.position == position)
        }
    }

    @Test
    func `Later events of a chat wait for a refused event, even if the consumer's position is after this event`()
        async throws
    {
        try await ConsumerWorld.run({ $0.maxDoneEntries = 4 }) { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 1, 2, 3, 4, 5, 6, 7, 8, 9])
            let taken = try await queue.takeEvents()
            #expect(taken.map(\.seq) == [1, 3, 4, 5, 6, 7, 8, 9, 10])
            #expect(try await queue.refuseEvents([taken[0].id], delay: 86_400) { _, _ in nil } == (1, 0))
            // The event 7 is not acknowledged, so it stays handed out.
            for event in taken.dropFirst() where event.seq != 7 { try await queue.acknowledgeEvents(event) }
            #expect(queue.place.state.withLock { $0.window.doneSeqs.count } <= 4)
            let position = try #require(
                try await scene.world.storedSubscription(Consumer.subscriptionID("bot"))?.position
            )
            #expect(position >= 5)
            #expect(queue.counts.unacknowledgedCount == 3 && queue.counts.handedOutCount == 1)
            let next = try await scene.openConsumer()
            #expect(try await next.takeEvents().isEmpty)
            let late = try #require(taken.first { $0.seq == 7 })
            try await next.acknowledgeEvents(late)
            scene.passTime(seconds: 86_400)
            let again = try await next.takeEvents()
            #expect(again.map(\.seq) == [1] && again.map(\.attempt) == [2])
            try await next.acknowledgeEvents(again[0])
            let last = try await next.takeEvents()
            #expect(last.map(\.seq) == [2] && last.map(\.attempt) == [1])
            try await next.acknowledgeEvents(last[0])
            #expect(try await next.loadCounts().unacknowledgedCount == 0)
            #expect(try await scene.openConsumer().takeEvents().isEmpty)
        }
    }

    @Test
    func `While a gap is handed out, the loss of events before the gap causes no second gap`() {
        var window = DeliveryWindow(after: 0)
        window.insertGap(before: 10)
        let (taken, _) = window.beginSending(at: 0, room: 10)
        #expect(taken.map(\.kind) == [.gap] && window.isRunning(gap: 9))
        // A retry was requested for an event that the journal has deleted since then, so the gap replaces this event
        // too.
        window.insertEntry(DeliveryWindow.Entry(seq: 3, kind: .replay, chats: []))
        window.insertGap(before: 10)
        #expect(window.entries.map(\.kind) == [.gap] && window.runningCount == 1)
        window.insertGap(before: 20)
        #expect(window.entries.map(\.seq) == [9, 19])
    }

    @Test
    func `If the journal has deleted the next events of a consumer, the consumer gets a gap before later events`()
        async throws
    {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 2, 3])
            scene.world.journal.removeEntries(before: 3)
            let gap = try await queue.takeEvents()
            #expect(gap.map(\.entryJSON) == [EventForm.encodeGap(oldest: 3, epoch: "test")])
            #expect(try await queue.takeEvents().isEmpty)
            let next = try await scene.openConsumer()
            #expect(try await next.takeEvents().isEmpty)
            scene.passTime(seconds: 60)
            let again = try await next.takeEvents()
            #expect(again.map(\.entryJSON) == gap.map(\.entryJSON) && again.map(\.attempt) == [2])
            try await next.acknowledgeEvents(again[0])
            #expect(try await next.takeEvents().map(\.seq) == [3])
        }
    }

    @Test
    func `A request that waits for events is answered as soon as an event is published`() async throws {
        try await ConsumerWorld.run { scene in
            try await scene.world.withDelivery { engine in
                _ = try await scene.makeConsumer()
                let id = Consumer.subscriptionID("bot")
                let queue = try #require(try await engine.findQueue(id))
                async let taken = queue.handOutEvents(limit: 10, seconds: 3_600) { true }
                try await waitUntil("a call waits") { engine.hasWaitingConsumers }
                scene.world.publish([1])
                #expect(try await taken.map(\.seq) == [1])
            }
        }
    }

    @Test(arguments: [true, false])
    func `A request that waits for events gets an empty answer when its key becomes invalid or the consumer is closed`(
        endsWithKey: Bool
    ) async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            let isValid = Mutex(true)
            async let taken = queue.handOutEvents(limit: 10, seconds: 3_600) { isValid.withLock { $0 } }
            try await waitUntil("a call waits") { queue.hasWaitingCall }
            if endsWithKey {
                isValid.withLock { $0 = false }
                queue.wake()
            } else {
                await queue.stop()
            }
            #expect(try await taken.isEmpty)
        }
    }

    @Test
    func `When the maximal number of events is handed out, workers get no more until one is acknowledged`() async throws
    {
        try await ConsumerWorld.run({ $0.maxHandedOutEntries = 3 }) { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 2, 3, 4])
            let taken = try await queue.takeEvents()
            #expect(taken.map(\.seq) == [1, 2, 3])
            #expect(try await queue.takeEvents().isEmpty)
            try await queue.acknowledgeEvents(taken[0])
            #expect(try await queue.takeEvents().map(\.seq) == [4])
        }
    }

    @Test
    func `Events that are larger than the size limit of an answer are handed out one at a time`() async throws {
        try await ConsumerWorld.run({ $0.maxAnswerBytes = 1 }) { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 2])
            #expect(try await queue.takeEvents().map(\.seq) == [1])
            #expect(try await queue.takeEvents().map(\.seq) == [2])
        }
    }

    @Test
    func `A consumer gets only events that match its filter, and its position moves past all other events`()
        async throws
    {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer { $0.requestedEvents.chats = [EventChat(.direct, 2)] }
            scene.world.publish([1, 2, 1])
            let taken = try await queue.takeEvents()
            #expect(taken.map(\.seq) == [2])
            try await queue.acknowledgeEvents(taken[0])
            #expect(try await scene.world.storedSubscription(Consumer.subscriptionID("bot"))?.position == 3)
        }
    }

    @Test(arguments: [-1_000_000, 1_000_000])
    func `A change of the system clock does not change the time that a worker has to acknowledge an event`(
        change: Int64
    ) async throws {
        let lead = Mutex<Int64>(0)
        let time = ConsumerWorld.ManualTime()
        let steady: @Sendable () -> Int64 = { time.value.withLock { $0 } }
        try await ConsumerWorld.run({
            $0.clock = DeliveryClock(
                wallMilliseconds: { steady() + lead.withLock { $0 } },
                monotonicMilliseconds: steady
            )
        }) { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1])
            #expect(try await queue.takeEvents().count == 1)
            lead.withLock { $0 = change }
            #expect(try await queue.takeEvents().isEmpty)
            time.value.withLock { $0 += 60_000 }
            #expect(try await queue.takeEvents().map(\.attempt) == [2])
        }
    }

    @Test
    func `The name of a consumer has 1 to 64 letters, digits, dots, underscores and hyphens`() {
        for name in ["a", "echo-bot", "A.b_c-9", "...", String(repeating: "x", count: 64)] {
            #expect(Consumer.isName(name), "\(name)")
        }
        for name in ["", ".", "..", "a/b", "a b", "é", "a\n", String(repeating: "x", count: 65)] {
            #expect(!Consumer.isName(name), "\(name)")
        }
    }
}

extension ConsumerQueue {
    func takeEvents(_ limit: Int = 100) async throws -> [Handout] {
        try await handOutEvents(limit: limit, seconds: 0) { true }
    }

    @discardableResult
    func acknowledgeEvents(_ events: Handout...) async throws -> (new: Int, already: Int) {
        try await acknowledgeEvents(events.map(\.id)) { _, _ in nil }
    }

    func retryEvents(_ seqs: Set<UInt64>?) async throws -> Int {
        try await retrySetAside(seqs, expired: { ProblemDetails(.cursorExpired) }) { _ in nil }
    }
}

extension ConsumerQueue.Handout {
    /// The number of the event in the journal.
    var seq: UInt64? {
        id.split(separator: ".").first?.split(separator: "-").last.flatMap { UInt64($0) }
    }
}
