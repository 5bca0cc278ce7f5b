import SMP
import SimpleXCrypto

/// Commands and their answers. simplexmq `protocol/simplex-messaging.md`, "SMP commands"; where the document is silent, as the original's server answers.
extension ClientConnection {
    /// All commands of a block.
    func receive(_ block: [UInt8], _ session: Session) {
        let transmissions: [ArraySlice<UInt8>]
        do throws(TransportError) {
            transmissions = try TransmissionBatch.parse(try blocks.open(block))
        } catch {
            return reply([], [], .err(.block))
        }
        for bytes in transmissions {
            do throws(ReceivedTransmission.Fault) {
                let transmission = try ReceivedTransmission(parsing: bytes, session: session.parameters)
                receive(transmission, session)
            } catch {
                reply(error.corrID, [], .err(error.error))
            }
        }
    }

    private func receive(_ transmission: ReceivedTransmission, _ session: Session) {
        do throws(SMPErrorType) {
            let command = try transmission.clientCommand()
            try execute(command, transmission, session)
        } catch {
            reply(transmission.corrID, transmission.entityID, .err(error.downgraded(to: session.parameters.version)))
        }
    }

    private func execute(
        _ command: ClientCommand, _ transmission: ReceivedTransmission, _ session: Session
    ) throws(SMPErrorType) {
        switch command {
        case .ping: reply(transmission.corrID, [], .pong)
        case .new(let request): try create(request, transmission, session)
        case .send, .skey:
            let answer = try executeAsSender(command, transmission, session.parameters, session.authorizer)
            reply(transmission.corrID, transmission.entityID, answer.message, after: answer.number)
        case .rfwd(let encForward):
            let answer = try forwarded(encForward, corrID: transmission.corrID, session)
            reply(transmission.corrID, [], .rres(encForwardResponse: answer.response), after: answer.number)
        case .sub, .key, .ack, .get, .off, .del, .que:
            let id = QueueID(transmission.entityID)
            let key = id.flatMap { relay.store.recipientKey($0) }
            guard session.authorizer.verify(transmission, key: key), let id, let handle else { throw .auth }
            try executeAsRecipient(command, id, transmission.corrID, handle)
        // This relay forwards to no other. Said in this way, clients whose settings allow it send to that other relay themselves.
        case .prxy: throw .proxy(.broker(.transport(.version)))
        case .subs, .rkey, .lset, .ldel, .lkey, .lget, .nkey, .ndel, .nsub, .nsubs, .pfwd: throw .cmd(.prohibited)
        }
    }

    private func reply(_ corrID: [UInt8], _ entityID: [UInt8], _ message: BrokerMessage, after number: UInt64 = 0) {
        send(.message(message, corrID: corrID, entityID: entityID), after: number)
    }

    // MARK: Anybody

    private func create(
        _ request: NewQueueRequest, _ transmission: ReceivedTransmission, _ session: Session
    ) throws(SMPErrorType) {
        guard session.authorizer.verify(transmission, key: request.authKey), relay.mayCreate(password: request.password) else {
            throw .auth
        }
        let subscribes = request.subscription == .subscribe
        let (publicKey, secret) = try newSecret(with: request.dhKey)
        let made = try relay.store.create(
            recipientKey: request.authKey, dhSecret: secret, mode: request.data?.mode, subscriber: subscribes ? handle : nil)
        if subscribes { subscriptions.insert(made.recipientID) }
        let ids = QueueIDs(
            rcvID: made.recipientID.bytes, sndID: made.senderID.bytes, dhKey: publicKey, mode: request.data?.mode)
        reply(transmission.corrID, [], .ids(ids), after: made.number)
    }

    private func newSecret(with peer: X25519.PublicKey) throws(SMPErrorType) -> (X25519.PublicKey, Bytes32) {
        guard let key = try? X25519.PrivateKey(), let shared = try? key.sharedSecret(with: peer),
            let secret = Bytes32(shared.rawRepresentation)
        else { throw .crypto }
        return (key.publicKey, secret)
    }

    // MARK: Recipients

    private func executeAsRecipient(
        _ command: ClientCommand, _ id: QueueID, _ corrID: [UInt8], _ handle: ConnectionHandle
    ) throws(SMPErrorType) {
        let store = relay.store
        switch command {
        case .sub: try subscribe(id, corrID, handle)
        case .get: try poll(id, corrID, handle)
        case .ack(let messageID): try acknowledge(id, messageID, corrID, handle)
        case .key(let key): reply(corrID, id.bytes, .ok, after: try store.secure(id, key: key))
        case .off: reply(corrID, id.bytes, .ok, after: try store.suspend(id))
        case .del:
            let deleted = try store.delete(id)
            subscriptions.remove(id)
            polled[id] = nil
            reply(corrID, id.bytes, .ok, after: deleted.number)
            if let subscriber = deleted.subscriber, subscriber !== handle {
                subscriber.end(id, isDeleted: true, number: deleted.number)
            }
        case .que:
            let info = try store.info(id, for: handle)
            reply(corrID, id.bytes, .info(info.json(isPolled: polled[id] != nil, polled: polled[id] ?? nil)))
        default: throw .cmd(.prohibited)
        }
    }

    private func subscribe(_ id: QueueID, _ corrID: [UInt8], _ handle: ConnectionHandle) throws(SMPErrorType) {
        guard polled[id] == nil else { throw .cmd(.prohibited) }
        let subscribed = try relay.store.subscribe(id, handle)
        subscriptions.insert(id)
        reply(corrID, id.bytes, .sok(serviceID: nil))
        // The message may rest on a record that is not yet on the disk.
        if subscribed.hasMessage { send(.delivery(id, corrID: []), after: relay.store.log.appended) }
        subscribed.previous?.end(id, isDeleted: false, number: 0)
    }

    private func poll(_ id: QueueID, _ corrID: [UInt8], _ handle: ConnectionHandle) throws(SMPErrorType) {
        // The queue may also be one whose subscription another session took: then the event that says so is on its way.
        guard !subscriptions.contains(id) else { throw .cmd(.prohibited) }
        _ = try relay.store.firstMessage(id)
        polled.updateValue(nil, forKey: id)
        send(.polled(id, corrID: corrID), after: relay.store.log.appended)
    }

    private func acknowledge(
        _ id: QueueID, _ messageID: [UInt8], _ corrID: [UInt8], _ handle: ConnectionHandle
    ) throws(SMPErrorType) {
        if let given = polled[id] {
            guard let given, messageID.isEmpty || given == MessageID(messageID) else { throw .noMsg }
            polled.updateValue(nil, forKey: id)
            let number = messageID.isEmpty ? relay.store.log.appended : try relay.store.removeFirst(id, message: given)
            return reply(corrID, id.bytes, .ok, after: number)
        }
        switch try relay.store.acknowledge(id, message: messageID, by: handle) {
        case .empty(let number): reply(corrID, id.bytes, .ok, after: number)
        case .next(let number): send(.delivery(id, corrID: corrID), after: number)
        }
    }
}
