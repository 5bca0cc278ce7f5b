internal import Agent
internal import ChatAPI
internal import JSON
internal import SQLCipher

/// What is to be joined, and as whom.
struct JoinAttempt: Sendable {
    let request: ConnectionRequest
    var shortLink: String?
    /// Whether the peer gets a profile made for it.
    var incognito: Bool
    /// Whom the connection is for, where that is known already.
    var owner = ConnectionOwner.pending
    /// The id of the request, to an address.
    var requestID: SharedMessageID?
    /// The prepared group that the link is of.
    var group: GroupRecord?
    /// A profile that the peer knows the user by already, from a group; nil for a new one.
    var incognitoProfileId: Int64?
}

/// A joined connection in its state at the response, and the profile made for it.
struct Joined: Sendable {
    var connection: ConnectionRecord
    var incognitoProfile: Profile?

    /// What the request of this command has joined before, when the process ended before the answer was kept; nil when it has to be joined yet.
    static func before(in db: StoreConnection, by claim: RequestClaim?) throws -> Joined? {
        guard let connection = try claim?.connection(in: db), connection.status != .prepared else { return nil }
        return Joined(connection: connection, incognitoProfile: try IncognitoProfile.find(connection.incognitoProfileId, in: db))
    }

    func sentConfirmation(_ user: UserRecord) -> ChatResponse {
        .sentConfirmation(user: user.api, connection: connection.apiPending, customUserProfile: incognitoProfile)
    }

    func sentInvitation(_ user: UserRecord) -> ChatResponse {
        .sentInvitation(user: user.api, connection: connection.apiPending, customUserProfile: incognitoProfile)
    }
}

extension RunningCommand {
    /// `/_connect` without a link: a new one-time invitation. The queue is made first, at the user's server; only then is there
    /// something to store.
    func addContact(incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        let profile = incognito ? IncognitoProfile.random() : nil
        let data = try ShortLinkData.encode(user, incognito: profile)
        let key = claim?.agentKey
        let (id, request, short) = try await withAgent {
            try await $0.createInvitation(user: user.agentUserId, userData: data, for: key, patience: .interactive)
        }
        return try await store.answer { tx in
            let profileId = try profile.map { try IncognitoProfile.store($0, user, tx) }
            let connection = try ConnectionRecord.create(
                agent: id, user: user, status: .new, initiated: true, fullLink: request.uri, shortLink: short?.shown,
                incognitoProfileId: profileId, at: tx.now, in: tx.db)
            return .invitation(
                user: user.api, connLinkInvitation: CreatedConnLink(connFullLink: request.uri, connShortLink: short?.shown),
                connection: connection.apiPending)
        }
    }

    /// `/_connect` with a link.
    func connect(link: CreatedConnLink, incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        if let before = try await joinedBefore() {
            return before.connection.viaContactUri ? before.sentInvitation(user) : before.sentConfirmation(user)
        }
        let resolved = try await resolve(link.connFullLink, user: user)
        let short = resolved.short?.uri ?? link.connShortLink.flatMap { try? ShortLink(atServer: $0).uri }
        let attempt = JoinAttempt(request: resolved.request, shortLink: short, incognito: incognito)
        guard attempt.request.isInvitation else { return try await connectToAddress(attempt, user: user) }
        return try await join(attempt, user: user).sentConfirmation(user)
    }

    /// What the request of this command has joined before.
    func joinedBefore() async throws -> Joined? {
        guard let claim else { return nil }
        return try await store.read { db in try Joined.before(in: db, by: claim) }
    }

