internal import Agent
internal import ChatAPI
internal import JSON
internal import SQLCipher

extension ChatController {
    /// `/_connect` without a link: a new one-time invitation. The queue is made first, at the user's server; only then is there
    /// something to store.
    func addContact(incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        guard !incognito else { throw ChatFailure.notImplemented("apiAddContact incognito") }
        let data = try ShortLinkData.encode(user, AddressSettings(businessAddress: false))
        let (id, request, short) = try await withAgent { try await $0.createInvitation(user: user.agentUserId, userData: data) }
        return try await store.write { tx in
            let connection = try ConnectionRecord.create(
                agent: id, user: user, status: .new, initiated: true, fullLink: request.uri, shortLink: short?.uri, at: tx.now, in: tx.db)
            return .invitation(
                user: user.api, connLinkInvitation: CreatedConnLink(connFullLink: request.uri, connShortLink: short?.uri),
                connection: connection.apiPending)
        }
    }

    /// `/_connect` with a link. The connection is on disk, here and with the agent, before anything of it goes out. Where the relay could
    /// not be reached, or its answer got lost, it is kept: the link may be bound to its keys by then, and connecting again goes on with it.
    func connect(link: CreatedConnLink, incognito: Bool, user: UserRecord) async throws -> ChatResponse {
        guard !incognito else { throw ChatFailure.notImplemented("apiConnect incognito") }
        let request = try await resolve(link.connFullLink, user: user).request
        guard request.isInvitation else { return try await connect(to: request, user: user) }
        let created = try await prepared(request, user: user)
        defer { joining.withLock { _ = $0.remove(created.connectionId) } }
        guard let id = created.agentConnectionID else { throw ChatFailure(StoreError.internalError(message: "agent connection id")) }
        let profile = try JSONEncoder().encodeValue(user.profileToSend(preferences: nil))
        let info = try ChatMessage(event: .info(profile: profile)).encodedInfo(for: created)
        let secured = try await withAgent { agent in
            do {
                return try await agent.join(connection: id, request: request, connInfo: info)
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
            var connection = try ConnectionRecord.find(created.connectionId, in: tx.db) ?? created
            if connection.status == .prepared {
                try connection.setStatus(secured ? .sndReady : .joined, at: tx.now, in: tx.db)
            }
            connection = created
            connection.status = secured ? .sndReady : .joined
            return .sentConfirmation(user: user.api, connection: connection.apiPending, customUserProfile: nil)
        }
    }

    /// The connection with which the link was tried before, or a new one; it is in `joining` from here on.
    func prepared(
        _ request: ConnectionRequest, user: UserRecord, requestID: SharedMessageID? = nil
    ) async throws -> ConnectionRecord {
        let tried = try await store.read { db in try ConnectionRecord.find(link: request.uri, user: user.userId, in: db) }
        if let tried, tried.status == .prepared, joining.withLock({ $0.insert(tried.connectionId).inserted }) { return tried }
        let id = try await withAgent { try await $0.prepareJoin(user: user.agentUserId, request: request) }
        let pqSupport = try await withAgent { try await $0.postQuantum(of: id).isSupported }
        return try await store.write { tx in
            let created = try ConnectionRecord.create(
                agent: id, user: user, status: .prepared, initiated: false, fullLink: request.uri, requestID: requestID, pqSupport: pqSupport,
                at: tx.now, in: tx.db)
            self.joining.withLock { _ = $0.insert(created.connectionId) }
            return created
        }
    }

    /// `/_connect plan`: what connecting by this link would do, a short one after its data was fetched.
    func connectPlan(link: String, user: UserRecord) async throws -> ChatResponse {
        if let group = try await planGroup(link, user: user) { return group }
        let resolved = try await resolve(link, user: user)
        let request = resolved.request
        return try await store.read { db in
            let plan: ConnectionPlan =
                request.isInvitation
                ? .invitationLink(invitationLinkPlan: try Self.plan(request.uri, resolved.data, user, db))
                : .contactAddress(contactAddressPlan: try Self.plan(address: request, resolved.data, user, db))
            return .connectionPlan(
                user: user.api, connLink: resolved.link, planSimplexName: nil, otherSimplexName: nil,
                connectionPlan: plan)
        }
    }

    private static func plan(
        _ link: String, _ data: ContactShortLinkData?, _ user: UserRecord, _ db: StoreConnection
    ) throws -> InvitationLinkPlan {
        let ok = InvitationLinkPlan.ok(contactSLinkData_: data, ownerVerification: nil)
        guard let connection = try ConnectionRecord.find(link: link, user: user.userId, in: db) else { return ok }
        if let contactId = connection.contactId {
            guard let contact = try ContactRecord.find(contactId, user: user.userId, in: db), contact.isActive else { return ok }
            return .known(contact: contact.api(user))
        }
        if connection.status == .new, connection.isInitiated { return .ownLink }
        return connection.status == .prepared ? ok : .connecting(contact_: nil)
    }

}
