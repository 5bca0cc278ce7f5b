internal import Agent
internal import ChatAPI
internal import JSON
internal import SQLCipher

/// What a user does with requests.
extension ChatController {
    /// `/_accept`: the contact has a connection from now on, and the agent goes on with it, also through crashes. The answer waits a little for the
    /// relay: it shows how far the connection is then.
    func acceptContact(_ requestId: Int64, incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        if incognito {
            // Who has seen the profile behind the short link knows who accepts.
            let address = try await store.read { db in
                let request = try ContactRequestRecord.get(requestId, user: user, in: db)
                return request.linkId == nil ? nil : try AddressRecord.find(user: user.userId, in: db)
            }
            guard let address else { throw ChatFailure.command("incognito not allowed when address is not found") }
            guard address.shortLink == nil else { throw ChatFailure.command("incognito not allowed for address with short link data") }
        }
        let told = joinings.expect(requestId)
        defer { joinings.tell(requestId) }
        let accepted = try await accept(requestId, incognito: incognito, user: user, automatically: false)
        let isNew = try await store.read { db in
            try accepted.connectionId.flatMap { try ConnectionRecord.find($0, in: db) }?.status == .new
        }
        if isNew { await joinings.wait(for: told, of: requestId, atMost: Self.acceptanceWait) }
        return try await store.read { db in
            .acceptingContactRequest(user: user.api, contact: try ContactRecord.get(accepted.contactId, user: user, in: db).api(user))
        }
    }

    private static let acceptanceWait = Duration.seconds(3)

    /// - Parameter automatically: whether the address does it, which is told by an event.
    /// - Returns: the request, which has a connection now.
    @discardableResult
    func accept(_ requestId: Int64, incognito: Bool, user: UserRecord, automatically: Bool) async throws -> ContactRequestRecord {
        var request = try await store.read { db in try ContactRequestRecord.get(requestId, user: user, in: db) }
        while request.connectionId == nil {
            let invitation = request.invitation
            let id: ConnectionID
            do { id = try await withAgent { try await $0.prepareAccept(invitation) } } catch let failure as ChatFailure {
                request = try await store.read { db in try ContactRequestRecord.get(requestId, user: user, in: db) }
                // Who has asked again meanwhile is to be answered to that: the agent has forgotten what was asked before.
                guard request.invitation != invitation else { throw failure }
                continue
            }
            let pqSupport = try await withAgent { try await $0.postQuantum(of: id).isSupported }
            request = try await store.write { tx in
                let request = try ContactRequestRecord.get(requestId, user: user, in: tx.db)
                guard request.connectionId == nil, request.invitation == invitation else { return request }
                let connection = try ConnectionRecord.create(
                    agent: id, user: user, status: .new, initiated: false, fullLink: nil, contactId: request.contactId,
                    incognitoProfileId: incognito ? IncognitoProfile.create(user, tx).id : nil, pqSupport: pqSupport, at: tx.now, in: tx.db)
                try tx.db.execute(
                    """
                    UPDATE connections SET chat_version = ?, peer_min_version = ?, peer_max_version = ?,
                      via_user_contact_link = ? WHERE connection_id = ?
                    """,
                    [
                        Int64(ChatVersionRange.supported.compatibleVersion(with: request.versions) ?? 1),
                        Int64(request.versions.minimum), Int64(request.versions.maximum), request.linkId, connection.connectionId,
                    ])
                let reply = request.linkId == nil ? nil : try AddressRecord.find(user: user.userId, in: tx.db)?.settings.autoReply
                try tx.db.execute(
                    "UPDATE contact_requests SET connection_id = ?, accepting = 1, auto_reply = ?, updated_at = ? WHERE contact_request_id = ?",
                    [connection.connectionId, try reply.map { try StoredJSON.encode($0) }, tx.now.nanoseconds, requestId])
                if automatically {
                    let contact = try ContactRecord.get(request.contactId, user: user, in: tx.db)
                    try tx.emit(.acceptingContactRequest(user: user.api, contact: contact.api(user)), user: user.userId)
                }
                return try ContactRequestRecord.get(requestId, user: user, in: tx.db)
            }
        }
        try await handOver(requestId, user)
        return try await store.read { db in try ContactRequestRecord.get(requestId, user: user, in: db) }
    }

    /// Tells the agent of accepted requests that it may not have heard of before the last stop.
    func resumeAccepting() async throws {
        let waiting = try await store.read { db in
            try ContactRequestRecord.accepting(in: db).compactMap { request in
                try UserRecord.find(request.userId, in: db).map { (request.requestId, $0) }
            }
        }
        for (requestId, user) in waiting {
            do { try await handOver(requestId, user) } catch let error as DatabaseError { throw error } catch {
                // It waits for another start, or another acceptance: a profile that is too large for an answer may be changed until then.
                logger.error("accepted request not told to the agent", metadata: ["request": "\(requestId)", "error": "\(error)"])
            }
        }
    }

