import SMP
import SQLCipher
import SimpleXCrypto

/// Short links of one-time invitations (simplexmq `rfcs/2025-03-16-smp-queues.md`).
extension Agent {
    /// A new invitation with a short link, behind which the relay keeps `userData`; where the relay has no short links, without one.
    /// Only the request behind the link has the KEM key, which is too long for one that is shown.
    /// - Parameter key: the request that the invitation is made for; when it has made one before, that one is the answer.
    public func createInvitation(
        user: AgentUserID, userData: [UInt8], for key: AgentRequestKey? = nil
    ) async throws -> (ConnectionID, ConnectionRequest, ShortLink?) {
        if let made = try await self.link(madeFor: key, userData: userData) { return made }
        guard configuration.queueMode == .messaging else {
            let (id, request) = try await createInvitation(user: user, for: key)
            return (id, request, nil)
        }
        let server = try await server(of: user)
        let id = ConnectionID()
        let keys = try E2EPrivateKeys(kem: .propose)
        let corrID = RandomBytes.make(count: 24)
        let sndID = QueueRequestData.senderID(corrID: corrID)
        let e2eKey = try X25519.PrivateKey()
        let uri = QueueURI(
            clientVersions: AgentVersions.client, server: server.withoutPassword, senderID: sndID, dhPublicKey: e2eKey.publicKey, mode: .messaging)
        func request(_ keys: E2EPrivateKeys) -> ConnectionRequest {
            ConnectionRequest(kind: .invitation(e2e: keys.parameters()), agentVersions: AgentVersions.supported, queues: [uri])
        }
        let (linkKey, rootKey, data) = try Self.sealedInvitation(request(keys), userData)
        let run = try online()
        let created: CreatedQueue
        do {
            created = try await run.clients.client(user, server, for: id).createQueue(
                key: .ed25519(try Ed25519.PrivateKey()), dhKey: try X25519.PrivateKey(), data: .messaging(.init(senderID: sndID, data: data)),
                corrID: corrID)
        } catch SMPClientError.transport(.version) {
            let (id, request) = try await createInvitation(user: user, for: key)
            return (id, request, nil)
        } catch let error as SMPClientError {
            throw AgentError(error, server: server)
        }
        let queue = RcvQueue(
            connection: id, server: server, rcvID: created.credentials.rcvID, key: created.credentials.key, dhSecret: created.credentials.dhSecret,
            sndID: created.sndID, mode: created.mode, e2ePrivateKey: e2eKey, clientVersion: AgentVersions.client.max, status: .new)
        run.clients.register(user, queue)
        let record = ConnectionRecord(id: id, userID: user, agentVersion: AgentVersions.supported.max, e2eKeys: keys, ratchet: nil, pqSupport: true)
        try await keeping(queue, user: user) { db in
            try record.insert(db)
            try queue.insert(db)
            if let linkID = created.ids.linkID {
                let secrets = try LinkSecrets(linkKey: linkKey, rootKey: rootKey, invitation: linkID)
                try StoredLink(secrets: secrets, fixedData: data.encFixedData).insert(id, db)
            }
            try DoneRequest.note(key, connection: id, db)
        }
        let link = created.ids.linkID.map {
            ShortLink(scheme: .https, kind: .invitation(linkID: $0), server: server.withoutPassword, linkKey: linkKey)
        }
        return (id, request(E2EPrivateKeys(key1: keys.key1, key2: keys.key2)), link)
    }

    private static func sealedInvitation(_ request: ConnectionRequest, _ userData: [UInt8]) throws -> (linkKey: [UInt8], rootKey: Ed25519.PrivateKey, QueueLinkData) {
        let rootKey = try Ed25519.PrivateKey()
        let fixed = FixedLinkData(agentVersions: request.agentVersions, rootKey: rootKey.publicKey, request: request)
        let linkKey = try SealedLinkData.linkKey(fixed)
        let key = try LinkKeys.invitation(linkKey)
        let user = VersionedUserData(agentVersions: request.agentVersions, data: .invitation(userData))
        do {
            return (
                linkKey, rootKey,
                QueueLinkData(
                    encFixedData: try SealedLinkData.seal(SealedLinkData.sign(fixed, rootKey), key: key, length: SealedLinkData.fixedLength),
                    encUserData: try SealedLinkData.seal(SealedLinkData.sign(user, rootKey), key: key, length: SealedLinkData.userLength))
            )
        } catch LinkDataError.tooLarge {
            throw AgentError.command(.large, context: "link data")
        }
    }

    /// How long the key of a link is kept that is not joined: half a year. Without it, the link cannot be used any more.
    static let invitationKeySeconds: Int64 = 180 * 86400

    /// The key with which this agent has bound, or binds, an invitation's queue to a user: who takes the data secures the queue. Every user
    /// has another one, or the relay could tell that they are of one agent.
    func invitationKey(_ linkID: [UInt8], at server: ProtocolServer, user: AgentUserID) async throws -> AuthorizationPrivateKey {
        let now = currentSeconds()
        return try await database.write { db in
            try db.execute("DELETE FROM invitation_keys WHERE created_at < ?", now - Self.invitationKeySeconds)
            let row = try db.first(
                "SELECT snd_key FROM invitation_keys WHERE user_id = ? AND server = ? AND link_id = ?", user, server.str, linkID)
            if let row { return try AuthorizationPrivateKey(pkcs8: row.blob("snd_key")) }
            let key = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
            try db.execute(
                "INSERT INTO invitation_keys (user_id, server, link_id, snd_key, created_at) VALUES (?, ?, ?, ?, ?)", user, server.str, linkID,
                key.pkcs8, now)
            return key
        }
    }

    /// Lets another user join an invitation that one has read: the relay takes no key but the one that it was read with.
    public func shareInvitationKey(of request: ConnectionRequest, from user: AgentUserID, with other: AgentUserID) async throws {
        guard request.isInvitation, let sndID = request.queues.first?.senderID else { return }
        try await database.write { db in
            try db.execute(
                """
                INSERT OR REPLACE INTO invitation_keys (user_id, server, link_id, snd_key, snd_id, created_at)
                SELECT ?, server, link_id, snd_key, snd_id, created_at FROM invitation_keys WHERE user_id = ? AND snd_id = ?
                """, other, user, sndID)
        }
    }

    /// Remembers which queue a link has led to, so that it is joined by the key that it is bound to.
    func boundInvitation(_ linkID: [UInt8], at server: ProtocolServer, sndID: [UInt8], user: AgentUserID) async throws {
        try await database.write { db in
            try db.execute(
                "UPDATE invitation_keys SET snd_id = ? WHERE user_id = ? AND server = ? AND link_id = ?", sndID, user, server.str, linkID)
        }
    }
}

extension SndQueue {
    /// Takes the key that the queue was bound to when its short link was read, where it was.
    mutating func takeBoundKey(of user: AgentUserID, _ db: Connection) throws {
        let row = try db.first("SELECT snd_key FROM invitation_keys WHERE user_id = ? AND snd_id = ?", user, sndID)
        guard let row else { return }
        key = try AuthorizationPrivateKey(pkcs8: row.blob("snd_key"))
        // Whoever has the row's `snd_id` has been answered: reading the link has secured the queue.
        status = .secured
    }
}
