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
        let answer = try await send(SMPRequest(.nsub, entityID: notifierID, key: key), from: .legacy)
        switch answer {
        case .ok, .sok: return
        default: throw .unexpected(answer.tag)
        }
    }

    // MARK: Services

    /// As a service: subscribes to all queues (SUBS) or notifiers (NSUBS) that belong to it, for as long as this session lives.
    /// - Returns: how many there are.
    public func subscribeService() async throws(SMPClientError) -> Int64 {
        let session = try await session().session
        guard let service = session.service else { throw .smp(.service) }
        let answer = try await session.send(
            SMPRequest(service.role == .notifier ? .nsubs : .subs, entityID: service.id, key: .ed25519(service.key)))
        guard case .soks(let count) = answer else { throw .unexpected(answer.tag) }
        return count
    }
}

extension NotifierCredentials {
    init(_ notifierID: [UInt8], _ relayKey: X25519.PublicKey, _ dhKey: X25519.PrivateKey) throws(SMPClientError) {
        guard let secret = try? dhKey.sharedSecret(with: relayKey) else { throw .response("notifier key") }
        self.init(notifierID: notifierID, dhSecret: secret)
    }
}
