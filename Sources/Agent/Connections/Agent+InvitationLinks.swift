import Clocks
package import SMP
import SQLCipher
import SimpleXCrypto

/// Short links of one-time invitations (simplexmq `rfcs/2025-03-16-smp-queues.md`).
extension Agent {
    /// Creates an invitation. If the relay supports short links, also creates a short link, which leads to `userData`
    /// and to a connection request with a KEM key. The returned connection request is for a full link. It contains no
    /// KEM key, which would be too long for a full link.
    /// - Parameter key: the key of the caller's request. If an earlier call with this key has created an invitation,
    ///   that invitation is returned.
    package func createInvitation(
        user: AgentUserID,
        userData: [UInt8],
        for key: AgentRequestKey? = nil,
        patience: Patience = .background
    ) async throws -> (ConnectionID, ConnectionRequest, ShortLink?) {
        if let made = try await self.findLink(
            madeFor: key,
            data: ContactLinkData(userData: userData),
            patience: patience
        ) {
            return made
        }
        guard configuration.queueMode == .messaging else {
            let (id, request) = try await createInvitation(user: user, for: key, patience: patience)
            return (id, request, nil)
        }
        let server = try await chooseServer(of: user)
        let id = ConnectionID()
        let keys = try E2EPrivateKeys(kem: .propose)
        let planned = try PlannedQueue(server: server)
        func makeRequest(_ keys: E2EPrivateKeys) -> ConnectionRequest {
            ConnectionRequest(
                kind: .invitation(e2e: keys.makeParameters()),
                agentVersions: AgentVersions.supported,
                queues: [planned.makeURI(mode: .messaging)]
            )
        }
        let (linkKey, rootKey, data) = try Self.sealInvitation(makeRequest(keys), userData)
        let created: (queue: RcvQueue, linkID: [UInt8]?)
        do {
            created = try await createQueue(
                for: id,
                user: user,
                at: server,
                .messaging(.init(senderID: planned.senderID, data: data)),
                corrID: planned.corrID,
                e2eKey: planned.e2eKey,
                patience: patience
            )
        } catch AgentError.broker(_, .transport(.version)) {
            let (id, request) = try await createInvitation(user: user, for: key, patience: patience)
            return (id, request, nil)
        }
        let (queue, linkID) = created
        let record = AgentConnection(invitationOf: user, id: id, keys: keys, pqSupport: true)
        try await storeNewQueue(queue, user: user) { db in
            try record.insert(db)
            try queue.insert(db)
            if let linkID {
                let secrets = try LinkSecrets(linkKey: linkKey, rootKey: rootKey, invitation: linkID)
                try StoredLink(secrets: secrets, fixedData: data.encFixedData).insert(id, db)
            }
            try DoneRequest.recordResult(key, connection: id, db)
        }
        let link = linkID.map {
            ShortLink(scheme: .https, kind: .invitation(linkID: $0), server: server.withoutPassword, linkKey: linkKey)
        }
        return (id, makeRequest(E2EPrivateKeys(key1: keys.key1, key2: keys.key2)), link)
    }

    private static func sealInvitation(
        _ request: ConnectionRequest,
        _ userData: [UInt8]
    ) throws -> (linkKey: [UInt8], rootKey: Ed25519.PrivateKey, QueueLinkData) {
        let rootKey = try Ed25519.PrivateKey()
        let fixed = FixedLinkData(agentVersions: request.agentVersions, rootKey: rootKey.publicKey, request: request)
        let linkKey = try SealedLinkData.computeLinkKey(fixed)
        let key = try LinkKeys.deriveInvitationKey(linkKey)
        let user = VersionedUserData(agentVersions: request.agentVersions, data: .invitation(userData))
        do {
            return (
                linkKey, rootKey,
                QueueLinkData(
                    encFixedData: try SealedLinkData.sealPart(
                        SealedLinkData.signPart(fixed, rootKey),
                        key: key,
                        length: SealedLinkData.fixedPartLength
                    ),
                    encUserData: try SealedLinkData.sealPart(
                        SealedLinkData.signPart(user, rootKey),
                        key: key,
                        length: SealedLinkData.userPartLength
                    )
                )
            )
        } catch LinkDataError.tooLarge {
            throw AgentError.command(.large, context: "link data")
        }
    }

    /// The number of seconds for which the key of an unused invitation link is kept: half a year.
    /// Without the key, the link cannot be used any more.
    static let invitationKeyLifetimeSeconds: Int64 = 180 * 86400

    /// Returns the user's key for the queue of an invitation, and makes the key if it is missing. Reading the data of
    /// the link secures the queue with this key. Each user has a different key, so that the relay cannot link the users
    /// of one agent.
    func findOrMakeInvitationKey(
        _ linkID: [UInt8],
        at server: ProtocolServer,
        user: AgentUserID
    ) async throws -> AuthorizationPrivateKey {
        let now = WallClock.seconds()
        return try await database.write { db in
            try db.execute("DELETE FROM invitation_keys WHERE created_at < ?", now - Self.invitationKeyLifetimeSeconds)
            let row = try db.firstRow(
                """
                SELECT snd_key FROM invitation_keys WHERE user_id = :user_id AND server = :server AND link_id = :link_id
                """,
                ["user_id": user, "server": server.str, "link_id": linkID]
            )
            if let row { return try AuthorizationPrivateKey(pkcs8: row.blob("snd_key")) }
            let key = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
            try db.insert(
                into: "invitation_keys",
                [
                    "user_id": user, "server": server.str, "link_id": linkID, "snd_key": key.pkcs8, "created_at": now,
                ]
            )
            return key
        }
    }

    /// Allows the user `other` of this agent to join an invitation whose data `user` has read. The function copies the
    /// key that was used for the reading, because the relay accepts no other key.
    package func shareInvitationKey(
        of request: ConnectionRequest,
        from user: AgentUserID,
        with other: AgentUserID
    ) async throws {
        guard request.isInvitation, let sndID = request.queues.first?.senderID else { return }
        try await database.write { db in
            try db.execute(
                """
                INSERT OR REPLACE INTO invitation_keys (user_id, server, link_id, snd_key, snd_id, created_at)
                SELECT :new_user_id, server, link_id, snd_key, snd_id, created_at FROM invitation_keys
                WHERE user_id = :user_id AND snd_id = :snd_id
                """,
                ["new_user_id": other, "user_id": user, "snd_id": sndID]
            )
        }
    }

    /// Stores the sender id of the queue behind an invitation link. When the user joins, the agent finds the key of the
    /// queue by this id.
    func storeInvitationSenderID(
        _ linkID: [UInt8],
        at server: ProtocolServer,
        sndID: [UInt8],
        user: AgentUserID
    ) async throws {
        try await database.write { db in
            try db.update(
                "invitation_keys",
                set: ["snd_id": sndID],
                where: ["user_id": user, "server": server.str, "link_id": linkID]
            )
        }
    }
}

extension SndQueue {
    /// Sets the key of this queue to the key with which the reading of a short link has secured the queue. Does nothing
    /// if the queue was not secured in this way.
    mutating func useLinkReadingKey(of user: AgentUserID, _ db: DatabaseConnection) throws {
        let row = try db.firstRow(
            "SELECT snd_key FROM invitation_keys WHERE user_id = :user_id AND snd_id = :snd_id",
            ["user_id": user, "snd_id": sndID]
        )
        guard let row else { return }
        key = try AuthorizationPrivateKey(pkcs8: row.blob("snd_key"))
        // The column `snd_id` is set only when the relay has answered the reading of the link. So the reading has
        // secured the queue.
        status = .secured
    }
}
