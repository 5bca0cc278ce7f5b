internal import ChatProtocol
internal import ChatStore
internal import DequeModule

/// The order in which deliveries are passed to the agent. For each connection, the agent usually has at most one
/// message that the relay does not have yet. Later deliveries wait and are joined, so that under load, and after an
/// outage, many chat messages share the encryption, the block and the commits of one agent message. A single delivery
/// does not wait.
struct OutboxQueue {
    private struct ConnectionQueue {
        var waitingDeliveries: Deque<Delivery> = []
        var waitingBytes = 0
        /// Shipments of an earlier run, and shipments that the agent did not accept. They are passed on before waiting
        /// deliveries.
        var formedShipments: Deque<Shipment> = []
        /// The number of messages that the agent has, but the relay does not have yet.
        var underwayCount = 0

        var isEmpty: Bool { waitingDeliveries.isEmpty && formedShipments.isEmpty && underwayCount == 0 }

        /// Removes and returns the next shipment; nil when no shipment may be passed on now.
        mutating func takeNext(flushing: Bool) -> Shipment? {
            if let shipment = formedShipments.popFirst() { return shipment }
            guard let first = waitingDeliveries.first,
                flushing || underwayCount == 0 || waitingBytes > OutboxQueue.maxWaitingBytes
            else {
                return nil
            }
            var joined = Shipment(first)
            for delivery in waitingDeliveries.dropFirst() { guard joined.joinIfFits(delivery) else { break } }
            waitingDeliveries.removeFirst(joined.deliveries.count)
            waitingBytes -= joined.deliveries.reduce(0) { $0 + $1.body.count }
            return joined
        }
    }
    private var connectionQueues: [String: ConnectionQueue] = [:]
    /// Connections whose deliveries may be passed to the agent now.
    private var readyConnections: [String] = []
    /// The connection of each shipment that the agent has. The key is the id of the first delivery in the shipment.
    private var connectionsByUnderwayDelivery: [Int64: String] = [:]
    /// Ids of deliveries that were added when their connection had no other deliveries in the queue. An id is removed
    /// when the result of its delivery is known, when the agent has not accepted the delivery, and when the connection
    /// is removed.
    private(set) var deliveryIdsOnIdleConnections: Set<Int64> = []

    /// Maximum size in bytes of the deliveries of a connection that wait in memory. Above this size, deliveries are
    /// passed to the agent, which keeps them on disk.
    private static let maxWaitingBytes = 4 * ChatMessageLimits.compressedMessageBytes

    init(pending: [Shipment]) {
        for shipment in pending {
            connectionQueues[shipment.agentConnId, default: ConnectionQueue()].formedShipments.append(shipment)
        }
        readyConnections = pending.map(\.agentConnId)
    }

    /// Compares all shipments with the shipments that the agent has, before the agent starts. Marks the shipments that
    /// the agent has as underway, since the agent sends these shipments and reports their results. Removes underway
    /// shipments that the agent no longer has, since these shipments are finished. The remaining shipments are passed
    /// to the agent later.
    /// - Parameter isHeld: a function that returns whether the agent has a shipment. Its argument is the id of the
    ///   first delivery in the shipment.
    mutating func sortShipmentsAfterRestart(held isHeld: (Int64) -> Bool) {
        for first in connectionsByUnderwayDelivery.keys where !isHeld(first) { finishShipment(first) }
        for (connection, lane) in connectionQueues {
            for shipment in lane.formedShipments where isHeld(shipment.firstDelivery.deliveryId) {
                markUnderway(shipment)
            }
            connectionQueues[connection]?.formedShipments.removeAll { isHeld($0.firstDelivery.deliveryId) }
        }
        readyConnections = Array(connectionQueues.keys)
    }

    mutating func add(_ delivery: Delivery) {
        if connectionQueues[delivery.agentConnId] == nil { deliveryIdsOnIdleConnections.insert(delivery.deliveryId) }
        connectionQueues[delivery.agentConnId, default: ConnectionQueue()].waitingDeliveries.append(delivery)
        connectionQueues[delivery.agentConnId]?.waitingBytes += delivery.body.count
        readyConnections.append(delivery.agentConnId)
    }

    /// Removes and returns the shipments that are passed on now, and marks them as underway.
    /// - Parameter flushing: whether to include deliveries that would otherwise wait for the relay.
    mutating func takeShipments(limit: Int, flushing: Bool) -> [Shipment] {
        var taken: [Shipment] = []
        let candidates =
            flushing
            ? readyConnections
                + connectionQueues.keys.filter { connectionQueues[$0]?.waitingDeliveries.isEmpty == false }
            : readyConnections
        readyConnections = []
        for (index, connection) in candidates.enumerated() {
            guard taken.count < limit else {
                readyConnections += candidates[index...]
                break
            }
            while taken.count < limit, let shipment = takeNext(of: connection, flushing: flushing) {
                taken.append(shipment)
            }
            if taken.count == limit { readyConnections.append(connection) }
        }
        return taken
    }

    private mutating func takeNext(of connection: String, flushing: Bool) -> Shipment? {
        // Changes the queue of the connection in place, so that the waiting deliveries are not copied.
        guard let index = connectionQueues.index(forKey: connection),
            let shipment = connectionQueues.values[index].takeNext(flushing: flushing)
        else { return nil }
        markUnderway(shipment)
        return shipment
    }

    private mutating func markUnderway(_ shipment: Shipment) {
        guard
            connectionsByUnderwayDelivery.updateValue(shipment.agentConnId, forKey: shipment.firstDelivery.deliveryId)
                == nil
        else {
            return
        }
        connectionQueues[shipment.agentConnId]?.underwayCount += 1
    }

    /// Puts shipments that the agent has not accepted back at the beginning of the queue.
    mutating func putBackShipments(_ shipments: [Shipment]) {
        for shipment in shipments.reversed() {
            finishShipment(shipment.firstDelivery.deliveryId)
            connectionQueues[shipment.agentConnId, default: ConnectionQueue()].formedShipments.prepend(shipment)
            readyConnections.append(shipment.agentConnId)
        }
    }

    /// Removes an underway shipment, after the agent has reported its result or has not accepted it.
    /// - Parameter first: the id of the first delivery in the shipment.
    /// - Returns: whether the next shipment of the connection may be passed on now.
    @discardableResult
    mutating func finishShipment(_ first: Int64) -> Bool {
        deliveryIdsOnIdleConnections.remove(first)
        guard let connection = connectionsByUnderwayDelivery.removeValue(forKey: first),
            var lane = connectionQueues[connection]
        else { return false }
        lane.underwayCount -= 1
        connectionQueues[connection] = lane.isEmpty ? nil : lane
        guard lane.underwayCount == 0, !lane.waitingDeliveries.isEmpty else { return false }
        readyConnections.append(connection)
        return true
    }

    /// Forgets the underway shipments of a deleted connection, since their results are no longer reported.
    mutating func removeConnection(_ connection: String) {
        for (first, of) in connectionsByUnderwayDelivery where of == connection {
            deliveryIdsOnIdleConnections.remove(first)
        }
        for delivery in connectionQueues[connection]?.waitingDeliveries ?? [] {
            deliveryIdsOnIdleConnections.remove(delivery.deliveryId)
        }
        connectionsByUnderwayDelivery = connectionsByUnderwayDelivery.filter { $0.value != connection }
        connectionQueues[connection]?.underwayCount = 0
        if connectionQueues[connection]?.isEmpty == true { connectionQueues[connection] = nil }
    }
}
