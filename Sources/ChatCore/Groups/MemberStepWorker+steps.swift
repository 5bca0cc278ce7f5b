internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import JSON
internal import SQLCipher

/// Carries out the steps that connect members, with one function for each kind of step.
extension MemberStepWorker {
    func inviteMember(_ pending: PendingStep) async throws {
        guard let (user, _, _) = try await loadRecords(pending) else { return try await removeStep(pending) }
        try await checkCapacity()
        // The step may be repeated after a crash, or after the store was full. The agent returns the same link for the
        // same key.
        let key = Array("\(store.journal.epoch)-member-\(pending.userId)-\(pending.memberId)".utf8)
        let (id, request) = try await agent.createInvitation(user: user.agentUserId, pqSupport: false, for: key)
        let isWritten = try await writeWithinConnectionLimit { tx in
            guard var member = try MemberRecord.find(pending.memberId, user: pending.userId, in: tx.db),
                !member.status.isRemoved,
                let group = try GroupRecord.find(member.groupId, user: pending.userId, in: tx.db),
                (group.membership.status.isCurrent || group.membership.status.isPending),
                let host = try MemberRecord.findHost(of: group, tx.db), let connection = host.connection,
                connection.canSend
            else { return false }
            _ = try Self.createConnection(
                id,
                .new,
                to: member,
                group,
                user,
                introducerCount: connection.introducerCount + 1,
                via: host,
                tx
            )
            try tx.enqueue(
                ChatMessage(
                    event: .group(
                        .memberInvitation(member.sharedID, IntroInvitation(groupConnectionRequest: request.uri))
                    )
                ),
                to: connection
            )
            try member.setStatus(.introInv, tx)
            try MemberSteps.removeSteps(member, tx)
            return true
        }
        guard !isWritten else { return }
        try await agent.delete(connections: [id], waitDelivery: false)
        try await removeStep(pending)
    }

    func joinMember(_ pending: PendingStep) async throws {
        guard let (user, group, member) = try await loadRecords(pending), let text = pending.request,
            !member.status.isRemoved,
            (group.membership.status.isCurrent || group.membership.status.isPending)
        else { return try await removeStep(pending) }
        let event = try GroupEvent.memberInfo(group.membership.sharedID, profile: group.ownProfile(user))
        try await joinMemberByLink(pending, text, user, group, member, event)
    }

    func acceptInvitation(_ pending: PendingStep) async throws {
        guard let (user, group, host) = try await loadRecords(pending), let text = pending.request,
            group.membership.status == .accepted
        else { return try await removeStep(pending) }
        try await joinMemberByLink(pending, text, user, group, host, .accept(group.membership.sharedID))
    }

    /// Connects by the link of a member.
    /// - Parameter event: the event that is sent with the confirmation of the connection.
    func joinMemberByLink(
        _ pending: PendingStep,
        _ link: String,
        _ user: UserRecord,
        _ group: GroupRecord,
        _ member: MemberRecord,
        _ event: GroupEvent
    ) async throws {
        let request = try ConnectionRequest(parsing: link)
        guard request.isInvitation else { return try await removeStep(pending) }
        let connection = try await prepareConnection(request, user, group, member)
        guard let id = connection.agentConnectionID else { return try await removeStep(pending) }
        let info = try ChatMessage(event: .group(event)).encodeConnectionInfo(for: connection)
        let status: ConnStatus = try await joinConnection(id, request, info) ? .sndReady : .joined
        try await store.write { tx in
            if let now = try ConnectionRecord.find(connection.connectionId, in: tx.db), now.status == .prepared {
                try now.setStatus(status, at: tx.now, in: tx.db)
            }
            try MemberSteps.removeSteps(member, tx)
        }
    }

    func joinMemberContact(_ pending: PendingStep) async throws {
        guard let (user, group, member) = try await loadRecords(pending), let text = pending.request,
            let contactId = member.contactId,
            let contact = try await store.read({ try ContactRecord.find(contactId, user: user.userId, in: $0) })
        else { return try await removeStep(pending) }
        let request = try ConnectionRequest(parsing: text)
        let connection: ConnectionRecord
        if let tried = contact.connection {
            connection = tried
        } else {
            try await checkCapacity()
            let id = try await agent.prepareJoin(user: user.agentUserId, request: request, pqSupport: false)
            connection = try await storeAgentConnection(id, user) { tx in
                try ConnectionRecord.create(
                    agent: id,
                    user: user,
                    status: .prepared,
                    initiated: false,
                    fullLink: request.uri,
                    owner: .contact(contactId),
                    incognitoProfileId: group.membership.incognitoProfileId,
                    pqSupport: false,
                    at: tx.now,
                    in: tx.db
                )
            }
        }
        guard let id = connection.agentConnectionID, connection.status == .prepared else {
            return try await removeStep(pending)
        }
        let profile = try await store.read { db in try user.profileWithBadge(over: connection, in: db) }
        let info = try ChatMessage(event: .info(profile: JSONEncoder().encodeValue(profile))).encodeConnectionInfo(
            for: connection
        )
        let isSecured = try await joinConnection(id, request, info)
        try await store.write { tx in
            if let now = try ConnectionRecord.find(connection.connectionId, in: tx.db), now.status == .prepared {
                try now.setStatus(isSecured ? .sndReady : .joined, at: tx.now, in: tx.db)
            }
            if var contact = try ContactRecord.find(contactId, user: user.userId, in: tx.db) {
                try contact.recordLinkUse(tx)
            }
            try MemberSteps.removeSteps(member, tx)
        }
    }

