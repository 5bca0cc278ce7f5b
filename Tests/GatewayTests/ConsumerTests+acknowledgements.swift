import Synchronization
import Testing

@testable import Gateway

/// Acknowledgements of the events that a consumer took.
extension ConsumerTests {
    @Test
    func `An acknowledged event is not handed out again after a kill of the gateway`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 2, 3])
            let taken = try await queue.takeEvents()
            try await queue.acknowledgeEvents(taken[1])
            scene.passTime(seconds: 60)
            #expect(try await scene.openConsumer().takeEvents().map(\.seq) == [1, 3])
        }
    }

    @Test
    func `A worker can acknowledge an event after a kill and restart of the gateway`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 1])
            let taken = try #require(try await queue.takeEvents().first)
            let next = try await scene.openConsumer()
            #expect(try await next.takeEvents().isEmpty)
            #expect(try await next.loadCounts().handedOutCount == 1)
            try await next.acknowledgeEvents(taken)
            #expect(try await next.takeEvents().map(\.seq) == [2])
            #expect(try await scene.world.storedSubscription(Consumer.subscriptionID("bot"))?.position == 1)
        }
    }

    @Test
    func `An acknowledgement of several events is refused completely if another worker has since got one of them`()
        async throws
    {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1])
            let first = try #require(try await queue.takeEvents().first)
            scene.passTime(seconds: 60)
            scene.world.publish([2])
            let again = try await queue.takeEvents()
            #expect(again.map(\.seq) == [1, 2])
            await expectRefused([first.id]) { try await queue.acknowledgeEvents(again[1], first) }
            #expect(queue.counts.handedOutCount == 2)
            try await queue.acknowledgeEvents(again[0], again[1])
            #expect(queue.counts.unacknowledgedCount == 0)
        }
    }

    @Test
    func `An acknowledgement after the event's deadline is accepted if no other worker has got the event`() async throws
    {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1])
            let taken = try #require(try await queue.takeEvents().first)
            scene.passTime(seconds: 100)
            try await queue.acknowledgeEvents(taken)
            #expect(try await queue.takeEvents().isEmpty)
        }
    }

    @Test
    func `A repeated acknowledgement is counted as already made, even after a kill of the gateway`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 2])
            let taken = try await queue.takeEvents()
            // The first event is still handed out, so the second event is after the position.
            #expect(try await queue.acknowledgeEvents(taken[1]) == (1, 0))
            #expect(try await queue.acknowledgeEvents(taken[1]) == (0, 1))
            #expect(try await scene.openConsumer().acknowledgeEvents(taken[1]) == (0, 1))
            #expect(try await queue.acknowledgeEvents(taken[0], taken[1]) == (1, 1))
            #expect(try await scene.openConsumer().acknowledgeEvents(taken[0], taken[0]) == (0, 1))
        }
    }

    @Test
    func `An acknowledgement that changes nothing stores no answer for repeated requests`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1])
            let taken = try #require(try await queue.takeEvents().first)
            try await queue.acknowledgeEvents(taken)
            let count = Mutex(0)
            let counts = try await queue.acknowledgeEvents([taken.id]) { _, _ in
                count.withLock { $0 += 1 }
                return nil
            }
            #expect(counts == (0, 1) && count.withLock { $0 } == 0)
        }
    }

    @Test
    func `Two simultaneous acknowledgements of one event both succeed, and only one counts as new`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1])
            let taken = try #require(try await queue.takeEvents().first)
            async let one = queue.acknowledgeEvents(taken)
            async let other = queue.acknowledgeEvents(taken)
            let counts = [try await one, try await other]
            #expect(counts.map(\.new).sorted() == [0, 1] && counts.map(\.already).sorted() == [0, 1])
        }
    }

    @Test
    func `An acknowledgement with an id that the consumer has not handed out is refused`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer(), other = try await scene.makeConsumer("other")
            scene.world.publish([1])
            let taken = try #require(try await queue.takeEvents().first)
            let id = taken.id
            for wrong in ["", "test-1", "test-9." + id.dropFirst(7), id + "A", String(id.dropLast()), "gap-" + id] {
                await expectRefused([wrong]) { _ = try await queue.acknowledgeEvents([wrong]) { _, _ in nil } }
            }
            await expectRefused([id]) { try await other.acknowledgeEvents(taken) }
            #expect(queue.counts.handedOutCount == 1)
        }
    }

    @Test
    func `A worker cannot refuse an event that was already acknowledged`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1])
            let taken = try #require(try await queue.takeEvents().first)
            try await queue.acknowledgeEvents(taken)
            await expectRefused([taken.id]) { _ = try await queue.refuseEvents([taken.id], delay: 0) { _, _ in nil } }
        }
    }

    func expectRefused(_ ids: [String], _ body: () async throws -> Void) async {
        let problem = await #expect(throws: ProblemDetails.self) { try await body() }
        #expect(problem?.code == .notHandedOut)
        #expect(problem?.extraMembers.first?.value == .array(ids.map { .string($0) }))
    }
}
