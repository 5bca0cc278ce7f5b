import RelayBase
import SMP
import SimpleXCrypto

/// The commands of senders, in their own sessions or through a proxy. simplexmq `protocol/simplex-messaging.md`,
/// "Sender commands".
extension ClientConnection {
    /// The answer, and the number of the log record that must be durable before the answer is sent.
    typealias Answer = (message: BrokerMessage, number: UInt64)

    /// Executes SEND, SKEY, LKEY and LGET; all other commands are prohibited.
    func executeAsSender(
        _ command: ClientCommand,
        _ transmission: ReceivedTransmission,
        _ session: SessionParameters,
        _ authorizer: Authorizer
    ) throws(SMPErrorType) -> Answer {
        switch command {
        case .send(let flags, let body):
            do throws(SMPErrorType) {
                return try acceptMessage(flags, body, transmission, session, authorizer)
            } catch {
                if error == .auth { relay.counters.messagesRefusedAuth.increment() }
                throw error
            }
        case .skey(let key):
            let sender = QueueID(transmission.entityID).flatMap { relay.store.sender($0) }
            return (.ok, try secure(sender, key, transmission, authorizer))
        case .lkey(let key):
            let link = LinkID(transmission.entityID)
            let sender = link.flatMap { relay.store.findLinked($0) }
            let number = try secure(sender, key, transmission, authorizer)
            guard let sender, let link else { throw .auth }
            relay.counters.linksFollowed.increment()
            return (try relay.store.linkData(sender.recipientID, link: link), number)
        case .lget:
            guard let link = LinkID(transmission.entityID), let sender = relay.store.findLinked(link), sender.isContact
            else { throw .auth }
            relay.counters.linksFollowed.increment()
            return (try relay.store.linkData(sender.recipientID, link: link), relay.store.log.lastAwaited)
        default: throw .cmd(.prohibited)
        }
    }

    private func secure(
        _ sender: QueueStore.Sender?,
        _ key: AuthorizationKey,
        _ transmission: ReceivedTransmission,
        _ authorizer: Authorizer
    ) throws(SMPErrorType) -> UInt64 {
        let isAllowed = sender?.maySecure(with: key) ?? false
        guard authorizer.verify(transmission, key: isAllowed ? key : nil), let sender else { throw .auth }
        relay.counters.queuesSecured.increment()
        return try relay.store.secure(sender.recipientID, key: key)
    }

    private func acceptMessage(
        _ flags: MessageFlags,
        _ body: [UInt8],
        _ transmission: ReceivedTransmission,
        _ session: SessionParameters,
        _ authorizer: Authorizer
    ) throws(SMPErrorType) -> Answer {
        let sender = QueueID(transmission.entityID).flatMap { relay.store.sender($0) }
        if let sender, sender.key == nil {
            guard transmission.authorization == nil else { throw .auth }
        } else {
            guard authorizer.verify(transmission, key: sender?.key) else { throw .auth }
        }
        guard let sender else { throw .auth }
        guard body.count <= session.maxMessageLength else { throw .largeMsg }
        // The sender has used the link and is now the only sender, so the link is removed.
        if sender.hasUsedLink { _ = try relay.store.removeLink(sender.recipientID) }
        let message = QueuedMessage(
            id: .random(),
            timestamp: RelayClock.now,
            shouldNotify: flags.shouldNotify,
            body: body
        )
        switch try relay.store.send(to: sender.recipientID, message) {
        case .quota(let number):
            relay.counters.messagesRefusedQuota.increment()
            return (.err(.quota), number)
        case .accepted(let number, let delivery):
            relay.counters.messagesSent.increment()
            delivery?.subscriber.deliver(sender.recipientID)
            if flags.shouldNotify,
                let (notifier, notification) = relay.store.makeNotification(of: message, queue: sender.recipientID)
            {
                relay.counters.notifications.increment()
                relay.notifications.keepUnlessSubscribed(notification, for: notifier)?.notify(
                    notifier,
                    notification,
                    number: number
                )
            }
            return (.ok, number)
        }
    }
}
