internal import Agent
internal import ChatAPI

extension RunningCommand {
    func run(_ command: SecurityCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .getContactCode(let contactId): return try await showContactCode(contactId, user: findUser(userId))
        case .verifyContact(let contactId, let code):
            return try await verifyContact(contactId, code, user: findUser(userId))
        case .switchContact(let contactId): return try await switchContact(contactId, user: findUser(userId))
        case .abortSwitchContact(let contactId): return try await abortSwitchContact(contactId, user: findUser(userId))
        case .syncContactRatchet(let contactId, let force):
            return try await syncContactRatchet(contactId, force: force, user: findUser(userId))
        case .getGroupMemberCode(let groupId, let memberId):
            return try await showMemberCode(groupId, memberId, user: findUser(userId))
        case .verifyGroupMember(let groupId, let memberId, let code):
            return try await verifyMember(groupId, memberId, code, user: findUser(userId))
        case .switchGroupMember(let groupId, let memberId):
            return try await switchMember(groupId, memberId, user: findUser(userId))
        case .abortSwitchGroupMember(let groupId, let memberId):
            return try await abortSwitchMember(groupId, memberId, user: findUser(userId))
        case .syncGroupMemberRatchet(let groupId, let memberId, let force):
            return try await syncMemberRatchet(groupId, memberId, force: force, user: findUser(userId))
        }
    }

    /// Returns a member of a group, and the id of the connection to the member.
    /// - Throws: `groupNotFound`, `groupMemberNotFound`, or `groupMemberNotActive` for a member without a connection.
    func requireMemberConnection(
        _ groupId: Int64,
        _ memberId: Int64,
        user: UserRecord
    ) async throws -> (membership: GroupMembership, id: ConnectionID) {
        let membership = try await store.read { db in
            let group = try GroupRecord.get(groupId, user: user, in: db)
            return GroupMembership(group: group, member: try MemberRecord.get(memberId, in: group, db))
        }
        guard let connection = membership.member.connection, let id = connection.agentConnectionID else {
            throw ChatFailure(ChatErrorType.groupMemberNotActive)
        }
        try connection.checkNotDeleted()
        return (membership, id)
    }

    /// Returns a contact and its connection.
    /// - Throws: `contactNotActive` for a contact without a connection.
    func requireConnectedContact(
        _ contactId: Int64,
        user: UserRecord
    ) async throws -> (contact: ContactRecord, connection: ConnectionRecord) {
        let contact = try await store.read { try ContactRecord.get(contactId, user: user, in: $0) }
        guard let connection = contact.connection else {
            throw ChatFailure(ChatErrorType.contactNotActive(contact: contact.api(user)))
        }
        return (contact, connection)
    }

    func requireAgentConnection(
        _ contactId: Int64,
        user: UserRecord
    ) async throws -> (contact: ContactRecord, id: ConnectionID) {
        let (contact, connection) = try await requireConnectedContact(contactId, user: user)
        guard let id = connection.agentConnectionID else {
            throw ChatFailure(ChatErrorType.contactNotActive(contact: contact.api(user)))
        }
        try connection.checkNotDeleted()
        return (contact, id)
    }
}

extension ConnectionRecord {
    /// Checks that the contact has not deleted the connection. A deleted connection is reported as not found, even if
    /// the agent still has it.
    func checkNotDeleted() throws(ChatFailure) {
        guard status == .deleted else { return }
        throw ChatFailure(ChatError.agentError(AgentError.connection(.notFound, context: "").apiError))
    }
}
