internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Counts of delivery errors. A high count makes a connection disabled or inactive.
extension ConnectionRecord {
    /// If the relay refuses this number of messages with the error AUTH, the contact counts as disabled. Nothing more
    /// is sent to a disabled contact.
    static let authErrorLimit: Int64 = 10
    /// The number of failed attempts to send to a full queue after which the connection counts as inactive. When the
    /// agent gives up a message because of a full queue, the count is set to `quotaErrorCountAfterGivingUp`.
    static let quotaErrorLimit: Int64 = 5
    fileprivate static let quotaErrorCountAfterGivingUp: Int64 = 999

    var isDisabled: Bool { authErrorCount >= Self.authErrorLimit }
    var isInactive: Bool { quotaErrorCount >= Self.quotaErrorLimit }

    /// Whether the connection is inactive. Only the count of quota errors is read.
    static func isInactive(agent id: ConnectionID, in db: StoreConnection) throws -> Bool {
        try db.queryFirst("SELECT quota_err_counter FROM connections WHERE agent_conn_id = ?", [id.text])?.int64(
            "quota_err_counter"
        ) ?? 0 >= quotaErrorLimit
    }
}

extension ConnectionPeer {
    /// Handles an error after which the agent has given up a message. An AUTH error is counted, and a full queue makes
    /// the connection inactive.
    mutating func recordDeliveryFailure(_ error: AgentError, _ tx: Transaction) throws {
        guard case .smp(_, let error) = error else { return }
        switch error {
        case .auth:
            updateConnection { $0.authErrorCount += 1 }
            try tx.db.update(
                "connections",
                set: ["auth_err_counter": connection.authErrorCount],
                where: ["connection_id": connection.connectionId]
            )
            guard connection.isDisabled, var contact else { return }
            contact.connection = connection
            try tx.emit(.contactDisabled(user: user.api, contact: contact.api(user)), user: user.userId)
        case .quota:
            guard !connection.isInactive else { return }
            try setQuotaErrorCount(ConnectionRecord.quotaErrorCountAfterGivingUp, tx)
            try emitActivityChange(isInactive: true, tx)
        default: break
        }
    }

    /// Counts an attempt to send to a full queue. The agent will repeat the attempt.
    mutating func recordDeliveryWarning(_ error: AgentError, _ tx: Transaction) throws {
        guard case .smp(_, .quota) = error, !connection.isInactive else { return }
        try setQuotaErrorCount(connection.quotaErrorCount + 1, tx)
        if connection.isInactive { try emitActivityChange(isInactive: true, tx) }
    }

    /// Marks an inactive connection as active, after the relay accepted a message.
    mutating func recordDeliverySuccess(_ tx: Transaction) throws {
        guard connection.isInactive else { return }
        try setQuotaErrorCount(0, tx)
        try emitActivityChange(isInactive: false, tx)
    }

    private mutating func setQuotaErrorCount(_ count: Int64, _ tx: Transaction) throws {
        updateConnection { $0.quotaErrorCount = count }
        try tx.db.update(
            "connections",
            set: ["quota_err_counter": count],
            where: ["connection_id": connection.connectionId]
        )
    }

    private func emitActivityChange(isInactive: Bool, _ tx: Transaction) throws {
        guard contact != nil || member != nil else { return }
        try tx.emit(.connectionInactive(connectionEntity: entity, inactive: isInactive), user: user.userId)
    }
}
