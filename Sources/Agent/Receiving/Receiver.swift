import SMP
import SQLCipher
import SimpleXCrypto

/// Processes one message of a queue in one transaction: decrypts the message, advances the ratchet and the connection,
/// and returns the consequences (agent-protocol.md, "Connection procedure" and "Message integrity").
struct Receiver {
    let queue: RcvQueue
    let brokerMessageID: [UInt8]
    let nowSeconds: Int64
    let db: DatabaseConnection
    var earlyDecryption: EarlyDecryption?

    func receiveBody(_ body: RcvMessageBody) throws -> ReceptionResult {
        guard var connection = try AgentConnection.find(queue.connection, db) else { return ReceptionResult() }
        switch body {
        case .quota: return try enqueueQueueContinue(&connection)
        case .message(let timestamp, let flags, let bytes):
            try NotificationSubscription.recordReceivedMessage(at: timestamp, connection.id, db)
            guard let envelope = try? ClientMessageEnvelope(smpEncoded: bytes) else {
                return .failure(.agent(.message))
            }
            guard envelope.header.clientVersion <= max(AgentVersions.supportedClientVersions.max, queue.clientVersion)
            else {
                return .failure(.agent(.version))
            }
            return try receiveEnvelope(
                envelope,
                Arrival(timestampSeconds: timestamp, shouldNotify: flags.shouldNotify),
                &connection
            )
        }
    }

    struct Arrival {
        var timestampSeconds: Int64
        var shouldNotify: Bool
    }

    /// Puts A_QCONT into the outbox. It tells the peer that this side's queue was full and has space again.
    private func enqueueQueueContinue(_ connection: inout AgentConnection) throws -> ReceptionResult {
        guard try SndQueue.findCurrent(connection.id, db) != nil, !connection.ratchetSync.prohibitsSending else {
            return ReceptionResult()
        }
        _ = try connection.enqueue(
            .queueContinue(QueueAddress(server: queue.server.withoutPassword, senderID: queue.sndID)),
            kind: .queueContinue,
            notify: false,
            at: nowSeconds,
            db
        )
        return ReceptionResult(wakesOutbox: true)
    }

    private func receiveEnvelope(
        _ envelope: ClientMessageEnvelope,
        _ arrival: Arrival,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        switch (queue.e2eSecret, envelope.header.dhKey) {
        case (nil, let dhKey?): return try receiveFirstEnvelope(envelope, dhKey, &connection)
        case (let secret?, nil): return try receiveConnectedEnvelope(envelope, secret, arrival, &connection)
        case (let secret?, _?):
            // If the relay has delivered a confirmation again, its acknowledgement was lost, and the confirmation is
            // ignored.
            if case (_, .confirmation)? = openEnvelope(envelope, secret) { return ReceptionResult() }
            return .prohibited("message: a key is given again")
        case (nil, nil): return .prohibited("message: the queue has no secret yet")
        }
    }

    /// Processes an envelope of a queue without a secret: an invitation over an address, or a confirmation.
    private func receiveFirstEnvelope(
        _ envelope: ClientMessageEnvelope,
        _ dhKey: X25519.PublicKey,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        guard let secret = try? queue.e2ePrivateKey.sharedSecret(with: dhKey) else {
            return .failure(.agent(.crypto(.decryptCB)))
        }
        guard let (header, content) = openEnvelope(envelope, secret) else {
            return .failure(.agent(.crypto(.decryptCB)))
        }
        if connection.isAddress {
            guard case .invitation(_, let request, let info) = content else {
                return .prohibited("handshake: not an invitation")
            }
            return try receive(invitation: request, connInfo: info)
        }
        guard case .confirmation(let version, let e2e, let encrypted) = content else {
            return .prohibited("handshake: not a confirmation")
        }
        let senderKey: AuthorizationKey?
        switch header {
        case .confirmation(let key): senderKey = key
        case .empty:
            guard queue.mode == .messaging else {
                return .prohibited("handshake: this queue needs the key of its sender")
            }
            senderKey = nil
        }
        guard AgentVersions.supported.contains(version) || version <= connection.agentVersion else {
            return .failure(.agent(.version))
        }
        let confirmation = ReceivedConfirmation(
            agentVersion: version,
            clientVersion: envelope.header.clientVersion,
            senderKey: senderKey,
            secret: secret,
            e2e: e2e,
            encryptedInfo: encrypted
        )
        return try receiveConfirmation(confirmation, &connection)
    }

    /// Processes an envelope of a connected queue: a message, or the keys of a new ratchet.
    private func receiveConnectedEnvelope(
        _ envelope: ClientMessageEnvelope,
        _ secret: X25519.SharedSecret,
        _ arrival: Arrival,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        guard let (_, content) = openEnvelope(envelope, secret) else {
            return .failure(.agent(.crypto(.decryptCB)))
        }
        switch content {
        case .message(let version, let encrypted):
            connection.upgradeVersion(to: version)
            let leavesOld = try handleArrivalOverReplacement(connection)
            var reception = try receiveEncrypted(encrypted, arrival, &connection)
            if leavesOld { reception.continuesRotation = true }
            return reception
        case .ratchetKey(let version, let e2e, _):
            connection.upgradeVersion(to: version)
            return try receive(ratchetKey: e2e, &connection)
        default: return .prohibited("message: wrong kind for a connected queue")
        }
    }

    private func openEnvelope(
        _ envelope: ClientMessageEnvelope,
        _ secret: X25519.SharedSecret
    ) -> (ClientMessage.PrivateHeader, AgentEnvelope)? {
        guard let message = try? envelope.openMessage(secret: secret),
            let content = try? AgentEnvelope(parsing: message.body)
        else { return nil }
        return (message.header, content)
    }
}

extension AgentConnection {
    /// Raises the agent version to the version of the peer's program, if this program supports it.
    mutating func upgradeVersion(to version: UInt16) {
        agentVersion = max(agentVersion, min(version, AgentVersions.supported.max))
    }
}
