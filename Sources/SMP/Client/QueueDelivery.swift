/// The delivery of one queue in a session: one message at a time, and the next after its acknowledgement.
///
/// simplexmq `protocol/simplex-messaging.md`, "Acknowledge message delivery". A relay that sends more would make the
/// client buffer messages that it has no time for.
struct QueueDelivery: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        /// The message is to be processed.
        case new
        /// The message is being received already.
        case repeated
        /// The relay must not have sent it.
        case violation
    }

    /// The id of the message that was not acknowledged.
    private var unacknowledged: [UInt8]?
    /// Another SUB was sent, after which the relay delivers the first message again. It may be another message, since
    /// messages expire.
    private var mayRestart = false

    mutating func received(_ id: [UInt8]) -> Verdict {
        guard let unacknowledged, !mayRestart else {
            mayRestart = mayRestart && unacknowledged == nil
            unacknowledged = id
            return .new
        }
        return unacknowledged == id ? .repeated : .violation
    }

    /// ACK is about to be sent. The next message can arrive before the answer.
    mutating func acknowledged(_ id: [UInt8]) {
        if unacknowledged == id { unacknowledged = nil }
    }

    mutating func subscribedAgain() { mayRestart = true }
}
