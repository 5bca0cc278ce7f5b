import SMP
import SimpleXCrypto

/// One queue as the relay keeps it. Compact, since there may be hundreds of thousands.
struct Queue: Sendable {
    enum Status: UInt8, Sendable {
        case active = 0
        /// Suspended by the recipient (OFF): accepts no messages.
        case off = 1
        case blockedSpam = 2
        case blockedContent = 3

        init(blocked reason: BlockingInfo.Reason) {
            self = reason == .spam ? .blockedSpam : .blockedContent
        }

        var blocking: BlockingInfo? {
            switch self {
            case .active, .off: nil
            case .blockedSpam: BlockingInfo(reason: .spam)
            case .blockedContent: BlockingInfo(reason: .content)
            }
        }
    }

    let recipientID: QueueID
    let senderID: QueueID
    let recipientKey: AuthorizationKey
    /// Of the relay's and the recipient's keys for this queue: encrypts message bodies to the recipient.
    let dhSecret: Bytes32
    let mode: QueueMode?
    var senderKey: AuthorizationKey?
    var status = Status.active
    /// In the order of arrival; the first is the one that is delivered.
    var messages: [StoredMessage] = []
    /// The one session that gets messages as they arrive; not kept over a restart.
    var subscriber: ConnectionHandle?
    /// The message told to ``subscriber`` and not yet acknowledged: no other is delivered before.
    var delivered: MessageID?

    /// Whether the marker for a full queue is the last message: then nothing is accepted until all are received.
    var isOverQuota: Bool { messages.last?.isQuota ?? false }
}

/// A message, or the marker that says where the queue was full.
struct StoredMessage: Sendable {
    let id: MessageID
    /// Seconds since 1970, when the relay took it.
    let timestamp: Int64
    let notification: Bool
    /// As the sender sent it; nil for the marker.
    let body: [UInt8]?

    var isQuota: Bool { body == nil }

    /// MSG for the recipient.
    func brokerMessage(dhSecret: Bytes32) throws(CryptoError) -> BrokerMessage {
        let secret = try X25519.SharedSecret(rawRepresentation: dhSecret.bytes)
        let content: RcvMessageBody =
            if let body {
                .message(timestamp: timestamp, flags: MessageFlags(notification: notification), body: body)
            } else {
                .quota(timestamp: timestamp)
            }
        let idBytes = id.bytes
        return .msg(id: idBytes, encBody: try content.seal(secret: secret, messageID: idBytes))
    }
}
