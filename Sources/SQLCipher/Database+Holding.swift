internal import Synchronization

extension Database {
    /// Blocks writes until ``DatabaseHold/endHold()``, so that the committed content does not change. Writes that wait
    /// for the writer or for a shared commit are committed before. Reads continue. The hold needs no connection. Writes
    /// that wait for its end take no place of the pool.
    /// - Parameter waiting: is called once when a write waits for the end of the hold, on any thread. It must not wait.
    /// - Throws: `DatabaseError.closed`.
    package func holdWrites(waiting: @escaping @Sendable () -> Void = {}) async throws -> DatabaseHold {
        guard await writeQueue.pauseAndWait(waiting: waiting) else { throw DatabaseError.closed }
        return DatabaseHold(self)
    }
}

/// A time in which writes to a database wait. It ends with ``endHold()``, or when this object is released.
package final class DatabaseHold: Sendable {
    private let database: Database
    private let hasEnded = Atomic(false)

    fileprivate init(_ database: Database) { self.database = database }

    deinit { endHold() }

    package func endHold() {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        database.writeQueue.resumeJobs()
    }
}
