internal import Agent
internal import ChatAPI
internal import SQLCipher

/// Connections over which nothing gets through any more.
extension ConnectionRecord {
    /// So many messages are refused by the relay before the contact counts as disabled: nothing is sent to it then.
    static let authErrorLimit: Int64 = 10
    /// So many times a full queue is met before the connection counts as inactive, and the number that stands for one that is given up.
    static let quotaErrorLimit: Int64 = 5
    private static let quotaErrorsOfGivenUp: Int64 = 999

    var isDisabled: Bool { authErrors >= Self.authErrorLimit }
    var isInactive: Bool { quotaErrors >= Self.quotaErrorLimit }

    /// The agent has given up a message.
    mutating func noteFailure(_ error: AgentError, _ tx: Transaction) throws {
        guard case .smp(_, let error) = error else { return }
        switch error {
        case .auth:
            authErrors += 1
            try tx.db.execute("UPDATE connections SET auth_err_counter = ? WHERE connection_id = ?", [authErrors, connectionId])
            guard isDisabled else { return }
            try tellContact(tx) { contact, user in .contactDisabled(user: user.api, contact: contact.api(user)) }
        case .quota:
            guard !isInactive else { return }
            try setQuotaErrors(Self.quotaErrorsOfGivenUp, tx)
            try tellContact(tx) { contact, user in .connectionInactive(connectionEntity: entity(contact, user), inactive: true) }
        default: break
        }
    }

    /// The agent could not send a message, and goes on trying.
    mutating func noteWarning(_ error: AgentError, _ tx: Transaction) throws {
        guard case .smp(_, .quota) = error, !isInactive else { return }
        try setQuotaErrors(quotaErrors + 1, tx)
        guard isInactive else { return }
        try tellContact(tx) { contact, user in .connectionInactive(connectionEntity: entity(contact, user), inactive: true) }
    }

    /// The relay has taken a message.
    mutating func noteSuccess(_ tx: Transaction) throws {
        guard isInactive else { return }
        try setQuotaErrors(0, tx)
        try tellContact(tx) { contact, user in .connectionInactive(connectionEntity: entity(contact, user), inactive: false) }
    }

    private mutating func setQuotaErrors(_ count: Int64, _ tx: Transaction) throws {
        quotaErrors = count
        try tx.db.execute("UPDATE connections SET quota_err_counter = ? WHERE connection_id = ?", [count, connectionId])
    }

    private func tellContact(_ tx: Transaction, _ event: (ContactRecord, UserRecord) -> ChatEvent) throws {
        guard let contactId, let user = try UserRecord.find(userId, in: tx.db),
            var contact = try ContactRecord.find(contactId, user: userId, in: tx.db)
        else { return }
        contact.connection = self
        try tx.emit(event(contact, user), user: userId)
    }

    private func entity(_ contact: ContactRecord, _ user: UserRecord) -> ConnectionEntity {
        .rcvDirectMsgConnection(entityConnection: api, contact: contact.api(user))
    }
}
