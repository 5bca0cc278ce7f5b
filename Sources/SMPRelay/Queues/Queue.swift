import RelayBase
import SMP
import SimpleXCrypto

/// One message queue in the memory of the relay. The type is compact, because there may be hundreds of thousands of
/// queues.
struct Queue: Sendable {
    enum Status: UInt8, Sendable {
        case active = 0
        /// The recipient has suspended the queue with OFF. A suspended queue accepts no messages.
        case suspended = 1
        case blockedSpam = 2
        case blockedContent = 3

        init(blocked reason: SMPBlockingInfo.Reason) {
            self = reason == .spam ? .blockedSpam : .blockedContent
        }

        var blocking: SMPBlockingInfo? {
            switch self {
            case .active, .suspended: nil
            case .blockedSpam: SMPBlockingInfo(reason: .spam)
            case .blockedContent: SMPBlockingInfo(reason: .content)
            }
        }
    }

    let recipientID: QueueID
    let senderID: QueueID
    /// The first key that authorizes the recipient's commands. Most queues have only this key.
    private(set) var recipientKey: AuthorizationKey
    /// The Diffie-Hellman secret that the relay and the recipient share for this queue. The relay encrypts message
    /// bodies for the recipient with it.
    let dhSecret: Bytes32
    let queueMode: QueueMode?
    var senderKey: AuthorizationKey?
    var status: Status
    private var extrasBox: QueueExtras.Box?
    /// The messages in the order of arrival. The first message is the next to be delivered.
    private(set) var messages: [QueuedMessage] = []
    /// Total size of the bodies in ``messages``, in bytes.
    private(set) var messageBytes = 0
    /// The session that gets messages as they arrive. It is only in memory.
    var subscriber: ConnectionHandle?
    /// The message that was delivered to ``subscriber`` and is not acknowledged yet. The next message waits for the
    /// acknowledgement.
    var deliveredID: MessageID?

    /// Whether the last message is the marker for a full queue. With this marker, the queue accepts no message until
    /// the recipient has received all messages.
    var isOverQuota: Bool { messages.last?.isQuotaMarker ?? false }

    init(
        recipientID: QueueID,
        senderID: QueueID,
        recipientKey: AuthorizationKey,
        dhSecret: Bytes32,
        mode: QueueMode?,
        senderKey: AuthorizationKey? = nil,
        status: Status = .active,
        subscriber: ConnectionHandle? = nil
    ) {
        self.recipientID = recipientID
        self.senderID = senderID
        self.recipientKey = recipientKey
        self.dhSecret = dhSecret
        self.queueMode = mode
        self.senderKey = senderKey
        self.status = status
        self.subscriber = subscriber
    }

    /// The values that few queues have, such as a short link or a notifier.
    var extraValues: QueueExtras {
        get { extrasBox?.value ?? QueueExtras() }
        set { extrasBox = newValue == QueueExtras() ? nil : QueueExtras.Box(newValue) }
    }
    var hasExtraValues: Bool { extrasBox != nil }

    /// The reason why the queue is blocked; nil for a queue that is not blocked.
    var blocking: SMPBlockingInfo? {
        status.blocking.map { SMPBlockingInfo(reason: $0.reason, notice: extrasBox?.value.blockingNotice) }
    }

    /// The recipient's keys, at least one. Each key authorizes all commands of the recipient.
    var recipientKeys: [AuthorizationKey] {
        get { [recipientKey] + (extrasBox?.value.otherRecipientKeys ?? []) }
        set {
            guard let first = newValue.first else { return }
            recipientKey = first
            extraValues.otherRecipientKeys = Array(newValue.dropFirst())
        }
    }

    /// Whether anybody may read the link data of the queue. A queue without a mode (from an old version) counts as a
    /// contact address until it is secured.
    var isContact: Bool { queueMode == .contact || queueMode == nil && senderKey == nil }
    /// Whether the queue is secured for one sender, by this sender (SKEY, LKEY) or by the recipient (KEY).
    var isSecuredForMessages: Bool { queueMode != .contact && senderKey != nil }

    mutating func appendMessage(_ message: QueuedMessage) {
        messages.append(message)
        messageBytes += message.body?.count ?? 0
    }

    /// Removes the first `count` messages, or all if there are fewer.
    mutating func removeMessages(_ count: Int = 1) {
        let count = min(count, messages.count)
        for message in messages.prefix(count) { messageBytes -= message.body?.count ?? 0 }
        messages.removeFirst(count)
        // A new empty array replaces the old one, so that the memory of the old one is freed.
        if messages.isEmpty { messages = [] }
    }
}

/// A message in a queue, or the marker of a full queue.
struct QueuedMessage: Sendable {
    let id: MessageID
    /// The time at which the relay accepted the message, in seconds since 1970.
    let acceptedAtSeconds: Int64
    let shouldNotify: Bool
    /// The body as the sender sent it; nil for the marker of a full queue.
    let body: [UInt8]?

    var isQuotaMarker: Bool { body == nil }

    /// Makes the MSG for the recipient. It contains the message, or the marker of a full queue, encrypted for the
    /// recipient.
    func makeBrokerMessage(dhSecret: Bytes32) throws(CryptoError) -> BrokerMessage {
        let secret = try X25519.SharedSecret(rawRepresentation: dhSecret.bytes)
        let content: RcvMessageBody =
            if let body {
                .message(timestamp: acceptedAtSeconds, flags: MessageFlags(notification: shouldNotify), body: body)
            } else {
                .quota(timestamp: acceptedAtSeconds)
            }
        let idBytes = id.bytes
        return .msg(id: idBytes, encBody: try content.seal(secret: secret, messageID: idBytes))
    }
}
