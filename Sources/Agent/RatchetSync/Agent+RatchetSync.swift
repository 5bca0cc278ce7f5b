import Clocks
import SQLCipher
import SimpleXCrypto

extension Agent {
    /// Starts to renegotiate the ratchet: sends new keys to the peer, which answers with its new keys.
    /// ``AgentEvent/ratchetSync(_:_:)`` reports the progress. No message can be sent before the end of the
    /// renegotiation.
    /// - Parameters:
    ///   - pqSupport: whether the new ratchet should have post-quantum encryption.
    ///   - force: whether to start even if no message has failed to decrypt.
    ///   - key: the key of the caller's request. A repetition of the request does not start the renegotiation again.
    /// - Throws: `AgentError.command(.prohibited)` when the state does not allow a renegotiation.
    package func synchronizeRatchet(
        _ id: ConnectionID,
        pqSupport: Bool,
        force: Bool,
        for key: AgentRequestKey? = nil
    ) async throws -> ConnectionQueueStates {
        let now = WallClock.seconds()
        // The state is recorded before the write, since the renegotiation may end before this function continues.
        let isNoted = unsynchronizedConnections.withLock { $0.insert(id).inserted }
        var isStarted = false
        defer { if isNoted, !isStarted { recordRatchetState(.ok, of: id) } }
        let (queueStates, isNew) = try await database.write { db -> (ConnectionQueueStates, Bool) in
            var connection = try AgentConnection.get(id, db)
            guard try DoneRequest.findConnection(key, db) == nil else {
                // A repeated request returns the state after the start, even if the renegotiation has progressed since.
                connection.ratchetSync = .started
                return (try ConnectionQueueStates(connection, db), false)
            }
            guard connection.ratchet != nil, try SndQueue.findCurrent(id, db) != nil,
                connection.e2eKeys == nil || connection.ratchetSync == .started
            else {
                throw AgentError.command(
                    .prohibited,
                    context: "synchronizeRatchet: the connection has one direction only"
                )
            }
            let isAllowed =
                connection.agentVersion >= AgentVersions.firstWithRatchetSync
                && (connection.ratchetSync == .allowed || connection.ratchetSync == .required)
            guard isAllowed || force else {
                throw AgentError.command(.prohibited, context: "synchronizeRatchet: not needed, or the peer is too old")
            }
            connection.supportsPQ = pqSupport
            let keys = try E2EPrivateKeys(kem: pqSupport ? .propose : .none)
            connection.e2eKeys = keys
            connection.ratchetSync = .started
            try connection.enqueueRatchetKey(keys.makeParameters(version: .current), at: now, db)
            try DoneRequest.recordResult(key, connection: id, db)
            return (try ConnectionQueueStates(connection, db), true)
        }
        isStarted = isNew
        try? requireOnline().outbox.wakeWorker(id)
        return queueStates
    }

    /// Whether the ratchet of a connection must be renegotiated before a message can be sent. The result is valid only
    /// while the agent is online. The database is not read.
    package func prohibitsSending(_ id: ConnectionID) -> Bool { unsynchronizedConnections.withLock { $0.contains(id) } }

    /// Records in memory whether the ratchet state of a connection prohibits sending.
    func recordRatchetState(_ state: RatchetSync, of id: ConnectionID) {
        unsynchronizedConnections.withLock { ids in
            if state.prohibitsSending { _ = ids.insert(id) } else { _ = ids.remove(id) }
        }
    }

    /// Returns the SHA-256 of the associated data of the ratchet. The hash is equal on both sides unless someone
    /// intercepts the connection.
    package func fetchRatchetHash(of connection: ConnectionID) async throws -> [UInt8] {
        let record = try await database.read { db in try AgentConnection.get(connection, db) }
        guard let ratchet = record.ratchet else { throw AgentError.connection(.simplex, context: "") }
        return Digest.sha256(ratchet.associatedData)
    }
}
