import Clocks
import RelayBase
import SMP
import SimpleXCrypto

/// Executes the commands of senders, which arrive in a sender's own session or through a proxy: simplexmq
/// `protocol/simplex-messaging.md`, "Sender commands".
extension ClientConnection {
    /// An answer, and the number of the log record that must be committed before the answer is sent.
    typealias NumberedAnswer = (message: BrokerMessage, number: UInt64)

    /// Executes the commands of senders: SEND, SKEY, LKEY and LGET. Other commands are refused as prohibited.
    func executeAsSender(
        _ command: ClientCommand,
        _ transmission: ReceivedTransmission,
        _ session: SessionParameters,
        _ authorizer: Authorizer
    ) throws(SMPErrorType) -> NumberedAnswer {
        switch command {
        case .send(let flags, let body):
            do throws(SMPErrorType) {
                return try acceptMessage(flags, body, transmission, session, authorizer)
            } catch {
                if error == .auth { relay.counters.messagesRefusedAuth.increment() }
                throw error
            }
        case .skey(let key):
            let sender = QueueID(transmission.entityID).flatMap { relay.store.findSender($0) }
            return (.ok, try secureQueue(sender, key, transmission, authorizer))
        case .lkey(let key):
            let link = LinkID(transmission.entityID)
            let sender = link.flatMap { relay.store.findQueueOfLink($0) }
            let number = try secureQueue(sender, key, transmission, authorizer)
            guard let sender, let link else { throw .auth }
            relay.counters.linksFollowed.increment()
            return (try relay.store.readLinkData(sender.recipientID, link: link), number)
        case .lget:
            guard let link = LinkID(transmission.entityID), let sender = relay.store.findQueueOfLink(link),
                sender.isContact
            else { throw .auth }
            relay.counters.linksFollowed.increment()
            return (
                try relay.store.readLinkData(sender.recipientID, link: link), relay.store.log.lastAwaitedRecordNumber
            )
        default: throw .cmd(.prohibited)
        }
    }

    private func secureQueue(
        _ sender: QueueStore.Sender?,
        _ key: AuthorizationKey,
        _ transmission: ReceivedTransmission,
        _ authorizer: Authorizer
    ) throws(SMPErrorType) -> UInt64 {
        let isAllowed = sender?.maySecure(with: key) ?? false
        guard authorizer.verifyAuthorization(transmission, key: isAllowed ? key : nil), let sender else { throw .auth }
        relay.counters.queuesSecured.increment()
        return try relay.store.secureQueue(sender.recipientID, key: key)
    }

    private func acceptMessage(
        _ flags: MessageFlags,
        _ body: [UInt8],
        _ transmission: ReceivedTransmission,
        _ session: SessionParameters,
        _ authorizer: Authorizer
    ) throws(SMPErrorType) -> NumberedAnswer {
        let sender = QueueID(transmission.entityID).flatMap { relay.store.findSender($0) }
        if let sender, sender.key == nil {
            guard transmission.authorization == nil else { throw .auth }
        } else {
            guard authorizer.verifyAuthorization(transmission, key: sender?.key) else { throw .auth }
        }
        guard let sender else { throw .auth }
        guard body.count <= session.maxMessageLength else { throw .largeMsg }
        // The sender has used the link and is now the only sender, so the link is removed.
        if sender.hasUsedLink { _ = try relay.store.removeLink(sender.recipientID) }
        let message = QueuedMessage(
            id: .random(),
            acceptedAtSeconds: WallClock.seconds(),
            shouldNotify: flags.shouldNotify,
            body: body
        )
        switch try relay.store.acceptMessage(to: sender.recipientID, message) {
        case .quotaExceeded(let number):
            relay.counters.messagesRefusedQuota.increment()
            return (.err(.quota), number)
        case .accepted(let number, let delivery):
            relay.counters.messagesSent.increment()
            delivery?.subscriber.deliverMessage(sender.recipientID)
            if flags.shouldNotify,
                let (notifier, notification) = relay.store.makeNotification(of: message, queue: sender.recipientID)
            {
                relay.counters.notificationsSent.increment()
                relay.notifications.keepUnlessSubscribed(notification, for: notifier)?.sendNotification(
                    notifier,
                    notification,
                    number: number
                )
            }
            return (.ok, number)
        }
    }
}