    func joinRelay(_ pending: PendingStep) async throws {
        guard let (user, _, member) = try await loadRecords(pending) else { return try await removeStep(pending) }
        try await RelayJoiner(store: store, agent: agent, user: user, memberId: member.memberId).joinRelay(
            patience: .background
        )
        try await removeStep(pending)
    }

    func acceptRelay(_ pending: PendingStep) async throws {
        guard let (user, _, member) = try await loadRecords(pending) else { return try await removeStep(pending) }
        try await RelayAcceptance(store: store, agent: agent, user: user, memberId: member.memberId).acceptRelay()
        try await removeStep(pending)
    }

    /// Makes the agent join the connection.
    /// - Returns: whether messages can be sent immediately.
    private func joinConnection(_ id: ConnectionID, _ request: ConnectionRequest, _ info: [UInt8]) async throws -> Bool
    {
        do { return try await agent.join(connection: id, request: request, connInfo: info) } catch AgentError.command(
            .prohibited,
            _
        ) {
            // An earlier attempt has already joined the connection, and ended before the chat database recorded the
            // join.
            return true
        }
    }

    /// Runs `body`, which stores a connection that the agent has created. If `body` fails, the agent deletes the
    /// connection.
    private func storeAgentConnection<T: Sendable>(
        _ id: ConnectionID,
        _ user: UserRecord,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        do { return try await writeWithinConnectionLimit(body) } catch {
            try await store.write { tx in try tx.requestDeletionInAgent(of: id.text, user: user.userId) }
            throw error
        }
    }

    private func prepareConnection(
        _ request: ConnectionRequest,
        _ user: UserRecord,
        _ group: GroupRecord,
        _ member: MemberRecord
    ) async throws -> ConnectionRecord {
        if let connection = member.connection { return connection }
        // The limit of connections was not checked when the invitation or the introduction arrived, since neither
        // creates a connection.
        try await checkCapacity()
        let id = try await agent.prepareJoin(user: user.agentUserId, request: request, pqSupport: false)
        return try await storeAgentConnection(id, user) { tx in
            guard let now = try MemberRecord.find(member.memberId, user: user.userId, in: tx.db), !now.status.isRemoved
            else { throw ChatFailure(ChatErrorType.groupMemberNotActive) }
            if let connection = now.connection {
                // A command that joins the group has prepared a connection first, so this new connection is deleted.
                try tx.requestDeletionInAgent(of: id.text, user: user.userId)
                return connection
            }
            let inviter = try member.invitedByMemberId.flatMap {
                try MemberRecord.find($0, user: user.userId, in: tx.db)
            }
            let introducerCount = member.category == .host ? 0 : (inviter?.connection?.introducerCount ?? 0) + 1
            return try Self.createConnection(
                id,
                .prepared,
                to: member,
                group,
                user,
                introducerCount: introducerCount,
                via: inviter,
                tx
            )
        }
    }

    private static func createConnection(
        _ id: ConnectionID,
        _ status: ConnStatus,
        to member: MemberRecord,
        _ group: GroupRecord,
        _ user: UserRecord,
        introducerCount: Int64,
        via inviter: MemberRecord?,
        _ tx: Transaction
    ) throws -> ConnectionRecord {
        try ConnectionRecord.create(
            agent: id,
            user: user,
            status: status,
            initiated: false,
            fullLink: nil,
            owner: .member(member.memberId),
            incognitoProfileId: group.membership.incognitoProfileId,
            pqSupport: false,
            chatVersion: ChatVersionRange.supported.compatibleVersion(with: member.versions)
                ?? ChatVersionRange.initial.maximum,
            peerVersions: member.versions,
            introducerCount: introducerCount,
            viaContactId: inviter?.contactId,
            at: tx.now,
            in: tx.db
        )
    }
}
