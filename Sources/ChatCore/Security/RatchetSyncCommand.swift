internal import Agent
internal import ChatAPI
internal import SQLCipher

extension RunningCommand {
    /// `/_sync @`: negotiates a new ratchet with the contact.
    func syncContactRatchet(_ contactId: Int64, force: Bool, user: UserRecord) async throws -> ChatResponse {
        let (contact, id) = try await requireAgentConnection(contactId, user: user)
        let isPostQuantum = contact.connection?.postQuantumState.isSupported ?? false
        let key = claim?.agentRequestID
        let servers = try await services.withAgent {
            try await $0.synchronizeRatchet(id, pqSupport: isPostQuantum, force: force, for: key)
        }
        return try await store.writeAndAnswer { [agent = services.agent] tx in
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            let state = RatchetSyncState(rawValue: servers.ratchetSync.rawValue)
            try ConnectionItems.addItem(
                .sndConnEvent(sndConnEvent: .ratchetSync(syncStatus: state, member: nil)),
                state.itemText,
                sent: true,
                in: &contact,
                user,
                tx
            )
            return .contactRatchetSyncStarted(
                user: user.api,
                contact: contact.api(user),
                connectionStats: ConnectionStats(servers, agent)
            )
        }
    }

    /// `/_sync #`: negotiates a new ratchet with the member.
    func syncMemberRatchet(
        _ groupId: Int64,
        _ memberId: Int64,
        force: Bool,
        user: UserRecord
    ) async throws -> ChatResponse {
        let (_, id) = try await requireMemberConnection(groupId, memberId, user: user)
        let key = claim?.agentRequestID
        let servers = try await services.withAgent {
            try await $0.synchronizeRatchet(id, pqSupport: false, force: force, for: key)
        }
        return try await store.writeAndAnswer { [agent = services.agent] tx in
            var group = try GroupRecord.get(groupId, user: user, in: tx.db)
            let member = try MemberRecord.get(memberId, in: group, tx.db)
            let state = RatchetSyncState(rawValue: servers.ratchetSync.rawValue)
            let reference = GroupMemberRef(groupMemberId: memberId, profile: member.profile)
            let info = group
            try ConnectionItems.addItem(
                .sndConnEvent(sndConnEvent: .ratchetSync(syncStatus: state, member: reference)),
                "\(state.itemText) for \(member.profile.shownName)",
                sent: true,
                in: &group,
                user,
                tx
            )
            return .groupMemberRatchetSyncStarted(
                user: user.api,
                groupInfo: info.api(user),
                member: member.api,
                connectionStats: ConnectionStats(servers, agent)
            )
        }
    }
}
