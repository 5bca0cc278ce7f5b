internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Acceptance of contact requests, by the user or automatically by an address.
extension CoreServices {
    /// Accepts a contact request.
    /// - Parameters:
    ///   - automatically: whether the address accepts the request without the user. An event reports an automatic
    ///     acceptance.
    ///   - store: access to the database, either for the command that accepts the request or for the core itself.
    /// - Returns: the request, which now has a connection.
    @discardableResult
    func acceptContactRequest(
        _ requestId: Int64,
        incognito: Bool,
        user: UserRecord,
        automatically: Bool,
        in store: some StoreAccess
    ) async throws -> ContactRequestRecord {
        var request = try await store.read { db in try ContactRequestRecord.get(requestId, user: user, in: db) }
        while request.connectionId == nil {
            let invitation = request.invitationID
            let id: ConnectionID
            do { id = try await withAgent { try await $0.prepareAcceptance(invitation) } } catch let failure
                as ChatFailure
            {
                request = try await store.read { db in try ContactRequestRecord.get(requestId, user: user, in: db) }
                // If the peer has repeated the request since it was read, the agent has discarded the old invitation.
                // Then the invitation of the repeated request is tried.
                guard request.invitationID != invitation else { throw failure }
                continue
            }
            let pqSupport = try await withAgent { try await $0.fetchPostQuantumState(of: id).isSupported }
            request = try await store.write { tx in
                let request = try ContactRequestRecord.get(requestId, user: user, in: tx.db)
                guard request.connectionId == nil, request.invitationID == invitation else { return request }
                let profileId = try incognito ? IncognitoProfile.create(user, tx).id : nil
                try Self.storeAcceptance(of: request, over: id, profileId, pqSupport: pqSupport, user, tx)
                if automatically {
                    let contact = try ContactRecord.get(request.contactId, user: user, in: tx.db)
                    try tx.emit(.acceptingContactRequest(user: user.api, contact: contact.api(user)), user: user.userId)
                }
                return try ContactRequestRecord.get(requestId, user: user, in: tx.db)
            }
        }
        try await passAcceptanceToAgent(requestId, user, in: store)
        return try await store.read { db in try ContactRequestRecord.get(requestId, user: user, in: db) }
    }

    /// Stores the connection of an accepted request in the transaction `tx`. The agent gets the acceptance later, after
    /// the commit.
    private static func storeAcceptance(
        of request: ContactRequestRecord,
        over id: ConnectionID,
        _ incognitoProfileId: Int64?,
        pqSupport: Bool,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let connection = try ConnectionRecord.create(
            agent: id,
            user: user,
            status: .new,
            initiated: false,
            fullLink: nil,
            owner: .contact(request.contactId),
            incognitoProfileId: incognitoProfileId,
            pqSupport: pqSupport,
            at: tx.now,
            in: tx.db
        )
        try tx.db.update(
            "connections",
            set: [
                "chat_version": Int64(ChatVersionRange.supported.compatibleVersion(with: request.peerVersions) ?? 1),
                "peer_min_version": Int64(request.peerVersions.minimum),
                "peer_max_version": Int64(request.peerVersions.maximum), "via_user_contact_link": request.linkId,
            ],
            where: ["connection_id": connection.connectionId]
        )
        let reply =
            request.linkId == nil
            ? nil : try AddressRecord.find(user: user.userId, in: tx.db)?.settings.autoReply
        try tx.db.update(
            "contact_requests",
            set: [
                "connection_id": connection.connectionId, "accepting": 1,
                "auto_reply": try reply.map { try StoredJSON.encode($0) }, "updated_at": tx.now.nanoseconds,
            ],
            where: ["contact_request_id": request.requestId]
        )
    }

    /// Passes accepted requests to the agent again. The program may have stopped before the agent received the
    /// acceptances.
    func resumeAcceptingRequests(in store: some StoreAccess) async throws {
        let waiting = try await store.read { db in
            try ContactRequestRecord.findAcceptedRequestIds(in: db).compactMap { request in
                try UserRecord.find(request.userId, in: db).map { (request.requestId, $0) }
            }
        }
        for (requestId, user) in waiting {
            do { try await passAcceptanceToAgent(requestId, user, in: store) } catch let error as DatabaseError {
                throw error
            } catch {
                // The next start or acceptance passes the request to the agent again. If the profile is too large for
                // the answer, the user can shorten the profile until then.
                logger.error(
                    "accepted contact request not handed over to the agent",
                    metadata: ["request": "\(requestId)", "error": "\(error)"]
                )
            }
        }
    }

