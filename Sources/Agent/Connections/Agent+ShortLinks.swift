import Clocks
package import SMP
import SQLCipher
package import SimpleXCrypto

/// Short links of contact addresses (simplexmq `rfcs/2025-03-16-smp-queues.md`).
extension Agent {
    /// Creates a contact address, with a short link to `userData` if the relay supports short links.
    /// - Parameters:
    ///   - clientData: data of the caller in the full link.
    ///   - type: kind of the destination of the short link: a contact, a channel, a group or a relay in a channel.
    ///   - identity: identity of a link to a channel or a relay in a channel; nil for a new key.
    ///   - key: the key of the caller's request. If an earlier call with this key has created an address, that address
    ///     is returned.
    package func createAddress(
        user: AgentUserID,
        userData: [UInt8],
        clientData: String? = nil,
        type: ShortLink.ContactType = .contact,
        identity: LinkIdentity? = nil,
        for key: AgentRequestKey? = nil,
        patience: Patience = .background
    ) async throws -> (ConnectionID, ConnectionRequest, ShortLink?) {
        try await createAddress(
            user: user,
            data: ContactLinkData(userData: userData),
            clientData: clientData,
            type: type,
            identity: identity,
            for: key,
            patience: patience
        )
    }

    /// Creates a contact address, with a short link to `data` if the relay supports short links.
    package func createAddress(
        user: AgentUserID,
        data: ContactLinkData,
        clientData: String? = nil,
        type: ShortLink.ContactType = .contact,
        identity: LinkIdentity? = nil,
        for key: AgentRequestKey? = nil,
        patience: Patience = .background
    ) async throws -> (ConnectionID, ConnectionRequest, ShortLink?) {
        if var made = try await self.findLink(madeFor: key, data: data, patience: patience) {
            if made.2 != nil { made.2?.kind = .contact(type) }
            made.1.clientData = clientData
            return made
        }
        return try await createAddress(
            user: user,
            clientData: clientData,
            type: type,
            identity: identity,
            for: key,
            patience: patience
        ) { _ in data }
    }

    /// Creates a contact address whose link data contain the link itself.
    /// - Parameters:
    ///   - key: the key of the caller's request. After a crash, ``findConnection(madeFor:)`` finds the address by this
    ///     key.
    ///   - data: a function that makes the link data for the new link.
    package func createAddress(
        user: AgentUserID,
        clientData: String? = nil,
        type: ShortLink.ContactType = .contact,
        identity: LinkIdentity? = nil,
        for key: AgentRequestKey? = nil,
        patience: Patience = .background,
        data: @Sendable (ShortLink) throws -> ContactLinkData
    ) async throws -> (ConnectionID, ConnectionRequest, ShortLink?) {
        let server = try await chooseServer(of: user)
        try clientNotices.checkNewAddressAllowed(server, presets: configuration.presetRelays, at: WallClock.seconds())
        let id = ConnectionID()
        let planned = try PlannedQueue(server: server)
        let request = ConnectionRequest(
            kind: .contact,
            agentVersions: AgentVersions.supported,
            queues: [planned.makeURI(mode: .contact)],
            clientData: clientData
        )
        let secrets = try LinkSecrets(request, identity)
        let link = ShortLink(
            scheme: .https,
            kind: .contact(type),
            server: server.withoutPassword,
            linkKey: secrets.linkKey
        )
        let sealed = QueueLinkData(
            encFixedData: try secrets.sealFixedData(request, entityID: identity?.entityID),
            encUserData: try secrets.sealUserData(.contact(data(link)))
        )
        let kept = StoredLink(secrets: secrets, fixedData: sealed.encFixedData)
        let queue: RcvQueue
        do {
            queue = try await createQueue(
                for: id,
                user: user,
                at: server,
                .contact(.init(linkID: secrets.linkID, senderID: planned.senderID, data: sealed)),
                corrID: planned.corrID,
                e2eKey: planned.e2eKey,
                patience: patience
            ).queue
        } catch AgentError.broker(_, .transport(.version)) {
            var (id, request) = try await createAddress(user: user, for: key, patience: patience)
            request.clientData = clientData
            return (id, request, nil)
        }
        let record = AgentConnection(addressOf: user, id: id)
        try await storeNewQueue(queue, user: user) { db in
            try record.insert(db)
            try queue.insert(db)
            try kept.insert(id, db)
            try DoneRequest.recordResult(key, connection: id, db)
        }
        return (id, request, link)
    }

    /// Changes the data behind the short link of an address or an invitation. An address without a short link gets a
    /// short link, if the relay supports short links.
    /// - Parameters:
    ///   - clientData: data of the caller in the full link of the address.
    ///   - type: kind of the destination of the short link: a contact, a channel, a group or a relay in a channel.
    /// - Returns: the short link of an address; nil when there is no such link.
    @discardableResult
    package func setLinkData(
        _ connection: ConnectionID,
        userData: [UInt8],
        clientData: String? = nil,
        type: ShortLink.ContactType = .contact,
        patience: Patience = .background
    ) async throws -> ShortLink? {
        try await setLinkData(
            connection,
            data: ContactLinkData(userData: userData),
            clientData: clientData,
            type: type,
            patience: patience
        )
    }

