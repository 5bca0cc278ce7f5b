public import SimpleXCrypto

extension SMPClient {
    /// Sends one request, on a session that is established if needed.
    ///
    /// - Parameters:
    ///   - version: the first version with the command; below it, nothing is sent.
    ///   - patience: for the session, if this is the first request that needs it, and for the answer.
    public func send(
        _ request: SMPRequest,
        from version: SMPVersion = .legacy,
        patience: Patience = .background
    ) async throws(SMPClientError) -> BrokerMessage {
        let session = try await session(patience).session
        guard session.parameters.version >= version else { throw .transport(.version) }
        return try await session.send(request, patience: patience)
    }

    func expectOK(
        _ request: SMPRequest,
        from version: SMPVersion = .legacy,
        patience: Patience = .background
    ) async throws(SMPClientError) {
        let answer = try await send(request, from: version, patience: patience)
        guard case .ok = answer else { throw .unexpected(answer.tag) }
    }

    /// Sends several requests at once; one result for each, in order. All fail alike when there is no session.
    public func send(_ requests: [SMPRequest]) async -> [Result<BrokerMessage, SMPClientError>] {
        do throws(SMPClientError) {
            return await (try session(.background)).session.send(requests)
        } catch {
            return requests.map { _ in .failure(error) }
        }
    }

    // MARK: Recipient

    /// Creates a queue (NEW) with the password of the server's address. With `.subscribe` the queue is subscribed to
    /// from now on.
    ///
    /// - Parameters:
    ///   - key: will authorize the recipient's commands.
    ///   - dhKey: for the encryption of bodies between relay and recipient.
    public func createQueue(
        key: AuthorizationPrivateKey,
        dhKey: X25519.PrivateKey,
        mode: QueueMode,
        subscription: SubscriptionMode = .subscribe,
        patience: Patience = .background
    ) async throws(SMPClientError) -> CreatedQueue {
        try await createQueue(
            key: key,
            dhKey: dhKey,
            data: mode == .messaging ? .messaging(nil) : .contact(nil),
            subscription: subscription,
            patience: patience
        )
    }

    /// Creates a queue, optionally with link data (from SMP version 15) and a notifier (from 17; older relays ignore
    /// it, see ``CreatedQueue/notifier``).
    ///
    /// - Parameters:
    ///   - corrID: 24 bytes, from which the sender id of a queue with link data is derived
    ///     (``QueueRequestData/senderID(corrID:)``).
    ///   - notifier: the key of the notification server, and the key that encrypts notifications.
    public func createQueue(
        key: AuthorizationPrivateKey,
        dhKey: X25519.PrivateKey,
        data: QueueRequestData,
        corrID: [UInt8]? = nil,
        notifier: (key: AuthorizationKey, dhKey: X25519.PrivateKey)? = nil,
        subscription: SubscriptionMode = .subscribe,
        patience: Patience = .background
    ) async throws(SMPClientError) -> CreatedQueue {
        let request = NewQueueRequest(
            authKey: key.publicKey,
            dhKey: dhKey.publicKey,
            password: server.password,
            subscription: subscription,
            data: data,
            notifier: notifier.map { NewNotifierCredentials(authKey: $0.key, dhKey: $0.dhKey.publicKey) }
        )
        let linked = try await session(patience)
        if data.hasLink, linked.session.parameters.version < .shortLinks { throw .transport(.version) }
        let answer = try await linked.session.send(
            SMPRequest(.new(request), key: key, corrID: corrID),
            patience: patience
        )
        guard case .ids(let ids) = answer else { throw .unexpected(answer.tag) }
        guard let secret = try? dhKey.sharedSecret(with: ids.dhKey) else { throw .response("queue key") }
        let queue = RcvQueueCredentials(rcvID: ids.rcvID, key: key, dhSecret: secret)
        var notifierCredentials: NotifierCredentials?
        if let made = ids.notifier, let notifier {
            notifierCredentials = try NotifierCredentials(made.notifierID, made.dhKey, notifier.dhKey)
        }
        if subscription == .subscribe { adopt(queue, linked.number) }
        return CreatedQueue(
            credentials: queue,
            sndID: ids.sndID,
            mode: ids.mode,
            notifier: notifierCredentials,
            ids: ids
        )
    }

