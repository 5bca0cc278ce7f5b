internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import SQLCipher
import Synchronization

/// Acceptance of invitations to groups.
extension RunningCommand {
    /// `/_join #`: accepts an invitation.
    /// - Throws: `groupAlreadyJoined`, `groupInvitationNotFound`, `contactNotActive`.
    func joinGroup(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        if let answer = try await findEarlierGroupJoin(groupId, user: user) { return answer }
        let invitation = try await store.read { db in try Self.findInvitation(to: groupId, user, db) }
        let request = try ConnectionRequest(parsing: invitation.requestURI)
        guard request.isInvitation else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        let connection = try await prepareHostConnection(invitation, request, user: user)
        guard let id = connection.agentConnectionID, services.beginJoining(connection.connectionId) else {
            throw ChatFailure.commandError("group is being joined")
        }
        defer { services.endJoining(connection.connectionId) }
        let info = try ChatMessage(event: .group(.accept(invitation.group.membership.sharedID))).encodeConnectionInfo(
            for: connection
        )
        try await setMemberStatuses(.accepted, after: .invited, invitation)
        let isSecured: Bool
        let isDead = Mutex(false)
        do {
            isSecured = try await services.withAgent { agent in
                do {
                    return try await agent.join(
                        connection: id,
                        request: request,
                        connInfo: info,
                        patience: .interactive
                    )
                } catch AgentError.command(.prohibited, _) {
                    // An earlier attempt has already joined the connection, and ended before the chat database recorded
                    // the join.
                    return true
                } catch let error as AgentError {
                    isDead.withLock { $0 = !error.isTemporary }
                    throw error
                }
            }
        } catch {
            try await handleFailedJoin(invitation, isFinal: isDead.withLock { $0 })
            throw error
        }
        return try await store.writeAndAnswer { tx in
            if try MemberSteps.hasStep(.accept, invitation.host, tx.db) {
                try MemberSteps.removeSteps(invitation.host, tx)
            }
            if let now = try ConnectionRecord.find(connection.connectionId, in: tx.db), now.status == .prepared {
                try now.setStatus(isSecured ? .sndReady : .joined, at: tx.now, in: tx.db)
            }
            return try Self.recordAcceptance(invitation.group, user, tx)
        }
    }

    /// Makes an invitation pending again after the command that accepts the invitation has failed. Does nothing after a
    /// temporary failure if ``MemberStepWorker`` also accepts the invitation, since this worker tries again.
    private func handleFailedJoin(_ invitation: Invitation, isFinal: Bool) async throws {
        let host = invitation.host
        let isAutomatic = try await store.write { tx in
            guard try MemberSteps.hasStep(.accept, host, tx.db) else { return false }
            if isFinal {
                try MemberSteps.removeSteps(host, tx)
                try MemberSteps.withdrawAcceptance(of: host.memberId, user: host.userId, tx)
            }
            return true
        }
        if !isAutomatic { try await setMemberStatuses(.invited, after: .accepted, invitation) }
    }

    /// Returns the connection to the host, and prepares the connection if it does not exist. The status of the
    /// connection shows which steps of joining are done.
    private func prepareHostConnection(
        _ invitation: Invitation,
        _ request: ConnectionRequest,
        user: UserRecord
    ) async throws -> ConnectionRecord {
        if let tried = invitation.host.connection {
            if let claim {
                try await store.write { tx in
                    try claim.recordConnection(connection: tried.connectionId, at: tx.now, in: tx.db)
                }
            }
            return tried
        }
        let id = try await services.withAgent {
            try await $0.prepareJoin(user: user.agentUserId, request: request, pqSupport: false)
        }
        return try await store.write { tx in
            // A concurrent request may have prepared a connection first. This request then uses the existing
            // connection.
            if let existing = try MemberRecord.find(invitation.host.memberId, user: user.userId, in: tx.db)?.connection
            {
                try tx.requestDeletionInAgent(of: id.text, user: user.userId)
                return existing
            }
            let created = try ConnectionRecord.create(
                agent: id,
                user: user,
                status: .prepared,
                initiated: false,
                fullLink: nil,
                owner: .member(invitation.host.memberId),
                incognitoProfileId: invitation.group.membership.incognitoProfileId,
                pqSupport: false,
                chatVersion: invitation.chatVersion,
                peerVersions: invitation.host.versions,
                at: tx.now,
                in: tx.db
            )
            try self.claim?.recordConnection(connection: created.connectionId, at: tx.now, in: tx.db)
            return created
        }
    }

    /// Returns the answer to a repeated request if an earlier process has already joined the group, and ended before it
    /// stored the answer. Returns nil for other requests.
    private func findEarlierGroupJoin(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse? {
        guard let claim, let connection = try await store.read({ try claim.findConnection(in: $0) }),
            connection.status != .prepared
        else { return nil }
        return try await store.writeAndAnswer { tx in
            try Self.recordAcceptance(GroupRecord.get(groupId, user: user, in: tx.db), user, tx)
        }
    }

    private static func recordAcceptance(
        _ group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> ChatResponse {
        try setInvitationStatus(of: group, as: .accepted, user, tx)
        var shown = group
        shown.membership.status = .accepted
        shown.currentMemberCount = 0
        return .userAcceptedGroupSent(user: user.api, groupInfo: shown.api(user), hostContact: nil)
    }

    private struct Invitation {
        let group: GroupRecord
        let host: MemberRecord
        let requestURI: String
        let chatVersion: Int
    }

    private static func findInvitation(
        to groupId: Int64,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> Invitation {
        let group = try GroupRecord.get(groupId, user: user, in: db)
        guard let host = try MemberRecord.findHost(of: group, db), let text = group.invitationURI else {
            throw ChatFailure(StoreError.groupInvitationNotFound)
        }
        // If an earlier process ended during the join, a repeated command continues the join. An automatic acceptance
        // may still wait for its next attempt, and then has no connection yet.
        let isBegun = group.membership.status == .accepted && (host.connection?.status ?? .prepared) == .prepared
        guard group.membership.status == .invited || isBegun else { throw ChatFailure(StoreError.groupAlreadyJoined) }
        guard let contactId = host.contactId else { throw ChatFailure(StoreError.groupInvitationNotFound) }
        let contact = try ContactRecord.get(contactId, user: user, in: db)
        guard let connection = contact.connection else {
            throw ChatFailure(ChatErrorType.contactNotActive(contact: contact.api(user)))
        }
        return Invitation(group: group, host: host, requestURI: text, chatVersion: connection.chatVersion)
    }

    /// Sets the statuses of the host and of the user, if the current status is still `before`. The host may answer
    /// before the user's request is confirmed. In that case, a later status is already stored, and does not change.
    private func setMemberStatuses(
        _ status: GroupMemberStatus,
        after before: GroupMemberStatus,
        _ invitation: Invitation
    ) async throws {
        try await store.write { tx in
            for memberId in [invitation.host.memberId, invitation.group.membership.memberId] {
                guard var member = try MemberRecord.find(memberId, user: invitation.group.userId, in: tx.db),
                    member.status == before
                else { continue }
                try member.setStatus(status, tx)
            }
        }
    }
}
