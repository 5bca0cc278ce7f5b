import RelayBase
import SMP

/// Accepts, delivers and removes messages: simplexmq `protocol/simplex-messaging.md`, "SMP commands".
extension QueueStore {
    /// The queue that has a new message, and the session to which the message is delivered.
    struct DeliveryTarget: Sendable {
        let subscriber: ConnectionHandle
        let queue: QueueID
    }

    enum SendResult: Sendable {
        case accepted(number: UInt64, DeliveryTarget?)
        /// The queue is full, and the message was dropped. If this message has added the marker for a full queue,
        /// `number` is the number of the marker's log record. Otherwise it is the number of the last record for which
        /// an answer may wait.
        case quotaExceeded(number: UInt64)
    }

    /// Executes SEND, which adds a message to a queue. The caller has checked the authorization.
    func acceptMessage(to recipientID: QueueID, _ message: QueuedMessage) throws(SMPErrorType) -> SendResult {
        let record = LogRecord.messageAccepted(recipientID, message).encodeRecord()
        // The size is checked before the lock for the change is taken. So concurrent messages may exceed the limit a
        // little, which does no harm.
        guard table.withLock({ $0.messageBytes }) < maxMessageBytes else { throw .store("full") }
        return try changeQueue(recipientID, evenBlocked: true) { queue throws(SMPErrorType) in
            switch queue.status {
            case .active: break
            case .suspended: throw .auth
            case .blockedSpam, .blockedContent: throw queue.blocking.map { .blocked($0) } ?? .auth
            }
            dropExpiredMessages(&queue, now: message.acceptedAtSeconds)
            let wasEmpty = queue.messages.isEmpty
            guard wasEmpty || !queue.isOverQuota else { return .quotaExceeded(number: log.lastAwaitedRecordNumber) }
            guard queue.messages.count < maxMessagesPerQueue else {
                let marker = QueuedMessage(
                    id: message.id,
                    acceptedAtSeconds: message.acceptedAtSeconds,
                    shouldNotify: false,
                    body: nil
                )
                let number = try writeRecord(.messageAccepted(recipientID, marker))
                queue.appendMessage(marker)
                return .quotaExceeded(number: number)
            }
            let number = try writeRecord(record)
            queue.appendMessage(message)
            guard wasEmpty, let subscriber = queue.subscriber, queue.deliveredID == nil else {
                return .accepted(number: number, nil)
            }
            queue.deliveredID = message.id
            return .accepted(number: number, DeliveryTarget(subscriber: subscriber, queue: recipientID))
        }
    }

    struct SubscribeResult: Sendable {
        /// The session that was subscribed before; nil if there was none or it is the same session.
        let previousSubscriber: ConnectionHandle?
        /// Whether the queue has a message to deliver.
        let hasMessage: Bool
    }

    /// Executes SUB, which subscribes a session to a queue. A repeated SUB delivers the first message again. The queue
    /// then belongs to `service`; to no service if `service` is nil.
    func subscribeToQueue(
        _ id: QueueID,
        _ subscriber: ConnectionHandle,
        service: ServiceID? = nil
    ) throws(SMPErrorType) -> SubscribeResult {
        let result = try changeQueue(id) { queue in
            let previous = queue.subscriber === subscriber ? nil : queue.subscriber
            queue.subscriber = subscriber
            queue.deliveredID = queue.messages.first?.id
            return (
                SubscribeResult(previousSubscriber: previous, hasMessage: queue.deliveredID != nil),
                queue.extraValues.service
            )
        }
        if result.1 != service {
            _ = try changeExtraValues(
                id,
                .queueServiceChanged(id, service),
                when: { _ in true },
                { $0.service = service }
            )
        }
        return result.0
    }

    /// Removes the subscriptions of a session that has closed.
    func unsubscribeFromQueues(_ ids: some Sequence<QueueID>, _ subscriber: ConnectionHandle) {
        table.withLock { table in
            for id in ids {
                table.updateQueue(recipient: id) { queue in
                    guard queue.subscriber === subscriber else { return }
                    queue.subscriber = nil
                    queue.deliveredID = nil
                }
            }
        }
    }

