internal import Agent
internal import ChatAPI
internal import SQLCipher

extension ChatController {
    /// `/_sync @`: negotiates a new ratchet with the contact.
    func syncContactRatchet(_ contactId: Int64, force: Bool, user: UserRecord) async throws -> ChatResponse {
        let (contact, connection) = try await connectedContact(contactId, user: user)
        guard let id = connection.agentConnectionID else {
            throw ChatFailure(ChatErrorType.contactNotActive(contact: contact.api(user)))
        }
        let isPostQuantum = connection.postQuantum.isSupported
        let servers = try await withAgent { try await $0.synchronizeRatchet(id, pqSupport: isPostQuantum, force: force) }
        return try await store.write { tx in
            var contact = try ContactRecord.get(contactId, user: user, in: tx.db)
            let state = RatchetSyncState(rawValue: servers.ratchetSync.rawValue)
            try ConnectionItems.add(
                .sndConnEvent(sndConnEvent: .ratchetSync(syncStatus: state, member: nil)), state.itemText, sent: true, in: &contact, user, tx)
            return .contactRatchetSyncStarted(
                user: user.api, contact: contact.api(user), connectionStats: ConnectionStats(servers))
        }
    }
}
