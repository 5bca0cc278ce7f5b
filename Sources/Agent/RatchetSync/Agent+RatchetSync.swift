import SQLCipher
import SimpleXCrypto

extension Agent {
    /// Begins to renegotiate the ratchet: new keys are sent to the peer, whose own make a new ratchet with them. ``AgentEvent/ratchetSync(_:_:)``
    /// tells how it goes on. Until then nothing can be sent.
    /// - Parameters:
    ///   - pqSupport: whether the new ratchet is to have post-quantum encryption.
    ///   - force: also where nothing has gone wrong.
    ///   - request: what it is done for; when it was begun for that before, it is not begun again.
    /// - Throws: `AgentError.command(.prohibited)` when the state does not allow it.
    public func synchronizeRatchet(_ id: ConnectionID, pqSupport: Bool, force: Bool, for request: AgentRequestKey? = nil) async throws -> ConnectionServers {
        let now = currentSeconds()
        let servers = try await database.write { db in
            var connection = try ConnectionRecord.get(id, db)
            guard try DoneRequest.connection(request, db) == nil else {
                // As it was when that was done, however far it is by now.
                connection.ratchetSync = .started
                return try ConnectionServers(connection, db)
            }
            guard connection.ratchet != nil, try SndQueue.of(id, db) != nil, connection.e2eKeys == nil || connection.ratchetSync == .started else {
                throw AgentError.command(.prohibited, context: "synchronizeRatchet: not duplex")
            }
            let isAllowed =
                connection.agentVersion >= AgentVersions.ratchetSync && (connection.ratchetSync == .allowed || connection.ratchetSync == .required)
            guard isAllowed || force else { throw AgentError.command(.prohibited, context: "synchronizeRatchet: not allowed") }
            connection.pqSupport = pqSupport
            let keys = try E2EPrivateKeys(kem: pqSupport ? .propose : .none)
            connection.e2eKeys = keys
            connection.ratchetSync = .started
            try connection.enqueueRatchetKey(keys.parameters(version: .current), at: now, db)
            try DoneRequest.note(request, connection: id, db)
            return try ConnectionServers(connection, db)
        }
        try? online().outbox.wake(id)
        return servers
    }

    /// SHA-256 of what the ratchet authenticates with every message: equal on both sides of a connection that nobody has got into.
    public func ratchetHash(of connection: ConnectionID) async throws -> [UInt8] {
        let record = try await database.read { db in try ConnectionRecord.get(connection, db) }
        guard let ratchet = record.ratchet else { throw AgentError.connection(.simplex, context: "") }
        return Digest.sha256(ratchet.associatedData)
    }
}
