public import SimpleXCrypto

/// What the owner of a queue needs to have a notification server told of its messages, and to read what that server passes on.
public struct NotifierCredentials: Sendable, Hashable {
    public var notifierID: [UInt8]
    /// Opens ``NotificationMeta``.
    public var dhSecret: X25519.SharedSecret
}

/// Notifications: that a message has come, told to somebody who cannot read it.
///
/// simplexmq `protocol/simplex-messaging.md`, "Notifier queue commands".
extension SMPClient {
    /// Makes a queue tell of its messages (NKEY); a notifier that was there before is no more.
    ///
    /// - Parameters:
    ///   - key: of the notification server, which subscribes with it.
    ///   - dhKey: for what a notification says.
    public func enableNotifications(
        _ queue: RcvQueueCredentials, key: AuthorizationKey, dhKey: X25519.PrivateKey
    ) async throws(SMPClientError) -> NotifierCredentials {
        let answer = try await send(
            SMPRequest(.nkey(key, dhKey: dhKey.publicKey), entityID: queue.rcvID, key: queue.key), from: .legacy)
        guard case .nid(let notifierID, let relayKey) = answer else { throw .unexpected(answer.tag) }
        return try NotifierCredentials(notifierID, relayKey, dhKey)
    }

    /// Makes a queue tell nobody any more (NDEL).
    public func disableNotifications(_ queue: RcvQueueCredentials) async throws(SMPClientError) {
        try await expectOK(SMPRequest(.ndel, entityID: queue.rcvID, key: queue.key), from: .legacy)
    }

    /// As a notification server: subscribes to the notifications of a queue (NSUB), which come as ``SMPClientEvent/notification(notifierID:nonce:encMeta:)``
    /// for as long as this session lives.
    public func subscribeNotifications(notifierID: [UInt8], key: AuthorizationPrivateKey) async throws(SMPClientError) {
        state.withLock { _ = $0.notifiers.insert(notifierID) }
        let answer = try await send(SMPRequest(.nsub, entityID: notifierID, key: key), from: .legacy)
        switch answer {
        case .ok, .sok: return
        default: throw .unexpected(answer.tag)
        }
    }

    // MARK: Services

    /// As a service: subscribes to all queues (SUBS) or notifiers (NSUBS) that belong to it with one command.
    ///
    /// - Parameters:
    ///   - queues: those of the service that this client knows. Their messages come as events; after a loss of the session they are subscribed to
    ///   again, each by itself. Messages of others cannot be opened, and stay with the relay.
    ///   - notifierIDs: those of a notification server, which a relay is told from version 19 on.
    /// - Returns: those the relay knows of; when they are others, one of both has lost some.
    @discardableResult
    public func subscribeService(
        _ queues: [RcvQueueCredentials] = [], notifierIDs: [[UInt8]] = []
    ) async throws(SMPClientError) -> ServiceQueues {
        let ids = queues.map(\.rcvID)
        state.withLock { state in
            for queue in queues { state.desired[queue.rcvID] = queue }
            state.claimed.formUnion(ids)
            state.notifiers.formUnion(notifierIDs)
        }
        defer { state.withLock { $0.claimed.subtract(ids) } }
        let linked = try await session()
        guard let service = linked.session.service else { throw .smp(.service) }
        state.withLock { state in
            if state.isCurrent(linked.number) { for id in ids { state.subscribes(id) } }
        }
        let answer = try await linked.session.send(
            SMPRequest(
                service.role == .notifier ? .nsubs(ServiceQueues(notifierIDs)) : .subs(ServiceQueues(ids)), entityID: service.id,
                key: .ed25519(service.key)))
        guard case .soks(let known) = answer else { throw .unexpected(answer.tag) }
        state.withLock { state in
            if state.isCurrent(linked.number) { state.active.formUnion(ids) }
        }
        return known
    }
}

extension NotifierCredentials {
    init(_ notifierID: [UInt8], _ relayKey: X25519.PublicKey, _ dhKey: X25519.PrivateKey) throws(SMPClientError) {
        guard let secret = try? dhKey.sharedSecret(with: relayKey) else { throw .response("notifier key") }
        self.init(notifierID: notifierID, dhSecret: secret)
    }
}
