package import ChatAPI
internal import ChatProtocol

/// A message in the outbox for one recipient. The outbox passes it to the agent.
package struct Delivery: Sendable {
    package let deliveryId: Int64
    package let connectionId: Int64
    package let agentConnId: String
    package let body: [UInt8]
    package let notifiesReceiver: Bool
    package var createdAt = Timestamp.now
    /// The post-quantum encryption of the connection when the delivery was created.
    package var postQuantumState = ConnectionPostQuantum(isSupported: false)
    package var chatVersion = ChatVersionRange.initial.maximum
    /// Whether the delivery may be joined with other deliveries into one message for the agent.
    package var canBeBatched = false
    /// Whether the message is forwarded by the user as a relay of a channel.
    package var isForwardedAsRelay = false
    /// The id of the chat item that shows the message; nil for a message without an item.
    package var chatItemId: Int64?
    /// The id of the last delivery of the recorded batch that begins with this delivery; nil if the store has recorded
    /// no such batch.
    package var lastBatchDeliveryId: Int64?

    package init(
        deliveryId: Int64,
        connectionId: Int64,
        agentConnId: String,
        body: [UInt8],
        notifiesReceiver: Bool,
        createdAt: Timestamp = .now,
        postQuantum: ConnectionPostQuantum = ConnectionPostQuantum(isSupported: false),
        chatVersion: Int = ChatVersionRange.initial.maximum,
        canBeBatched: Bool = false,
        isForwardedAsRelay: Bool = false,
        item chatItemId: Int64? = nil,
        lastBatchDeliveryId: Int64? = nil
    ) {
        (self.deliveryId, self.connectionId, self.agentConnId) = (deliveryId, connectionId, agentConnId)
        (self.body, self.notifiesReceiver, self.createdAt) = (body, notifiesReceiver, createdAt)
        (self.postQuantumState, self.chatVersion) = (postQuantum, chatVersion)
        self.chatItemId = chatItemId
        (self.canBeBatched, self.isForwardedAsRelay, self.lastBatchDeliveryId) = (
            canBeBatched, isForwardedAsRelay, lastBatchDeliveryId
        )
    }

    /// The flag of messages that the user forwards as a relay of channels. No item shows the result of a forwarded
    /// message, so the row of its delivery is deleted when the result is known.
    package static let forwardedAsRelayFlag: Int64 = 2

    /// Returns the id under which the agent knows a delivery. The epoch of the journal distinguishes this id from ids
    /// of other stores, such as the original of a copied store.
    package static func makeExternalID(_ deliveryId: Int64, epoch: String) -> String { "\(epoch)-\(deliveryId)" }

    package static func parseExternalID(external: String, epoch: String) -> Int64? {
        external.hasPrefix(epoch + "-") ? Int64(external.dropFirst(epoch.count + 1)) : nil
    }
}
