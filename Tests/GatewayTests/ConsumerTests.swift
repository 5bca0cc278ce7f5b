import ChatCore
import ChatStore
import JSON
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Consumers") struct ConsumerTests {
    /// A consumer over a journal in memory, on a clock that the test sets.
    private struct Scene: Sendable {
        let world: DeliveryWorld
        let milliseconds: ManualTime

        final class ManualTime: Sendable {
            let value = Mutex<Int64>(1_000_000)
        }

        static func run(
            _ change: (inout DeliverySettings) -> Void = { _ in },
            _ body: (Scene) async throws -> Void
        ) async throws {
            let time = ManualTime()
            let now: @Sendable () -> Int64 = { time.value.withLock { $0 } }
            try await DeliveryWorld.run({ settings in
                settings.clock = DeliveryClock(wallMilliseconds: now, monotonicMilliseconds: now)
                change(&settings)
            }) { world in
                try await body(Scene(world: world, milliseconds: time))
            }
        }

        static func page() throws -> PageRequest { try PageRequest(list: "", filters: [], limit: 10, cursor: nil) }

        func pass(seconds: Int64) { milliseconds.value.withLock { $0 += seconds * 1_000 } }

        func make(_ name: String = "bot", _ change: (inout Consumer) -> Void = { _ in }) async throws -> ConsumerQueue {
            var consumer = Consumer(
                name: name,
                rights: SubscriptionRights(Principal(keyID: world.keyId, scopes: .events, userId: nil)),
                secret: .random(count: 32)
            )
            change(&consumer)
            let subscription = EventSubscription(
                id: Consumer.subscriptionID(name),
                kind: EventReceivers.consumerKind,
                keyId: world.keyId,
                settings: consumer.storedSettings,
                position: world.journal.latestSeq,
                created: 0
            )
            #expect(try await world.subscriptions.add(subscription, limit: 10, share: 10))
            return try await open(name)
        }

        /// Opens a stored consumer, as a process does that starts after the former process was killed.
        func open(_ name: String = "bot") async throws -> ConsumerQueue {
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
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 2, 3])
            let first = try await queue.next(2), second = try await queue.next(2)
            #expect(first.map(\.seq) == [1, 2] && second.map(\.seq) == [3])
            #expect((first + second).allSatisfy { $0.attempt == 1 && $0.deadline == 1_060_000 })
            let entry = try #require(try await scene.world.journal.entries(after: 2, limit: 1).first)
            #expect(second.first?.entryJSON == EventForm.encodeEntry(entry, epoch: "test"))
        }
    }

    @Test
    func `An event of a chat is handed out after the earlier event of the chat is acknowledged`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 1, 2, 1])
            let taken = try await queue.next()
            #expect(taken.map(\.seq) == [1, 3])
            #expect(try await queue.next().isEmpty)
            try await queue.done(taken[1])
            #expect(try await queue.next().isEmpty)
            try await queue.done(taken[0])
            #expect(try await queue.next().map(\.seq) == [2])
        }
    }

    @Test
    func `An event without a chat is handed out after the earlier event without a chat is acknowledged`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.journal.publish(["chatSuspended", "chatSuspended"])
            let taken = try await queue.next()
            #expect(taken.map(\.seq) == [1])
            try await queue.done(taken[0])
            #expect(try await queue.next().map(\.seq) == [2])
        }
    }

    @Test
    func `An event that is not acknowledged by its deadline is handed out again with another id`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make { $0.deadlineSeconds = 30 }
            scene.world.publish([1])
            let first = try #require(try await queue.next().first)
            scene.pass(seconds: 29)
            #expect(try await queue.next().isEmpty)
            scene.pass(seconds: 1)
            let second = try #require(try await queue.next().first)
            #expect(second.seq == 1 && second.attempt == 2 && second.id != first.id)
        }
    }

    @Test
    func `An acknowledged event is not handed out again after a kill of the gateway`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 2, 3])
            let taken = try await queue.next()
            try await queue.done(taken[1])
            scene.pass(seconds: 60)
            #expect(try await scene.open().next().map(\.seq) == [1, 3])
        }
    }

    @Test
    func `A worker can acknowledge its event after a kill and restart of the gateway`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 1])
            let taken = try #require(try await queue.next().first)
            let next = try await scene.open()
            #expect(try await next.next().isEmpty)
            #expect(try await next.loadCounts().handedOutCount == 1)
            try await next.done(taken)
            #expect(try await next.next().map(\.seq) == [2])
            #expect(try await scene.world.storedSubscription(Consumer.subscriptionID("bot"))?.position == 1)
        }
    }

    @Test
    func `An acknowledgement is refused as a whole if another worker has got one of its events`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1])
            let first = try #require(try await queue.next().first)
            scene.pass(seconds: 60)
            scene.world.publish([2])
            let again = try await queue.next()
            #expect(again.map(\.seq) == [1, 2])
            await expectRefused([first.id]) { try await queue.done(again[1], first) }
            #expect(queue.counts.handedOutCount == 2)
            try await queue.done(again[0], again[1])
            #expect(queue.counts.lag == 0)
        }
    }

    @Test
    func `An acknowledgement after the deadline is accepted if no other worker has got the event`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1])
            let taken = try #require(try await queue.next().first)
            scene.pass(seconds: 100)
            try await queue.done(taken)
            #expect(try await queue.next().isEmpty)
        }
    }

    @Test
    func `A repeated acknowledgement is counted as already made, also after a kill of the gateway`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 2])
            let taken = try await queue.next()
            // The first event is still handed out, so the second event is after the position.
            #expect(try await queue.done(taken[1]) == (1, 0))
            #expect(try await queue.done(taken[1]) == (0, 1))
            #expect(try await scene.open().done(taken[1]) == (0, 1))
            #expect(try await queue.done(taken[0], taken[1]) == (1, 1))
            #expect(try await scene.open().done(taken[0], taken[0]) == (0, 1))
        }
    }

    @Test
    func `The answer to an acknowledgement without an effect is not stored`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1])
            let taken = try #require(try await queue.next().first)
            try await queue.done(taken)
            let count = Mutex(0)
            let counts = try await queue.acknowledge([taken.id]) { _, _ in
                count.withLock { $0 += 1 }
                return nil
            }
            #expect(counts == (0, 1) && count.withLock { $0 } == 0)
        }
    }

    @Test
    func `Returned events are handed out immediately, as the same attempt with another id`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 2])
            let first = try await queue.next()
            try await queue.done(first[1])
            await queue.giveBack(first)
            for known in [queue, try await scene.open()] {
                #expect(try await known.loadCounts().handedOutCount == 0)
            }
            let again = try await queue.next()
            #expect(again.map(\.seq) == [1] && again.map(\.attempt) == [1] && again[0].id != first[0].id)
            await expectRefused([first[0].id]) { try await queue.done(first[0]) }
            // An event that another worker has got stays with this worker.
            await queue.giveBack(first)
            #expect(queue.counts.handedOutCount == 1)
            try await queue.done(again[0])
        }
    }

    @Test
    func `At the last stop, unanswered events can be given back; at other stops they stay handed out`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 2])
            let taken = try await queue.next()
            await queue.stop(isLast: true)
            await queue.giveBack([taken[0]])
            let next = try await scene.open()
            #expect(try await next.loadCounts().handedOutCount == 1)
            let again = try await next.next()
            #expect(again.map(\.seq) == [1] && again.map(\.attempt) == [1])
            try await next.done(taken[1])
            await next.stop()
            let position = try await scene.world.storedSubscription(Consumer.subscriptionID("bot"))?.position
            await next.giveBack(again)
            #expect(try await scene.open().loadCounts().handedOutCount == 1)
            #expect(try await scene.world.storedSubscription(Consumer.subscriptionID("bot"))?.position == position)
        }
    }

    @Test
    func `An event in a long pause keeps its order within its chat after the consumer's position has passed it`()
        async throws
    {
        try await Scene.run({ $0.maxDone = 4 }) { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 1, 2, 3, 4, 5, 6, 7, 8, 9])
            let taken = try await queue.next()
            #expect(taken.map(\.seq) == [1, 3, 4, 5, 6, 7, 8, 9, 10])
            #expect(try await queue.refuse([taken[0].id], delay: 86_400) { _, _ in nil } == (1, 0))
            // The event 7 is still handed out.
            for event in taken.dropFirst() where event.seq != 7 { try await queue.done(event) }
            #expect(queue.place.state.withLock { $0.window.doneSeqs.count } <= 4)
            let position = try #require(
                try await scene.world.storedSubscription(Consumer.subscriptionID("bot"))?.position
            )
            #expect(position >= 5)
            #expect(queue.counts.lag == 3 && queue.counts.handedOutCount == 1)
            let next = try await scene.open()
            #expect(try await next.next().isEmpty)
            let late = try #require(taken.first { $0.seq == 7 })
            try await next.done(late)
            scene.pass(seconds: 86_400)
            let again = try await next.next()
            #expect(again.map(\.seq) == [1] && again.map(\.attempt) == [2])
            try await next.done(again[0])
            let last = try await next.next()
            #expect(last.map(\.seq) == [2] && last.map(\.attempt) == [1])
            try await next.done(last[0])
            #expect(try await next.loadCounts().lag == 0)
            #expect(try await scene.open().next().isEmpty)
        }
    }

    @Test
    func `A gap that is handed out replaces all events lost before it`() {
        var window = DeliveryWindow(after: 0)
        window.insertGap(before: 10)
        let (taken, _) = window.beginSending(at: 0, room: 10)
        #expect(taken.map(\.kind) == [.gap] && window.isRunning(gap: 9))
        // A retry was requested for an event that the journal has deleted meanwhile.
        window.insert(DeliveryWindow.Entry(seq: 3, kind: .replay, chats: []))
        window.insertGap(before: 10)
        #expect(window.entries.map(\.kind) == [.gap] && window.runningCount == 1)
        window.insertGap(before: 20)
        #expect(window.entries.map(\.seq) == [9, 19])
    }

    @Test
    func `Two simultaneous acknowledgements of one event both succeed, and only one counts as new`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1])
            let taken = try #require(try await queue.next().first)
            async let one = queue.done(taken)
            async let other = queue.done(taken)
            let counts = [try await one, try await other]
            #expect(counts.map(\.new).sorted() == [0, 1] && counts.map(\.already).sorted() == [0, 1])
        }
    }

    @Test
    func `An id that the consumer has not handed out is refused`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make(), other = try await scene.make("other")
            scene.world.publish([1])
            let taken = try #require(try await queue.next().first)
            let id = taken.id
            for wrong in ["", "test-1", "test-9." + id.dropFirst(7), id + "A", String(id.dropLast()), "gap-" + id] {
                await expectRefused([wrong]) { _ = try await queue.acknowledge([wrong]) { _, _ in nil } }
            }
            await expectRefused([id]) { try await other.done(taken) }
            #expect(queue.counts.handedOutCount == 1)
        }
    }

    @Test
    func `A refused event delays later events of its chat until it is handed out again after its pause`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 1, 2])
            let taken = try await queue.next()
            #expect(try await queue.refuse([taken[0].id], delay: 20) { _, _ in nil } == (1, 0))
            try await queue.done(taken[1])
            #expect(try await queue.next().isEmpty)
            // The pause continues after a kill of the process.
            let next = try await scene.open()
            scene.pass(seconds: 19)
            #expect(try await next.next().isEmpty)
            scene.pass(seconds: 1)
            let again = try await next.next()
            #expect(again.map(\.seq) == [1] && again.map(\.attempt) == [2])
        }
    }

    @Test
    func `An acknowledged event cannot be refused`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1])
            let taken = try #require(try await queue.next().first)
            try await queue.done(taken)
            await expectRefused([taken.id]) { _ = try await queue.refuse([taken.id], delay: 0) { _, _ in nil } }
        }
    }

    @Test
    func `An event without an acknowledgement after its last attempt is set aside`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make { $0.maxAttempts = 2 }
            scene.world.publish([1, 1])
            #expect(try await queue.next().map(\.attempt) == [1])
            scene.pass(seconds: 60)
            #expect(try await queue.next().map(\.attempt) == [2])
            scene.pass(seconds: 60)
            #expect(try await queue.next().map(\.seq) == [2])
            for known in [queue, try await scene.open()] {
                let list = try await known.listSetAside(Scene.page()).events
                #expect(list.map(\.seq) == [1] && list.map(\.attempts) == [2] && list[0].entryJSON != nil)
                #expect(try await known.loadCounts().setAsideCount == 1)
            }
        }
    }

    @Test
    func `An event whose last attempt is refused is set aside immediately`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make { $0.maxAttempts = 1 }
            scene.world.publish([1])
            let taken = try #require(try await queue.next().first)
            #expect(try await queue.refuse([taken.id], delay: 0) { _, _ in nil } == (1, 1))
            #expect(try await queue.next().isEmpty && queue.counts.setAsideCount == 1)
        }
    }

    @Test
    func `An event that was set aside because of its deadline can still be acknowledged`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make { $0.maxAttempts = 1 }
            scene.world.publish([1])
            let taken = try #require(try await queue.next().first)
            scene.pass(seconds: 60)
            #expect(try await queue.next().isEmpty && queue.counts.setAsideCount == 1)
            try await queue.done(taken)
            #expect(try await scene.open().loadCounts().setAsideCount == 0)
        }
    }

    @Test(arguments: [true, false])
    func `A retried event is handed out before later events of its chat, as the first attempt`(
        isKilled: Bool
    ) async throws {
        try await Scene.run { scene in
            let queue = try await scene.make { $0.maxAttempts = 1 }
            scene.world.publish([1, 2, 1])
            let taken = try await queue.next()
            #expect(try await queue.refuse([taken[0].id], delay: 0) { _, _ in nil } == (1, 1))
            try await queue.done(taken[1])
            let last = try #require(try await queue.next().first)
            #expect(last.seq == 3)
            try await queue.done(last)
            #expect(try await queue.retry([1]) == 1)
            scene.world.publish([1])
            let open = isKilled ? try await scene.open() : queue
            let again = try await open.next()
            #expect(again.map(\.seq) == [1] && again.map(\.attempt) == [1] && again[0].id != taken[0].id)
            #expect(try await open.loadCounts().setAsideCount == 0)
            // The event stays handed out in the next process too.
            let next = isKilled ? try await scene.open() : queue
            #expect(try await next.next().isEmpty)
            try await next.done(again[0])
            #expect(try await next.next().map(\.seq) == [4])
        }
    }

    @Test
    func `A retry is refused if one of its events is not set aside or is deleted from the journal`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make { $0.maxAttempts = 1 }
            scene.world.publish([1, 2])
            let taken = try await queue.next()
            #expect(try await queue.refuse(taken.map(\.id), delay: 0) { _, _ in nil } == (2, 2))
            for (seqs, code) in [(Set<UInt64>([1, 3]), ProblemDetails.Code.notFound), ([1, 2], .cursorExpired)] {
                if code == .cursorExpired { scene.world.journal.removeEntries(before: 2) }
                let problem = await #expect(throws: ProblemDetails.self) { _ = try await queue.retry(seqs) }
                #expect(problem?.code == code && queue.counts.setAsideCount == 2)
            }
            #expect(try await queue.listSetAside(Scene.page()).events.map { $0.entryJSON == nil } == [true, false])
            #expect(try await queue.retry(nil) == 1)
        }
    }

    @Test
    func `A set-aside event that is deleted is not handed out after a kill of the gateway`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make { $0.maxAttempts = 1 }
            scene.world.publish([1, 2])
            let taken = try await queue.next()
            #expect(try await queue.refuse([taken[1].id], delay: 0) { _, _ in nil } == (1, 1))
            try await queue.deleteSetAside([2])
            let next = try await scene.open()
            scene.pass(seconds: 60)
            #expect(try await next.next().isEmpty)
            #expect(try await next.loadCounts().setAsideCount == 1)
        }
    }

    @Test
    func `While the list of set-aside events is full, other failed events are handed out again`() async throws {
        try await Scene.run({ $0.maxSetAside = 1 }) { scene in
            let queue = try await scene.make { $0.maxAttempts = 1 }
            scene.world.publish([1, 2])
            _ = try await queue.next()
            scene.pass(seconds: 60)
            let again = try await queue.next()
            #expect(again.map(\.seq) == [2] && again.map(\.attempt) == [2])
        }
    }

    @Test
    func `A consumer whose next events the journal has deleted gets a gap first, until the gap is acknowledged`()
        async throws
    {
        try await Scene.run { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 2, 3])
            scene.world.journal.removeEntries(before: 3)
            let gap = try await queue.next()
            #expect(gap.map(\.entryJSON) == [EventForm.encodeGap(oldest: 3, epoch: "test")])
            #expect(try await queue.next().isEmpty)
            let next = try await scene.open()
            #expect(try await next.next().isEmpty)
            scene.pass(seconds: 60)
            let again = try await next.next()
            #expect(again.map(\.entryJSON) == gap.map(\.entryJSON) && again.map(\.attempt) == [2])
            try await next.done(again[0])
            #expect(try await next.next().map(\.seq) == [3])
        }
    }

    @Test
    func `A waiting call gets an event as soon as the event is published`() async throws {
        try await Scene.run { scene in
            try await scene.world.withDelivery { engine in
                _ = try await scene.make()
                let id = Consumer.subscriptionID("bot")
                let queue = try #require(try await engine.findQueue(id))
                async let taken = queue.handOut(limit: 10, seconds: 3_600) { true }
                try await eventually("a call waits") { engine.hasWaitingWorkers }
                scene.world.publish([1])
                #expect(try await taken.map(\.seq) == [1])
            }
        }
    }

    @Test(arguments: [true, false])
    func `A waiting call ends without events when its key ends or the consumer is closed`(
        endsWithKey: Bool
    ) async throws {
        try await Scene.run { scene in
            let queue = try await scene.make()
            let isValid = Mutex(true)
            async let taken = queue.handOut(limit: 10, seconds: 3_600) { isValid.withLock { $0 } }
            try await eventually("a call waits") { queue.hasWaitingCall }
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
    func `Workers have at most the maximal number of events at the same time`() async throws {
        try await Scene.run({ $0.maxHandedOut = 3 }) { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 2, 3, 4])
            let taken = try await queue.next()
            #expect(taken.map(\.seq) == [1, 2, 3])
            #expect(try await queue.next().isEmpty)
            try await queue.done(taken[0])
            #expect(try await queue.next().map(\.seq) == [4])
        }
    }

    @Test
    func `Events above the maximal number of bytes of an answer are handed out one by one`() async throws {
        try await Scene.run({ $0.maxAnswerBytes = 1 }) { scene in
            let queue = try await scene.make()
            scene.world.publish([1, 2])
            #expect(try await queue.next().map(\.seq) == [1])
            #expect(try await queue.next().map(\.seq) == [2])
        }
    }

    @Test
    func `A consumer gets only events of its filter, and its position moves past other events`() async throws {
        try await Scene.run { scene in
            let queue = try await scene.make { $0.requestedEvents.chats = [EventChat(.direct, 2)] }
            scene.world.publish([1, 2, 1])
            let taken = try await queue.next()
            #expect(taken.map(\.seq) == [2])
            try await queue.done(taken[0])
            #expect(try await scene.world.storedSubscription(Consumer.subscriptionID("bot"))?.position == 3)
        }
    }

    @Test(arguments: [-1_000_000, 1_000_000])
    func `A change of the system clock does not change the length of a deadline`(change: Int64) async throws {
        let lead = Mutex<Int64>(0)
        let time = Scene.ManualTime()
        let steady: @Sendable () -> Int64 = { time.value.withLock { $0 } }
        try await Scene.run({
            $0.clock = DeliveryClock(
                wallMilliseconds: { steady() + lead.withLock { $0 } },
                monotonicMilliseconds: steady
            )
        }) { scene in
            let queue = try await scene.make()
            scene.world.publish([1])
            #expect(try await queue.next().count == 1)
            lead.withLock { $0 = change }
            #expect(try await queue.next().isEmpty)
            time.value.withLock { $0 += 60_000 }
            #expect(try await queue.next().map(\.attempt) == [2])
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

    private func expectRefused(_ ids: [String], _ body: () async throws -> Void) async {
        let problem = await #expect(throws: ProblemDetails.self) { try await body() }
        #expect(problem?.code == .notHandedOut)
        #expect(problem?.extraMembers.first?.value == .array(ids.map { .string($0) }))
    }
}

extension ConsumerQueue {
    fileprivate func next(_ limit: Int = 100) async throws -> [Handout] {
        try await handOut(limit: limit, seconds: 0) { true }
    }

    @discardableResult
    fileprivate func done(_ events: Handout...) async throws -> (new: Int, already: Int) {
        try await acknowledge(events.map(\.id)) { _, _ in nil }
    }

    fileprivate func retry(_ seqs: Set<UInt64>?) async throws -> Int {
        try await retry(seqs, expired: { ProblemDetails(.cursorExpired) }) { _ in nil }
    }
}

extension ConsumerQueue.Handout {
    /// The number of the event in the journal.
    fileprivate var seq: UInt64? {
        id.split(separator: ".").first?.split(separator: "-").last.flatMap { UInt64($0) }
    }
}
