internal import Synchronization

extension Database {
    /// Blocks writes to the database until ``DatabaseHold/endHold()``, so that its committed content does not change.
    /// Writes that already wait for the writer or for a shared commit are committed first. Reads continue. The hold
    /// needs no connection, and blocked writes take no place in the pool of open databases.
    /// - Parameter waiting: a function that is called once, on any thread, when a write waits for the end of the hold.
    ///   The function must not block.
    /// - Throws: `DatabaseError.closed`.
    package func holdWrites(waiting: @escaping @Sendable () -> Void = {}) async throws -> DatabaseHold {
        guard await writeQueue.pauseAndWait(waiting: waiting) else { throw DatabaseError.closed }
        return DatabaseHold(self)
    }
}

/// Makes writes to a database wait until ``endHold()``, or until this object is released.
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
