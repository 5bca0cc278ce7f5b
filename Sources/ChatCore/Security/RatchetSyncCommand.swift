internal import Agent
internal import ChatAPI
internal import SQLCipher

extension RunningCommand {
    /// `/_sync @`: negotiates a new ratchet with the contact.
    func syncContactRatchet(_ contactId: Int64, force: Bool, user: UserRecord) async throws -> ChatResponse {
        let (contact, id) = try await agentConnection(contactId, user: user)
        let isPostQuantum = contact.connection?.postQuantum.isSupported ?? false
        let key = claim?.agentKey
        let servers = try await withAgent { try await $0.synchronizeRatchet(id, pqSupport: isPostQuantum, force: force, for: key) }
        return try await store.answer { [agent] tx in
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            let state = RatchetSyncState(rawValue: servers.ratchetSync.rawValue)
            try ConnectionItems.add(
                .sndConnEvent(sndConnEvent: .ratchetSync(syncStatus: state, member: nil)), state.itemText, sent: true, in: &contact, user, tx)
            return .contactRatchetSyncStarted(
                user: user.api, contact: contact.api(user), connectionStats: ConnectionStats(servers, agent))
        }
    }
}
