import SMP
import SimpleXCrypto

/// What senders do, in a session of their own or through a proxy. simplexmq `protocol/simplex-messaging.md`, "Sender commands".
extension ClientConnection {
    /// What to answer, and the record that has to be durable before.
    typealias Answer = (message: BrokerMessage, number: UInt64)

    /// SEND and SKEY; all else is prohibited.
    func executeAsSender(
        _ command: ClientCommand, _ transmission: ReceivedTransmission, _ session: SessionParameters, _ authorizer: Authorizer
    ) throws(SMPErrorType) -> Answer {
        switch command {
        case .send(let flags, let body): try accept(flags, body, transmission, session, authorizer)
        case .skey(let key): try secureAsSender(key, transmission, authorizer)
        default: throw .cmd(.prohibited)
        }
    }

    private func secureAsSender(
        _ key: AuthorizationKey, _ transmission: ReceivedTransmission, _ authorizer: Authorizer
    ) throws(SMPErrorType) -> Answer {
        let sender = QueueID(transmission.entityID).flatMap { relay.store.sender($0) }
        let isAllowed = sender?.mode == .messaging && (sender?.key == nil || sender?.key == key)
        guard authorizer.verify(transmission, key: isAllowed ? key : nil), let sender else { throw .auth }
        return (.ok, try relay.store.secure(sender.recipientID, key: key))
    }

    private func accept(
        _ flags: MessageFlags, _ body: [UInt8], _ transmission: ReceivedTransmission, _ session: SessionParameters,
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
        let message = StoredMessage(
            id: .random(), timestamp: QueueStore.now, notification: flags.notification, body: body)
        switch try relay.store.send(to: sender.recipientID, message) {
        case .quota(let number): return (.err(.quota), number)
        case .accepted(let number, let delivery):
            delivery?.subscriber.deliver(sender.recipientID, number: number)
            return (.ok, number)
        }
    }
}
