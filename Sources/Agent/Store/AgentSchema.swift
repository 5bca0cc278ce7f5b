import CSchemas
package import SQLCipher

/// The schema of `simplex_v1_agent.db` in `Sources/CSchemas/agent`.
package enum AgentSchema {
    package static let migrations = Migration.all(sxgw_agent_migrations)

    /// Seconds for which data about received and sent messages are kept.
    static let memory: Int64 = 30 * 86_400

    static func forget(at now: Int64, _ db: DatabaseConnection) throws {
        try db.execute("DELETE FROM rcv_hashes WHERE received_at < ?", now - memory)
        try db.execute("DELETE FROM awaited_receipts WHERE sent_at < ?", now - memory)
        try StoredSkippedKeys.forget(before: now - memory, db)
        try Repetition.forgetOld(at: now, db)
    }
}
