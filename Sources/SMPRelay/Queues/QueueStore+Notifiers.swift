import RelayBase
import SMP
import SimpleXCrypto

/// Sets and removes the notifiers of queues: simplexmq `protocol/simplex-messaging.md`, "Notifier queue commands".
extension QueueStore {
    func findNotifierKey(_ id: NotifierID) -> (recipientID: QueueID, key: AuthorizationKey)? {
        table.withLock { table in
            table[notifier: id].flatMap { queue in queue.extraValues.notifier.map { (queue.recipientID, $0.key) } }
        }
    }

    /// Executes NKEY, which sets the notifier of a queue.
    /// - Returns: the previous notifier of the queue, and the number of the log record.
    func setNotifier(
        _ id: QueueID,
        _ notifier: QueueNotifier
    ) throws(SMPErrorType) -> (previous: NotifierID?, number: UInt64) {
        let previous = table.withLock { $0[recipient: id]?.extraValues.notifier?.id }
        let number = try changeExtraValues(
            id,
            .notifierChanged(id, notifier),
            when: { _ in true },
            { $0.notifier = notifier }
        )
        return (previous, number)
    }

    /// Executes NDEL, which removes the notifier of a queue.
    func removeNotifier(_ id: QueueID) throws(SMPErrorType) -> (previous: NotifierID?, number: UInt64) {
        guard let previous = table.withLock({ $0[recipient: id]?.extraValues.notifier?.id }) else {
            return (nil, try changeQueue(id) { _ in log.lastAwaitedRecordNumber })
        }
        return (
            previous, try changeExtraValues(id, .notifierChanged(id, nil), when: { _ in true }, { $0.notifier = nil })
        )
    }

    /// Assigns a notifier to the service that subscribes to it with NSUB; to no service if `service` is nil. The caller
    /// makes the subscription. Returns the number of the log record for which the answer waits.
    func setNotifierService(_ id: QueueID, _ service: ServiceID?) throws(SMPErrorType) -> UInt64 {
        guard var notifier = table.withLock({ $0[recipient: id]?.extraValues.notifier }) else { throw .auth }
        if notifier.service == service { return try changeQueue(id) { _ in log.lastAwaitedRecordNumber } }
        notifier.service = service
        let changed = notifier
        return try changeExtraValues(
            id,
            .notifierChanged(id, changed),
            when: { $0.extraValues.notifier?.id == changed.id },
            { $0.notifier = changed }
        )
    }

    /// Makes the notification of a message, encrypted for the recipient; nil if the queue has no notifier.
    func makeNotification(of message: QueuedMessage, queue id: QueueID) -> (notifier: NotifierID, Notification)? {
        guard let notifier = table.withLock({ $0[recipient: id]?.extraValues.notifier }),
            let secret = try? X25519.SharedSecret(rawRepresentation: notifier.dhSecret.bytes)
        else { return nil }
        let nonce = BoxNonce.random()
        let meta = NotificationMeta(messageID: message.id.bytes, timestamp: message.acceptedAtSeconds)
        guard let encMeta = try? meta.seal(secret: secret, nonce: nonce) else { return nil }
        return (notifier.id, Notification(nonce: nonce, encMeta: encMeta))
    }
}

struct Notification: Sendable {
    let nonce: BoxNonce
    let encMeta: [UInt8]

    var message: BrokerMessage { .nmsg(nonce: nonce, encMeta: encMeta) }
}
