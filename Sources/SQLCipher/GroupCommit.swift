import CSQLCipher

/// A job for the writer of a database.
struct WriteJob: Sendable {
    enum Work: Sendable {
        case transaction(Transaction)
        /// Work that the writer runs outside of transactions.
        case outsideTransactions(@Sendable (WriterConnection) throws -> Void)
        /// A read on the connection of the writer. Unlike `outsideTransactions`, the read does not first commit the
        /// open transaction.
        case lentRead(@Sendable (WriterConnection) throws -> Void)
    }

    struct Transaction: Sendable {
        let runChange: @Sendable (DatabaseConnection) throws -> Void
        /// Returns the maximal time that the commit may wait for other changes. It is called after a run of the change.
        /// For a change with ``isLast`` it is also called when the change begins to wait.
        let computeDelay: @Sendable () -> Duration
        /// Whether the change runs just before the commit, after the other changes.
        var isLast = false
    }

    let work: Work
    /// A function that is called once: with nil after the commit, or with the error.
    let onFinish: @Sendable ((any Error)?) -> Void
}

/// A change (the transaction of one caller) that waits for the writer, with the function that reports its result.
struct WaitingChange {
    let transaction: WriteJob.Transaction
    let onFinish: @Sendable ((any Error)?) -> Void
}

/// A transaction that is not committed yet, with the changes in it.
struct OpenTransaction {
    /// The changes that have run, each with the reason of its refusal; nil for a change that will be committed.
    fileprivate(set) var changes: [(change: WaitingChange, refusal: (any Error)?)] = []
    /// The changes that will run just before the commit.
    fileprivate(set) var changesAtCommit: [WaitingChange] = []
    /// The time at which the transaction must be committed: the earliest deadline of its changes; nil without changes.
    fileprivate(set) var deadline: ContinuousClock.Instant?
    fileprivate var usesSavepoints: Bool
    /// The value of `writtenPageCount` of the connection when the transaction began.
    fileprivate let pagesWrittenAtBegin: Int32

    /// Number of changes at which the transaction stops waiting for more. The number is limited, because all changes
    /// run again if one of them ends the transaction.
    fileprivate static let maxChanges = 256

    var allChanges: [WaitingChange] { changes.map(\.change) + changesAtCommit }

    /// Sets ``deadline`` to an earlier time if `change` may not wait until the present deadline.
    /// - Parameter refusal: the reason why the change was refused, or nil. A refusal is reported without delay.
    fileprivate mutating func includeDeadline(of change: WaitingChange, refusal: (any Error)? = nil) {
        let end = ContinuousClock.now + (refusal == nil ? change.transaction.computeDelay() : .zero)
        deadline = min(deadline ?? end, end)
    }

    /// Whether the writer looks once more for changes that arrived while the present changes ran.
    fileprivate var willLookForChangesOnceMore = true
    /// Whether the transaction is rolled back while it waits for its deadline. Its changes run again after the wait.
    fileprivate var isSuspended = false

    /// Returns whether the transaction stays open for more changes. The first call returns true, so that the writer
    /// looks once for new changes. Later calls return true until the deadline. A transaction with `maxChanges` changes
    /// never stays open.
    fileprivate mutating func shouldStayOpen() -> Bool {
        guard changes.count + changesAtCommit.count < Self.maxChanges else { return false }
        defer { willLookForChangesOnceMore = false }
        return willLookForChangesOnceMore || hasFutureDeadline
    }

    private var hasFutureDeadline: Bool { deadline.map { $0 > .now } ?? false }

    /// Rolls back the transaction of a shared file if the transaction waits until a deadline. Otherwise a process that
    /// is stopped during this wait would keep the lock of the file, and no other process could write.
    fileprivate mutating func suspendTransaction(on connection: DatabaseConnection, _ writer: WriterConnection) {
        guard writer.file.isShared, hasFutureDeadline else { return }
        connection.rollBackIfNeeded()
        isSuspended = true
    }
}

