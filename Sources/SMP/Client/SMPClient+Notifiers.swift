package import SimpleXCrypto

/// The id under which a notification server subscribes to a queue, and the secret with which the owner of the queue
/// reads the notifications.
package struct NotifierCredentials: Sendable, Hashable {
    package var notifierID: [UInt8]
    /// The secret that opens ``NotificationMeta``.
    package var dhSecret: X25519.SharedSecret
}

/// Commands for notifications. A notification server cannot read messages, but learns from the relay that a message has
/// arrived.
///
/// simplexmq `protocol/simplex-messaging.md`, "Notifier queue commands".
extension SMPClient {
    /// Enables notifications of a queue (NKEY). A new notifier replaces the earlier notifier of the queue.
    ///
    /// - Parameters:
    ///   - key: the key with which the notification server subscribes.
    ///   - dhKey: the recipient's key for the encryption of notifications.
    package func enableNotifications(
        _ queue: RcvQueueCredentials,
        key: AuthorizationKey,
        dhKey: X25519.PrivateKey
    ) async throws(SMPClientError) -> NotifierCredentials {
        let answer = try await sendRequest(
            SMPRequest(.nkey(key, dhKey: dhKey.publicKey), entityID: queue.rcvID, key: queue.key),
            from: .legacy
        )
        guard case .nid(let notifierID, let relayKey) = answer else { throw .unexpected(answer.tag) }
        return try NotifierCredentials(notifierID, relayKey, dhKey)
    }

    /// Disables notifications of a queue (NDEL).
    package func disableNotifications(_ queue: RcvQueueCredentials) async throws(SMPClientError) {
        try await sendExpectingOK(SMPRequest(.ndel, entityID: queue.rcvID, key: queue.key), from: .legacy)
    }

    /// Subscribes a notification server to the notifications of a queue (NSUB). The notifications arrive as
    /// ``SMPClientEvent/notification(notifierID:nonce:encMeta:)`` until the session ends.
    package func subscribeToNotifications(
        notifierID: [UInt8],
        key: AuthorizationPrivateKey
    ) async throws(SMPClientError) {
        state.withLock { _ = $0.notifiers.insert(notifierID) }
        let answer = try await sendRequest(SMPRequest(.nsub, entityID: notifierID, key: key), from: .legacy)
        switch answer {
        case .ok, .sok: return
        default: throw .unexpected(answer.tag)
        }
    }

    // MARK: Services

    /// Subscribes a service to all its queues (SUBS) or notifiers (NSUBS) with one command.
    ///
    /// - Parameters:
    ///   - queues: the service's queues that this client knows. Messages of these queues are emitted as events. After a
    ///     loss of the session the client subscribes to each of these queues separately. The client cannot open
    ///     messages of other queues, so these messages stay at the relay.
    ///   - notifierIDs: the notifiers of a notification server; sent to relays from version 19 on.
    /// - Returns: the number and the hash of the queues that the relay knows. If they differ from the values of the
    ///   given queues, the relay or this client has lost some queues.
    @discardableResult
    package func subscribeServiceQueues(
        _ queues: [RcvQueueCredentials] = [],
        notifierIDs: [[UInt8]] = []
    ) async throws(SMPClientError) -> ServiceQueues {
        let ids = queues.map(\.rcvID)
        state.withLock { state in
            for queue in queues { state.desiredQueues[queue.rcvID] = queue }
            state.subscribingQueues.formUnion(ids)
            state.notifiers.formUnion(notifierIDs)
        }
        defer { state.withLock { $0.subscribingQueues.subtract(ids) } }
        let linked = try await requireSession(.background)
        guard let service = linked.session.serviceSession else { throw .smp(.service) }
        state.withLock { state in
            guard state.isCurrentLink(linked.number) else { return }
            for id in ids { state.recordSubscription(id) }
            state.awaitsServiceDelivery = true
        }
        let answer = try await linked.session.sendRequest(
            SMPRequest(
                service.role == .notifier ? .nsubs(ServiceQueues(notifierIDs)) : .subs(ServiceQueues(ids)),
                entityID: service.id,
                key: .ed25519(service.key)
            )
        )
        guard case .soks(let known) = answer else { throw .unexpected(answer.tag) }
        state.withLock { state in
            guard state.isCurrentLink(linked.number) else { return }
            state.activeQueues.formUnion(ids)
            state.subscribedServiceID = service.id
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