    private func passAcceptanceToAgent(_ requestId: Int64, _ user: UserRecord, in store: some StoreAccess) async throws
    {
        let waiting = try await store.read { db -> (InvitationID, ConnectionID, ConnectionRecord, Profile)? in
            let request = try ContactRequestRecord.get(requestId, user: user, in: db)
            let connection = try request.connectionId.flatMap { try ConnectionRecord.find($0, in: db) }
            guard let connection, let id = connection.agentConnectionID else { return nil }
            let contact = try ContactRecord.get(request.contactId, user: user, in: db)
            return (
                request.invitationID, id, connection,
                try user.profileWithBadge(over: connection, preferences: contact.userPreferences, in: db)
            )
        }
        guard let (invitation, id, connection, sent) = waiting else { return }
        let profile = try JSONEncoder().encodeValue(sent)
        let info = try ChatMessage(event: .info(profile: profile)).encodeConnectionInfo(for: connection)
        do {
            try await agent.acceptRequest(invitation, connection: id, connInfo: info)
        } catch AgentError.command(.prohibited, _) {
            // The agent accepted the request in an earlier attempt, but the database does not record the acceptance
            // yet.
        }
        try await store.write { tx in
            try tx.db.execute("UPDATE contact_requests SET accepting = 0 WHERE contact_request_id = ?", [requestId])
        }
    }

}

/// Handling of the agent's reports about the connections of accepted requests.
extension AgentEventHandler {
    /// Handles the agent's report that it has joined the connection of an accepted request.
    func handleJoined(_ id: ConnectionID, isSecured: Bool) async throws {
        let requestId = try await store.write { tx -> Int64? in
            guard let connection = try ConnectionRecord.find(agent: id, in: tx.db), connection.status == .new,
                let user = try UserRecord.find(connection.userId, in: tx.db)
            else { return nil }
            try connection.setStatus(isSecured ? .sndReady : .joined, at: tx.now, in: tx.db)
            let requestId = try ContactRequestRecord.find(connection: connection.connectionId, in: tx.db)?.requestId
            if isSecured, case .member(let memberId) = connection.owner {
                try Self.sendBusinessAutoReply(toCustomer: memberId, over: connection, user, tx)
            }
            guard isSecured, case .contact(let contactId) = connection.owner else { return requestId }
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            if requestId.map({ !self.services.joinWaiters.isExpected($0) }) ?? true {
                try tx.emit(.contactSndReady(user: user.api, contact: contact.api(user)), user: user.userId)
            }
            try Self.sendAutoReply(to: &contact, user, tx)
            return requestId
        }
        if let requestId { services.joinWaiters.reportCompletion(requestId) }
    }

    /// Sends the automatic reply of a business to a customer whose program supports batches of messages. Customers with
    /// older programs get the reply when they are connected.
    private static func sendBusinessAutoReply(
        toCustomer memberId: Int64,
        over connection: ConnectionRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard connection.chatVersion >= ChatVersionRange.batchesVersion,
            let now = try ConnectionRecord.find(connection.connectionId, in: tx.db),
            var customer = try GroupMembership.find(memberId, over: now, user, in: tx.db)
        else { return }
        try BusinessRequests.sendAutoReply(to: customer.member, in: &customer.group, user, tx)
    }

    /// Handles the agent's report that it could not join the connection of an accepted request.
    func handleJoinFailure(_ id: ConnectionID) async throws {
        let requestId = try await store.read { db in
            try ConnectionRecord.find(agent: id, in: db).flatMap {
                try ContactRequestRecord.find(connection: $0.connectionId, in: db)
            }?.requestId
        }
        if let requestId { services.joinWaiters.reportCompletion(requestId) }
    }

    /// Sends the automatic reply of the address to an accepted contact, at most once.
    static func sendAutoReply(to contact: inout ContactRecord, _ user: UserRecord, _ tx: Transaction) throws {
        guard let connection = contact.connection,
            let request = try ContactRequestRecord.find(connection: connection.connectionId, in: tx.db),
            let content = request.autoReply
        else { return }
        try tx.db.execute(
            "UPDATE contact_requests SET auto_reply = NULL WHERE contact_request_id = ?",
            [request.requestId]
        )
        do {
            guard let welcomeID = request.welcomeMessageID else { return try contact.sendMessage(content, user, tx) }
            // On both sides, the chat already shows the reply as the welcome message, with the text that the contact
            // has read. The text of the address may have changed since then, so an update replaces the text of the
            // message.
            let update = MessageUpdate(
                messageID: welcomeID,
                content: try JSONEncoder().encodeValue(content),
                ttl: nil,
                live: nil
            )
            try tx.enqueue(ChatMessage(event: .messageUpdate(update)), to: connection)
        } catch let failure as ChatFailure {
            // The reply is too large. The contact is connected without the reply, and the user gets an error.
            try tx.emit(.chatError(chatError: failure.error), user: user.userId)
        }
    }
}
