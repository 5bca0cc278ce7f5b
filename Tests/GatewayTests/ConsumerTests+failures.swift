import Testing

@testable import Gateway

/// Events that the receiver of a consumer refuses, and events that are set aside.
extension ConsumerTests {
    @Test
    func `A refused event is handed out again after a pause, and later events of its chat wait until then`()
        async throws
    {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer()
            scene.world.publish([1, 1, 2])
            let taken = try await queue.takeEvents()
            #expect(try await queue.refuseEvents([taken[0].id], delay: 20) { _, _ in nil } == (1, 0))
            try await queue.acknowledgeEvents(taken[1])
            #expect(try await queue.takeEvents().isEmpty)
            // The pause continues after a kill of the process.
            let next = try await scene.openConsumer()
            scene.passTime(seconds: 19)
            #expect(try await next.takeEvents().isEmpty)
            scene.passTime(seconds: 1)
            let again = try await next.takeEvents()
            #expect(again.map(\.seq) == [1] && again.map(\.attempt) == [2])
        }
    }

    @Test
    func `An event that is still not acknowledged after its last attempt is set aside`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer { $0.maxAttempts = 2 }
            scene.world.publish([1, 1])
            #expect(try await queue.takeEvents().map(\.attempt) == [1])
            scene.passTime(seconds: 60)
            #expect(try await queue.takeEvents().map(\.attempt) == [2])
            scene.passTime(seconds: 60)
            #expect(try await queue.takeEvents().map(\.seq) == [2])
            for known in [queue, try await scene.openConsumer()] {
                let list = try await known.listSetAside(ConsumerWorld.makePageRequest()).events
                #expect(list.map(\.seq) == [1] && list.map(\.attempts) == [2] && list[0].entryJSON != nil)
                #expect(try await known.loadCounts().setAsideCount == 1)
            }
        }
    }

    @Test
    func `An event whose last attempt is refused is set aside immediately`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer { $0.maxAttempts = 1 }
            scene.world.publish([1])
            let taken = try #require(try await queue.takeEvents().first)
            #expect(try await queue.refuseEvents([taken.id], delay: 0) { _, _ in nil } == (1, 1))
            #expect(try await queue.takeEvents().isEmpty && queue.counts.setAsideCount == 1)
        }
    }

    @Test
    func `An event that was set aside because its deadline passed can still be acknowledged`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer { $0.maxAttempts = 1 }
            scene.world.publish([1])
            let taken = try #require(try await queue.takeEvents().first)
            scene.passTime(seconds: 60)
            #expect(try await queue.takeEvents().isEmpty && queue.counts.setAsideCount == 1)
            try await queue.acknowledgeEvents(taken)
            #expect(try await scene.openConsumer().loadCounts().setAsideCount == 0)
        }
    }

    @Test(arguments: [true, false])
    func `If a set-aside event is retried, it is handed out before later events of its chat, as a first attempt`(
        isKilled: Bool
    ) async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer { $0.maxAttempts = 1 }
            scene.world.publish([1, 2, 1])
            let taken = try await queue.takeEvents()
            #expect(try await queue.refuseEvents([taken[0].id], delay: 0) { _, _ in nil } == (1, 1))
            try await queue.acknowledgeEvents(taken[1])
            let last = try #require(try await queue.takeEvents().first)
            #expect(last.seq == 3)
            try await queue.acknowledgeEvents(last)
            #expect(try await queue.retryEvents([1]) == 1)
            scene.world.publish([1])
            let open = isKilled ? try await scene.openConsumer() : queue
            let again = try await open.takeEvents()
            #expect(again.map(\.seq) == [1] && again.map(\.attempt) == [1] && again[0].id != taken[0].id)
            #expect(try await open.loadCounts().setAsideCount == 0)
            // The event stays handed out in the next process too.
            let next = isKilled ? try await scene.openConsumer() : queue
            #expect(try await next.takeEvents().isEmpty)
            try await next.acknowledgeEvents(again[0])
            #expect(try await next.takeEvents().map(\.seq) == [4])
        }
    }

    @Test
    func `A retry of set-aside events is refused if one event is not set aside or is deleted from the journal`()
        async throws
    {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer { $0.maxAttempts = 1 }
            scene.world.publish([1, 2])
            let taken = try await queue.takeEvents()
            #expect(try await queue.refuseEvents(taken.map(\.id), delay: 0) { _, _ in nil } == (2, 2))
            for (seqs, code) in [(Set<UInt64>([1, 3]), ProblemDetails.Code.notFound), ([1, 2], .cursorExpired)] {
                if code == .cursorExpired { scene.world.journal.removeEntries(before: 2) }
                let problem = await #expect(throws: ProblemDetails.self) { _ = try await queue.retryEvents(seqs) }
                #expect(problem?.code == code && queue.counts.setAsideCount == 2)
            }
            #expect(
                try await queue.listSetAside(ConsumerWorld.makePageRequest()).events.map { $0.entryJSON == nil } == [
                    true, false,
                ]
            )
            #expect(try await queue.retryEvents(nil) == 1)
        }
    }

    @Test
    func `A set-aside event that a client has deleted is not handed out after a kill of the gateway`() async throws {
        try await ConsumerWorld.run { scene in
            let queue = try await scene.makeConsumer { $0.maxAttempts = 1 }
            scene.world.publish([1, 2])
            let taken = try await queue.takeEvents()
            #expect(try await queue.refuseEvents([taken[1].id], delay: 0) { _, _ in nil } == (1, 1))
            try await queue.deleteSetAside([2])
            let next = try await scene.openConsumer()
            scene.passTime(seconds: 60)
            #expect(try await next.takeEvents().isEmpty)
            #expect(try await next.loadCounts().setAsideCount == 1)
        }
    }

    @Test
    func `While the list of set-aside events is full, an event is handed out again even after its last attempt`()
        async throws
    {
        try await ConsumerWorld.run({ $0.maxSetAsideEntries = 1 }) { scene in
            let queue = try await scene.makeConsumer { $0.maxAttempts = 1 }
            scene.world.publish([1, 2])
            _ = try await queue.takeEvents()
            scene.passTime(seconds: 60)
            let again = try await queue.takeEvents()
            #expect(again.map(\.seq) == [2] && again.map(\.attempt) == [2])
        }
    }
}