/// Runs the waiting jobs in one transaction, and reports their results after the commit. A commit costs one write to
/// the disk, for any number of changes. So a transaction includes changes that arrive while its earlier changes run. If
/// all its changes may wait, the transaction stays open. It is committed with the next change that may not wait, or
/// when the shortest delay is over. If several processes share the file, the transaction is rolled back for the time of
/// this wait, and all its changes run again when the wait ends. Each commit is synced, so that changes that were
/// reported or read survive a power failure.
///
/// Only a refused change is undone; the other changes are committed. Most changes are refused before they have written
/// anything, so that nothing has to be undone. Undoing a write needs a savepoint. With savepoints, SQLite copies a page
/// again for each change that writes to the page, and SQLCipher encrypts each copy. Then a batch takes three times as
/// long. So savepoints are used only when they are needed. After the first refusal that follows a write, the batch runs
/// again with savepoints. Later batches use savepoints until no such refusal has happened for a while.
func runJobs(_ jobs: [WriteJob], on writer: WriterConnection) {
    do { try writer.checkFileIdentity() } catch {
        failOpenTransaction(error, on: writer)
        for job in jobs { job.onFinish(error) }
        return
    }
    var batchedChanges = [WaitingChange]()
    // Reads alone do not end the wait of an open transaction.
    var hasOnlyReads = !jobs.isEmpty
    for job in jobs {
        if case .lentRead = job.work {} else { hasOnlyReads = false }
        switch job.work {
        case .transaction(let transaction):
            batchedChanges.append(WaitingChange(transaction: transaction, onFinish: job.onFinish))
        case .outsideTransactions(let run):
            commitChanges(batchedChanges, on: writer, waits: false)
            batchedChanges.removeAll()
            runJob(job, run, on: writer)
        case .lentRead(let run): runJob(job, run, on: writer)
        }
    }
    if !hasOnlyReads { commitChanges(batchedChanges, on: writer) }
}

private func runJob(
    _ job: WriteJob,
    _ work: (WriterConnection) throws -> Void,
    on writer: WriterConnection
) {
    do {
        try work(writer)
        job.onFinish(nil)
    } catch { job.onFinish(error) }
}

/// Commits the open transaction.
func commitOpenTransaction(on writer: WriterConnection) {
    do { try writer.checkFileIdentity() } catch { return failOpenTransaction(error, on: writer) }
    commitChanges([], on: writer, waits: false)
}

private func failOpenTransaction(_ error: any Error, on writer: WriterConnection) {
    guard let open = writer.takeOpenTransaction() else { return }
    try? writer.connectIfNeeded().rollBackIfNeeded()
    for change in open.allChanges { change.onFinish(error) }
}

/// Runs changes in the open transaction, or in a new one, and commits the transaction.
/// - Parameter waits: whether the transaction may stay open if all its changes can wait.
private func commitChanges(_ new: [WaitingChange], on writer: WriterConnection, waits: Bool = true) {
    let earlierTransaction = writer.takeOpenTransaction()
    let changes = (earlierTransaction?.allChanges ?? []) + new
    guard !changes.isEmpty else { return }
    let wasSuspended = earlierTransaction?.isSuspended ?? false
    do {
        let connection = try writer.connectIfNeeded()
        if earlierTransaction == nil, new.count == 1, let change = new.first {
            return commitChangeAlone(change, on: connection, writer, waits: waits)
        }
        var open: OpenTransaction
        if let earlierTransaction, !wasSuspended {
            open = earlierTransaction
        } else {
            open = try beginTransaction(on: connection, usesSavepoints: writer.consumeSavepointBatch())
            // The changes of a suspended transaction have already waited. So they run once more, and are then committed
            // without another wait.
            if wasSuspended { open.deadline = .now }
        }
        do throws(BatchFailure) {
            for change in wasSuspended ? changes : new { try open.addChange(change, on: connection, writer) }
            if waits, open.shouldStayOpen() {
                open.suspendTransaction(on: connection, writer)
                writer.openTransaction = open
                return
            }
            try open.runChangesAtCommit(on: connection, writer)
            do { try open.commitTransaction(on: connection, writer) } catch { throw .transactionEnded }
            for (change, refusal) in open.changes { change.onFinish(refusal) }
        } catch {
            connection.rollBackIfNeeded()
            if error == .needsSavepoints { return commitChanges(changes, on: writer, waits: waits) }
            // The transaction was rolled back, for example on a full disk, and one change may be the cause. So each
            // change gets a separate transaction, and its own error.
            for change in changes { commitChangeAlone(change, on: connection, writer, waits: false) }
        }
    } catch {
        // The error concerns all changes, so they are not tried one by one: each attempt could wait for the same lock.
        for change in changes { change.onFinish(error) }
    }
}

