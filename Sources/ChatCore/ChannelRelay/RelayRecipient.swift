internal import ChatStore
internal import SQLCipher

/// Member to whom a relay passes messages on.
struct RelayRecipient: Sendable {
    let connectionId: Int64
    let agentConnId: String

    init(connectionId: Int64, agentConnId: String) {
        self.connectionId = connectionId
        self.agentConnId = agentConnId
    }

    init(_ connection: ConnectionRecord) {
        self.init(connectionId: connection.connectionId, agentConnId: connection.agentConnId)
    }
}

extension Transaction {
    /// Writes a body in the format of channels into the outbox. The body is not put into a batch with other bodies.
    func enqueueRelayedBody(_ body: [UInt8], to recipients: [RelayRecipient]) throws {
        guard !recipients.isEmpty else { return }
        try enqueueRelayedBody(body, MessageBodies.store(body, deliveries: recipients.count, in: db), to: recipients)
    }

    /// Writes a stored body into the outbox. The stored number of deliveries of the body must already include these
    /// recipients.
    func enqueueRelayedBody(_ body: [UInt8], _ bodyId: Int64, to recipients: [RelayRecipient]) throws {
        for some in recipients.chunks(of: 200) {
            try db.execute(
                """
                INSERT INTO deliveries (connection_id, body_id, chat_item_id, msg_flags, created_at)
                  WITH \(valuesTable(some.count)) SELECT id, ?, NULL, ?, ? FROM many
                """,
                some.map(\.connectionId).arguments + [bodyId, Delivery.forwardedAsRelayFlag, now.nanoseconds]
            )
            let first = db.lastInsertRowID - Int64(some.count) + 1
            deliveries += some.enumerated().map { index, recipient in
                Delivery(
                    deliveryId: first + Int64(index),
                    connectionId: recipient.connectionId,
                    agentConnId: recipient.agentConnId,
                    body: body,
                    notifiesReceiver: false,
                    createdAt: now,
                    isForwardedAsRelay: true
                )
            }
        }
    }
}