    private func handOver(_ requestId: Int64, _ user: UserRecord) async throws {
        let waiting = try await store.read { db -> (InvitationID, ConnectionID, ConnectionRecord, Profile)? in
            let request = try ContactRequestRecord.get(requestId, user: user, in: db)
            let connection = try request.connectionId.flatMap { try ConnectionRecord.find($0, in: db) }
            guard let connection, let id = connection.agentConnectionID else { return nil }
            let contact = try ContactRecord.get(request.contactId, user: user, in: db)
            return (request.invitation, id, connection, try user.profileToSend(over: connection, preferences: contact.userPreferences, in: db))
        }
        guard let (invitation, id, connection, sent) = waiting else { return }
        let profile = try JSONEncoder().encodeValue(sent)
        let info = try ChatMessage(event: .info(profile: profile)).encodedInfo(for: connection)
        do {
            try await agent.accept(invitation, connection: id, connInfo: info)
        } catch AgentError.command(.prohibited, _) {
            // It was told before.
        }
        try await store.write { tx in
            try tx.db.execute("UPDATE contact_requests SET accepting = 0 WHERE contact_request_id = ?", [requestId])
        }
    }

    /// The invitation of an accepted request is joined.
    func joined(_ id: ConnectionID, isSecured: Bool) async throws {
        let requestId = try await store.write { tx -> Int64? in
            guard let connection = try ConnectionRecord.find(agent: id, in: tx.db), connection.status == .new,
                let user = try UserRecord.find(connection.userId, in: tx.db)
            else { return nil }
            try connection.setStatus(isSecured ? .sndReady : .joined, at: tx.now, in: tx.db)
            let requestId = try ContactRequestRecord.find(connection: connection.connectionId, in: tx.db)?.requestId
            guard isSecured, let contactId = connection.contactId else { return requestId }
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            if requestId.map({ !self.joinings.isExpected($0) }) ?? true {
                try tx.emit(.contactSndReady(user: user.api, contact: contact.api(user)), user: user.userId)
            }
            try Self.sendAutoReply(to: &contact, user, tx)
            return requestId
        }
        if let requestId { joinings.tell(requestId) }
    }

    /// What was accepted could not be joined.
    func notJoined(_ id: ConnectionID) async throws {
        let requestId = try await store.read { db in
            try ConnectionRecord.find(agent: id, in: db).flatMap { try ContactRequestRecord.find(connection: $0.connectionId, in: db) }?.requestId
        }
        if let requestId { joinings.tell(requestId) }
    }

    /// Sends what the address answers to those whom it accepts, once.
    static func sendAutoReply(to contact: inout ContactRecord, _ user: UserRecord, _ tx: Transaction) throws {
        guard let connection = contact.connection, let request = try ContactRequestRecord.find(connection: connection.connectionId, in: tx.db),
            let content = request.autoReply
        else { return }
        try tx.db.execute("UPDATE contact_requests SET auto_reply = NULL WHERE contact_request_id = ?", [request.requestId])
        do {
            guard let welcomeID = request.welcomeMessageID else { return try send(content, in: &contact, user, tx) }
            // It is in both chats already; it may have been changed since the contact has read it.
            let update = MessageUpdate(messageID: welcomeID, content: try JSONEncoder().encodeValue(content), ttl: nil, live: nil)
            try tx.enqueue(ChatMessage(event: .messageUpdate(update)), to: connection)
        } catch let failure as ChatFailure {
            // An answer that is too large is told to the user; the contact is connected without.
            try tx.emit(.chatError(chatError: failure.error), user: user.userId)
        }
    }

    /// `/_reject`: the contact goes with the request, also one that was accepted, with its chat and its connection. Who sent it hears nothing.
    func rejectContact(_ requestId: Int64, user: UserRecord) async throws -> ChatResponse {
        // The agent first, which takes it for forgotten when it is asked again.
        let invitation = try await store.read { db in try ContactRequestRecord.get(requestId, user: user, in: db).invitation }
        try await withAgent { try await $0.reject(invitation) }
        return try await store.answer { tx in
            let request = try ContactRequestRecord.get(requestId, user: user, in: tx.db)
            let contact = try ContactRecord.get(request.contactId, user: user, in: tx.db)
            // A contact that the request's was merged into is not the request's.
            let isOwn = contact.requestId == requestId
            if isOwn { try Self.deleteEntirely(contact, notify: false, user, tx) }
            try tx.db.execute("DELETE FROM contact_requests WHERE contact_request_id = ?", [requestId])
            return .contactRequestRejected(
                user: user.api, contactRequest: request.api(contact), contact_: isOwn ? contact.api(user) : nil)
        }
    }
}
