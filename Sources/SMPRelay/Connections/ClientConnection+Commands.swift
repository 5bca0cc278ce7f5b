import RelayBase
import SMP
import SimpleXCrypto

/// Executes the commands of SMP clients and sends the answers: simplexmq `protocol/simplex-messaging.md`, "SMP
/// commands". If the document leaves a case open, this relay answers like the original's server.
extension ClientConnection {
    /// Executes all commands of a block, the unit of transfer of 16 KiB.
    func executeBlock(_ block: [UInt8], _ session: Session) {
        let transmissions: [ArraySlice<UInt8>]
        do throws(SMPTransportError) {
            transmissions = try TransmissionBatch.parseTransmissions(try blockCipher.open(block))
        } catch {
            return sendReply([], [], .err(.block))
        }
        for bytes in transmissions {
            do throws(ReceivedTransmission.Fault) {
                let transmission = try ReceivedTransmission(parsing: bytes, session: session.parameters)
                executeTransmission(transmission, session)
            } catch {
                sendReply(error.corrID, [], .err(error.error))
            }
        }
    }

    private func executeTransmission(_ transmission: ReceivedTransmission, _ session: Session) {
        do throws(SMPErrorType) {
            let command = try transmission.parseClientCommand()
            try executeCommand(command, transmission, session)
        } catch {
            sendReply(
                transmission.corrID,
                transmission.entityID,
                .err(error.downgraded(to: session.parameters.version))
            )
        }
    }

    private func executeCommand(
        _ command: ClientCommand,
        _ transmission: ReceivedTransmission,
        _ session: Session
    ) throws(SMPErrorType) {
        try checkService(command, transmission, session)
        let corrID = transmission.corrID
        switch command {
        case .ping: sendReply(corrID, [], .pong)
        case .new(let request): try createQueue(request, transmission, session)
        case .send, .skey, .lkey, .lget:
            let answer = try executeAsSender(command, transmission, session.parameters, session.authorizer)
            sendReply(corrID, transmission.entityID, answer.message, after: answer.number)
        case .rslv(let name): executeResolve(name, corrID: corrID)
        case .rfwd(let encForward):
            try executeForwarded(encForward, corrID: corrID, session)
            relay.counters.forwardedCommandsReceived.increment()
        case .prxy(let server, let password): try connectToRelay(to: server, password: password, corrID: corrID)
        case .pfwd(let version, let key, let encTransmission):
            let forward = ForwardedTransmission(
                corrID: corrID,
                version: version,
                key: key,
                encTransmission: encTransmission
            )
            self.forwardCommand(forward, to: transmission.entityID)
        case .nsub: try subscribeNotifier(transmission, session)
        case .subs, .nsubs: try subscribeService(command, transmission, session)
        case .sub, .key, .rkey, .lset, .ldel, .nkey, .ndel, .ack, .get, .off, .del, .que:
            let id = QueueID(transmission.entityID)
            let keys = id.map { relay.store.findRecipientKeys($0) } ?? []
            guard session.authorizer.verifyAuthorization(transmission, keys: keys, service: session.service?.peer),
                let id,
                let handle
            else {
                throw .auth
            }
            try executeAsRecipient(command, id, corrID, handle, session)
        }
    }

    func sendReply(_ corrID: [UInt8], _ entityID: [UInt8], _ message: BrokerMessage, after number: UInt64 = 0) {
        enqueue(.message(message, corrID: corrID, entityID: entityID), after: number)
    }

    // MARK: Anybody

    private func createQueue(
        _ request: NewQueueRequest,
        _ transmission: ReceivedTransmission,
        _ session: Session
    ) throws(SMPErrorType) {
        guard
            session.authorizer.verifyAuthorization(transmission, key: request.authKey, service: session.service?.peer),
            relay.password.permitsCreation(request.password)
        else { throw .auth }
        let subscribes = request.subscriptionMode == .subscribe
        // One session of a service is subscribed to all queues of the service. So a service must subscribe to each
        // queue that it creates.
        if session.service != nil, !subscribes { throw .cmd(.prohibited) }
        let (publicKey, secret) = try makeSecret(with: request.dhKey)
        var new = QueueStore.NewQueue(
            recipientKey: request.authKey,
            dhSecret: secret,
            mode: request.requestData?.mode,
            subscriber: subscribes ? handle : nil
        )
        (new.senderID, new.extraValues.link) = try makeLink(request.requestData, corrID: transmission.corrID)
        new.extraValues.service = session.service?.id
        var notifier: QueueIDs.NewNotifier?
        if let requestedNotifier = request.notifier {
            let (notifierKey, notifierSecret) = try makeSecret(with: requestedNotifier.dhKey)
            let made = QueueNotifier(id: .random(), key: requestedNotifier.authKey, dhSecret: notifierSecret)
            new.extraValues.notifier = made
            notifier = QueueIDs.NewNotifier(notifierID: made.id.bytes, dhKey: notifierKey)
        }
        let made = try relay.store.createQueue(new)
        relay.counters.queuesCreated.increment()
        if subscribes { subscriptions.insert(made.recipientID) }
        let ids = QueueIDs(
            rcvID: made.recipientID.bytes,
            sndID: made.senderID.bytes,
            dhKey: publicKey,
            mode: request.requestData?.mode,
            linkID: new.extraValues.link?.id.bytes,
            serviceID: session.service?.id.bytes,
            notifier: notifier
        )
        sendReply(transmission.corrID, [], .ids(ids), after: made.number)
    }

