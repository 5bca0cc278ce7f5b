internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatText
internal import JSON
internal import SQLCipher

/// Requests of the user to addresses of other people.
extension RunningCommand {
    /// `/_connect` with an address: sends a request with the user's profile or an incognito profile. A repeated request
    /// has the same id, so the receiver recognizes it.
    ///
    /// Unlike in the original, a request with the user's profile and an incognito request never have the same id. A
    /// common id would show the owner of the address or group link that both requests come from one person.
    func connectToAddress(_ attempt: JoinAttempt, user: UserRecord) async throws -> ChatResponse {
        let link = attempt.request.uri
        let known = try await store.read {
            db -> (contact: ContactRecord?, connection: ConnectionRecord?, requestID: SharedMessageID?) in
            guard
                let connection = try ConnectionRecord.find(
                    link: link,
                    user: user.userId,
                    incognito: attempt.isIncognito,
                    in: db
                )
            else { return (nil, nil, nil) }
            let requestID = try ConnectionRecord.findRequestID(
                link: link,
                user: user.userId,
                incognito: attempt.isIncognito,
                in: db
            )
            return (
                try connection.owner.contactId.flatMap { try ContactRecord.find($0, user: user.userId, in: db) },
                connection, requestID
            )
        }
        var attempt = attempt
        attempt.requestID = known.requestID
        if let contact = known.contact, contact.isActive {
            guard known.connection?.status == .prepared else {
                return .contactAlreadyExists(user: user.api, contact: contact.api(user))
            }
            // The contact exists, but the earlier attempt has not sent the request. This attempt sends the request for
            // the same contact.
            attempt.owner = .contact(contact.contactId)
        }
        return try await sendRequest(attempt, user: user).makeSentInvitation(user)
    }

    /// Sends a request to an address. A repeated request uses the connection of the previous attempt.
    /// - Parameters:
    ///   - welcomeID: the id of the owner's welcome message, if the chat already shows the message.
    ///   - message: the message to send with the request.
    func sendRequest(
        _ attempt: JoinAttempt,
        welcomeID: SharedMessageID? = nil,
        message: (SharedMessageID, JSONValue)? = nil,
        user: UserRecord
    ) async throws -> JoinedConnection {
        var attempt = attempt
        attempt.requestID = attempt.requestID ?? SharedMessageID(bytes: ContactRequestID.random())
        let created = try await prepareConnection(attempt, user: user)
        defer { services.endJoining(created.connectionId) }
        guard let id = created.agentConnectionID else {
            throw ChatFailure(StoreError.internalError(message: "agent connection id"))
        }
        let incognito = try await store.read { db in try IncognitoProfile.find(created.incognitoProfileId, in: db) }
        var request = ContactRequestInfo(profile: try attempt.profileToSend(of: user, incognito))
        request.requestID = created.requestID
        request.welcomeMessageID = welcomeID
        request.content = message
        let info = try ChatMessage(event: .contact(request)).encodeConnectionInfo(for: created)
        try await services.withAgent { [attempt] agent in
            do {
                _ = try await agent.join(
                    connection: id,
                    request: attempt.request,
                    connInfo: info,
                    patience: .interactive
                )
            } catch AgentError.command(.prohibited, _) {
                // The agent refuses to send the request again, because the owner has answered it already. The
                // connection is kept.
            } catch let error as AgentError where !error.isTemporary {
                try await self.store.write { tx in try tx.retireConnection(created, farewell: false) }
                throw error
            }
        }
        return try await store.write { tx in
            // The owner may have answered before this transaction, so the stored connection may have a later status.
            let connection = try ConnectionRecord.find(created.connectionId, in: tx.db) ?? created
            if connection.status == .prepared { try connection.setStatus(.joined, at: tx.now, in: tx.db) }
            var shown = created
            shown.status = .joined
            return JoinedConnection(connection: shown, incognitoProfile: incognito)
        }
    }
}

extension JoinAttempt {
    /// Returns the profile to send with the request. If the request goes to a known group, the profile lacks the parts
    /// that only contacts may see.
    fileprivate func profileToSend(of user: UserRecord, _ incognito: Profile?) throws -> JSONValue {
        if let group {
            return try group.redactedProfile(
                incognito ?? user.profileWithNewProof(user.profile),
                of: group.membership.role
            )
        }
        return try JSONEncoder().encodeValue(
            request.leadsToGroup
                ? incognito ?? user.profileWithNewProof(user.profile) : user.profileWithNewProof(incognito: incognito)
        )
    }
}
