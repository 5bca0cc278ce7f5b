internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// One message for the agent: one delivery, or several deliveries of one connection that waited at the same time.
struct Shipment: Sendable {
    /// The deliveries in order; never empty.
    private(set) var deliveries: [Delivery]

    init(_ delivery: Delivery) {
        firstDelivery = delivery
        deliveries = [delivery]
    }

    /// The delivery that identifies the shipment.
    private(set) var firstDelivery: Delivery
    var lastDelivery: Delivery { deliveries.last ?? firstDelivery }

    var agentConnId: String { firstDelivery.agentConnId }
    /// Whether the store has recorded the deliveries as one batch.
    var isRecorded: Bool { lastDelivery.deliveryId == (firstDelivery.lastBatchDeliveryId ?? firstDelivery.deliveryId) }

    /// A copy of this shipment that is marked as recorded in the store.
    var recordedShipment: Shipment {
        guard !isRecorded else { return self }
        var recorded = self
        recorded.firstDelivery.lastBatchDeliveryId = lastDelivery.deliveryId
        recorded.deliveries[0] = recorded.firstDelivery
        return recorded
    }

    /// Joins deliveries of one connection, in their order, into as few shipments as their lengths allow.
    static func joinDeliveries(_ deliveries: [Delivery]) -> [Shipment] {
        var shipments: [Shipment] = []
        for delivery in deliveries {
            if shipments.isEmpty || !shipments[shipments.count - 1].joinIfFits(delivery) {
                shipments.append(Shipment(delivery))
            }
        }
        return shipments
    }

    var notifiesReceiver: Bool { deliveries.contains(where: \.notifiesReceiver) }

    /// Adds a delivery if it fits.
    /// - Returns: whether the delivery was added.
    mutating func joinIfFits(_ delivery: Delivery) -> Bool {
        guard firstDelivery.canBeBatched, delivery.canBeBatched,
            encodedLength + 1 + delivery.body.count <= Self.maxLength
        else {
            return false
        }
        deliveries.append(delivery)
        return true
    }

    /// The maximum length of a batch in bytes. A batch of this length can be sent over every connection without
    /// compression.
    private static let maxLength = ChatMessageLimits.compressedMessageBytes

    /// The length of the JSON array in bytes, with its brackets and commas.
    private var encodedLength: Int { deliveries.reduce(1) { $0 + $1.body.count + 1 } }

    /// Makes the body of the agent message: the body of the single delivery, or a JSON array of several bodies.
    func makeAgentBody() -> [UInt8] {
        // A single body is compressed for the agent. If the body cannot be compressed enough, the agent gets the
        // uncompressed body, and refuses it.
        guard deliveries.count > 1 else { return (try? firstDelivery.makeAgentBody()) ?? firstDelivery.body }
        return MessageBatches.encodeArray(of: deliveries.map(\.body))
    }
}

extension Shipment {
    func recordBatch(_ db: StoreConnection) throws {
        try db.execute(
            "UPDATE deliveries SET last_delivery_id = :last_delivery_id WHERE delivery_id = :delivery_id",
            ["last_delivery_id": lastDelivery.deliveryId, "delivery_id": firstDelivery.deliveryId]
        )
    }

    /// Reads the unfinished shipments, oldest first. The agent may already have any of these shipments, so no
    /// deliveries may be added to these shipments.
    /// - Parameter first: the smallest delivery id to include.
    static func findPending(from first: Int64 = 0, in db: StoreConnection) throws -> [Shipment] {
        var shipments: [Shipment] = []
        var joining: [Int64: (index: Int, last: Int64)] = [:]
        for row in try db.query(
            """
            SELECT d.delivery_id, d.connection_id, d.last_delivery_id, d.chat_item_id, c.agent_conn_id, b.body AS msg_body, d.msg_flags, d.created_at,
              c.chat_version, c.pq_support, c.pq_encryption, c.pq_snd_enabled, c.pq_rcv_enabled FROM deliveries d
            JOIN connections c ON c.connection_id = d.connection_id JOIN message_bodies b ON b.body_id = d.body_id
            WHERE d.delivery_status = 'pending' AND d.delivery_id >= ? ORDER BY d.delivery_id
            """,
            [first]
        ) {
            let delivery = try Delivery(row)
            if let group = joining[delivery.connectionId], delivery.deliveryId <= group.last {
                shipments[group.index].deliveries.append(delivery)
            } else {
                if let last = try row.int64OrNil("last_delivery_id") {
                    joining[delivery.connectionId] = (shipments.count, last)
                }
                shipments.append(Shipment(delivery))
            }
        }
        return shipments
    }
}
