package import ChatAPI
internal import ChatStore
internal import SQLCipher

/// A step in the life of a message, such as its storing, its acceptance by a relay, or its receipt.
package struct MessageStep: Hashable, Sendable {
    /// The kinds of steps, in the order in which they happen to one message.
    package enum Kind: Int, Sendable {
        /// The item of a message that the user sends was stored.
        case accepted
        /// The message to one recipient was stored in the outbox.
        case committed
        /// The relay has accepted the message. For a received message, the time comes from the clock of the relay, in
        /// whole seconds. For a message that a member has forwarded, the time comes from this member.
        case atRelay
        /// The agent has stopped trying to send the message to one recipient.
        case failed
        /// The item of a received message was stored.
        case received
        /// The receipt of one recipient has arrived.
        case receipt
    }
    package var kind: Kind
    package var time: Timestamp
    /// The id that the message to one recipient has in the outbox. Later messages have higher ids. The id is 0 if the
    /// step has no single recipient: for ``Kind/accepted``, and for the steps of a received message.
    package var deliveryId: Int64 = 0
    /// The id of the contact who gets the message; nil if a group member gets the message, or if ``deliveryId`` is 0.
    package var contactId: Int64?
    /// The id of the group member who gets the message; nil if a contact gets the message, or if ``deliveryId`` is 0.
    package var groupMemberId: Int64?
}

/// Reads the life of messages: when they were stored, when relays accepted them, and when receipts arrived.
package struct MessageTraces: Sendable {
    let store: ChatStore

    /// The maximum number of messages whose steps are returned for an item. An item is sent to each recipient in a
    /// separate message. The newest messages above this number are left out.
    static let maxDeliveries: Int64 = 20_000

    /// Returns the steps of an item, from its storing to the receipts of the recipients. A step is an event with its
    /// time, such as the acceptance of the message by a relay.
    /// - Returns: the steps. For a sent item, these are the storing of the item, and then the steps of the message to
    ///   each recipient. For a received item, these are its acceptance by the relay and its storing. The result is nil
    ///   for an unknown chat, an unknown item, or a hidden user that is not active.
    package func readSteps(of itemId: Int64, in chat: ChatRef, user userId: Int64) async throws -> [MessageStep]? {
        let key = try ChatKey(chat)
        return try await store.read { db in
            guard let user = try UserRecord.findVisible(userId, in: db),
                let chat = try key.findConversation(user, db),
                let item = try ItemQueries.findItems([itemId], in: chat, db).first
            else { return nil }
            guard item.isSent else {
                return [
                    MessageStep(kind: .atRelay, time: item.itemTs), MessageStep(kind: .received, time: item.createdAt),
                ]
            }
            let deliveries = try db.query(
                """
                SELECT d.delivery_id, d.delivery_status, d.created_at, d.finished_at, d.receipt_at, c.contact_id, c.group_member_id
                FROM deliveries d JOIN connections c ON c.connection_id = d.connection_id
                WHERE d.chat_item_id = ? ORDER BY d.delivery_id LIMIT \(Self.maxDeliveries)
                """,
                [itemId]
            )
            return try [MessageStep(kind: .accepted, time: item.createdAt)] + deliveries.flatMap(Self.makeSteps)
        }
    }

    /// Returns the steps of the message to one recipient: its storing, its acceptance by the relay or its failure, and
    /// the arrival of its receipt.
    /// - Parameter row: the row of this message in the outbox.
    private static func makeSteps(_ row: Row) throws -> [MessageStep] {
        let isFailed = try row.string("delivery_status") == "failed"
        let (contactId, memberId) = (try row.int64OrNil("contact_id"), try row.int64OrNil("group_member_id"))
        let times: [(MessageStep.Kind, Int64?)] = [
            (.committed, try row.int64("created_at")),
            (isFailed ? .failed : .atRelay, try row.int64OrNil("finished_at")),
            (.receipt, try row.int64OrNil("receipt_at")),
        ]
        let deliveryId = try row.int64("delivery_id")
        return times.compactMap { kind, time in
            time.map {
                MessageStep(
                    kind: kind,
                    time: Timestamp(nanoseconds: $0),
                    deliveryId: deliveryId,
                    contactId: memberId == nil ? contactId : nil,
                    groupMemberId: memberId
                )
            }
        }
    }
}
