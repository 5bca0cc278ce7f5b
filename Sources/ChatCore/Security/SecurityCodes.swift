internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/_get code @`: returns the security code of a contact. If the code has changed since its verification, the
    /// verification is removed.
    func showContactCode(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (contact, connection) = try await requireConnectedContact(contactId, user: user)
        let code = try await readConnectionCode(connection)
        guard let verified = connection.securityCode, !VerificationCode.areEqual(verified.securityCode, code) else {
            return .contactCode(user: user.api, contact: contact.api(user), connectionCode: code)
        }
        return try await store.writeAndAnswer { tx in
            try connection.setSecurityCode(nil, tx)
            return .contactCode(
                user: user.api,
                contact: try ContactRecord.get(contactId, user: user, in: tx.db).api(user),
                connectionCode: code
            )
        }
    }

    /// `/_verify code @`: compares the security code of a contact with the code that the contact's app shows. Without a
    /// code, the verification is removed.
    func verifyContact(_ contactId: Int64, _ shown: String?, user: UserRecord) async throws -> ChatResponse {
        let (_, connection) = try await requireConnectedContact(contactId, user: user)
        return try await verifyConnection(connection, shown, user: user)
    }

    private func verifyConnection(
        _ connection: ConnectionRecord,
        _ shown: String?,
        user: UserRecord
    ) async throws -> ChatResponse {
        let code = try await readConnectionCode(connection)
        let isVerified = shown.map { VerificationCode.areEqual($0, code) } ?? false
        if isVerified || shown == nil {
            try await store.write { tx in try connection.setSecurityCode(isVerified ? code : nil, tx) }
        }
        return .connectionVerified(user: user.api, verified: isVerified, expectedCode: code)
    }

    /// `/_get code #`: returns the security code of a member. If the code has changed since its verification, the
    /// verification is removed.
    func showMemberCode(_ groupId: Int64, _ memberId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (membership, _) = try await requireMemberConnection(groupId, memberId, user: user)
        guard let connection = membership.member.connection else {
            throw ChatFailure(ChatErrorType.groupMemberNotActive)
        }
        let code = try await readConnectionCode(connection)
        guard let verified = connection.securityCode, !VerificationCode.areEqual(verified.securityCode, code) else {
            return .groupMemberCode(
                user: user.api,
                groupInfo: membership.group.api(user),
                member: membership.member.api,
                connectionCode: code
            )
        }
        return try await store.writeAndAnswer { tx in
            try connection.setSecurityCode(nil, tx)
            let member = try MemberRecord.get(memberId, in: membership.group, tx.db)
            return .groupMemberCode(
                user: user.api,
                groupInfo: membership.group.api(user),
                member: member.api,
                connectionCode: code
            )
        }
    }

    /// `/_verify code #`: compares the security code of a member with the code that the member's app shows. Without a
    /// code, the verification is removed.
    func verifyMember(
        _ groupId: Int64,
        _ memberId: Int64,
        _ shown: String?,
        user: UserRecord
    ) async throws -> ChatResponse {
        let (membership, _) = try await requireMemberConnection(groupId, memberId, user: user)
        guard let connection = membership.member.connection else {
            throw ChatFailure(ChatErrorType.groupMemberNotActive)
        }
        return try await verifyConnection(connection, shown, user: user)
    }

    private func readConnectionCode(_ connection: ConnectionRecord) async throws -> String {
        guard let id = connection.agentConnectionID else {
            throw ChatFailure(ChatErrorType.internalError(message: "connection id"))
        }
        return VerificationCode.makeText(try await services.withAgent { try await $0.fetchRatchetHash(of: id) })
    }
}

extension ConnectionRecord {
    /// Stores the code that the user has just verified; nil removes the stored code.
    func setSecurityCode(_ code: String?, _ tx: Transaction) throws {
        try tx.db.update(
            "connections",
            set: [
                "security_code": code, "security_code_verified_at": code == nil ? nil : tx.now.nanoseconds,
                "updated_at": tx.now.nanoseconds,
            ],
            where: ["connection_id": connectionId]
        )
    }
}
