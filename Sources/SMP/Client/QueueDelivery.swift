/// State of the delivery of one queue's messages in a session. The relay delivers one message, and the next message
/// only after an acknowledgement.
///
/// simplexmq `protocol/simplex-messaging.md`, "Acknowledge message delivery". A relay that sends several messages at
/// once would make the client buffer messages that the client cannot process yet.
struct QueueDelivery: Hashable, Sendable {
    enum DeliveryKind: Hashable, Sendable {
        /// The message is delivered for the first time, and has to be processed.
        case new
        /// The message was delivered before and is still being processed.
        case repeated
        /// The relay broke the protocol with this message.
        case violation
    }

    /// The id of the message that is not acknowledged yet; nil when there is none.
    private var unacknowledgedID: [UInt8]?
    /// Whether the client has repeated the subscription command (SUB). After the repetition, the relay delivers the
    /// unacknowledged message again, or the next message if the unacknowledged one has expired.
    private var mayDeliverAgain = false

    mutating func recordReceivedMessage(_ id: [UInt8]) -> DeliveryKind {
        guard let unacknowledgedID, !mayDeliverAgain else {
            mayDeliverAgain = mayDeliverAgain && unacknowledgedID == nil
            unacknowledgedID = id
            return .new
        }
        return unacknowledgedID == id ? .repeated : .violation
    }

    /// Forgets the unacknowledged message before its acknowledgement (ACK) is sent, because the next message can arrive
    /// before the answer to ACK.
    mutating func recordAcknowledgement(of id: [UInt8]) {
        if unacknowledgedID == id { unacknowledgedID = nil }
    }

    mutating func recordRepeatedSubscription() { mayDeliverAgain = true }
}