/// The reason why a batch of changes cannot be committed.
private enum BatchFailure: Error {
    /// A change was refused after it had written, and there is no savepoint to which the transaction can roll back.
    case needsSavepoints
    /// SQLite or a change ended the transaction, or the transaction could not be committed.
    case transactionEnded
}

private func beginTransaction(on connection: DatabaseConnection, usesSavepoints: Bool) throws -> OpenTransaction {
    let open = OpenTransaction(usesSavepoints: usesSavepoints, pagesWrittenAtBegin: connection.writtenPageCount)
    try connection.execute("BEGIN IMMEDIATE")
    return open
}

extension OpenTransaction {
    fileprivate mutating func addChange(
        _ change: WaitingChange,
        on connection: DatabaseConnection,
        _ writer: WriterConnection
    ) throws(BatchFailure) {
        guard change.transaction.isLast else { return try runChange(change, on: connection, writer) }
        changesAtCommit.append(change)
        includeDeadline(of: change)
    }

    fileprivate mutating func runChangesAtCommit(
        on connection: DatabaseConnection,
        _ writer: WriterConnection
    ) throws(BatchFailure) {
        let atCommit = changesAtCommit
        self.changesAtCommit = []
        for change in atCommit { try runChange(change, on: connection, writer) }
    }

    /// Runs a change in the transaction, with a savepoint if the batch needs savepoints.
    private mutating func runChange(
        _ change: WaitingChange,
        on connection: DatabaseConnection,
        _ writer: WriterConnection
    ) throws(BatchFailure) {
        let before = connection.totalChangeCount
        do {
            if usesSavepoints { try connection.execute("SAVEPOINT one_change") }
            try change.transaction.runChange(connection)
            if usesSavepoints, connection.isInTransaction { try connection.execute("RELEASE one_change") }
            changes.append((change, nil))
            includeDeadline(of: change)
        } catch {
            if connection.totalChangeCount != before { writer.startUsingSavepoints() }
            guard connection.isInTransaction else { throw .transactionEnded }
            if usesSavepoints {
                guard connection.rollBackToSavepoint("one_change") else { throw .transactionEnded }
            } else if connection.totalChangeCount != before {
                throw .needsSavepoints
            }
            changes.append((change, error))
            includeDeadline(of: change, refusal: error)
        }
        // A change that ends the transaction would leave the following changes without a transaction. So the batch
        // fails.
        guard connection.isInTransaction else { throw .transactionEnded }
    }

    fileprivate func commitTransaction(on connection: DatabaseConnection, _ writer: WriterConnection) throws {
        let onCommit = writer.file.onCommit.withLock { $0 }
        onCommit?(.before)
        try writer.file.runIfFenceAllows { try connection.execute("COMMIT") }
        if connection.writtenPageCount != pagesWrittenAtBegin {
            writer.file.commitCount.wrappingAdd(1, ordering: .relaxed)
        }
        onCommit?(.after)
    }
}

private func commitChangeAlone(
    _ change: WaitingChange,
    on connection: DatabaseConnection,
    _ writer: WriterConnection,
    waits: Bool
) {
    do {
        var open = try beginTransaction(on: connection, usesSavepoints: false)
        let isLast = change.transaction.isLast && waits
        if isLast {
            open.changesAtCommit = [change]
        } else {
            try change.transaction.runChange(connection)
            open.changes = [(change, nil)]
        }
        open.includeDeadline(of: change)
        if waits, connection.isInTransaction, open.shouldStayOpen() {
            open.usesSavepoints = writer.consumeSavepointBatch()
            open.suspendTransaction(on: connection, writer)
            writer.openTransaction = open
            return
        }
        if isLast { try change.transaction.runChange(connection) }
        try open.commitTransaction(on: connection, writer)
    } catch {
        connection.rollBackIfNeeded()
        return change.onFinish(error)
    }
    change.onFinish(nil)
}
