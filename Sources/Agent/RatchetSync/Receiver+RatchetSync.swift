import SMP
import SQLCipher
import SimpleXCrypto

/// Renegotiation of the ratchet. Each side sends two new keys, and the hashes of the keys decide which side acts as the
/// joiner. So the result is the same whether one side or both sides have started.
extension Receiver {
    /// Handles a new message that cannot be decrypted.
    func handleDecryptionFailure(
        _ failure: AgentCryptoFailure,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        switch connection.ratchetSync {
        // The new ratchet is being made already. A message that cannot be decrypted may belong to the old ratchet, and
        // has no effect.
        case .started, .agreed: return ReceptionResult()
        case .ok, .allowed, .required:
            return ReceptionResult(events: [try changeSyncState(to: RatchetSync(after: failure), failure, &connection)])
        }
    }

    /// Handles a successful decryption. While keys are exchanged, the message may belong to the old ratchet, and does
    /// not prove that the new ratchet works.
    func handleDecryptionSuccess(_ connection: inout AgentConnection) throws -> PendingEvent? {
        switch connection.ratchetSync {
        case .ok, .started: nil
        case .allowed, .required, .agreed: try changeSyncState(to: .ok, nil, &connection)
        }
    }

    /// Handles the peer's keys for a new ratchet.
    func receive(ratchetKey peer: E2ERatchetParams, _ connection: inout AgentConnection) throws -> ReceptionResult {
        guard connection.ratchet != nil, try SndQueue.findCurrent(connection.id, db) != nil else {
            return .failure(.agent(.queue("AgentRatchetKey: the connection has one direction only")))
        }
        try db.execute(
            "INSERT OR IGNORE INTO ratchet_key_hashes (conn_id, hash) VALUES (:conn_id, :hash)",
            ["conn_id": connection.id.bytes, "hash": peer.keysHash]
        )
        guard db.changeCount > 0 else { return ReceptionResult() }
        guard E2EVersion.supported.contains(peer.version.number) else { return .failure(.agent(.version)) }
        let keys: E2EPrivateKeys
        switch connection.ratchetSync {
        case .ok, .allowed, .required:
            keys = try E2EPrivateKeys(kem: connection.supportsPQ ? .propose : .none)
            try connection.enqueueRatchetKey(keys.makeParameters(version: peer.version), at: nowSeconds, db)
        case .started:
            guard let own = connection.e2eKeys else { return .failure(.internal("no keys for the ratchet")) }
            keys = own
        case .agreed:
            // The ratchets were agreed, but the peer has started again with keys for another ratchet. So the ratchet
            // must be renegotiated once more.
            let event = try changeSyncState(to: .required, .ratchetSync, &connection)
            return ReceptionResult(events: [event], error: .agent(.crypto(.ratchetSync)))
        }
        return try renewRatchet(keys, peer, &connection)
    }

    private func renewRatchet(
        _ keys: E2EPrivateKeys,
        _ peer: E2ERatchetParams,
        _ connection: inout AgentConnection
    ) throws -> ReceptionResult {
        let ownHash = keys.makeParameters(version: peer.version).keysHash
        let begins = !ownHash.lexicographicallyPrecedes(peer.keysHash) && ownHash != peer.keysHash
        do throws(RatchetError) {
            connection.ratchet =
                begins
                ? try Ratchet(joining: peer, keys: keys)
                : try Ratchet(accepting: peer, keys: keys, pqSupported: connection.supportsPQ)
        } catch {
            return .failure(.agent(.crypto(AgentCryptoFailure(error))))
        }
        connection.e2eKeys = nil
        try StoredSkippedKeys(connection: connection.id, db: db).removeAllChains()
        let event = try changeSyncState(to: .agreed, nil, &connection)
        if begins { try enqueueRatchetReady(&connection) }
        return ReceptionResult(events: [event], wakesOutbox: true)
    }

    /// Puts EREADY into the outbox. It tells the peer that this side can send with the new ratchet.
    func enqueueRatchetReady(_ connection: inout AgentConnection) throws {
        _ = try connection.enqueue(
            .ratchetReady(lastDecryptedMsgId: connection.lastExternalSndID),
            kind: .ratchetReady,
            notify: true,
            at: nowSeconds,
            db
        )
    }

    private func changeSyncState(
        to state: RatchetSync,
        _ failure: AgentCryptoFailure?,
        _ connection: inout AgentConnection
    ) throws -> PendingEvent {
        connection.ratchetSync = state
        try connection.update(db)
        return try .add(
            .ratchetSync,
            connection.id,
            connInfo: StoredRatchetSyncChange(state: state, failure: failure).storedForm,
            db
        )
    }
}
