import CSchemas
package import SQLCipher

/// The schema of `simplex_v1_agent.db` in `Sources/CSchemas/agent`.
package enum AgentSchema {
    package static let migrations = Migration.loadAll(sxgw_agent_migrations)

    /// Seconds for which data about received and sent messages are kept.
    static let messageDataLifetimeSeconds: Int64 = 30 * 86_400

    static func deleteOldData(at now: Int64, _ db: DatabaseConnection) throws {
        try db.execute("DELETE FROM rcv_hashes WHERE received_at < ?", now - messageDataLifetimeSeconds)
        try db.execute("DELETE FROM awaited_receipts WHERE sent_at < ?", now - messageDataLifetimeSeconds)
        try StoredSkippedKeys.deleteChains(before: now - messageDataLifetimeSeconds, db)
        try MessageRepetition.deleteOldMessages(at: now, db)
    }
}
