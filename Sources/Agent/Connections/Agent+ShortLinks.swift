import SMP
import SQLCipher
import SimpleXCrypto

/// Short links of contact addresses (simplexmq `rfcs/2025-03-16-smp-queues.md`).
extension Agent {
    /// A new contact address with a short link, behind which the relay keeps `userData`; where the relay has no short links, without one.
    public func createAddress(user: AgentUserID, userData: [UInt8]) async throws -> (ConnectionID, ConnectionRequest, ShortLink?) {
        let server = try await server(of: user)
        let id = ConnectionID()
        let corrID = RandomBytes.make(count: 24)
        let sndID = QueueRequestData.senderID(corrID: corrID)
        let e2eKey = try X25519.PrivateKey()
        let uri = QueueURI(
            clientVersions: AgentVersions.client, server: server.withoutPassword, senderID: sndID, dhPublicKey: e2eKey.publicKey, mode: .contact)
        let request = ConnectionRequest(kind: .contact, agentVersions: AgentVersions.supported, queues: [uri])
        let secrets = try LinkSecrets(request)
        let data = QueueLinkData(encFixedData: try secrets.sealedFixedData(request), encUserData: try secrets.seal(userData))
        let run = try online()
        let created: CreatedQueue
        do {
            created = try await run.clients.client(user, server).createQueue(
                key: .ed25519(try Ed25519.PrivateKey()), dhKey: try X25519.PrivateKey(),
                data: .contact(.init(linkID: secrets.linkID, senderID: sndID, data: data)), corrID: corrID)
        } catch SMPClientError.transport(.version) {
            let (id, request) = try await createAddress(user: user)
            return (id, request, nil)
        } catch let error as SMPClientError {
            throw AgentError(error, server: server)
        }
        let queue = RcvQueue(
            connection: id, server: server, rcvID: created.credentials.rcvID, key: created.credentials.key, dhSecret: created.credentials.dhSecret,
            sndID: created.sndID, mode: created.mode, e2ePrivateKey: e2eKey, clientVersion: AgentVersions.client.max, status: .new)
        run.clients.register(user, queue)
        var record = ConnectionRecord(id: id, userID: user, agentVersion: AgentVersions.supported.max, e2eKeys: nil, ratchet: nil)
        record.isAddress = true
        try await database.write { [record] db in
            try record.insert(db)
            try queue.insert(db)
            try db.execute(
                "INSERT INTO short_links (conn_id, link_key, root_key) VALUES (?, ?, ?)", id.bytes, secrets.linkKey,
                secrets.rootKey.rawRepresentation)
        }
        let link = ShortLink(scheme: .https, kind: .contact(.contact), server: server.withoutPassword, linkKey: secrets.linkKey)
        return (id, request, link)
    }

    /// Changes what the relay keeps behind the short link of an address. Does nothing for an address without one.
    public func setLinkData(_ connection: ConnectionID, userData: [UInt8]) async throws {
        let found = try await database.read { db -> (LinkSecrets, RcvQueue, AgentUserID)? in
            guard let row = try db.first("SELECT link_key, root_key FROM short_links WHERE conn_id = ?", connection.bytes),
                let queue = try RcvQueue.of(connection, db)
            else { return nil }
            let secrets = try LinkSecrets(linkKey: row.blob("link_key"), rootKey: Ed25519.PrivateKey(rawRepresentation: row.blob("root_key")))
            return (secrets, queue, try ConnectionRecord.get(connection, db).userID)
        }
        guard let (secrets, queue, user) = found else { return }
        let sealed = try secrets.seal(userData)
        do {
            // The relay keeps the fixed data that it has: they must be the same, nonce included.
            let client = try online().clients
            let kept = try await client.client(user, queue.server).linkedQueue(linkID: secrets.linkID).data.encFixedData
            try await client.client(user, queue.server).setLinkData(
                queue.credentials, linkID: secrets.linkID, QueueLinkData(encFixedData: kept, encUserData: sealed))
        } catch let error as SMPClientError {
            throw AgentError(error, server: queue.server)
        }
    }

