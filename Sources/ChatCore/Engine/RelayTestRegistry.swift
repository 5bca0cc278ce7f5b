internal import Agent
internal import ChatStore
internal import SQLCipher
import Synchronization

/// The running tests of chat relays, with the connections over which the relays answer.
final class RelayTestRegistry: Sendable {
    private let answerContinuations = Mutex<[ConnectionID: AsyncStream<[UInt8]>.Continuation]>([:])

    func beginTest(_ id: ConnectionID) -> AsyncStream<[UInt8]> {
        let (answers, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        answerContinuations.withLock { $0[id] = continuation }
        return answers
    }

    func endTest(_ id: ConnectionID) { answerContinuations.withLock { $0.removeValue(forKey: id) }?.finish() }

    /// Passes the peer's answer to the waiting test.
    /// - Returns: false when the connection belongs to no test.
    func passAnswerToTest(_ id: ConnectionID, _ info: [UInt8]) -> Bool {
        guard let continuation = answerContinuations.withLock({ $0[id] }) else { return false }
        continuation.yield(info)
        continuation.finish()
        return true
    }

    /// Deletes the connections of tests that an earlier process has not finished.
    static func deleteUnfinishedTests(_ tx: Transaction) throws {
        for row in try tx.db.query("SELECT agent_conn_id, user_id FROM relay_tests") {
            try tx.requestDeletionInAgent(of: row.string("agent_conn_id"), user: row.int64("user_id"))
        }
        try tx.db.execute("DELETE FROM relay_tests")
    }
}
