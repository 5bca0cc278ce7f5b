internal import SQLCipher

/// What goes to the agent as one message: a delivery, or several of one connection that waited together.
struct Shipment: Sendable {
    /// In their order; never empty.
    private(set) var deliveries: [Delivery]

    init(_ delivery: Delivery) {
        first = delivery
        deliveries = [delivery]
    }

    /// The delivery that stands for all of them.
    private(set) var first: Delivery
    var last: Delivery { deliveries.last ?? first }

    var connection: String { first.agentConnId }
    /// Whether the store knows which deliveries go together.
    var isRecorded: Bool { last.deliveryId == (first.lastTogether ?? first.deliveryId) }

    /// As it is once the store knows.
    var recorded: Shipment {
        guard !isRecorded else { return self }
        var recorded = self
        recorded.first.lastTogether = last.deliveryId
        recorded.deliveries[0] = recorded.first
        return recorded
    }

    /// Deliveries of one connection in as few shipments as their lengths allow, in their order.
    static func joining(_ deliveries: [Delivery]) -> [Shipment] {
        var shipments: [Shipment] = []
        for delivery in deliveries {
            if shipments.isEmpty || !shipments[shipments.count - 1].join(delivery) { shipments.append(Shipment(delivery)) }
        }
        return shipments
    }

    var notifies: Bool { deliveries.contains(where: \.notifies) }

    /// - Returns: whether the delivery goes with them.
    mutating func join(_ delivery: Delivery) -> Bool {
        guard first.isJoinable, delivery.isJoinable, length + 1 + delivery.body.count <= Self.limit else { return false }
        deliveries.append(delivery)
        return true
    }

    /// Without compression, which then is not needed for any connection.
    private static let limit = ChatMessageLimits.compressedMessage

    /// The length of the array, with its brackets and commas.
    private var length: Int { deliveries.reduce(1) { $0 + $1.body.count + 1 } }

    /// The body for the agent.
    func agentBody() -> [UInt8] {
        // One that cannot be compressed enough is refused by the agent.
        guard deliveries.count > 1 else { return (try? first.agentBody()) ?? first.body }
        return MessageBatches.array(of: deliveries.map(\.body))
    }
}

extension Shipment {
    /// The first delivery of several that go together names the last one. All of its connection between them belong to it.
    static let migration = Migration(
        name: "20261121_joined_deliveries", up: "ALTER TABLE deliveries ADD COLUMN last_delivery_id INTEGER;")

    func record(_ db: StoreConnection) throws {
        try db.execute("UPDATE deliveries SET last_delivery_id = ? WHERE delivery_id = ?", [last.deliveryId, first.deliveryId])
    }

    /// The unfinished shipments, oldest first. The agent may have each of them already, so nothing may be added to them.
    /// - Parameter first: the first id to include.
    static func pending(from first: Int64 = 0, in db: StoreConnection) throws -> [Shipment] {
        var shipments: [Shipment] = []
        var joining: [Int64: (index: Int, last: Int64)] = [:]
        for row in try db.query(
            """
            SELECT d.delivery_id, d.connection_id, d.last_delivery_id, c.agent_conn_id, b.body AS msg_body, d.msg_flags, d.created_at,
              c.chat_version, c.pq_support, c.pq_encryption, c.pq_snd_enabled, c.pq_rcv_enabled FROM deliveries d
            JOIN connections c ON c.connection_id = d.connection_id JOIN message_bodies b ON b.body_id = d.body_id
            WHERE d.delivery_status = 'pending' AND d.delivery_id >= ? ORDER BY d.delivery_id
            """, [first])
        {
            let delivery = try Delivery(row)
            if let group = joining[delivery.connectionId], delivery.deliveryId <= group.last {
                shipments[group.index].deliveries.append(delivery)
            } else {
                if let last = try row.int64OrNil("last_delivery_id") { joining[delivery.connectionId] = (shipments.count, last) }
                shipments.append(Shipment(delivery))
            }
        }
        return shipments
    }
}