    /// Returns the short link of a new queue and the sender id that the client has chosen. The sender id must be
    /// derived from the correlation id. Otherwise a client could create queues to find out whether an id is in use.
    private func makeLink(
        _ data: QueueRequestData?,
        corrID: [UInt8]
    ) throws(SMPErrorType) -> (senderID: QueueID?, QueueLink?) {
        let (given, linkID, content): ([UInt8], LinkID?, QueueLinkData)
        switch data {
        case .messaging(let link?): (given, linkID, content) = (link.senderID, .random(), link.data)
        case .contact(let link?): (given, linkID, content) = (link.senderID, LinkID(link.linkID), link.data)
        default: return (nil, nil)
        }
        guard given == QueueRequestData.senderID(corrID: corrID), let senderID = QueueID(given), let linkID else {
            throw .cmd(.prohibited)
        }
        return (senderID, QueueLink(id: linkID, data: content))
    }

    func makeSecret(with peer: X25519.PublicKey) throws(SMPErrorType) -> (X25519.PublicKey, Bytes32) {
        guard let key = try? X25519.PrivateKey(), let shared = try? key.sharedSecret(with: peer),
            let secret = Bytes32(shared.rawRepresentation)
        else { throw .crypto }
        return (key.publicKey, secret)
    }

    // MARK: Recipients

    private func executeAsRecipient(
        _ command: ClientCommand,
        _ id: QueueID,
        _ corrID: [UInt8],
        _ handle: ConnectionHandle,
        _ session: Session
    ) throws(SMPErrorType) {
        let store = relay.store
        switch command {
        case .sub: try executeSubscribe(id, corrID, handle, service: session.service?.id)
        case .rkey(let keys): sendReply(corrID, id.bytes, .ok, after: try store.setRecipientKeys(id, keys))
        case .lset(let linkID, let data):
            guard let linkID = LinkID(linkID) else { throw .auth }
            sendReply(corrID, id.bytes, .ok, after: try store.setLink(id, QueueLink(id: linkID, data: data)))
        case .ldel: sendReply(corrID, id.bytes, .ok, after: try store.removeLink(id))
        case .nkey, .ndel: try changeNotifier(command, id, corrID)
        case .get: try executeGet(id, corrID)
        case .ack(let messageID): try executeAck(id, messageID, corrID, handle)
        case .key(let key):
            sendReply(corrID, id.bytes, .ok, after: try store.secureQueue(id, key: key))
            relay.counters.queuesSecured.increment()
        case .off: sendReply(corrID, id.bytes, .ok, after: try store.suspendQueue(id))
        case .del:
            let deleted = try store.deleteQueue(id)
            relay.counters.queuesDeleted.increment()
            subscriptions.remove(id)
            polledQueues[id] = nil
            sendReply(corrID, id.bytes, .ok, after: deleted.number)
            if let subscriber = deleted.subscriber, subscriber !== handle {
                subscriber.endSubscription(id, isDeleted: true, number: deleted.number)
            }
            if let notifier = deleted.notifier { relay.endNotifications(notifier, number: deleted.number) }
        case .que:
            let info = try store.readInfo(id, for: handle)
            sendReply(
                corrID,
                id.bytes,
                .info(info.encodeJSON(isPolled: polledQueues[id] != nil, polled: polledQueues[id] ?? nil))
            )
        default: throw .cmd(.prohibited)
        }
    }

    private func executeSubscribe(
        _ id: QueueID,
        _ corrID: [UInt8],
        _ handle: ConnectionHandle,
        service: ServiceID?
    ) throws(SMPErrorType) {
        guard polledQueues[id] == nil else { throw .cmd(.prohibited) }
        let subscribed = try relay.store.subscribeToQueue(id, handle, service: service)
        relay.counters.subscriptionsMade.increment()
        subscriptions.insert(id)
        sendReply(
            corrID,
            id.bytes,
            .sok(serviceID: service?.bytes),
            after: service == nil ? 0 : relay.store.log.lastAwaitedRecordNumber
        )
        // The message may depend on a log record that is not committed yet, so the delivery waits for the record.
        if subscribed.hasMessage {
            enqueueWhenIdle(.delivery(id, corrID: []), after: relay.store.log.lastAwaitedRecordNumber)
        }
        subscribed.previousSubscriber?.endSubscription(id, isDeleted: false, number: 0)
    }

    private func executeGet(_ id: QueueID, _ corrID: [UInt8]) throws(SMPErrorType) {
        // A session must not poll a queue to which it is subscribed. If another session takes the subscription over,
        // this session counts as subscribed until it sends END to its client.
        guard !subscriptions.contains(id) else { throw .cmd(.prohibited) }
        _ = try relay.store.readFirstMessage(id)
        polledQueues.updateValue(nil, forKey: id)
        enqueue(.polledMessage(id, corrID: corrID), after: relay.store.log.lastAwaitedRecordNumber)
    }

    private func executeAck(
        _ id: QueueID,
        _ messageID: [UInt8],
        _ corrID: [UInt8],
        _ handle: ConnectionHandle
    ) throws(SMPErrorType) {
        if let given = polledQueues[id] {
            guard let given, messageID.isEmpty || given == MessageID(messageID) else { throw .noMsg }
            polledQueues.updateValue(nil, forKey: id)
            if !messageID.isEmpty { relay.counters.messagesReceived.increment() }
            let number =
                messageID.isEmpty
                ? relay.store.log.lastAwaitedRecordNumber : try relay.store.removeFirstMessage(id, message: given)
            return sendReply(corrID, id.bytes, .ok, after: number)
        }
        let acknowledged = try relay.store.acknowledgeMessage(id, message: messageID, by: handle)
        if !messageID.isEmpty { relay.counters.messagesReceived.increment() }
        switch acknowledged {
        case .queueEmpty(let number): sendReply(corrID, id.bytes, .ok, after: number)
        case .nextMessageWaits(let number): enqueue(.delivery(id, corrID: corrID), after: number)
        }
    }
}
