import SMP
import SQLCipher
import SimpleXCrypto

/// Handles the messages of a rotation.
extension Receiver {
    func receive(rotation message: AMessage, _ connection: inout AgentConnection) throws -> ReceptionResult {
        guard !connection.ratchetSync.prohibitsSending else {
            return .failure(.agent(.queue("the ratchet must be synchronized before a queue changes")))
        }
        guard let current = try SndQueue.findCurrent(connection.id, db) else {
            return .failure(.agent(.queue("a queue can only change in a connection of two directions")))
        }
        switch message {
        case .queueAdd(let queues):
            guard let added = queues.first, let replaced = added.replaces else {
                return .failure(.agent(.queue("QADD: the queue that it replaces is missing")))
            }
            return try receiveQueueAdd(added.queue, for: replaced, current, &connection)
        case .queueKey(let keys):
            guard let key = keys.first else { return ReceptionResult() }
            return try receiveQueueKey(key, &connection)
        case .queueUse(let queues):
            guard let used = queues.first else { return ReceptionResult() }
            return try receiveQueueUse(used.address, current, &connection)
        default: return ReceptionResult()
        }
    }

    /// Handles QADD: the recipient wants to receive over another queue.
    private func receiveQueueAdd(
        _ uri: QueueURI,
        for replaced: QueueAddress,
        _ current: SndQueue,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        guard let info = uri.compatibleQueue(with: AgentVersions.supportedClientVersions) else {
            return .failure(.agent(.version))
        }
        let offered = QueueAddress(server: info.server, senderID: info.senderID)
        var current = current
        var replacement = try SndQueue.findReplacement(of: connection.id, db)
        guard !current.isAtAddress(offered), replacement?.isAtAddress(offered) != true else {
            return .failure(.agent(.queue("QADD: the connection has this queue already")))
        }
        if let next = replacement, next.isAtAddress(replaced), current.switchStatus == .sendingQTEST {
            // The peer has completed the previous rotation, since it has received a message of this side over the new
            // queue. This side has not received the answer to the message yet, and completes the rotation now.
            try next.promote(over: current, db)
            (current, replacement) = (next, nil)
        }
        guard current.isAtAddress(replaced) else {
            return .failure(.agent(.queue("QADD: the queue to replace is not of this connection")))
        }
        // Removes the new queue of an earlier rotation that the peer has given up.
        try replacement?.remove(db)
        try MessageRepetition.endRepetitions(connection.id, db)
        let queue: SndQueue
        do throws(CryptoError) {
            queue = try SndQueue(
                connection: connection.id,
                server: info.server,
                sndID: info.senderID,
                dhPublicKey: info.dhPublicKey,
                mode: info.mode,
                clientVersion: info.clientVersion
            )
        } catch {
            return .failure(.agent(.crypto(.decryptCB)))
        }
        try queue.insert(isReplacement: true, db)
        try current.setSwitchStatus(.sendingQKEY, db)
        var answer = info
        answer.dhPublicKey = queue.e2ePublicKey
        _ = try connection.enqueue(
            .queueKey([.init(queue: answer, senderKey: queue.key.publicKey)]),
            kind: .queueKey,
            notify: false,
            at: nowSeconds,
            db
        )
        return ReceptionResult(events: [try .addSwitchEvent(.snd, .started, connection.id, db)], wakesOutbox: true)
    }

    /// Handles QKEY, which contains the sender's keys for the queue that this side has added.
    private func receiveQueueKey(
        _ key: AMessage.QueueKey,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        guard AgentVersions.supportedClientVersions.contains(key.queue.clientVersion) else {
            return .failure(.agent(.version))
        }
        let address = QueueAddress(server: key.queue.server, senderID: key.queue.senderID)
        guard let current = try RcvQueue.findCurrent(connection.id, db),
            let replacement = try RcvQueue.findReplacement(of: connection.id, db),
            address.belongsToQueue(replacement.server, replacement.sndID)
        else { return .failure(.agent(.queue("QKEY: no queue of the connection waits for this key"))) }
        guard replacement.status == .new || replacement.status == .confirmed else {
            return .failure(.agent(.queue("QKEY: the queue has a key already")))
        }
        guard current.switchStatus == .sendingQADD else { return unexpectedStatus(current.switchStatus?.rawValue) }
        guard let secret = try? replacement.e2ePrivateKey.sharedSecret(with: key.queue.dhPublicKey) else {
            return .failure(.agent(.crypto(.decryptCB)))
        }
        try replacement.storeSecretAndKey(
            secret: secret,
            clientVersion: key.queue.clientVersion,
            senderKey: key.senderKey,
            db
        )
        return ReceptionResult(
            events: [try .addSwitchEvent(.rcv, .confirmed, connection.id, db)],
            continuesRotation: true
        )
    }

    /// Handles QUSE: the new queue is secured. From now on this side uses the new queue, also for messages that were
    /// not sent over the old queue yet.
    private func receiveQueueUse(
        _ address: QueueAddress,
        _ current: SndQueue,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        guard let replacement = try SndQueue.findReplacement(of: connection.id, db), replacement.isAtAddress(address)
        else {
            return .failure(.agent(.queue("QUSE: the connection has no such new queue")))
        }
        guard current.switchStatus == .sendingQKEY else { return unexpectedStatus(current.switchStatus?.rawValue) }
        try replacement.setStatus(.secured, db)
        try current.setSwitchStatus(.sendingQTEST, db)
        _ = try connection.enqueue(.queueTest([address]), kind: .queueTest, notify: false, at: nowSeconds, db)
        return ReceptionResult(events: [try .addSwitchEvent(.snd, .secured, connection.id, db)], wakesOutbox: true)
    }

    private func unexpectedStatus(_ status: String?) -> ReceptionResult {
        .failure(.internal("the switch is in another state: \(status ?? "none")"))
    }

    /// Handles the arrival of a message over the new queue, which shows that the sender has left the old queue.
    /// - Returns: whether the old queue has to be deleted.
    func handleArrivalOverReplacement(_ connection: AgentConnection) throws -> Bool {
        guard queue.isReplacement, let current = try RcvQueue.findCurrent(connection.id, db),
            current.switchStatus == .sendingQUSE
        else { return false }
        try current.setSwitchStatus(.receivedMessage, db)
        return true
    }
}
