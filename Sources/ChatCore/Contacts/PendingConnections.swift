internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Commands about invitations that were not used yet.
extension RunningCommand {
    /// `/_set incognito :`: sets whether the peer who uses the invitation gets an incognito profile. First replaces the
    /// data behind the short link on its server, and then changes the stored connection.
    func setConnectionIncognito(_ connectionId: Int64, _ incognito: Bool, user: UserRecord) async throws -> ChatResponse
    {
        let connection = try await store.read { db in try ConnectionRecord.getPending(connectionId, user: user, in: db)
        }
        try connection.checkIncognitoChange(incognito)
        let profile = incognito ? IncognitoProfile.makeRandomProfile() : nil
        if connection.shortLink != nil, let id = connection.agentConnectionID {
            let data = try ShortLinkData.encode(user, incognito: profile)
            _ = try await services.withAgent { try await $0.setLinkData(id, userData: data, patience: .interactive) }
        }
        return try await store.writeAndAnswer { tx in
            let connection = try ConnectionRecord.getPending(connectionId, user: user, in: tx.db)
            try connection.checkIncognitoChange(incognito)
            let profileId = try profile.map { try IncognitoProfile.store($0, user, tx) }
            try tx.db.update(
                "connections",
                set: ["custom_user_profile_id": profileId, "updated_at": tx.now.nanoseconds],
                where: ["connection_id": connectionId]
            )
            try IncognitoProfile.delete(connection.incognitoProfileId, tx)
            let updated = try ConnectionRecord.getPending(connectionId, user: user, in: tx.db)
            return .connectionIncognitoUpdated(
                user: user.api,
                toConnection: updated.apiPendingConnection,
                customUserProfile: profile
            )
        }
    }

    /// `/_set conn user :`: replaces the invitation by a new invitation of another user, at a server of the other user.
    func changeConnectionUser(_ connectionId: Int64, to newUserId: Int64, user: UserRecord) async throws -> ChatResponse
    {
        let (connection, newUser) = try await store.read { db in
            let connection = try ConnectionRecord.getPending(connectionId, user: user, in: db)
            try connection.checkUserChange()
            return (connection, try Self.getVisibleUser(newUserId, db))
        }
        let id: ConnectionID
        let request: ConnectionRequest
        var short: ShortLink?
        if connection.shortLink != nil {
            let data = try ShortLinkData.encode(newUser)
            (id, request, short) = try await services.withAgent {
                try await $0.createInvitation(user: newUser.agentUserId, userData: data, patience: .interactive)
            }
        } else {
            (id, request) = try await services.withAgent {
                try await $0.createInvitation(user: newUser.agentUserId, patience: .interactive)
            }
        }
        let changed: ChatResponse?
        do {
            changed = try await store.write { [short] tx -> ChatResponse? in
                guard let current = try ConnectionRecord.find(connectionId, in: tx.db), current.status == .new,
                    current.owner == .pending
                else {
                    // A concurrent command or the peer has changed the connection first, so the new invitation is
                    // deleted.
                    try tx.requestDeletionInAgent(of: id.text, user: newUser.userId)
                    return nil
                }
                try tx.retireConnection(current, farewell: false)
                let created = try ConnectionRecord.create(
                    agent: id,
                    user: newUser,
                    status: .new,
                    initiated: true,
                    fullLink: request.uri,
                    shortLink: short?.shownURI,
                    at: tx.now,
                    in: tx.db
                )
                return try tx.storeAnswer(
                    .connectionUserChanged(
                        user: user.api,
                        fromConnection: connection.apiPendingConnection,
                        toConnection: created.apiPendingConnection,
                        newUser: newUser.api
                    )
                )
            }
        } catch {
            try? await store.write { tx in try tx.requestDeletionInAgent(of: id.text, user: newUser.userId) }
            throw error
        }
        guard let changed else { throw ChatFailure(ChatErrorType.connectionUserChangeProhibited) }
        return changed
    }
}

extension ConnectionRecord {
    /// Checks that a command may change the incognito mode of the invitation.
    /// - Throws: `connectionIncognitoChangeProhibited` if the invitation already has this mode, or a peer has used the
    ///   invitation.
    fileprivate func checkIncognitoChange(_ incognito: Bool) throws {
        guard status == .new, incognito != (incognitoProfileId != nil) else {
            throw ChatFailure(ChatErrorType.connectionIncognitoChangeProhibited)
        }
    }

    /// Checks that a command may change the user of the invitation.
    /// - Throws: `connectionUserChangeProhibited`.
    fileprivate func checkUserChange() throws {
        guard status == .new, !isViaContactUri, fullLink != nil else {
            throw ChatFailure(ChatErrorType.connectionUserChangeProhibited)
        }
    }
}
