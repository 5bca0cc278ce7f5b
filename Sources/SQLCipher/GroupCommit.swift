import CSQLCipher

/// What waits for the writer.
struct WriteJob: Sendable {
    enum Work: Sendable {
        case transaction(@Sendable (Connection) throws -> Void)
        /// Runs outside a transaction and between them.
        case alone(@Sendable (Writer) throws -> Void)
    }

    let work: Work
    /// Called once: after the commit with nil, or with what went wrong.
    let finish: @Sendable ((any Error)?) -> Void
}

/// A job that is a transaction.
private struct Change {
    let run: @Sendable (Connection) throws -> Void
    let finish: @Sendable ((any Error)?) -> Void
}

/// Runs the jobs that wait together in one transaction, and tells them after the one commit: a commit costs a write to the disk however much
/// is in it. Failures are rare, and savepoints would cost every job a copy of the pages that it changes: when one fails, all run again, each
/// in a transaction of its own.
func commit(_ jobs: [WriteJob], on writer: Writer) {
    var together = [Change]()
    for job in jobs {
        switch job.work {
        case .transaction(let run): together.append(Change(run: run, finish: job.finish))
        case .alone(let run):
            commitTogether(together, on: writer)
            together.removeAll()
            do {
                try run(writer)
                job.finish(nil)
            } catch { job.finish(error) }
        }
    }
    commitTogether(together, on: writer)
}

private func commitTogether(_ changes: [Change], on writer: Writer) {
    guard !changes.isEmpty else { return }
    let connection: Connection
    do {
        connection = try writer.connected()
        try connection.execute("BEGIN IMMEDIATE")
    } catch {
        // Nobody's own fault, and trying for each would only wait as many times for a lock.
        for change in changes { change.finish(error) }
        return
    }
    if changes.count == 1, let change = changes.first { return finishAlone(change, on: connection) }
    do {
        for change in changes {
            try change.run(connection)
            // A change that ends the transaction would leave the next ones without one.
            guard connection.isInTransaction else { throw DatabaseError.other(code: SQLITE_ABORT, message: "the transaction was ended") }
        }
        try connection.execute("COMMIT")
    } catch {
        // One of them failed, or all with the commit: each gets its own transaction, and its own error.
        connection.rollBack()
        for change in changes { commitAlone(change, on: connection) }
        return
    }
    for change in changes { change.finish(nil) }
}

private func commitAlone(_ change: Change, on connection: Connection) {
    do { try connection.execute("BEGIN IMMEDIATE") } catch { return change.finish(error) }
    finishAlone(change, on: connection)
}

/// Runs and commits a change in the transaction that has begun.
private func finishAlone(_ change: Change, on connection: Connection) {
    do {
        try change.run(connection)
        try connection.execute("COMMIT")
    } catch {
        connection.rollBack()
        return change.finish(error)
    }
    change.finish(nil)
}
