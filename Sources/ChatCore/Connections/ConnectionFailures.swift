internal import Agent
internal import ChatAPI
internal import SQLCipher

/// Connections over which nothing gets through any more.
extension ConnectionRecord {
    /// After the relay has refused this number of messages, the contact counts as disabled: nothing more is sent to it.
    static let authErrorLimit: Int64 = 10
    /// After this number of attempts at a full queue, the connection counts as inactive; and the number that marks a connection as given up.
    static let quotaErrorLimit: Int64 = 5
    fileprivate static let quotaErrorsOfGivenUp: Int64 = 999

    var isDisabled: Bool { authErrors >= Self.authErrorLimit }
    var isInactive: Bool { quotaErrors >= Self.quotaErrorLimit }

    /// The same of a connection that need not be read for more.
    static func isInactive(agent id: ConnectionID, in db: StoreConnection) throws -> Bool {
        try db.first("SELECT quota_err_counter FROM connections WHERE agent_conn_id = ?", [id.text])?.int64("quota_err_counter") ?? 0 >= quotaErrorLimit
    }
}

extension ConnectionPeer {
    /// The agent has given up a message.
    mutating func noteFailure(_ error: AgentError, _ tx: Transaction) throws {
        guard case .smp(_, let error) = error else { return }
        switch error {
        case .auth:
            update { $0.authErrors += 1 }
            try tx.db.execute(
                "UPDATE connections SET auth_err_counter = ? WHERE connection_id = ?", [connection.authErrors, connection.connectionId])
            guard connection.isDisabled, var contact else { return }
            contact.connection = connection
            try tx.emit(.contactDisabled(user: user.api, contact: contact.api(user)), user: user.userId)
        case .quota:
            guard !connection.isInactive else { return }
            try setQuotaErrors(ConnectionRecord.quotaErrorsOfGivenUp, tx)
            try emitInactive(true, tx)
        default: break
        }
    }

    /// The agent could not send a message, and keeps trying.
    mutating func noteWarning(_ error: AgentError, _ tx: Transaction) throws {
        guard case .smp(_, .quota) = error, !connection.isInactive else { return }
        try setQuotaErrors(connection.quotaErrors + 1, tx)
        if connection.isInactive { try emitInactive(true, tx) }
    }

    /// The relay has taken a message.
    mutating func noteSuccess(_ tx: Transaction) throws {
        guard connection.isInactive else { return }
        try setQuotaErrors(0, tx)
        try emitInactive(false, tx)
    }

    private mutating func setQuotaErrors(_ count: Int64, _ tx: Transaction) throws {
        update { $0.quotaErrors = count }
        try tx.db.execute("UPDATE connections SET quota_err_counter = ? WHERE connection_id = ?", [count, connection.connectionId])
    }

    private func emitInactive(_ inactive: Bool, _ tx: Transaction) throws {
        guard contact != nil || member != nil else { return }
        try tx.emit(.connectionInactive(connectionEntity: entity, inactive: inactive), user: user.userId)
    }
}
