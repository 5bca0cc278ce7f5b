/// The order in which deliveries go to the agent. Of each connection one message is with the agent before its relay has it: what comes meanwhile
/// waits here and goes together, so that under load, and after an outage, many chat messages share the encryption, the block and the commits of
/// one message. A single one does not wait.
struct OutboxQueue {
    private struct Lane {
        var waiting: [Delivery] = []
        var waitingBytes = 0
        /// Formed already: handed over before what waits.
        var formed: [Shipment] = []
        /// How many messages the agent has that are not with the relay.
        var underway = 0

        var isEmpty: Bool { waiting.isEmpty && formed.isEmpty && underway == 0 }
    }
    private var lanes: [String: Lane] = [:]
    /// The connections of which something may be handed over.
    private var ready: [String] = []
    /// Shipments that the agent has, by their first delivery, with their connection.
    private var underway: [Int64: String] = [:]

    /// More than this does not wait here. The agent keeps it on disk.
    private static let waitingLimit = 4 * ChatMessageLimits.compressedMessage

    init(pending: [Shipment]) {
        for shipment in pending { lanes[shipment.connection, default: Lane()].formed.append(shipment) }
        ready = pending.map(\.connection)
    }

    /// Sorts what was handed over before by what the agent has, while the agent is offline. What it has it sends by itself, and says so: that
    /// is underway. What it has not is handed over again, unless it was underway: then it is accounted for.
    /// - Parameter isHeld: whether the agent has the shipment with this first delivery.
    mutating func resume(held isHeld: (Int64) -> Bool) {
        for first in underway.keys where !isHeld(first) { settled(first) }
        for (connection, lane) in lanes {
            for shipment in lane.formed where isHeld(shipment.first.deliveryId) { goes(shipment) }
            lanes[connection]?.formed.removeAll { isHeld($0.first.deliveryId) }
        }
        ready = Array(lanes.keys)
    }

    mutating func add(_ delivery: Delivery) {
        lanes[delivery.agentConnId, default: Lane()].waiting.append(delivery)
        lanes[delivery.agentConnId]?.waitingBytes += delivery.body.count
        ready.append(delivery.agentConnId)
    }

    /// What is to be handed over now.
    /// - Parameter flushing: also what would wait for the relay.
    mutating func take(limit: Int, flushing: Bool) -> [Shipment] {
        var taken: [Shipment] = []
        let candidates = flushing ? ready + lanes.keys.filter { lanes[$0]?.waiting.isEmpty == false } : ready
        ready = []
        for (index, connection) in candidates.enumerated() {
            guard taken.count < limit else {
                ready += candidates[index...]
                break
            }
            while taken.count < limit, let shipment = next(of: connection, flushing: flushing) { taken.append(shipment) }
            if taken.count == limit { ready.append(connection) }
        }
        return taken
    }

    private mutating func next(of connection: String, flushing: Bool) -> Shipment? {
        guard var lane = lanes[connection] else { return nil }
        let shipment: Shipment
        if !lane.formed.isEmpty {
            shipment = lane.formed.removeFirst()
        } else {
            guard let first = lane.waiting.first, flushing || lane.underway == 0 || lane.waitingBytes > Self.waitingLimit else { return nil }
            var joined = Shipment(first)
            for delivery in lane.waiting.dropFirst() { guard joined.join(delivery) else { break } }
            lane.waiting.removeFirst(joined.deliveries.count)
            lane.waitingBytes -= joined.deliveries.reduce(0) { $0 + $1.body.count }
            shipment = joined
        }
        lanes[connection] = lane
        goes(shipment)
        return shipment
    }

    private mutating func goes(_ shipment: Shipment) {
        guard underway.updateValue(shipment.connection, forKey: shipment.first.deliveryId) == nil else { return }
        lanes[shipment.connection]?.underway += 1
    }

    /// Takes back what the agent has not taken; it comes first.
    mutating func giveBack(_ shipments: [Shipment]) {
        for shipment in shipments.reversed() {
            settled(shipment.first.deliveryId)
            lanes[shipment.connection, default: Lane()].formed.insert(shipment, at: 0)
            ready.append(shipment.connection)
        }
    }

    /// The agent has said what became of a message, or has not taken it.
    /// - Returns: whether something else may be handed over now.
    @discardableResult
    mutating func settled(_ first: Int64) -> Bool {
        guard let connection = underway.removeValue(forKey: first), var lane = lanes[connection] else { return false }
        lane.underway -= 1
        lanes[connection] = lane.isEmpty ? nil : lane
        guard lane.underway == 0, !lane.waiting.isEmpty else { return false }
        ready.append(connection)
        return true
    }

    /// The connection is gone: nothing is heard of its messages any more.
    mutating func forget(_ connection: String) {
        underway = underway.filter { $0.value != connection }
        lanes[connection]?.underway = 0
        if lanes[connection]?.isEmpty == true { lanes[connection] = nil }
    }
}
