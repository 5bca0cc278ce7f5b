import ChatProtocol
import Testing
import TestSupport

@testable import ChatCore
@testable import ChatStore

@Suite struct OutboxQueueTests {
    private func makeDelivery(
        _ id: Int64,
        on connection: String = "a",
        bytes: Int = 100,
        joinable: Bool = true
    ) -> Delivery {
        Delivery(
            deliveryId: id,
            connectionId: 1,
            agentConnId: connection,
            body: [UInt8](repeating: UInt8(ascii: "0"), count: bytes),
            notifiesReceiver: false,
            canBeBatched: joinable
        )
    }

    /// Expects that the queue returns these batches next.
    private func expectShipments(
        _ queue: inout OutboxQueue,
        _ next: [[Int64]],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let taken = deliveryIDs(queue.takeShipments(limit: 10, flushing: false))
        #expect(taken == next, sourceLocation: sourceLocation)
    }

    private func deliveryIDs(_ shipments: [Shipment]) -> [[Int64]] { shipments.map { $0.deliveries.map(\.deliveryId) } }

    @Test
    func `The first message of a connection is sent immediately, and messages added before its result form one batch`()
    {
        var queue = OutboxQueue(pending: [])
        queue.add(makeDelivery(1))
        expectShipments(&queue, [[1]])
        for id in 3...5 { queue.add(makeDelivery(Int64(id))) }
        expectShipments(&queue, [])
        let mayGo = queue.finishShipment(1)
        #expect(mayGo)
        let taken = queue.takeShipments(limit: 10, flushing: false)
        #expect(deliveryIDs(taken) == [[3, 4, 5]])
        #expect(taken.map(\.isRecorded) == [false])
        let mayGoNow = queue.finishShipment(3)
        #expect(!mayGoNow)
    }

    @Test
    func `A message that must not be part of a batch is sent alone, between the messages before and after it`() {
        var queue = OutboxQueue(pending: [])
        queue.add(makeDelivery(1, joinable: false))
        expectShipments(&queue, [[1]])
        for (id, joins) in [(3, true), (4, true), (5, false), (6, true)] {
            queue.add(makeDelivery(Int64(id), joinable: joins))
        }
        var taken: [[Int64]] = []
        for done in [1, 3, 5] {
            queue.finishShipment(Int64(done))
            taken += deliveryIDs(queue.takeShipments(limit: 10, flushing: false))
        }
        #expect(taken == [[3, 4], [5], [6]])
    }

    @Test
    func `A message of one connection does not wait for the results of another connection's messages`() {
        var queue = OutboxQueue(pending: [])
        for id in 1...4 { queue.add(makeDelivery(Int64(id))) }
        for id in 5...6 { queue.add(makeDelivery(Int64(id), on: "b")) }
        expectShipments(&queue, [[1, 2, 3, 4], [5, 6]])
        queue.add(makeDelivery(7))
        queue.finishShipment(5)
        expectShipments(&queue, [])
        queue.finishShipment(1)
        expectShipments(&queue, [[7]])
    }

    @Test
    func `Messages that an earlier run has left are sent first, and no new message joins their batches`() {
        var queue = OutboxQueue(pending: [
            Shipment(makeDelivery(1)), Shipment(makeDelivery(2)), Shipment(makeDelivery(3)),
        ])
        queue.add(makeDelivery(4))
        expectShipments(&queue, [[1], [2], [3]])
        for id in 1...2 { queue.finishShipment(Int64(id)) }
        expectShipments(&queue, [])
        queue.finishShipment(3)
        expectShipments(&queue, [[4]])
    }

    @Test
    func `A batch that is put back into the queue is taken from the queue again unchanged, without newer messages`() {
        var queue = OutboxQueue(pending: [])
        queue.add(makeDelivery(1))
        expectShipments(&queue, [[1]])
        for id in 3...4 { queue.add(makeDelivery(Int64(id))) }
        let flushed = queue.takeShipments(limit: .max, flushing: true)
        #expect(deliveryIDs(flushed) == [[3, 4]])
        queue.putBackShipments(flushed)
        queue.add(makeDelivery(5))
        expectShipments(&queue, [[3, 4]])
    }

