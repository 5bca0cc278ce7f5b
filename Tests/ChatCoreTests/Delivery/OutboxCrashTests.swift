import Testing
import TestSupport

@testable import ChatCore
@testable import ChatStore

/// The queue of the outbox between a chat database and an agent that commit separately. The test stops and kills it
/// between any two commits.
@Suite(.faultTests) struct OutboxCrashTests {
    @Test(arguments: 1...12)
    func `After crashes at random steps, the agent accepts each delivery once and in order, and none stays pending`(
        seed: UInt64
    ) {
        var world = ChatAndAgent(random: SeededRandom(seed: seed))
        for _ in 0..<1_000 { world.runRandomStep() }
        world.finishDeliveries()
        #expect(world.acceptedDeliveries == world.writtenDeliveries)
        #expect(world.agentMessages.isEmpty && world.pendingDeliveries.isEmpty)
    }
}

/// The rows of one connection in both databases, and the queue, which is lost if the process ends.
private struct ChatAndAgent {
    /// The deliveries that the chat has committed without a result.
    var pendingDeliveries: [Int64] = []
    private var lastJoinedDelivery: [Int64: Int64] = [:]
    /// State committed by the agent: the first delivery of each message that it has, and whether it was sent in this
    /// run.
    var agentMessages: [(first: Int64, isSent: Bool)] = []
    private(set) var acceptedDeliveries: [Int64] = []
    private(set) var writtenDeliveries: [Int64] = []

    private var queue = OutboxQueue(pending: [])
    private var random: SeededRandom
    /// The batches that were taken from the queue, and that are neither accepted by the agent nor returned to the
    /// queue.
    private var takenShipments: [Shipment] = []

    init(random: SeededRandom) { self.random = random }

    mutating func runRandomStep() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<35: writeDelivery()
        case 35..<60: if takenShipments.isEmpty { takeShipments(flushing: Int.random(in: 0..<10, using: &random) == 0) }
        case 60..<75: passToAgent(fails: Int.random(in: 0..<6, using: &random) == 0)
        case 75..<86: sendNextMessage()
        case 86..<97: reportResults(forgets: Bool.random(using: &random))
        case 97: kill()
        default: restart()
        }
    }

    /// Continues until each written message has been sent and reported.
    mutating func finishDeliveries() {
        // The queue continues only when a message is added, so the test adds a last message.
        writeDelivery()
        for _ in 0..<(4 * writtenDeliveries.count) where !pendingDeliveries.isEmpty || !agentMessages.isEmpty {
            if takenShipments.isEmpty { takeShipments(flushing: false) }
            passToAgent(fails: false)
            sendNextMessage()
            reportResults(forgets: true)
        }
    }

    private func makeDelivery(_ id: Int64) -> Delivery {
        Delivery(
            deliveryId: id,
            connectionId: 1,
            agentConnId: "a",
            body: [UInt8](repeating: UInt8(ascii: "0"), count: 10),
            notifiesReceiver: false,
            canBeBatched: id % 5 > 0
        )
    }

    private mutating func writeDelivery() {
        let id = Int64(writtenDeliveries.count + 1)
        writtenDeliveries.append(id)
        pendingDeliveries.append(id)
        queue.add(makeDelivery(id))
    }

    private mutating func takeShipments(flushing: Bool) {
        takenShipments = queue.takeShipments(limit: 3, flushing: flushing)
        for shipment in takenShipments where shipment.deliveries.count > 1 {
            lastJoinedDelivery[shipment.firstDelivery.deliveryId] = shipment.lastDelivery.deliveryId
        }
    }

    private mutating func passToAgent(fails: Bool) {
        if fails {
            queue.putBackShipments(takenShipments)
        } else {
            for shipment in takenShipments
            where !agentMessages.contains(where: { $0.first == shipment.firstDelivery.deliveryId }) {
                agentMessages.append((shipment.firstDelivery.deliveryId, false))
                acceptedDeliveries += shipment.deliveries.map(\.deliveryId)
            }
        }
        takenShipments = []
    }

    /// The agent sends its messages in order, and reports each immediately.
    private mutating func sendNextMessage() {
        guard let index = agentMessages.firstIndex(where: { !$0.isSent }) else { return }
        agentMessages[index].isSent = true
        queue.finishShipment(agentMessages[index].first)
    }

    /// The handler commits the reported results, and the agent may then forget the messages.
    private mutating func reportResults(forgets: Bool) {
        guard let told = agentMessages.first, told.isSent else { return }
        let last = lastJoinedDelivery[told.first] ?? told.first
        pendingDeliveries.removeAll { $0 >= told.first && $0 <= last }
        if forgets { agentMessages.removeFirst() }
    }

    /// Ends the process: only committed state remains.
    private mutating func kill() {
        takenShipments = []
        var shipments: [Shipment] = []
        for id in pendingDeliveries {
            if let last = shipments.last, let end = lastJoinedDelivery[last.firstDelivery.deliveryId], id <= end,
                shipments[shipments.count - 1].joinIfFits(makeDelivery(id))
            {
                continue
            }
            shipments.append(Shipment(makeDelivery(id)))
        }
        queue = OutboxQueue(pending: shipments)
        resume()
    }

    /// Stops and starts the outbox in the same process. Before that, the agent accepts the taken shipments, or the
    /// queue gets them back.
    private mutating func restart() {
        passToAgent(fails: Bool.random(using: &random))
        resume()
    }

    private mutating func resume() {
        for index in agentMessages.indices { agentMessages[index].isSent = false }
        queue.sortShipmentsAfterRestart { [agentMessages] first in agentMessages.contains { $0.first == first } }
    }
}
