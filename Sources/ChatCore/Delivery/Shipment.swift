internal import SQLCipher

/// What goes to the agent as one message: a delivery, or several of one connection that waited together.
struct Shipment: Sendable {
    /// In their order; never empty.
    private(set) var deliveries: [Delivery]
    /// Whether the store knows which deliveries go together.
    private(set) var isRecorded: Bool

    init(_ delivery: Delivery) {
        first = delivery
        deliveries = [delivery]
        isRecorded = true
    }

    /// The delivery that stands for all of them.
    let first: Delivery
    var last: Delivery { deliveries.last ?? first }

    var connection: String { first.agentConnId }
    var notifies: Bool { deliveries.contains(where: \.notifies) }

    /// - Returns: whether the delivery goes with them.
    mutating func join(_ delivery: Delivery) -> Bool {
        guard first.isJoinable, delivery.isJoinable, length + 1 + delivery.body.count <= Self.limit else { return false }
        deliveries.append(delivery)
        isRecorded = false
        return true
    }

    /// Without compression, which then is not needed for any connection.
    private static let limit = ChatMessageLimits.compressedMessage

    /// Of the array, with its brackets and commas.
    private var length: Int { deliveries.reduce(1) { $0 + $1.body.count + 1 } }

    /// What the agent is given.
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

    /// Those of which the agent has not said what became of them, oldest first. The agent may have each of them already, so nothing joins
    /// them that was not with them before.
    /// - Parameter first: the first id that is asked for.
    static func pending(from first: Int64 = 0, in db: StoreConnection) throws -> [Shipment] {
        var shipments: [Shipment] = []
        var joining: [Int64: (index: Int, last: Int64)] = [:]
        for row in try db.query(
            """
            SELECT d.delivery_id, d.connection_id, d.last_delivery_id, c.agent_conn_id, d.msg_body, d.msg_flags, d.created_at,
              c.chat_version, c.pq_support, c.pq_encryption, c.pq_snd_enabled, c.pq_rcv_enabled FROM deliveries d
            JOIN connections c ON c.connection_id = d.connection_id
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