    /// Returns the first message of a queue when its delivery to a subscriber begins; nil if the session is no longer
    /// subscribed or the queue is empty.
    func takeMessageToDeliver(
        _ id: QueueID,
        to subscriber: ConnectionHandle
    ) -> (message: QueuedMessage, dhSecret: Bytes32)? {
        table.withLock { table in
            let found = table.updateQueue(recipient: id) { queue -> (QueuedMessage, Bytes32)? in
                guard queue.subscriber === subscriber, let message = queue.messages.first else { return nil }
                // The message for which the delivery was scheduled may have expired. Then the next message of the queue
                // is delivered in its place.
                queue.deliveredID = message.id
                return (message, queue.dhSecret)
            }
            return found ?? nil
        }
    }

    /// Returns the first message of a queue without a change, as the answer to GET.
    func readFirstMessage(_ id: QueueID) throws(SMPErrorType) -> (message: QueuedMessage, dhSecret: Bytes32)? {
        try changeQueue(id) { queue in queue.messages.first.map { ($0, queue.dhSecret) } }
    }

    enum AcknowledgeResult: Sendable {
        case queueEmpty(number: UInt64)
        /// The queue has another message, which is delivered as the answer.
        case nextMessageWaits(number: UInt64)
    }

    /// Executes ACK of a subscriber, which removes the delivered message. An empty id removes nothing, but requests the
    /// message again, as in the original.
    ///
    /// The answer does not wait for the disk. After a crash the message would be delivered again, and recipients
    /// recognize repeated messages.
    func acknowledgeMessage(
        _ id: QueueID,
        message: [UInt8],
        by subscriber: ConnectionHandle
    ) throws(SMPErrorType) -> AcknowledgeResult {
        let messageID = MessageID(message)
        return try changeQueue(id) { queue throws(SMPErrorType) in
            guard queue.subscriber === subscriber, let delivered = queue.deliveredID,
                message.isEmpty || delivered == messageID
            else { throw .noMsg }
            var number = log.lastAwaitedRecordNumber
            if let messageID, queue.messages.first?.id == messageID {
                number = try writeRecord(.messageAcknowledged(id, messageID), isAwaited: false)
                queue.removeMessages()
            }
            queue.deliveredID = queue.messages.first?.id
            return queue.deliveredID == nil ? .queueEmpty(number: number) : .nextMessageWaits(number: number)
        }
    }

    /// Executes ACK after GET, which removes the first message if the message has this id. Returns the number of the
    /// log record for which the answer waits.
    func removeFirstMessage(_ id: QueueID, message: MessageID) throws(SMPErrorType) -> UInt64 {
        try changeQueue(id) { queue throws(SMPErrorType) in
            guard queue.messages.first?.id == message else { return log.lastAwaitedRecordNumber }
            let number = try writeRecord(.messageAcknowledged(id, message), isAwaited: false)
            queue.removeMessages()
            return number
        }
    }

    func isSubscribed(_ id: QueueID, _ subscriber: ConnectionHandle) -> Bool {
        table.withLock { $0[recipient: id]?.subscriber === subscriber }
    }

    /// The state of a queue, for the answer to QUE.
    struct QueueInfo: Sendable {
        let isSecured: Bool
        let hasNotifier: Bool
        let isSubscribed: Bool
        let deliveredID: MessageID?
        let messageCount: Int
        let firstMessage: (id: MessageID, timestamp: Int64, isQuota: Bool)?
    }

    func readInfo(_ id: QueueID, for subscriber: ConnectionHandle) throws(SMPErrorType) -> QueueInfo {
        try changeQueue(id) { queue in
            let isSubscribed = queue.subscriber === subscriber
            return QueueInfo(
                isSecured: queue.senderKey != nil,
                hasNotifier: queue.extraValues.notifier != nil,
                isSubscribed: isSubscribed,
                deliveredID: isSubscribed ? queue.deliveredID : nil,
                messageCount: queue.messages.count,
                firstMessage: queue.messages.first.map { ($0.id, $0.acceptedAtSeconds, $0.isQuotaMarker) }
            )
        }
    }
}