    /// Changes the data behind the short link of an address or an invitation. For an invitation, only the user data of
    /// `data` is used.
    @discardableResult
    package func setLinkData(
        _ connection: ConnectionID,
        data: ContactLinkData,
        clientData: String? = nil,
        type: ShortLink.ContactType = .contact,
        patience: Patience = .background
    ) async throws -> ShortLink? {
        let found = try await database.write { db -> (StoredLink, RcvQueue, AgentUserID)? in
            guard let queue = try RcvQueue.findCurrent(connection, db) else { return nil }
            let record = try AgentConnection.get(connection, db)
            if let link = try StoredLink.find(connection, db) { return (link, queue, record.userID) }
            guard record.isAddress else { return nil }
            // The relay cannot change a link, so a repeated attempt must use the same link. Therefore the link is
            // stored before it is sent to the relay.
            let request = ConnectionRequest(
                kind: .contact,
                agentVersions: AgentVersions.supported,
                queues: [queue.makeURI(mode: .contact)],
                clientData: clientData
            )
            let secrets = try LinkSecrets(request)
            let link = StoredLink(secrets: secrets, fixedData: try secrets.sealFixedData(request))
            try link.insert(connection, db)
            return (link, queue, record.userID)
        }
        guard let (link, queue, user) = found else { return nil }
        let secrets = link.secrets
        let sealed = try secrets.sealUserData(secrets.isInvitation ? .invitation(data.userData) : .contact(data))
        do {
            let client = try requireOnline().clients.requireClient(user, queue.server, for: connection)
            // The relay never replaces the fixed data of a link. So a repeated attempt must send identical data,
            // including the nonce.
            let fixed: [UInt8]
            if let kept = link.fixedData {
                fixed = kept
            } else {
                fixed = try await client.requestLinkData(linkID: secrets.linkID, patience: patience)
                    .encFixedData
            }
            try await client.setLinkData(
                queue.credentials,
                linkID: secrets.linkID,
                QueueLinkData(encFixedData: fixed, encUserData: sealed),
                patience: patience
            )
        } catch SMPClientError.transport(.version) {
            return nil
        } catch let error as SMPClientError {
            throw AgentError(error, server: queue.server)
        }
        guard !secrets.isInvitation else { return nil }
        return ShortLink(
            scheme: .https,
            kind: .contact(type),
            server: queue.server.withoutPassword,
            linkKey: secrets.linkKey
        )
    }

    /// Returns the data behind a short link: the connection request and the owner's data. If the link is an invitation,
    /// the first reading binds its queue to a key of the user who reads. Afterwards only this user can read the link
    /// again and join, unless ``shareInvitationKey(of:from:with:)`` gives the key to another user of this agent.
    package func fetchLinkData(
        user: AgentUserID,
        _ link: ShortLink,
        patience: Patience = .background
    ) async throws -> (ConnectionRequest, LinkUserData, LinkSigners) {
        let (linkID, key) = try link.deriveCredentials()
        let servers = try await database.read { db in try readServers(of: user, db) }
        let server = link.completingServer(knowing: servers.map(\.server) + configuration.presetRelays).server
        guard !server.keyHash.isEmpty else {
            throw AgentError.command(.syntax, context: "short link of an unknown server")
        }
        let request: SMPRequest
        if link.isInvitation {
            let sndKey = try await findOrMakeInvitationKey(linkID, at: server, user: user)
            request = SMPRequest(.lkey(sndKey.publicKey), entityID: linkID, key: sndKey)
        } else {
            request = SMPRequest(.lget, entityID: linkID, key: nil)
        }
        let answer: BrokerMessage
        do {
            answer = try await requireOnline().clients.sendCommand(
                request,
                to: server,
                user: user,
                connection: nil,
                servers: servers,
                patience: patience
            ).answer
        } catch let error as SMPClientError {
            throw AgentError(error, server: server)
        }
        guard case .lnk(let sndID, let data) = answer else {
            throw AgentError(SMPClientError.unexpected(answer.tag), server: server)
        }
        let found: (ConnectionRequest, LinkUserData, LinkSigners)
        do throws(LinkDataError) {
            let (fixed, userData) = try SealedLinkData.openAndVerify(data, linkKey: link.linkKey, key: key)
            guard userData.data.isInvitation == link.isInvitation, fixed.request.isInvitation == link.isInvitation
            else { throw .malformed }
            guard let queue = fixed.request.queues.first, queue.senderID == sndID, let host = server.hosts.first,
                queue.server.hosts.contains(host)
            else { throw .differentAddress }
            found = (fixed.request, userData.data, LinkSigners(fixed, userData.data))
        } catch {
            throw AgentError.agent(error.agentError)
        }
        if link.isInvitation { try await storeInvitationSenderID(linkID, at: server, sndID: sndID, user: user) }
        return found
    }
}

/// The key by which a link is made, and the id of the linked entity: a channel, or a relay in a channel.
package struct LinkIdentity: Sendable {
    let rootKey: Ed25519.PrivateKey
    let entityID: [UInt8]

    /// Makes the identity of a link from a given key and id.
    /// - Parameter entityID: at most 255 bytes.
    package init(rootKey: Ed25519.PrivateKey, entityID: [UInt8]) {
        self.rootKey = rootKey
        self.entityID = entityID
    }
}

extension LinkOwner {
    /// Makes an owner whom the creator of the link authorizes.
    /// - Parameter rootKey: the key of the creator, which signs the id and the key of the owner.
    package init(id: [UInt8], key: Ed25519.PublicKey, authorizedBy rootKey: Ed25519.PrivateKey) throws(CryptoError) {
        self.init(id: id, key: key, signature: try rootKey.sign(id + key.spki))
    }
}

extension LinkDataError {
    fileprivate var agentError: AgentProtocolError {
        switch self {
        case .decryption: .crypto(.decryptCB)
        case .malformed, .tooLarge: .message
        case .differentAddress: .link("different address")
        case .wrongHash: .link("link data hash")
        case .wrongSignature: .link("link data signature")
        case .invalidOwners(let text): .link(text)
        case .wrongUserDataSignature: .link("user data signature")
        }
    }
}
