import Testing

@testable import ChatCore
@testable import ChatStore

@Suite(.timeLimit(.minutes(3))) struct DeliveryOrderTests {
    private func delivery(_ id: Int64) -> Delivery {
        Delivery(deliveryId: id, connectionId: 1, agentConnId: "a", body: [], notifiesReceiver: false)
    }

    private func ids(_ deliveries: [Delivery]) -> [Int64] { deliveries.map(\.deliveryId) }

    @Test
    func `A committed delivery enters the outbox only after all deliveries with lower ids`() {
        var order = DeliveryOrder(next: 4)
        #expect(ids(order.addCommitted([delivery(5), delivery(6)])) == [])
        #expect(order.missingDeliveryId == 4)
        #expect(ids(order.addCommitted([delivery(4)])) == [4, 5, 6])
        #expect(order.missingDeliveryId == nil)
    }

    @Test
    func `After missing deliveries are read from the database, all deliveries enter the outbox once and in order`() {
        var order = DeliveryOrder(next: 1)
        #expect(ids(order.addCommitted([delivery(4), delivery(7)])) == [])
        // Deliveries 1 and 3 were never committed. Delivery 6 was committed when the gap was read, and 5 and 7 are
        // later.
        #expect(ids(order.fillFromDatabase([delivery(2), delivery(4)], through: 4)) == [2, 4])
        #expect(order.missingDeliveryId == 5)
        #expect(ids(order.addCommitted([delivery(2), delivery(5), delivery(6)])) == [5, 6, 7])
        #expect(order.missingDeliveryId == nil)
        #expect(ids(order.fillFromDatabase([delivery(2)], through: 4)) == [])
        #expect(ids(order.addCommitted([delivery(8)])) == [8])
    }

    @Test
    func `If the outbox is not told about a delivery, it reads the delivery from the database, and the order is kept`()
        async throws
    {
        let world = try await World()
        let (first, bob) = try await world.makeConnectedCores()
        await first.controller.close()
        let (patience, passed) = AsyncStream.makeStream(of: Void.self)
        let alice = try await world.core("alice") {
            $0.outboxHooks.waitBeforeGapSearch = { for await _ in patience {} }
        }
        let report = alice.controller.store.observers.withLock { $0.onDeliveries }
        alice.controller.store.observers.withLock { $0.onDeliveries = { _ in } }
        try await alice.run("/_send @1 text unreported")
        alice.controller.store.observers.withLock { $0.onDeliveries = report }
        try await alice.run("/_send @1 text after it")
        await alice.controller.services.outbox.flush()
        #expect(
            try await alice.run("/_get chat @1 count=1")["chat"]?["chatItems"]?[0]?["meta"]?["itemStatus"]?["type"]
                == "sndNew"
        )
        passed.finish()
        try await waitForText("after it", bob)
        #expect(try await bob.run("/_get chat @1 count=2").itemTexts == ["unreported", "after it"])
        for core in [alice, bob] { await core.controller.close() }
    }
}
