internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension RunningCommand {
    /// `/_switch @`: changes the queue over which the contact sends messages. If the user has several relays, the new
    /// queue is on another relay.
    func switchContact(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (contact, id) = try await requireAgentConnection(contactId, user: user)
        let key = claim?.agentRequestID
        let servers = try await services.withAgent { try await $0.switchConnection(id, for: key) }
        return .contactSwitchStarted(
            user: user.api,
            contact: contact.api(user),
            connectionStats: ConnectionStats(servers, services.agent)
        )
    }

    /// `/_abort switch @`: aborts the change of the queue over which the contact sends messages.
    func abortSwitchContact(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (contact, id) = try await requireAgentConnection(contactId, user: user)
        let servers = try await services.withAgent { try await $0.abortSwitch(id) }
        return .contactSwitchAborted(
            user: user.api,
            contact: contact.api(user),
            connectionStats: ConnectionStats(servers, services.agent)
        )
    }
}

extension RunningCommand {
    /// `/_switch #`: changes the queue over which the member sends messages.
    func switchMember(_ groupId: Int64, _ memberId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (membership, id) = try await requireMemberConnection(groupId, memberId, user: user)
        let key = claim?.agentRequestID
        let servers = try await services.withAgent { try await $0.switchConnection(id, for: key) }
        return .groupMemberSwitchStarted(
            user: user.api,
            groupInfo: membership.group.api(user),
            member: membership.member.api,
            connectionStats: ConnectionStats(servers, services.agent)
        )
    }

    /// `/_abort switch #`: aborts the change of the queue over which the member sends messages.
    func abortSwitchMember(_ groupId: Int64, _ memberId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (membership, id) = try await requireMemberConnection(groupId, memberId, user: user)
        let servers = try await services.withAgent { try await $0.abortSwitch(id) }
        return .groupMemberSwitchAborted(
            user: user.api,
            groupInfo: membership.group.api(user),
            member: membership.member.api,
            connectionStats: ConnectionStats(servers, services.agent)
        )
    }
}

/// Chat items for the beginning and the end of a change of queues.
enum QueueSwitchItems {
    static func addChangeItem(
        _ change: QueueSwitchChange,
        _ stats: ConnectionStats,
        on peer: ConnectionPeer,
        _ tx: Transaction
    ) throws {
        try ConnectionItems.showChangeOnce(change.changeNumber, on: peer, tx) { chat, user in
            let isOwn = change.direction == .rcv
            let phase = SwitchPhase(rawValue: change.phase.rawValue)
            let progress = SwitchProgress(
                queueDirection: isOwn ? .rcv : .snd,
                switchPhase: phase,
                connectionStats: stats
            )
            try tx.emit(chat.makeQueueSwitchEvent(progress, user), user: user.userId)
            guard change.phase == .started || change.phase == .completed else { return }
            let isStart = change.phase == .started
            guard isOwn else {
                return try chat.addItem(
                    .rcvConnEvent(rcvConnEvent: .switchQueue(phase: phase)),
                    isStart ? "started changing address for you..." : "changed address for you",
                    sent: false,
                    user,
                    tx
                )
            }
            let member = chat.memberRef
            let whom = member.map { " for \($0.profile.shownName)" } ?? ""
            try chat.addItem(
                .sndConnEvent(sndConnEvent: .switchQueue(phase: phase, member: member)),
                isStart ? "started changing address\(whom)..." : "you changed address\(whom)",
                sent: true,
                user,
                tx
            )
        }
    }
}