    /// Secures a queue with the sender's key (KEY): from then on only its owner can send.
    public func secureQueue(
        _ queue: RcvQueueCredentials,
        senderKey: AuthorizationKey,
        patience: Patience = .background
    ) async throws(SMPClientError) {
        try await expectOK(SMPRequest(.key(senderKey), entityID: queue.rcvID, key: queue.key), patience: patience)
    }

    /// Acknowledges a message (ACK): the relay drops it, and delivers the next one, which comes as an event.
    public func acknowledge(
        rcvID: [UInt8],
        key: AuthorizationPrivateKey,
        messageID: [UInt8]
    ) async throws(SMPClientError) {
        state.withLock { $0.deliveries[rcvID]?.acknowledged(messageID) }
        let answer = try await send(SMPRequest(.ack(messageID: messageID), entityID: rcvID, key: key))
        switch answer {
        case .ok, .msg: return
        default: throw .unexpected(answer.tag)
        }
    }

    /// Receives one message without a subscription (GET); nil when there is none. It must be acknowledged before the
    /// next.
    public func getMessage(_ queue: RcvQueueCredentials) async throws(SMPClientError) -> RcvMessage? {
        let answer = try await send(SMPRequest(.get, entityID: queue.rcvID, key: queue.key))
        switch answer {
        case .ok: return nil
        case .msg(let id, let encBody):
            guard let body = try? RcvMessageBody(opening: encBody, secret: queue.dhSecret, messageID: id) else {
                throw .response("message body")
            }
            return RcvMessage(id: id, body: body)
        default: throw .unexpected(answer.tag)
        }
    }

    /// Deletes a queue (DEL) with all that waits in it, and forgets it.
    public func deleteQueue(_ queue: RcvQueueCredentials, patience: Patience = .background) async throws(SMPClientError)
    {
        try await expectOK(SMPRequest(.del, entityID: queue.rcvID, key: queue.key), patience: patience)
        unsubscribe([queue.rcvID])
    }

    /// The relay's report about a queue (QUE), as JSON.
    public func queueInfo(
        _ queue: RcvQueueCredentials,
        patience: Patience = .background
    ) async throws(SMPClientError) -> [UInt8] {
        let answer = try await send(SMPRequest(.que, entityID: queue.rcvID, key: queue.key), patience: patience)
        guard case .info(let json) = answer else { throw .unexpected(answer.tag) }
        return json
    }

    // MARK: Sender

    /// Secures a queue as its sender (SKEY), where its mode allows it. Repeated with the same key it succeeds again.
    public func secureAsSender(
        sndID: [UInt8],
        key: AuthorizationPrivateKey,
        patience: Patience = .background
    ) async throws(SMPClientError) {
        try await expectOK(SMPRequest(.skey(key.publicKey), entityID: sndID, key: key), patience: patience)
    }

    /// Sends a message (SEND). `.smp(.quota)` when the queue is full, `.smp(.auth)` when it is deleted or secured with
    /// another key.
    ///
    /// - Parameter key: the sender's key, once the queue is secured.
    public func sendMessage(
        sndID: [UInt8],
        key: AuthorizationPrivateKey?,
        flags: MessageFlags,
        body: [UInt8]
    ) async throws(SMPClientError) {
        try await expectOK(SMPRequest(.send(flags, body: body), entityID: sndID, key: key))
    }

    // MARK: Anybody

    /// Resolves a name (RSLV, from version 20); the answer is JSON. Relays without a resolver answer
    /// `.smp(.name(.noResolver))`. Send the command through another relay to hide the client from the resolving one.
    public func resolve(_ name: NameDomain) async throws(SMPClientError) -> [UInt8] {
        let answer = try await send(SMPRequest(.rslv(name)), from: .names)
        guard case .rname(let json) = answer else { throw .unexpected(answer.tag) }
        return json
    }

    /// Asks for a sign of life.
    public func ping() async throws(SMPClientError) {
        let answer = try await send(SMPRequest(.ping))
        guard case .pong = answer else { throw .unexpected(answer.tag) }
    }
}
