internal import Agent
internal import ChatAPI
internal import SQLCipher

extension RunningCommand {
    /// `/_switch @`: messages of the contact are to come over another queue, of another relay if the user has several.
    func switchContact(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (contact, id) = try await agentConnection(contactId, user: user)
        let key = claim?.agentKey
        let servers = try await withAgent { try await $0.switchConnection(id, for: key) }
        return .contactSwitchStarted(user: user.api, contact: contact.api(user), connectionStats: ConnectionStats(servers, agent))
    }

    /// `/_abort switch @`
    func abortSwitchContact(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (contact, id) = try await agentConnection(contactId, user: user)
        let servers = try await withAgent { try await $0.abortSwitch(id) }
        return .contactSwitchAborted(user: user.api, contact: contact.api(user), connectionStats: ConnectionStats(servers, agent))
    }
}

/// The change of queues as the chat shows it: its beginning and its end.
enum QueueSwitchItems {
    static func tell(_ change: QueueSwitchChange, _ stats: ConnectionStats, on peer: ConnectionPeer, _ tx: Transaction) throws {
        try ConnectionItems.tell(change.number, on: peer, tx) { contact, user in
            let isOwn = change.direction == .rcv
            let phase = SwitchPhase(rawValue: change.phase.rawValue)
            let progress = SwitchProgress(
                queueDirection: isOwn ? .rcv : .snd, switchPhase: phase, connectionStats: stats)
            try tx.emit(.contactSwitch(user: user.api, contact: contact.api(user), switchProgress: progress), user: user.userId)
            guard change.phase == .started || change.phase == .completed else { return }
            let isStart = change.phase == .started
            if isOwn {
                try ConnectionItems.add(
                    .sndConnEvent(sndConnEvent: .switchQueue(phase: phase, member: nil)),
                    isStart ? "started changing address..." : "you changed address", sent: true, in: &contact, user, tx)
            } else {
                try ConnectionItems.add(
                    .rcvConnEvent(rcvConnEvent: .switchQueue(phase: phase)),
                    isStart ? "started changing address for you..." : "changed address for you", sent: false, in: &contact, user, tx)
            }
        }
    }
}
