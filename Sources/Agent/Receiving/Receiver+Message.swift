import SMP
import SQLCipher
import SimpleXCrypto

extension Receiver {
    /// Handles a message that the ratchet has encrypted.
    func receiveEncrypted(
        _ encrypted: [UInt8],
        _ arrival: Arrival,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        guard var ratchet = connection.ratchet else { return .prohibited("msg: no ratchet") }
        let hash = Digest.sha256(encrypted)
        let couldSend = ratchet.sendingChain != nil
        let skipped = StoredSkippedKeys(connection: connection.id, db: db)
        let outcome: DecryptOutcome
        do throws(RatchetError) {
            if let early = earlyDecryption?.applyResult(to: &ratchet, encrypted) {
                outcome = early
            } else {
                outcome = try ratchet.decrypt(encrypted, skipped: skipped)
            }
        } catch {
            return try receiveUndecryptableMessage(error, hash, &connection)
        }
        // The header was genuine, and the key of the message is used up. So the ratchet is stored even if the body
        // cannot be decrypted.
        connection.ratchet = ratchet
        try skipped.applyChange(outcome.skippedKeysChange, at: nowSeconds)
        switch outcome.plaintext {
        case .failure(let error):
            try connection.update(db)
            return try receiveUndecryptableMessage(error, hash, &connection)
        case .success(let content):
            guard case .message(let header, let message)? = try? AgentMessage(parsing: content) else {
                try connection.update(db)
                return .prohibited("message: its content cannot be read")
            }
            let number = assignNumber(header, content, &connection)
            try db.execute(
                "INSERT OR IGNORE INTO rcv_hashes (conn_id, hash, received_at) VALUES (:conn_id, :hash, :received_at)",
                ["conn_id": connection.id.bytes, "hash": hash, "received_at": nowSeconds]
            )
            return try receiveAgentMessage(message, number, header, arrival, couldSend: couldSend, &connection)
        }
    }

    /// Assigns the next ``AgentMessageID`` of the connection to a message, and checks whether the message follows the
    /// previous message.
    private func assignNumber(
        _ header: AgentMessageHeader,
        _ content: [UInt8],
        _ connection: inout AgentConnection
    ) -> (id: AgentMessageID, integrity: MessageIntegrity) {
        let integrity = MessageIntegrity(
            previousID: connection.lastExternalSndID,
            id: header.sndMsgId,
            previousHash: connection.lastRcvHash,
            receivedHash: header.prevMsgHash
        )
        connection.lastInternalID += 1
        connection.lastExternalSndID = header.sndMsgId
        connection.lastRcvHash = Digest.sha256(content)
        return (connection.lastInternalID, integrity)
    }

    private func receiveAgentMessage(
        _ message: AMessage,
        _ number: (id: AgentMessageID, integrity: MessageIntegrity),
        _ header: AgentMessageHeader,
        _ arrival: Arrival,
        couldSend: Bool,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        var reception = ReceptionResult()
        let agreed = try handleDecryptionSuccess(&connection)
        if queue.status != .active { try queue.setStatus(.active, db) }
        switch message {
        case .hello: reception = try receiveHello(&connection)
        case .message(let body):
            let meta = MessageMeta(
                integrity: number.integrity,
                recipientInfo: .init(id: number.id, timestampSeconds: nowSeconds),
                brokerInfo: .init(id: brokerMessageID, timestampSeconds: arrival.timestampSeconds),
                sndMsgID: header.sndMsgId,
                pqEncryption: connection.ratchet?.receivesPostQuantum ?? false
            )
            try StoredMessage(meta: meta, notify: arrival.shouldNotify, body: body).insert(
                queue,
                hash: connection.lastRcvHash,
                db
            )
            reception.message = .message(connection.id, meta, notify: arrival.shouldNotify, body: body)
        case .queueContinue: reception.wakesOutbox = true
        case .receipts(let receipts):
            reception.hasReceipts = true
            let awaited = try receipts.compactMap { try AwaitedReceipt.takeMessage($0, on: connection.id, db) }
            guard !awaited.isEmpty else { break }
            if number.integrity != .ok {
                let gap = StoredMessageGap(number.integrity, brokerTimestamp: arrival.timestampSeconds)
                reception.events.append(try .add(.gap, connection.id, connInfo: gap.storedForm, db))
            }
            reception.events.append(try .add(.receipts, connection.id, connInfo: MessageReceipt.encoded(awaited), db))
        case .ratchetReady:
            // This side could not send before it received this message, so it announces its new ratchet only now.
            if !couldSend {
                try enqueueRatchetReady(&connection)
                reception.wakesOutbox = true
            }
        case .queueAdd, .queueKey, .queueUse: reception = try receive(rotation: message, &connection)
        // QTEST has no content. Its arrival over the new queue has an effect, but ``handleArrivalOverReplacement(_:)``
        // has already handled the arrival.
        case .queueTest: break
        }
        if let agreed { reception.events.insert(agreed, at: 0) }
        try connection.update(db)
        return reception
    }

    /// Handles HELLO. If the senders cannot secure the queues themselves, each side sends HELLO after it has secured
    /// its queue (agent-protocol.md).
    private func receiveHello(_ connection: inout AgentConnection) throws -> ReceptionResult {
        guard let sndQueue = try SndQueue.findCurrent(connection.id, db) else {
            return .prohibited("HELLO: there is no queue to answer over")
        }
        // Messages before HELLO may have made the receive queue active. HELLO is then still needed if this side cannot
        // secure the peer's queue, because HELLO reports that the peer has secured its queue.
        guard queue.status != .active || sndQueue.status != .active && !sndQueue.isSecuredBySender else {
            return .prohibited("HELLO: the connection is complete already")
        }
        if sndQueue.status == .active {
            return ReceptionResult(events: [try .add(.connected, connection.id, db)])
        }
        // If this side's HELLO still waits in the outbox, the connection will be complete when HELLO is sent. So no
        // second HELLO is added.
        guard try !OutboxMessage.isWaiting(.hello, on: connection.id, db) else { return ReceptionResult() }
        _ = try connection.enqueue(.hello, kind: .hello, notify: true, at: nowSeconds, db)
        return ReceptionResult(wakesOutbox: true)
    }

    /// Handles a message that was received before, or that cannot be decrypted.
    private func receiveUndecryptableMessage(
        _ error: RatchetError,
        _ hash: [UInt8],
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        // If the message is already stored for the handler, only its acknowledgement was lost.
        if try StoredMessage.isStored(brokerMessageID, queue, db) { return ReceptionResult(wasStoredBefore: true) }
        let isKnown =
            try db.firstRow(
                "SELECT 1 AS known FROM rcv_hashes WHERE conn_id = :conn_id AND hash = :hash",
                ["conn_id": connection.id.bytes, "hash": hash]
            )
            != nil
        if isKnown { return ReceptionResult() }
        switch error {
        case .duplicateMessage: return .failure(.agent(.duplicate))
        case .malformedHeader: return .failure(.agent(.message))
        default: return try handleDecryptionFailure(AgentCryptoFailure(error), &connection)
        }
    }
}
