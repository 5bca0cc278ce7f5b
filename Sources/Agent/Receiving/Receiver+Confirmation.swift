import SMP
import SQLCipher
import SimpleXCrypto

/// A received confirmation whose outer layer, the encryption of the queue, is decrypted.
struct ReceivedConfirmation {
    var agentVersion: UInt16
    var clientVersion: UInt16
    /// The sender's key for the queue; nil when the sender has secured the queue with SKEY.
    var senderKey: AuthorizationKey?
    var secret: X25519.SharedSecret
    /// The joiner's X3DH parameters; nil in the confirmation of the initiator.
    var e2e: E2ERatchetParams?
    var encryptedInfo: [UInt8]
}

extension Receiver {
    func receiveConfirmation(
        _ confirmation: ReceivedConfirmation,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        guard queue.status == .new else { return .prohibited("confirmation: the queue has one already") }
        let sndQueue = try SndQueue.findCurrent(connection.id, db)
        switch (sndQueue, confirmation.e2e) {
        case (nil, let e2e?): return try receiveAsInitiator(confirmation, e2e, &connection)
        case (_?, nil): return try receiveAsJoiner(confirmation, &connection)
        default: return .prohibited("confirmation: wrong keys for this side of the connection")
        }
    }

    /// Handles the joiner's confirmation, which answers the invitation.
    private func receiveAsInitiator(
        _ confirmation: ReceivedConfirmation,
        _ e2e: E2ERatchetParams,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        guard E2EVersion.supported.contains(e2e.version.number) else { return .failure(.agent(.version)) }
        guard let keys = connection.e2eKeys else {
            return .prohibited("confirmation: wrong keys for this side of the connection")
        }
        connection.supportsPQ =
            connection.supportsPQ
            && AgentPadding.isPQPossible(agentVersion: confirmation.agentVersion, e2e: e2e.version)
        let ratchet: Ratchet
        do { ratchet = try Ratchet(accepting: e2e, keys: keys, pqSupported: connection.supportsPQ) } catch {
            return .failure(.agent(.crypto(AgentCryptoFailure(error))))
        }
        connection.ratchet = ratchet
        guard
            case .connInfoReply(let queues, let info)? = try decryptConfirmation(
                confirmation.encryptedInfo,
                &connection
            )?.message
        else {
            return .prohibited("confirmation: the reply queues are missing")
        }
        guard let reply = queues.first else { return .prohibited("conf: no reply queue") }
        connection.agentVersion = confirmation.agentVersion
        connection.e2eKeys = nil
        try connection.update(db)
        try queue.storeSecret(secret: confirmation.secret, clientVersion: confirmation.clientVersion, db)
        let id = RandomBytes.make(count: 16)
        try db.insert(
            into: "confirmations",
            [
                "confirmation_id": id, "conn_id": connection.id.bytes, "sender_key": confirmation.senderKey?.spki,
                "reply_queue": try reply.smpEncoded(),
            ]
        )
        return ReceptionResult(events: [try .add(.confirmation, connection.id, confirmation: id, connInfo: info, db)])
    }

    /// Handles, on the joining side, the confirmation with which the initiator allows the connection.
    private func receiveAsJoiner(
        _ confirmation: ReceivedConfirmation,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        guard case .connInfo(let info)? = try decryptConfirmation(confirmation.encryptedInfo, &connection)?.message
        else {
            return .prohibited("confirmation: the information of the initiator is missing")
        }
        try queue.storeSecret(secret: confirmation.secret, clientVersion: confirmation.clientVersion, db)
        connection.pendingSenderKey = confirmation.senderKey
        try connection.update(db)
        var reception = ReceptionResult(events: [try .add(.info, connection.id, connInfo: info, db)])
        if confirmation.senderKey == nil {
            try queue.setStatus(.active, db)
            reception.events.append(try .add(.connected, connection.id, db))
        } else {
            // HELLO waits in the outbox until the queue is secured, and the user's messages wait for HELLO. If another
            // message made the queue active first, the peer would ignore HELLO, and the connection would never be
            // complete.
            _ = try connection.enqueue(.hello, kind: .hello, notify: true, at: nowSeconds, db)
            reception.securesQueue = true
        }
        return reception
    }

    /// Decrypts the content of a confirmation, which counts as the sender's first message; nil when the content cannot
    /// be decrypted or parsed.
    private func decryptConfirmation(
        _ encrypted: [UInt8],
        _ connection: inout AgentConnection
    ) throws -> (message: AgentMessage, content: [UInt8])? {
        guard var ratchet = connection.ratchet, let outcome = try? ratchet.decrypt(encrypted),
            case .success(let content) = outcome.plaintext, let message = try? AgentMessage(parsing: content)
        else { return nil }
        connection.ratchet = ratchet
        try StoredSkippedKeys(connection: connection.id, db: db).applyChange(outcome.skippedKeysChange, at: nowSeconds)
        connection.lastExternalSndID = 1
        connection.lastRcvHash = Digest.sha256(content)
        return (message, content)
    }
}
