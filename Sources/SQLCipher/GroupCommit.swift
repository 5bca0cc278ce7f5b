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

/// Runs the jobs that wait together in one transaction, and reports to them after the one commit: a commit costs a write to the disk however
/// much is in it.
///
/// A change that is refused is undone alone, and the others go on. Most refusals come before the change has written anything: there is nothing
/// to undo. What was written can be undone by a savepoint only. With savepoints SQLite copies, and SQLCipher encrypts, each page for each change
/// that writes to it, and a batch takes three times as long. So the first refusal of that kind has the batch run again with savepoints, and the
/// batches after it have savepoints too, until there was none for a while.
func commit(_ jobs: [WriteJob], on writer: Writer) {
    do { try writer.checkFile() } catch {
        for job in jobs { job.finish(error) }
        return
    }
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
    do {
        let connection = try writer.connected()
        if changes.count == 1, let change = changes.first { return commitAlone(change, on: connection) }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(BatchFailure) {
            let refusals = try commitBatch(changes, on: connection, writer)
            for (change, refusal) in zip(changes, refusals) { change.finish(refusal) }
        } catch {
            connection.rollBack()
            if error == .needsSavepoints { return commitTogether(changes, on: writer) }
            // The disk is full for one of them, or for all: each gets its own transaction, and its own error.
            for change in changes { commitAlone(change, on: connection) }
        }
    } catch {
        // Nobody's own fault, and trying for each would only wait as many times for a lock.
        for change in changes { change.finish(error) }
    }
}

/// Why a batch is not committed.
private enum BatchFailure: Error {
    /// A change was refused after it had written, and there is no savepoint to return to.
    case needsSavepoints
    /// The transaction was ended, by SQLite or by a change, or it could not be committed.
    case ended
}

/// Runs changes in the transaction that has begun, and commits it.
/// - Returns: for each change why it was refused; nil for what is committed.
private func commitBatch(_ changes: [Change], on connection: Connection, _ writer: Writer) throws(BatchFailure) -> [(any Error)?] {
    let usesSavepoints = writer.takesSavepoints()
    var refusals: [(any Error)?] = []
    for change in changes {
        let before = connection.totalChanges
        do {
            if usesSavepoints { try connection.execute("SAVEPOINT one_change") }
            try change.run(connection)
            if usesSavepoints, connection.isInTransaction { try connection.execute("RELEASE one_change") }
            refusals.append(nil)
        } catch {
            if connection.totalChanges != before { writer.useSavepoints() }
            guard connection.isInTransaction else { throw .ended }
            if usesSavepoints {
                guard connection.undoesSavepoint("one_change") else { throw .ended }
            } else if connection.totalChanges != before {
                throw .needsSavepoints
            }
            refusals.append(error)
        }
        // A change that ends the transaction would leave the next ones without one.
        guard connection.isInTransaction else { throw .ended }
    }
    do { try connection.execute("COMMIT") } catch { throw .ended }
    return refusals
}

private func commitAlone(_ change: Change, on connection: Connection) {
    do {
        try connection.execute("BEGIN IMMEDIATE")
        try change.run(connection)
        try connection.execute("COMMIT")
    } catch {
        connection.rollBack()
        return change.finish(error)
    }
    change.finish(nil)
}
