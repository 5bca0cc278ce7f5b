package import SimpleXCrypto

extension SMPClient {
    /// Sends one request in the session, and first establishes a session if there is none.
    ///
    /// - Parameters:
    ///   - version: the first version with the command. The request is not sent to relays with an earlier version.
    ///   - patience: whether a user waits; selects the time limits for the answer and for establishing the session.
    package func sendRequest(
        _ request: SMPRequest,
        from version: SMPVersion = .legacy,
        patience: Patience = .background
    ) async throws(SMPClientError) -> BrokerMessage {
        let session = try await requireSession(patience).session
        guard session.parameters.version >= version else { throw .transport(.version) }
        return try await session.sendRequest(request, patience: patience)
    }

    func sendExpectingOK(
        _ request: SMPRequest,
        from version: SMPVersion = .legacy,
        patience: Patience = .background
    ) async throws(SMPClientError) {
        let answer = try await sendRequest(request, from: version, patience: patience)
        guard case .ok = answer else { throw .unexpected(answer.tag) }
    }

    /// Sends several requests together, and returns one result for each, in order. If no session can be established,
    /// all results have the same error.
    package func sendRequests(_ requests: [SMPRequest]) async -> [Result<BrokerMessage, SMPClientError>] {
        do throws(SMPClientError) {
            return await (try requireSession(.background)).session.sendRequests(requests)
        } catch {
            return requests.map { _ in .failure(error) }
        }
    }

    // MARK: Commands of recipients

    /// Creates a queue (NEW) with the password in the server's address. With `.subscribe` the client also subscribes to
    /// the queue, now and in later sessions.
    ///
    /// - Parameters:
    ///   - key: the key that will authorize the recipient's commands.
    ///   - dhKey: the recipient's key for the encryption of bodies between relay and recipient.
    package func createQueue(
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

    /// Creates a queue, optionally with link data (from SMP version 15) and a notifier (from version 17). Older relays
    /// ignore the notifier, see ``CreatedQueue/notifier``.
    ///
    /// - Parameters:
    ///   - corrID: the 24 bytes from which the sender id of a queue with link data is derived
    ///     (``QueueRequestData/senderID(corrID:)``).
    ///   - notifier: the key of the notification server, and the key that encrypts notifications.
    package func createQueue(
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
        let linked = try await requireSession(patience)
        if data.hasLink, linked.session.parameters.version < .firstWithShortLinks { throw .transport(.version) }
        let answer = try await linked.session.sendRequest(
            SMPRequest(.new(request), key: key, corrID: corrID),
            patience: patience
        )
        guard case .ids(let ids) = answer else { throw .unexpected(answer.tag) }
        guard let secret = try? dhKey.sharedSecret(with: ids.dhKey) else { throw .response("queue key") }
        let queue = RcvQueueCredentials(rcvID: ids.rcvID, key: key, dhSecret: secret, serviceID: ids.serviceID)
        var notifierCredentials: NotifierCredentials?
        if let made = ids.notifier, let notifier {
            notifierCredentials = try NotifierCredentials(made.notifierID, made.dhKey, notifier.dhKey)
        }
        if subscription == .subscribe { registerCreatedQueue(queue, linked.number) }
        return CreatedQueue(
            credentials: queue,
            sndID: ids.sndID,
            mode: ids.mode,
            notifier: notifierCredentials,
            ids: ids
        )
    }

    /// Secures a queue with the sender's key (KEY). Only the owner of this key can send afterwards.
    package func secureQueue(
        _ queue: RcvQueueCredentials,
        senderKey: AuthorizationKey,
        patience: Patience = .background
    ) async throws(SMPClientError) {
        try await sendExpectingOK(
            SMPRequest(.key(senderKey), entityID: queue.rcvID, key: queue.key),
            patience: patience
        )
    }

    /// Acknowledges a message (ACK). The relay drops the message and delivers the next one, which comes as an event.
    package func acknowledgeMessage(
        rcvID: [UInt8],
        key: AuthorizationPrivateKey,
        messageID: [UInt8]
    ) async throws(SMPClientError) {
        state.withLock { $0.deliveries[rcvID]?.recordAcknowledgement(of: messageID) }
        let answer = try await sendRequest(SMPRequest(.ack(messageID: messageID), entityID: rcvID, key: key))
        switch answer {
        case .ok, .msg: return
        default: throw .unexpected(answer.tag)
        }
    }

    /// Receives one message without a subscription (GET). Returns nil when no message waits. The message must be
    /// acknowledged before the next call.
    package func getMessage(_ queue: RcvQueueCredentials) async throws(SMPClientError) -> RcvMessage? {
        let answer = try await sendRequest(SMPRequest(.get, entityID: queue.rcvID, key: queue.key))
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

    /// Deletes a queue (DEL) with all its messages at the relay, and stops subscribing to the queue.
    package func deleteQueue(
        _ queue: RcvQueueCredentials,
        patience: Patience = .background
    ) async throws(SMPClientError) {
        try await sendExpectingOK(SMPRequest(.del, entityID: queue.rcvID, key: queue.key), patience: patience)
        unsubscribeQueues([queue.rcvID])
    }

    /// Requests the relay's report about a queue (QUE), and returns the JSON of the report.
    package func requestQueueInfo(
        _ queue: RcvQueueCredentials,
        patience: Patience = .background
    ) async throws(SMPClientError) -> [UInt8] {
        let answer = try await sendRequest(SMPRequest(.que, entityID: queue.rcvID, key: queue.key), patience: patience)
        guard case .info(let json) = answer else { throw .unexpected(answer.tag) }
        return json
    }

    // MARK: Commands of senders

    /// Secures a queue as its sender (SKEY), if the mode of the queue allows this. A repetition with the same key
    /// succeeds.
    package func secureQueueAsSender(
        sndID: [UInt8],
        key: AuthorizationPrivateKey,
        patience: Patience = .background
    ) async throws(SMPClientError) {
        try await sendExpectingOK(SMPRequest(.skey(key.publicKey), entityID: sndID, key: key), patience: patience)
    }

    /// Sends a message (SEND). Throws `.smp(.quota)` when the queue is full, and `.smp(.auth)` when the queue is
    /// deleted or secured with another key.
    ///
    /// - Parameter key: the sender's key; nil for a queue that is not secured.
    package func sendMessage(
        sndID: [UInt8],
        key: AuthorizationPrivateKey?,
        flags: MessageFlags,
        body: [UInt8]
    ) async throws(SMPClientError) {
        try await sendExpectingOK(SMPRequest(.send(flags, body: body), entityID: sndID, key: key))
    }

    // MARK: Commands of any client

    /// Resolves a name (RSLV, from version 20), and returns the JSON of the answer. Relays without a resolver answer
    /// `.smp(.name(.noResolver))`. To hide the client from the resolving relay, send the command through another relay.
    package func resolveName(_ name: NameDomain) async throws(SMPClientError) -> [UInt8] {
        let answer = try await sendRequest(SMPRequest(.rslv(name)), from: .firstWithNames)
        guard case .rname(let json) = answer else { throw .unexpected(answer.tag) }
        return json
    }

    /// Sends PING, and returns when PONG comes.
    package func sendPing() async throws(SMPClientError) {
        let answer = try await sendRequest(SMPRequest(.ping))
        guard case .pong = answer else { throw .unexpected(answer.tag) }
    }
}