    @Test
    func `After a connection is removed from the outbox queue, its next message does not wait for an earlier result`() {
        var queue = OutboxQueue(pending: [])
        queue.add(makeDelivery(1))
        expectShipments(&queue, [[1]])
        queue.removeConnection("a")
        queue.add(makeDelivery(2))
        expectShipments(&queue, [[2]])
    }

    @Test
    func `After a restart, the outbox passes to the agent only the messages that the agent does not have yet`() {
        var queue = OutboxQueue(pending: [
            Shipment(makeDelivery(1)), Shipment(makeDelivery(2)), Shipment(makeDelivery(3, on: "b")),
        ])
        queue.sortShipmentsAfterRestart { $0 == 1 || $0 == 3 }
        expectShipments(&queue, [[2]])
        queue.add(makeDelivery(4))
        queue.add(makeDelivery(5, on: "b"))
        expectShipments(&queue, [])
        for id in 1...3 { queue.finishShipment(Int64(id)) }
        #expect(Set(deliveryIDs(queue.takeShipments(limit: 10, flushing: false))) == [[4], [5]])
    }

    @Test
    func `After a restart, a message that the agent has is not passed again, and the next message follows its result`()
    {
        var queue = OutboxQueue(pending: [Shipment(makeDelivery(1))])
        queue.sortShipmentsAfterRestart { $0 == 1 }
        queue.finishShipment(1)
        expectShipments(&queue, [])
        queue.add(makeDelivery(2))
        expectShipments(&queue, [[2]])
    }

    @Test(arguments: [true, false])
    func `After a restart, the second message waits for the first one's result only if the agent has the first one`(
        isHeld: Bool
    ) {
        var queue = OutboxQueue(pending: [])
        queue.add(makeDelivery(1))
        expectShipments(&queue, [[1]])
        queue.add(makeDelivery(2))
        queue.sortShipmentsAfterRestart { _ in isHeld }
        expectShipments(&queue, isHeld ? [] : [[2]])
        queue.finishShipment(1)
        expectShipments(&queue, isHeld ? [[2]] : [])
    }

    @Test(arguments: 1...8)
    func `In random sequences of steps, the agent gets each message once, in order, in batches of limited size`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        var queue = OutboxQueue(pending: [])
        var added: [String: [Int64]] = [:], taken: [String: [Int64]] = [:], underway: [Int64] = []
        var next: Int64 = 0
        func note(_ shipments: [Shipment]) {
            for shipment in shipments {
                #expect(
                    shipment.deliveries.count == 1
                        || shipment.makeAgentBody().count <= ChatMessageLimits.compressedMessageBytes
                )
                taken[shipment.agentConnId, default: []] += shipment.deliveries.map(\.deliveryId)
                underway.append(shipment.firstDelivery.deliveryId)
            }
        }
        for _ in 0..<3_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                next += 1
                let connection = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let bytes = Int.random(in: 1...(Bool.random(using: &random) ? 200 : 15_000), using: &random)
                queue.add(
                    makeDelivery(
                        next,
                        on: connection,
                        bytes: bytes,
                        joinable: Int.random(in: 0..<5, using: &random) > 0
                    )
                )
                added[connection, default: []].append(next)
            case 5..<7: note(queue.takeShipments(limit: Int.random(in: 1...3, using: &random), flushing: false))
            case 7:
                let shipments = queue.takeShipments(limit: 2, flushing: false)
                queue.putBackShipments(shipments)
            case 8 where next % 7 == 0: note(queue.takeShipments(limit: .max, flushing: true))
            default:
                guard let index = underway.indices.randomElement(using: &random) else { continue }
                queue.finishShipment(underway.remove(at: index))
            }
        }
        note(queue.takeShipments(limit: .max, flushing: true))
        #expect(taken == added)
    }
}
