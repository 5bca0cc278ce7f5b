/// Runs the jobs that wait together in one transaction, each in a savepoint, and tells them after the one commit: a commit
/// costs a write to the disk however much is in it.
func commit(_ jobs: [WriteJob], on connection: Connection) {
    var together = [WriteJob]()
    for job in jobs {
        if job.isAlone {
            commitTogether(together, on: connection)
            together.removeAll()
            do {
                try job.run(connection)
                job.finish(nil)
            } catch { job.finish(error) }
        } else {
            together.append(job)
        }
    }
    commitTogether(together, on: connection)
}

private func commitTogether(_ jobs: [WriteJob], on connection: Connection) {
    guard jobs.count > 1 else {
        if let job = jobs.first { commitAlone(job, on: connection) }
        return
    }
    var outcomes = [(any Error)?]()
    do {
        try connection.execute("BEGIN IMMEDIATE")
        for job in jobs { outcomes.append(try runInSavepoint(job, on: connection)) }
        try connection.execute("COMMIT")
    } catch {
        // The transaction as a whole is lost: each job gets its own chance, and its own error.
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        for job in jobs { commitAlone(job, on: connection) }
        return
    }
    for (job, outcome) in zip(jobs, outcomes) { job.finish(outcome) }
}

/// The job's own error, or nil; throws when the whole transaction is gone.
private func runInSavepoint(_ job: WriteJob, on connection: Connection) throws -> (any Error)? {
    try connection.execute("SAVEPOINT job")
    do {
        try job.run(connection)
        try connection.execute("RELEASE job")
        return nil
    } catch {
        guard connection.isInTransaction else { throw error }
        try connection.execute("ROLLBACK TO job")
        try connection.execute("RELEASE job")
        return error
    }
}

private func commitAlone(_ job: WriteJob, on connection: Connection) {
    do {
        try connection.execute("BEGIN IMMEDIATE")
        try job.run(connection)
        try connection.execute("COMMIT")
        job.finish(nil)
    } catch {
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        job.finish(error)
    }
}

func snapshot<T>(on connection: Connection, _ body: (Connection) throws -> T) throws -> T {
    try connection.execute("BEGIN")
    defer { if connection.isInTransaction { try? connection.execute("COMMIT") } }
    return try body(connection)
}
