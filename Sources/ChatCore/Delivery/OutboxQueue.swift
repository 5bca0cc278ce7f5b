internal import ChatProtocol
internal import ChatStore
internal import DequeModule

/// The order in which deliveries are passed to the agent. For each connection, the agent usually has at most one
/// message that the relay does not have yet. Later deliveries wait and are joined, so that under load, and after an
/// outage, many chat messages share the encryption, the block and the commits of one agent message. A single delivery
/// does not wait.
struct OutboxQueue {
    private struct Lane {
        var waiting: Deque<Delivery> = []
        var waitingBytes = 0
        /// Shipments that were formed earlier. They are passed on before waiting deliveries.
        var formed: Deque<Shipment> = []
        /// The number of messages that the agent has, but the relay does not have yet.
        var underway = 0

        var isEmpty: Bool { waiting.isEmpty && formed.isEmpty && underway == 0 }

        /// Removes the next shipment; nil when no shipment may be passed on now.
        mutating func next(flushing: Bool) -> Shipment? {
            if let shipment = formed.popFirst() { return shipment }
            guard let first = waiting.first, flushing || underway == 0 || waitingBytes > OutboxQueue.waitingLimit else {
                return nil
            }
            var joined = Shipment(first)
            for delivery in waiting.dropFirst() { guard joined.join(delivery) else { break } }
            waiting.removeFirst(joined.deliveries.count)
            waitingBytes -= joined.deliveries.reduce(0) { $0 + $1.body.count }
            return joined
        }
    }
    private var lanes: [String: Lane] = [:]
    /// Connections whose deliveries may be passed to the agent.
    private var ready: [String] = []
    /// The connection of each shipment that the agent has. The key is the id of the first delivery.
    private var underway: [Int64: String] = [:]
    /// Deliveries over connections that had no other deliveries before, until the results of the deliveries are known.
    private(set) var overFreeConnections: Set<Int64> = []

    /// Maximum size in bytes of the deliveries of a connection that wait in memory. Above this size, deliveries are
    /// passed to the agent, which keeps them on disk.
    private static let waitingLimit = 4 * ChatMessageLimits.compressedMessage

    init(pending: [Shipment]) {
        for shipment in pending { lanes[shipment.connection, default: Lane()].formed.append(shipment) }
        ready = pending.map(\.connection)
    }

    /// Sorts the shipments while the agent is offline. Shipments that the agent has are underway: the agent sends them,
    /// and reports their results. If the agent does not have a shipment that was underway, the shipment is finished.
    /// The other shipments are passed to the agent.
    /// - Parameter isHeld: whether the agent has the shipment with this first delivery.
    mutating func resume(held isHeld: (Int64) -> Bool) {
        for first in underway.keys where !isHeld(first) { finish(first) }
        for (connection, lane) in lanes {
            for shipment in lane.formed where isHeld(shipment.first.deliveryId) { markUnderway(shipment) }
            lanes[connection]?.formed.removeAll { isHeld($0.first.deliveryId) }
        }
        ready = Array(lanes.keys)
    }

    mutating func add(_ delivery: Delivery) {
        if lanes[delivery.agentConnId] == nil { overFreeConnections.insert(delivery.deliveryId) }
        lanes[delivery.agentConnId, default: Lane()].waiting.append(delivery)
        lanes[delivery.agentConnId]?.waitingBytes += delivery.body.count
        ready.append(delivery.agentConnId)
    }

    /// Removes the shipments that are passed on now, and marks them as underway.
    /// - Parameter flushing: whether to include deliveries that would otherwise wait for the relay.
    mutating func take(limit: Int, flushing: Bool) -> [Shipment] {
        var taken: [Shipment] = []
        let candidates = flushing ? ready + lanes.keys.filter { lanes[$0]?.waiting.isEmpty == false } : ready
        ready = []
        for (index, connection) in candidates.enumerated() {
            guard taken.count < limit else {
                ready += candidates[index...]
                break
            }
            while taken.count < limit, let shipment = next(of: connection, flushing: flushing) {
                taken.append(shipment)
            }
            if taken.count == limit { ready.append(connection) }
        }
        return taken
    }

    private mutating func next(of connection: String, flushing: Bool) -> Shipment? {
        // Changes the lane in place, so that the waiting deliveries are not copied.
        guard let index = lanes.index(forKey: connection), let shipment = lanes.values[index].next(flushing: flushing)
        else { return nil }
        markUnderway(shipment)
        return shipment
    }

    private mutating func markUnderway(_ shipment: Shipment) {
        guard underway.updateValue(shipment.connection, forKey: shipment.first.deliveryId) == nil else { return }
        lanes[shipment.connection]?.underway += 1
    }

    /// Puts shipments that the agent has not accepted back at the beginning of the queue.
    mutating func putBack(_ shipments: [Shipment]) {
        for shipment in shipments.reversed() {
            finish(shipment.first.deliveryId)
            lanes[shipment.connection, default: Lane()].formed.prepend(shipment)
            ready.append(shipment.connection)
        }
    }

    /// Removes the shipment that begins with the delivery `first`. The agent has reported the result, or has not
    /// accepted the shipment.
    /// - Returns: whether the next shipment of the connection may be passed on now.
    @discardableResult
    mutating func finish(_ first: Int64) -> Bool {
        overFreeConnections.remove(first)
        guard let connection = underway.removeValue(forKey: first), var lane = lanes[connection] else { return false }
        lane.underway -= 1
        lanes[connection] = lane.isEmpty ? nil : lane
        guard lane.underway == 0, !lane.waiting.isEmpty else { return false }
        ready.append(connection)
        return true
    }

    /// Forgets the underway shipments of a deleted connection, since their results are no longer reported.
    mutating func forget(_ connection: String) {
        for (first, of) in underway where of == connection { overFreeConnections.remove(first) }
        for delivery in lanes[connection]?.waiting ?? [] { overFreeConnections.remove(delivery.deliveryId) }
        underway = underway.filter { $0.value != connection }
        lanes[connection]?.underway = 0
        if lanes[connection]?.isEmpty == true { lanes[connection] = nil }
    }
}
