import Testing
import TestSupport

@testable import ChatCore
@testable import ChatStore

/// The queue of the outbox between a chat database and an agent that commit separately. The test stops and kills it
/// between any two commits.
@Suite(.faultTests) struct OutboxCrashTests {
    @Test(arguments: 1...12)
    func `After any crash each delivery is accepted once and in order, and none gets stuck`(seed: UInt64) {
        var world = ChatAndAgent(random: SeededRandom(seed: seed))
        for _ in 0..<1_000 { world.step() }
        world.finish()
        #expect(world.accepted == world.written)
        #expect(world.agent.isEmpty && world.pending.isEmpty)
    }
}

/// The rows of one connection in both databases, and the queue, which is lost if the process ends.
private struct ChatAndAgent {
    /// The deliveries that the chat has committed without a result.
    var pending: [Int64] = []
    private var joined: [Int64: Int64] = [:]
    /// State committed by the agent: the first delivery of each message that it has, and whether it was sent in this
    /// run.
    var agent: [(first: Int64, isSent: Bool)] = []
    private(set) var accepted: [Int64] = []
    private(set) var written: [Int64] = []

    private var queue = OutboxQueue(pending: [])
    private var random: SeededRandom
    /// The batches that were taken from the queue, and that are neither accepted by the agent nor returned to the
    /// queue.
    private var taken: [Shipment] = []

    init(random: SeededRandom) { self.random = random }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<35: write()
        case 35..<60: if taken.isEmpty { take(flushing: Int.random(in: 0..<10, using: &random) == 0) }
        case 60..<75: passToAgent(fails: Int.random(in: 0..<6, using: &random) == 0)
        case 75..<86: send()
        case 86..<97: reportResults(forgets: Bool.random(using: &random))
        case 97: kill()
        default: restart()
        }
    }

    /// Continues until each written message has been sent and reported.
    mutating func finish() {
        // The queue continues only when a message is added.
        write()
        for _ in 0..<(4 * written.count) where !pending.isEmpty || !agent.isEmpty {
            if taken.isEmpty { take(flushing: false) }
            passToAgent(fails: false)
            send()
            reportResults(forgets: true)
        }
    }

    private func delivery(_ id: Int64) -> Delivery {
        Delivery(
            deliveryId: id,
            connectionId: 1,
            agentConnId: "a",
            body: [UInt8](repeating: UInt8(ascii: "0"), count: 10),
            notifies: false,
            isJoinable: id % 5 > 0
        )
    }

    private mutating func write() {
        let id = Int64(written.count + 1)
        written.append(id)
        pending.append(id)
        queue.add(delivery(id))
    }

    private mutating func take(flushing: Bool) {
        taken = queue.takeShipments(limit: 3, flushing: flushing)
        for shipment in taken where shipment.deliveries.count > 1 {
            joined[shipment.first.deliveryId] = shipment.last.deliveryId
        }
    }

    private mutating func passToAgent(fails: Bool) {
        if fails {
            queue.putBack(taken)
        } else {
            for shipment in taken where !agent.contains(where: { $0.first == shipment.first.deliveryId }) {
                agent.append((shipment.first.deliveryId, false))
                accepted += shipment.deliveries.map(\.deliveryId)
            }
        }
        taken = []
    }

    /// The agent sends its messages in order, and reports each immediately.
    private mutating func send() {
        guard let index = agent.firstIndex(where: { !$0.isSent }) else { return }
        agent[index].isSent = true
        queue.finish(agent[index].first)
    }

    /// The handler commits the reported results, and the agent may then forget the messages.
    private mutating func reportResults(forgets: Bool) {
        guard let told = agent.first, told.isSent else { return }
        let last = joined[told.first] ?? told.first
        pending.removeAll { $0 >= told.first && $0 <= last }
        if forgets { agent.removeFirst() }
    }

    /// Ends the process: only committed state remains.
    private mutating func kill() {
        taken = []
        var shipments: [Shipment] = []
        for id in pending {
            if let last = shipments.last, let end = joined[last.first.deliveryId], id <= end,
                shipments[shipments.count - 1].joinIfFits(delivery(id))
            {
                continue
            }
            shipments.append(Shipment(delivery(id)))
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
        for index in agent.indices { agent[index].isSent = false }
        queue.resume { [agent] first in agent.contains { $0.first == first } }
    }
}
