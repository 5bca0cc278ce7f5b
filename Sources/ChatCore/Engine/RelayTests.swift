internal import Agent
internal import ChatStore
internal import SQLCipher
import Synchronization

/// Connections of running tests of relays.
final class RelayTests: Sendable {
    private let waiting = Mutex<[ConnectionID: AsyncStream<[UInt8]>.Continuation]>([:])

    func begin(_ id: ConnectionID) -> AsyncStream<[UInt8]> {
        let (answers, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        waiting.withLock { $0[id] = continuation }
        return answers
    }

    func end(_ id: ConnectionID) { waiting.withLock { $0.removeValue(forKey: id) }?.finish() }

    /// Passes the peer's answer to the waiting test.
    /// - Returns: false when the connection belongs to no test.
    func answered(_ id: ConnectionID, _ info: [UInt8]) -> Bool {
        guard let continuation = waiting.withLock({ $0[id] }) else { return false }
        continuation.yield(info)
        continuation.finish()
        return true
    }

    /// Deletes the connections of tests that an earlier process has not finished.
    static func forgetAll(_ tx: Transaction) throws {
        for row in try tx.db.query("SELECT agent_conn_id, user_id FROM relay_tests") {
            try tx.retire(agent: row.string("agent_conn_id"), user: row.int64("user_id"))
        }
        try tx.db.execute("DELETE FROM relay_tests")
    }
}
