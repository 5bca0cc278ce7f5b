internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher

/// An attempt to connect by a link: the connection request, the profile that the peer gets, and the owner of the new
/// connection.
struct JoinAttempt: Sendable {
    let request: ConnectionRequest
    var shortLink: String?
    /// Whether the peer gets an incognito profile instead of the user's profile.
    var isIncognito: Bool
    /// The contact or the group member to whom the connection belongs; `pending` while the owner is unknown.
    var owner = ConnectionOwner.pending
    /// The id of the request to an address; nil for an invitation.
    var requestID: SharedMessageID?
    /// The prepared group that the link belongs to.
    var group: GroupRecord?
    /// The incognito profile by which the peer already knows the user from a group; nil for a new profile.
    var incognitoProfileId: Int64?
}

extension JoinAttempt {
    /// Makes an attempt to connect by the link of a prepared chat.
    /// - Parameter connection: the connection of an earlier attempt, whose request id is used again; nil for the first
    ///   attempt.
    init(
        _ preparation: ChatPreparation,
        incognito: Bool,
        owner: ConnectionOwner,
        over connection: ConnectionRecord?
    ) throws {
        self.init(
            request: try preparation.request,
            shortLink: preparation.link.connShortLink,
            isIncognito: incognito,
            owner: owner,
            requestID: connection?.requestID
        )
    }
}

/// A joined connection with the status that the response shows, and the incognito profile that was made for the
/// connection.
struct JoinedConnection: Sendable {
    var connection: ConnectionRecord
    var incognitoProfile: Profile?

    /// Finds the connection that an earlier process has joined for the request of `claim`, if that process ended before
    /// it stored the answer. Returns nil if the connection still has to be joined.
    static func findEarlier(in db: StoreConnection, by claim: RequestClaim?) throws -> JoinedConnection? {
        guard let connection = try claim?.findConnection(in: db), connection.status != .prepared else { return nil }
        return JoinedConnection(
            connection: connection,
            incognitoProfile: try IncognitoProfile.find(connection.incognitoProfileId, in: db)
        )
    }

    func makeSentConfirmation(_ user: UserRecord) -> ChatResponse {
        .sentConfirmation(
            user: user.api,
            connection: connection.apiPendingConnection,
            customUserProfile: incognitoProfile
        )
    }

    func makeSentInvitation(_ user: UserRecord) -> ChatResponse {
        .sentInvitation(
            user: user.api,
            connection: connection.apiPendingConnection,
            customUserProfile: incognitoProfile
        )
    }
}

extension RunningCommand {
    /// `/_connect` without a link: creates a one-time invitation. The queue is created at the user's server before the
    /// connection is stored.
    func createInvitation(incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        let profile = incognito ? IncognitoProfile.makeRandomProfile() : nil
        let data = try ShortLinkData.encode(user, incognito: profile)
        let key = claim?.agentRequestID
        let (id, request, short) = try await services.withAgent {
            try await $0.createInvitation(user: user.agentUserId, userData: data, for: key, patience: .interactive)
        }
        return try await store.writeAndAnswer { tx in
            let profileId = try profile.map { try IncognitoProfile.store($0, user, tx) }
            let connection = try ConnectionRecord.create(
                agent: id,
                user: user,
                status: .new,
                initiated: true,
                fullLink: request.uri,
                shortLink: short?.shownURI,
                incognitoProfileId: profileId,
                at: tx.now,
                in: tx.db
            )
            return .invitation(
                user: user.api,
                connLinkInvitation: CreatedConnLink(connFullLink: request.uri, connShortLink: short?.shownURI),
                connection: connection.apiPendingConnection
            )
        }
    }

    /// `/_connect` with a link: joins an invitation, or sends a request to an address.
    func connectByLink(link: CreatedConnLink, incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        if let before = try await findEarlierJoin() {
            return before.connection.isViaContactUri
                ? before.makeSentInvitation(user) : before.makeSentConfirmation(user)
        }
        let resolved = try await resolveLink(link.connFullLink, user: user)
        let short = resolved.shortLink?.uri ?? link.connShortLink.flatMap { try? ShortLink(atServer: $0).uri }
        let attempt = JoinAttempt(request: resolved.request, shortLink: short, isIncognito: incognito)
        guard attempt.request.isInvitation else { return try await connectToAddress(attempt, user: user) }
        return try await joinInvitation(attempt, user: user).makeSentConfirmation(user)
    }

    /// Finds the connection that an earlier process has joined for the request of this command; nil if the connection
    /// still has to be joined.
    func findEarlierJoin() async throws -> JoinedConnection? {
        guard let claim else { return nil }
        return try await store.read { db in try JoinedConnection.findEarlier(in: db, by: claim) }
    }