    /// Joins an invitation. The connection is on disk, here and with the agent, before anything of it goes out. Where the relay could
    /// not be reached, or its answer got lost, it is kept: the link may be bound to its keys by then, and connecting again goes on with it.
    func join(_ attempt: JoinAttempt, user: UserRecord) async throws -> Joined {
        let created = try await prepared(attempt, user: user)
        defer { endJoining(created.connectionId) }
        guard let id = created.agentConnectionID else { throw ChatFailure(StoreError.internalError(message: "agent connection id")) }
        let incognito = try await store.read { db in try IncognitoProfile.find(created.incognitoProfileId, in: db) }
        let profile = try JSONEncoder().encodeValue(user.profileToSend(incognito: incognito))
        let info = try ChatMessage(event: .info(profile: profile)).encodedInfo(for: created)
        let secured = try await withAgent { agent in
            do {
                return try await agent.join(connection: id, request: attempt.request, connInfo: info, patience: .interactive)
            } catch AgentError.command(.prohibited, _) {
                // It was joined before, and only the core did not come to note it.
                return true
            } catch let error as AgentError where !error.isTemporary {
                try await self.store.write { tx in try tx.retire(created, farewell: false) }
                throw error
            }
        }
        return try await store.write { tx in
            // The peer may have been faster than this answer, and the connection be further on.
            let connection = try ConnectionRecord.find(created.connectionId, in: tx.db) ?? created
            let status: ConnStatus = secured ? .sndReady : .joined
            if connection.status == .prepared { try connection.setStatus(status, at: tx.now, in: tx.db) }
            var shown = created
            shown.status = status
            return Joined(connection: shown, incognitoProfile: incognito)
        }
    }

    /// The connection with which the link was tried before, or a new one; it is being joined from here on.
    func prepared(_ attempt: JoinAttempt, user: UserRecord) async throws -> ConnectionRecord {
        let tried = try await store.read { db in try ConnectionRecord.find(link: attempt.request.uri, user: user.userId, in: db) }
        if let tried, tried.status == .prepared, tried.owner == attempt.owner {
            // A request was made in the name of one profile; an invitation goes on with the one that it was begun with.
            guard attempt.request.isInvitation || attempt.incognito == (tried.incognitoProfileId != nil) else {
                throw ChatFailure.command("incognito mode is different from prepared connection")
            }
            if beginJoining(tried.connectionId) {
                if let claim { try await store.write { tx in try claim.note(connection: tried.connectionId, at: tx.now, in: tx.db) } }
                return tried
            }
        }
        // A link is used once. A connection that is up has forgotten by which it came.
        if let tried, attempt.request.isInvitation, tried.isUnderway {
            let owner = tried.owner.contactId.map { "contact \($0)" } ?? "connection"
            throw ChatFailure.command("connection is not RcvDirectMsgConnection: \(owner), status: \(tried.status.name)")
        }
        let id = try await withAgent { try await $0.prepareJoin(user: user.agentUserId, request: attempt.request, pqSupport: attempt.group == nil) }
        let pqSupport = try await withAgent { try await $0.postQuantum(of: id).isSupported }
        return try await store.write { tx in
            let created = try ConnectionRecord.create(
                agent: id, user: user, status: .prepared, initiated: !attempt.request.isInvitation, fullLink: attempt.request.uri, shortLink: attempt.shortLink,
                owner: attempt.owner, incognitoProfileId: attempt.incognitoProfileId ?? (attempt.incognito ? IncognitoProfile.create(user, tx).id : nil),
                requestID: attempt.requestID, groupLinkID: attempt.request.groupLinkID, pqSupport: pqSupport,
                // The chat version of the peer, until it sends one, is derived from its agent's features.
                chatVersion: pqSupport ? ChatVersionRange.compression : ChatVersionRange.initial.maximum, at: tx.now, in: tx.db)
            try attempt.group?.noteConnecting(created, tx)
            try self.claim?.note(connection: created.connectionId, at: tx.now, in: tx.db)
            _ = self.beginJoining(created.connectionId)
            return created
        }
    }
}

extension ConnectionRecord {
    /// Whether it was begun, and is neither up nor over.
    fileprivate var isUnderway: Bool {
        switch status {
        case .joined, .requested, .accepted, .sndReady: true
        default: false
        }
    }
}

extension ConnStatus {
    /// `ConnSndReady`
    fileprivate var name: String {
        "Conn" + stored.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