    /// What the relay keeps behind a short link: how to connect, and the owner's data. That of an invitation binds its queue to this agent, which
    /// may read it again and join; nobody else can.
    public func linkData(user: AgentUserID, _ link: ShortLink) async throws -> (ConnectionRequest, LinkUserData) {
        let (linkID, key) = try link.credentials()
        let servers = try await database.read { db in try storedServers(of: user, db) }
        var server = link.server
        if server.keyHash.isEmpty {
            guard let known = servers.first(where: { $0.hosts.first == server.hosts.first }) else {
                throw AgentError.command(.syntax, context: "short link of an unknown server")
            }
            server = known.withoutPassword
        }
        let request: SMPRequest
        if link.isInvitation {
            let sndKey = try await invitationKey(linkID, at: server)
            request = SMPRequest(.lkey(sndKey.publicKey), entityID: linkID, key: sndKey)
        } else {
            request = SMPRequest(.lget, entityID: linkID, key: nil)
        }
        let answer: BrokerMessage
        do {
            answer = try await online().clients.send(
                request, to: server, user: user, servers: servers, policy: configuration.proxy)
        } catch let error as SMPClientError {
            throw AgentError(error, server: server)
        }
        guard case .lnk(let sndID, let data) = answer else { throw AgentError(SMPClientError.unexpected(answer.tag), server: server) }
        let found: (ConnectionRequest, LinkUserData)
        do throws(LinkDataError) {
            let (fixed, userData) = try SealedLinkData.open(data, linkKey: link.linkKey, key: key)
            guard userData.data.isInvitation == link.isInvitation, fixed.request.isInvitation == link.isInvitation else { throw .malformed }
            guard let queue = fixed.request.queues.first, queue.senderID == sndID, let host = server.hosts.first, queue.server.hosts.contains(host)
            else { throw .address }
            found = (fixed.request, userData.data)
        } catch {
            throw AgentError.agent(error.agentError)
        }
        if link.isInvitation { try await boundInvitation(linkID, at: server, sndID: sndID) }
        return found
    }
}

/// What the owner of a short link knows.
struct LinkSecrets: Sendable {
    var linkKey: [UInt8]
    var rootKey: Ed25519.PrivateKey
    var linkID: [UInt8]
    var dataKey: SymmetricKey

    init(linkKey: [UInt8], rootKey: Ed25519.PrivateKey) throws {
        self.linkKey = linkKey
        self.rootKey = rootKey
        (linkID, dataKey) = try LinkKeys.contact(linkKey)
    }

    /// For a new link to a request.
    init(_ request: ConnectionRequest) throws {
        let rootKey = try Ed25519.PrivateKey()
        let fixed = FixedLinkData(agentVersions: request.agentVersions, rootKey: rootKey.publicKey, request: request)
        try self.init(linkKey: SealedLinkData.linkKey(fixed), rootKey: rootKey)
    }

    func sealedFixedData(_ request: ConnectionRequest) throws -> [UInt8] {
        let fixed = FixedLinkData(agentVersions: request.agentVersions, rootKey: rootKey.publicKey, request: request)
        return try SealedLinkData.seal(SealedLinkData.sign(fixed, rootKey), key: dataKey, length: SealedLinkData.fixedLength)
    }

    /// Data of a contact link.
    func seal(_ userData: [UInt8]) throws -> [UInt8] {
        let data = VersionedUserData(agentVersions: AgentVersions.supported, data: .contact(ContactLinkData(userData: userData)))
        do throws(LinkDataError) {
            guard let signed = try? SealedLinkData.sign(data, rootKey) else { throw .tooLarge }
            return try SealedLinkData.seal(signed, key: dataKey, length: SealedLinkData.userLength)
        } catch {
            throw AgentError.command(.large, context: "link data")
        }
    }
}

extension LinkDataError {
    fileprivate var agentError: AgentProtocolError {
        switch self {
        case .decryption: .crypto(.decryptCB)
        case .malformed, .tooLarge: .message
        case .address: .link("different address")
        case .hash: .link("link data hash")
        case .signature: .link("link data signature")
        case .owners(let text): .link(text)
        case .userDataSignature: .link("user data signature")
        }
    }
}