    /// Joins an invitation. The core and the agent store the connection before anything is sent. If the SMP relay
    /// cannot be reached, or its answer is lost, the connection is kept, because the link may already be bound to the
    /// keys of the connection. The next attempt continues with the kept connection.
    func joinInvitation(_ attempt: JoinAttempt, user: UserRecord) async throws -> JoinedConnection {
        let created = try await prepareConnection(attempt, user: user)
        defer { services.endJoining(created.connectionId) }
        guard let id = created.agentConnectionID else {
            throw ChatFailure(StoreError.internalError(message: "agent connection id"))
        }
        let incognito = try await store.read { db in try IncognitoProfile.find(created.incognitoProfileId, in: db) }
        let profile = try JSONEncoder().encodeValue(user.profileWithNewProof(incognito: incognito))
        let info = try ChatMessage(event: .info(profile: profile)).encodeConnectionInfo(for: created)
        let secured = try await services.withAgent { agent in
            do {
                return try await agent.join(
                    connection: id,
                    request: attempt.request,
                    connInfo: info,
                    patience: .interactive
                )
            } catch AgentError.command(.prohibited, _) {
                // An earlier attempt has joined the connection, and ended before the core recorded the joining.
                return true
            } catch let error as AgentError where !error.isTemporary {
                try await self.store.write { tx in try tx.retireConnection(created, farewell: false) }
                throw error
            }
        }
        return try await store.write { tx in
            // The peer may have answered before this transaction, so the stored connection may have a later status.
            let connection = try ConnectionRecord.find(created.connectionId, in: tx.db) ?? created
            let status: ConnStatus = secured ? .sndReady : .joined
            if connection.status == .prepared { try connection.setStatus(status, at: tx.now, in: tx.db) }
            var shown = created
            shown.status = status
            return JoinedConnection(connection: shown, incognitoProfile: incognito)
        }
    }

    /// Returns the connection of an earlier attempt with this link, or creates a connection. Marks the connection as
    /// being joined.
    func prepareConnection(_ attempt: JoinAttempt, user: UserRecord) async throws -> ConnectionRecord {
        let tried = try await store.read { db in
            try ConnectionRecord.find(link: attempt.request.uri, user: user.userId, in: db)
        }
        if let tried, tried.status == .prepared, tried.owner == attempt.owner {
            // A request to an address must keep the profile of the first attempt, so another profile is refused. For an
            // invitation, the profile of the first attempt is used.
            guard attempt.request.isInvitation || attempt.isIncognito == (tried.incognitoProfileId != nil) else {
                throw ChatFailure.commandError("the connection was prepared with another profile")
            }
            if services.beginJoining(tried.connectionId) {
                if let claim {
                    try await store.write { tx in
                        try claim.recordConnection(connection: tried.connectionId, at: tx.now, in: tx.db)
                    }
                }
                return tried
            }
        }
        // An invitation can be used once, so a second attempt fails while the first attempt is underway. An established
        // connection does not prevent a new attempt.
        if let tried, attempt.request.isInvitation, tried.isJoining {
            let owner = tried.owner.contactId.map { "contact \($0)" } ?? "connection"
            throw ChatFailure.commandError(
                "the link is in use: \(owner), status: \(tried.status.errorName)"
            )
        }
        let id = try await services.withAgent {
            try await $0.prepareJoin(user: user.agentUserId, request: attempt.request, pqSupport: attempt.group == nil)
        }
        let pqSupport = try await services.withAgent { try await $0.fetchPostQuantumState(of: id).isSupported }
        return try await store.write { tx in
            let created = try ConnectionRecord.create(
                agent: id,
                user: user,
                status: .prepared,
                initiated: !attempt.request.isInvitation,
                fullLink: attempt.request.uri,
                shortLink: attempt.shortLink,
                owner: attempt.owner,
                incognitoProfileId: attempt.incognitoProfileId
                    ?? (attempt.isIncognito ? IncognitoProfile.create(user, tx).id : nil),
                requestID: attempt.requestID,
                groupLinkID: attempt.request.groupLinkID,
                pqSupport: pqSupport,
                // The features of the peer's agent determine the chat version until the peer sends a chat version.
                chatVersion: pqSupport ? ChatVersionRange.compressionVersion : ChatVersionRange.initial.maximum,
                at: tx.now,
                in: tx.db
            )
            try attempt.group?.storeConnection(created, tx)
            try self.claim?.recordConnection(connection: created.connectionId, at: tx.now, in: tx.db)
            _ = self.services.beginJoining(created.connectionId)
            return created
        }
    }
}

extension ConnectionRecord {
    /// Whether joining has begun, but the connection is not yet established and was not deleted.
    fileprivate var isJoining: Bool {
        switch status {
        case .joined, .requested, .accepted, .sndReady: true
        default: false
        }
    }
}

extension ConnStatus {
    /// The name of the status in errors, such as `ConnSndReady`.
    fileprivate var errorName: String {
        "Conn" + storedText.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
