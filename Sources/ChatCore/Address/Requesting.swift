internal import Agent
internal import ChatAPI
internal import JSON
internal import SQLCipher

/// Connecting to somebody's address.
extension ChatController {
    /// `/_connect` with an address: a request with the user's profile. Asking again is the same request to its receiver, who knows it by its id.
    func connect(to address: ConnectionRequest, user: UserRecord) async throws -> ChatResponse {
        let known = try await store.read { db -> (contact: ContactRecord?, connection: ConnectionRecord?) in
            guard let connection = try ConnectionRecord.find(link: address.uri, user: user.userId, in: db) else { return (nil, nil) }
            return (try connection.contactId.flatMap { try ContactRecord.find($0, user: user.userId, in: db) }, connection)
        }
        if let contact = known.contact, contact.isActive { return .contactAlreadyExists(user: user.api, contact: contact.api(user)) }
        let requestID = known.connection?.requestID ?? SharedMessageID(bytes: RequestID.random())
        let created = try await prepared(address, user: user, requestID: requestID)
        defer { joining.withLock { _ = $0.remove(created.connectionId) } }
        guard let id = created.agentConnectionID else { throw ChatFailure(StoreError.internalError(message: "agent connection id")) }
        let profile = try JSONEncoder().encodeValue(user.profileToSend(preferences: nil))
        var request = ContactRequestInfo(profile: profile)
        request.requestID = created.requestID
        let info = try ChatMessage(event: .contact(request)).encodedInfo(for: created)
        try await withAgent { agent in
            do {
                _ = try await agent.join(connection: id, request: address, connInfo: info)
            } catch AgentError.command(.prohibited, _) {
                // The owner has answered already.
            } catch let error as AgentError where !error.isTemporary {
                try await self.store.write { tx in try tx.retire(created, farewell: false) }
                throw error
            }
        }
        return try await store.write { tx in
            // The owner may have been faster than this answer.
            let connection = try ConnectionRecord.find(created.connectionId, in: tx.db) ?? created
            if connection.status == .prepared { try connection.setStatus(.joined, at: tx.now, in: tx.db) }
            var told = created
            told.status = .joined
            return .sentInvitation(user: user.api, connection: told.apiPending, customUserProfile: nil)
        }
    }

    /// What connecting to an address would do.
    static func plan(
        address: ConnectionRequest, _ data: ContactShortLinkData?, _ user: UserRecord, _ db: StoreConnection
    ) throws -> ContactAddressPlan {
        if let own = try AddressRecord.find(user: user.userId, in: db), own.fullLink == address.uri { return .ownLink }
        let ok = ContactAddressPlan.ok(contactSLinkData_: data, ownerVerification: nil)
        guard let connection = try ConnectionRecord.find(link: address.uri, user: user.userId, in: db) else { return ok }
        guard let contactId = connection.contactId else { return connection.status == .prepared ? ok : .connectingConfirmReconnect }
        guard let contact = try ContactRecord.find(contactId, user: user.userId, in: db), contact.isActive else { return ok }
        return contact.isReady ? .known(contact: contact.api(user)) : .connectingProhibit(contact: contact.api(user))
    }
}
