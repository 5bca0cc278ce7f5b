import RelayBase
import SMP
import SimpleXCrypto

/// Executes the commands for notifications, and the commands of services (clients with a certificate). Notifications
/// follow simplexmq `protocol/simplex-messaging.md`, "Notifier queue commands". Services follow the original's server.
extension ClientConnection {
    // MARK: Notifiers

    /// Executes NKEY, which sets the notifier of a queue, and NDEL, which removes the notifier.
    func changeNotifier(_ command: ClientCommand, _ id: QueueID, _ corrID: [UInt8]) throws(SMPErrorType) {
        let (previous, number): (NotifierID?, UInt64)
        if case .nkey(let key, let dhKey) = command {
            let (publicKey, secret) = try makeSecret(with: dhKey)
            let notifier = QueueNotifier(id: .random(), key: key, dhSecret: secret)
            (previous, number) = try relay.store.setNotifier(id, notifier)
            sendReply(corrID, id.bytes, .nid(notifierID: notifier.id.bytes, dhKey: publicKey), after: number)
        } else {
            (previous, number) = try relay.store.removeNotifier(id)
            sendReply(corrID, id.bytes, .ok, after: number)
        }
        if let previous { relay.endNotifications(previous, number: number) }
    }

    /// Executes NSUB, which subscribes the session to the notifications of one queue.
    func subscribeNotifier(_ transmission: ReceivedTransmission, _ session: Session) throws(SMPErrorType) {
        let id = NotifierID(transmission.entityID)
        let found = id.flatMap { relay.store.findNotifierKey($0) }
        guard session.authorizer.verifyAuthorization(transmission, key: found?.key, service: session.service?.peer),
            let id,
            let found, let handle
        else { throw .auth }
        let number = try relay.store.setNotifierService(found.recipientID, session.service?.id)
        sendReply(transmission.corrID, id.bytes, .sok(serviceID: session.service?.id.bytes), after: number)
        subscribeNotifier(id, handle)
    }

    private func subscribeNotifier(_ id: NotifierID, _ handle: ConnectionHandle) {
        let (previous, waiting) = relay.notifications.subscribeToNotifier(id, handle)
        notifierSubscriptions.insert(id)
        for notification in waiting { enqueue(.message(notification.message, corrID: [], entityID: id.bytes)) }
        previous?.endNotifier(id, isDeleted: false, number: 0)
    }

    func sendNotification(_ id: NotifierID, _ notification: Notification, number: UInt64) {
        guard notifierSubscriptions.contains(id) else { return }
        enqueue(.message(notification.message, corrID: [], entityID: id.bytes), after: number)
        sendCommitted()
    }

    func didEndNotifier(_ id: NotifierID, isDeleted: Bool, number: UInt64) {
        guard let handle, !relay.notifications.isSubscribed(id, handle), notifierSubscriptions.remove(id) != nil else {
            return
        }
        enqueue(.message(isDeleted ? .deld : .end, corrID: [], entityID: id.bytes), after: number)
        sendCommitted()
    }

    // MARK: Services

    /// Checks the role and the signature of a service (a client with a certificate), before the queue's key is checked.
    /// Throws for a command of another role, and for a missing, invalid or unexpected signature of a service.
    func checkService(
        _ command: ClientCommand,
        _ transmission: ReceivedTransmission,
        _ session: Session
    ) throws(SMPErrorType) {
        let service = session.service?.peer
        if let service, let role = command.serviceRole, role != service.role { throw .cmd(.prohibited) }
        guard command.isServiceAuthorized else {
            if transmission.serviceSignature != nil { throw .service }
            return
        }
        switch (service, transmission.serviceSignature) {
        case (nil, nil): return
        case (let service?, let signature?):
            guard service.key.isValidSignature(signature, for: transmission.authorizedBytes) else { throw .service }
        default: throw .service
        }
    }

    /// Executes SUBS and NSUBS, with which a service subscribes to all its queues or notifiers. Only the service's key
    /// authorizes these commands.
    func subscribeService(
        _ command: ClientCommand,
        _ transmission: ReceivedTransmission,
        _ session: Session
    ) throws(SMPErrorType) {
        guard let service = session.service, let handle, transmission.entityID == service.id.bytes,
            case .signature(let signature)? = transmission.authorization,
            service.peer.key.isValidSignature(signature, for: transmission.authorizedBytes)
        else { throw .service }
        switch command {
        case .nsubs(let expected):
            let (previous, notifiers, all) = try relay.store.subscribeNotifierService(service.id, handle)
            sendReply(transmission.corrID, service.id.bytes, .soks(all))
            logQueueDifference(all, expected, service.id)
            previous?.endService(service.id, all)
            for id in notifiers { takeOverNotifier(id, handle, from: previous) }
        case .subs(let expected):
            let subscribed = try relay.store.subscribeService(service.id, handle)
            subscriptions.formUnion(subscribed.queueIDs)
            sendReply(transmission.corrID, service.id.bytes, .soks(subscribed.allQueues))
            logQueueDifference(subscribed.allQueues, expected, service.id)
            // The messages may depend on log records that are not committed yet. So their delivery waits for the last
            // record for which an answer may wait.
            let number = relay.store.log.lastAwaitedRecordNumber
            for queue in subscribed.waitingQueues { enqueueWhenIdle(.delivery(queue, corrID: []), after: number) }
            if session.parameters.version >= .firstWithServiceSubscriptions {
                enqueueWhenIdle(.message(.alls, corrID: [], entityID: []), after: number)
            }
            if let (previous, lost) = subscribed.previousSubscriber { previous.endService(service.id, lost) }
            for (other, queue) in subscribed.otherSubscribers {
                other.endSubscription(queue, isDeleted: false, number: 0)
            }
        default: throw .cmd(.prohibited)
        }
    }

    private func logQueueDifference(_ known: ServiceQueues, _ expected: ServiceQueues, _ service: ServiceID) {
        guard expected != .unknown, expected != known else { return }
        relay.logger.notice(
            "The queues of a service differ from the queues that this relay knows for it.",
            metadata: ["service": "\(service.bytes.prefix(3))", "here": "\(known.count)", "there": "\(expected.count)"]
        )
    }

    /// Subscribes this session to a notifier, and informs the session that loses the subscription. The session
    /// `service` is not informed, because it gets one event for all its notifiers.
    private func takeOverNotifier(_ id: NotifierID, _ handle: ConnectionHandle, from service: ConnectionHandle?) {
        let (previous, waiting) = relay.notifications.subscribeToNotifier(id, handle)
        notifierSubscriptions.insert(id)
        for notification in waiting { enqueue(.message(notification.message, corrID: [], entityID: id.bytes)) }
        if let previous, previous !== service { previous.endNotifier(id, isDeleted: false, number: 0) }
    }

    func didEndService(_ id: ServiceID, _ lost: ServiceQueues) {
        guard let handle else { return }
        subscriptions = subscriptions.filter { relay.store.isSubscribed($0, handle) }
        notifierSubscriptions = notifierSubscriptions.filter { relay.notifications.isSubscribed($0, handle) }
        enqueue(.message(.ends(lost), corrID: [], entityID: id.bytes))
        sendCommitted()
    }
}

extension RelayContext {
    /// Ends the subscription to the notifications of a notifier that was deleted or replaced.
    func endNotifications(_ id: NotifierID, number: UInt64) {
        notifications.removeNotifier(id)?.endNotifier(id, isDeleted: true, number: number)
    }
}
