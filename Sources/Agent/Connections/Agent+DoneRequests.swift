import SMP
import SQLCipher

extension Agent {
    /// Finds the invitation or address that an earlier call for the same request has created.
    /// - Parameters:
    ///   - key: the key of the request.
    ///   - data: new data for the short link of the invitation or address.
    func findLink(
        madeFor key: AgentRequestKey?,
        data: ContactLinkData,
        patience: Patience
    ) async throws -> (ConnectionID, ConnectionRequest, ShortLink?)? {
        guard key != nil else { return nil }
        let found = try await database.read { db -> (AgentConnection, RcvQueue, StoredLink?)? in
            guard let id = try DoneRequest.findConnection(key, db), let record = try AgentConnection.find(id, db),
                let queue = try RcvQueue.findCurrent(id, db)
            else { return nil }
            return (record, queue, try StoredLink.find(id, db))
        }
        guard let (record, queue, link) = found else { return nil }
        let kind: ConnectionRequest.Kind
        if record.isAddress {
            kind = .contact
        } else {
            guard let keys = record.e2eKeys else { return nil }
            kind = .invitation(e2e: E2EPrivateKeys(key1: keys.key1, key2: keys.key2).makeParameters())
        }
        if link != nil { try await setLinkData(record.id, data: data, patience: patience) }
        let made = ConnectionRequest(
            kind: kind,
            agentVersions: AgentVersions.supported,
            queues: [queue.makeURI(mode: record.isAddress ? .contact : queue.mode)]
        )
        return (record.id, made, link.map { $0.shortLink(at: queue.server.withoutPassword) })
    }
}

extension StoredLink {
    fileprivate func shortLink(at server: ProtocolServer) -> ShortLink {
        ShortLink(
            scheme: .https,
            kind: secrets.isInvitation ? .invitation(linkID: secrets.linkID) : .contact(.contact),
            server: server,
            linkKey: secrets.linkKey
        )
    }
}

extension Agent {
    /// Finds the connection that a request has made.
    /// - Parameter key: the key of the request.
    package func findConnection(madeFor key: AgentRequestKey) async throws -> ConnectionID? {
        try await database.read { db in try DoneRequest.findConnection(key, db) }
    }
}
