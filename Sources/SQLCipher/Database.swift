package import Concurrency
package import Files
package import SimpleXCrypto
import Synchronization

/// A SQLCipher database with one writer and several readers. The writer and the readers work on threads that all
/// databases share, so that an idle database has no threads.
///
/// - `open`: opens or creates the file and migrates it.
/// - `write`: one transaction, which is durable when the call returns. Writes that wait at the same time share one
///   commit, and a write may wait for another write to share its commit.
/// - `read`: a snapshot. A read waits for writes at most 5 ms, and only while reads use the connection of the writer.
/// - `backUp`, `rekey`, `checkpoint`, `close`.
///
/// - Warning: the body of a write or read may run again. A write runs again if a transaction of several writes could
///   not be committed, or if its commit has waited for other writes in a database with a `fence`. A read runs again if
///   it takes longer than `writerLendingTime` on the connection of the writer. The body must have no effects outside of
///   the database, and must not change the schema.
package final class Database: Sendable {
    /// Whether a commit waits for the disk, or only for the operating system (`PRAGMA synchronous`).
    package enum Synchronous: String, Sendable {
        /// A commit waits until the disk has the data. No acknowledged commit is lost, even if the power fails.
        case full = "FULL"
        /// A commit waits until the operating system has the data. If the power fails, the last commits may be lost. A
        /// crash of the process loses nothing.
        case normal = "NORMAL"
    }

    package var path: String { file.path }
    /// Whether the last check found that the database file was deleted or replaced by another file. Writes are then
    /// refused with `DatabaseError.fileReplaced`.
    package var isReplaced: Bool { file.isReplaced.load(ordering: .relaxed) }
    /// The numbers of writes and reads that run and that wait, and the longest waits.
    package var queueFigures: (writes: WaitFigures, reads: WaitFigures) { (writeQueue.figures, readQueue.figures) }
    /// Number of transactions that were committed since the database was opened, each with one sync of the log.
    /// Transactions without changes do not count.
    package var commitCount: Int { file.commitCount.load(ordering: .relaxed) }
    /// Number of calls of `read` and `write` since the database was opened, including writes without changes.
    package var accessCount: Int { accessCounter.load(ordering: .relaxed) }
    private let accessCounter = Atomic(0)
    /// Number of times that the database has closed its connections, and has moved its log into the file if possible.
    package var idleCloseCount: Int { file.idleCloseCount.load(ordering: .relaxed) }
    /// The usual `writerLendingTime` of databases that are opened often: the time for which short reads may use the
    /// writer's connection. Opening a connection for reads takes a fraction of this time.
    package static let usualWriterLendingTime = Duration.milliseconds(20)
    let file: DatabaseFile
    let readerConnections: ReaderConnections
    /// Maximal number of reads that run at the same time.
    private let readerCount: Int
    let writeQueue = WorkQueue<WriteJob>(batch: 64)
    let readQueue = WorkQueue<ReadJob>(batch: 1)
    /// This database as a member of the pool, which limits how many databases have open connections.
    private let poolMember: OpenPool.PoolMember

    private init(file: DatabaseFile, readers count: Int, writerLendingTime: Duration, _ member: OpenPool.PoolMember) {
        self.file = file
        readerConnections = ReaderConnections(writerLendingTime: writerLendingTime)
        self.poolMember = member
        readerCount = max(1, count)
    }

    deinit {
        writeQueue.closeQueue()
        readQueue.closeQueue()
    }

    /// Opens the database at `path`, which this version of SQLCipher or version 3 has written.
    /// - Parameters:
    ///   - writerLendingTime: the time for which short reads may use the connection of the writer, before a connection
    ///     for reads is opened. A write may wait this long for earlier reads, and a read may wait 5 ms for earlier
    ///     writes. A read that needs more time for its statements runs again on a connection for reads. With zero, each
    ///     read uses a connection for reads.
    ///   - create: whether a missing file is created. Only its owner can read the new file.
    ///   - migrates: whether the schema is checked and migrated. Otherwise a file with any schema is opened.
    ///   - upgrade: whether a file of an older version is migrated. Otherwise it is refused with `.olderSchema`.
    ///   - fence: a check before each commit. It refuses the commit (`.refusedByFence`) after another process has taken
    ///     the file over.
    ///   - limit: the time limit of a statement. A statement that takes longer fails with `.interrupted`.
    ///   - member: the member of a pool to which the database belongs. The pool limits how many members have open
    ///     connections; nil for no limit.
    /// - Throws: `DatabaseError.wrongKey` for a file with another key, which stays unchanged; `.fileMissing`,
    ///   `.poolExhausted`, `.newerSchema`, or the error of a migration. In that case a file keeps its schema, and a new
    ///   file is removed.
    package static func open(
        at path: String,
        key: DatabaseKey,
        migrations: [Migration] = [],
        readers: Int = 2,
        writerLendingTime: Duration = .zero,
        synchronous: Synchronous = .full,
        create: Bool = true,
        migrates: Bool = true,
        upgrade: Bool = true,
        fence: WriteFence? = nil,
        limit: StatementLimit = StatementLimit(),
        member: OpenPool.PoolMember? = nil
    ) async throws -> Database {
        let member = member ?? OpenPool.PoolMember(of: .unlimitedPool)
        let database = Database(
            file: try DatabaseFile(path: path, key: key, synchronous: synchronous, fence: fence, limit: limit),
            readers: readers,
            writerLendingTime: writerLendingTime,
            member
        )
        do {
            try await member.withUse {
                try await database.startWriter(
                    migrates ? Migrator(migrations: migrations, upgradesOldSchema: upgrade) : nil,
                    create: create
                )
                database.addReaders()
                member.addPart(database.file, lanes: 1 + database.readerCount) { [weak database] in
                    // If the `Database` was already released, its lanes (workers) may still be closing their
                    // connections. So the database counts as open in the pool until all its lanes have reported their
                    // end.
                    await database?.closeConnections() ?? false
                }
            }
        } catch let error as PoolExhausted { throw DatabaseError.poolExhausted(isFirst: error.isFirstUse) }
        return database
    }

    /// Reads a database that no process has open. Its schema is not checked. The file and its log are not changed.
    /// - Throws: the errors of `body`, and of
    ///   ``open(at:key:migrations:readers:writerLendingTime:synchronous:create:migrates:upgrade:fence:limit:member:)``;
    ///   `.fileMissing` also for an empty file.
    package static func read<T: Sendable>(
        at path: String,
        key: DatabaseKey,
        _ body: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        let file = try DatabaseFile(path: path, key: key, synchronous: .full, limit: StatementLimit(longStatementLimit))
        return try await runBlocking {
            guard DiskFiles.hasBytes(path) else { throw DatabaseError.fileMissing }
            // SQLite creates these two files for its own use. A connection that only reads does not remove them.
            let made = [path + "-wal", path + "-shm"].filter { !DiskFiles.exists($0) }
            defer { for file in made { DiskFiles.removeFile(file) } }
            return try runOnSnapshot(on: file.openOnlyReader(), body)
        }
    }

    private func startWriter(_ migrator: Migrator?, create: Bool) async throws {
        let connected = WriterConnection(file)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do throws(NoThread) {
                try WorkThreads.sharedThreads.startWork {
                    continuation.resume(with: Result { try connected.openAndMigrate(migrator, create: create) })
                }
            } catch { continuation.resume(throwing: DatabaseError(error)) }
        }
        writeQueue.addLane(
            { jobs in
                runJobs(jobs, on: connected)
                return connected.openTransaction?.deadline
            },
            flush: { commitOpenTransaction(on: connected) },
            end: { [poolMember, file] in
                commitOpenTransaction(on: connected)
                connected.disconnect()
                Self.countResourceRelease()
                poolMember.endLane(of: ObjectIdentifier(file))
            }
        )
    }

    private func addReaders() {
        for _ in 0..<readerCount {
            readQueue.addLane(
                { [readerConnections, file] jobs in
                    for job in jobs { readerConnections.runJob(job, file) }
                    return nil
                },
                end: { [readerConnections, poolMember, file] in
                    readerConnections.closeFreeConnections()
                    poolMember.endLane(of: ObjectIdentifier(file))
                }
            )
        }
    }

    /// Runs `body` in a transaction and returns after the commit. An error rolls back the changes of `body`.
    /// - Parameter delay: how long the commit may wait for another write, so that the two writes share one commit; zero
    ///   if a caller waits for the write. The body runs immediately, but no reader sees its changes before the commit.
    ///   The changes are lost if the process ends before the commit.
    package func write<T: Sendable>(
        within delay: Duration = .zero,
        _ body: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        try await write(body, within: { _ in delay })
    }

    /// Runs `body` in a transaction as ``write(within:_:)`` does. The delay of the commit may depend on the result of
    /// `body`.
    /// - Parameters:
    ///   - delay: a function that returns the delay of the commit. It is called with the result of each run of the
    ///     body, on the writer's thread.
    ///   - committed: a function that is called in the order of the commits, on the writer's thread, before the next
    ///     transaction. It must be quick, and must not wait.
    package func write<T: Sendable>(
        _ body: @escaping @Sendable (DatabaseConnection) throws -> T,
        within delay: @escaping @Sendable (T) -> Duration = { _ in .zero },
        committed: @escaping @Sendable (T) -> Void = { _ in }
    ) async throws -> T {
        accessCounter.wrappingAdd(1, ordering: .relaxed)
        return try await runOnWriter(
            { outcome in
                .transaction(
                    .init(
                        runChange: { outcome.value = try body($0) },
                        computeDelay: { outcome.value.map(delay) ?? .zero }
                    )
                )
            },
            committed: committed
        )
    }

    /// Runs `body` in a transaction as ``write(within:_:)`` does, but just before the commit, after the other writes of
    /// the transaction. `delay` returns how long the commit may wait for other writes. It is called when the write
    /// begins to wait, and again after `body` has run.
    package func writeLast<T: Sendable>(
        within delay: @escaping @Sendable () -> Duration,
        _ body: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        try await runOnWriter { outcome in
            .transaction(.init(runChange: { outcome.value = try body($0) }, computeDelay: delay, isLast: true))
        }
    }

    /// Runs `body` on a snapshot of the committed content.
    package func read<T: Sendable>(_ body: @escaping @Sendable (DatabaseConnection) throws -> T) async throws -> T {
        accessCounter.wrappingAdd(1, ordering: .relaxed)
        return try await runOnReader(mayUseWriter: true) { connection in try runOnSnapshot(on: connection, body) }
    }

    /// Moves the write-ahead log into the database file. Does nothing if no connection is open: the next connection
    /// moves a log that is still there.
    /// - Throws: `.busy` while a long read needs the log.
    package func checkpoint() async throws {
        guard poolMember.isOpen else { return }
        try await runOnWriter { outcome in .outsideTransactions { outcome.value = try $0.checkpoint() } }
    }

    /// Runs the queued work, moves the write-ahead log into the file, and returns when all files are closed. Later
    /// calls, and calls that wait for the pool or for the end of a hold, throw `.closed`.
    package func close() async {
        await readQueue.closeAndWait()
        // No checkpoint is needed here: when the last connection closes, SQLite moves the write-ahead log into the
        // file.
        await writeQueue.closeAndWait()
    }

    /// Runs `body` on a connection for reads, or on the connection of the writer.
    /// - Parameter mayUseWriter: whether `body` may run on the connection of the writer, see `writerLendingTime`.
    func runOnReader<T: Sendable>(
        mayUseWriter: Bool = false,
        _ body: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let finish: @Sendable (Result<T, any Error>) -> Void = { [poolMember] result in
                poolMember.endUse()
                continuation.resume(with: result)
            }
            let job = ReadJob(
                run: { connection in finish(Result { try body(connection) }) },
                reportFailure: { finish(.failure($0)) }
            )
            Self.submitInPool(poolMember, readQueue, for: PoolRequest.current, continuation) {
                [readQueue, writeQueue, readerConnections, file] in
                guard mayUseWriter, readerConnections.shouldUseWriter, !readQueue.refusesJobs else {
                    return readQueue.submitJob(job)
                }
                let claim = ReadClaim()
                let runByReader: @Sendable () -> Void = {
                    if readQueue.submitJob(job) != .jobAdded { job.reportFailure(DatabaseError.closed) }
                }
                let lent = WriteJob(
                    work: .lentRead { writer in
                        guard claim.take(for: .writer) else { return }
                        if readQueue.refusesJobs {
                            // The database is being closed, so only this connection is left, and the read runs on it to
                            // its end.
                            commitOpenTransaction(on: writer)
                            let result = try writer.runLentRead(within: Self.longStatementLimit, body)
                            return finish(result ?? .failure(DatabaseError.interrupted))
                        }
                        // Earlier reads may have used up the time that the writer lends to reads. Then this read runs
                        // on a connection for reads.
                        guard readerConnections.shouldUseWriter else { throw DatabaseError.busy }
                        let start = ContinuousClock.now
                        let result = try writer.runLentRead(within: readerConnections.writerLendingTime, body)
                        readerConnections.countLentTime(start.duration(to: .now))
                        guard let result else { throw DatabaseError.busy }
                        finish(result)
                    },
                    onFinish: { error in if error != nil, claim.take(for: .writer) { runByReader() } }
                )
                guard writeQueue.submitJob(lent) == .jobAdded else { return readQueue.submitJob(job) }
                // A write counts itself before it is submitted, so this number includes all writes before the read.
                if file.unfinishedWriteCount.load(ordering: .sequentiallyConsistent) > 0 {
                    Task.detached {
                        try? await Task.sleep(for: readerConnections.openingDelay)
                        if !readQueue.refusesJobs, claim.take(for: .reader) { runByReader() }
                    }
                }
                return .jobAdded
            }
        }
    }

    func runOnWriter<T: Sendable>(
        _ work: (JobResult<T>) -> WriteJob.Work,
        committed: @escaping @Sendable (T) -> Void = { _ in }
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = JobResult<T>()
            let job = WriteJob(
                work: work(outcome),
                onFinish: { [poolMember, file] error in
                    file.unfinishedWriteCount.wrappingSubtract(1, ordering: .relaxed)
                    poolMember.endUse()
                    if let error {
                        continuation.resume(throwing: error)
                    } else if let value = outcome.value {
                        committed(value)
                        continuation.resume(returning: value)
                    } else {
                        continuation.resume(throwing: DatabaseError.closed)
                    }
                }
            )
            Self.submitInPool(poolMember, writeQueue, for: PoolRequest.current, continuation) {
                [writeQueue, file] in
                file.unfinishedWriteCount.wrappingAdd(1, ordering: .sequentiallyConsistent)
                let submission = writeQueue.submitJob(job)
                if submission != .jobAdded { file.unfinishedWriteCount.wrappingSubtract(1, ordering: .relaxed) }
                return submission
            }
        }
    }

    /// Adds a job to a queue when the pool allows the database to have connections. When the job ends, the database no
    /// longer counts as used. While writes are held, the queue is paused. A job that waits for the end of the pause
    /// takes no place in the pool, so that other databases can use the place.
    /// - Parameter submit: adds the job to the queue.
    private static func submitInPool<Job: Sendable, T: Sendable>(
        _ member: OpenPool.PoolMember,
        _ queue: WorkQueue<Job>,
        for request: PoolRequest?,
        _ continuation: CheckedContinuation<T, any Error>,
        _ submit: @escaping @Sendable () -> WorkQueue<Job>.Submission
    ) {
        if queue.callAfterPause({ submitInPool(member, queue, for: request, continuation, submit) }) { return }
        guard !queue.refusesJobs else { return continuation.resume(throwing: DatabaseError.closed) }
        member.requestUse(
            for: request,
            {
                if submit() == .jobAdded { return }
                // The queue was paused or closed while this use of the database waited for the pool. So the use ends,
                // and the job is submitted again.
                member.endUse()
                submitInPool(member, queue, for: request, continuation, submit)
            },
            refuse: { continuation.resume(throwing: DatabaseError.poolExhausted(isFirst: $0.isFirstUse)) }
        )
    }
}

/// The result of a job of the writer. Only the writer's thread uses this object.
final class JobResult<T>: @unchecked Sendable {
    var value: T?
}

extension WriterConnection {
    /// Opens and migrates the database. If that fails, a newly created file is removed.
    fileprivate func openAndMigrate(_ migrator: Migrator?, create: Bool) throws {
        DatabaseFiles.removeWithJournals(file.rekeyPath)
        let isNew = create ? try DatabaseFiles.createEmptyFile(file.path) : false
        // SQLite treats a file of one byte as empty, and would make a database of it. Such a file is refused.
        guard DiskFiles.fileSize(file.path) != 1 else { throw DatabaseError.wrongKey }
        do {
            let connection = try connectIfNeeded()
            if let migrator { try migrator.migrateSchema(on: connection) }
        } catch {
            disconnect()
            if isNew { DatabaseFiles.removeWithJournals(file.path) }
            throw error
        }
    }
}

extension DatabaseError {
    fileprivate init(_ error: NoThread) {
        self = .other(code: error.code, message: "the system cannot create a thread")
    }
}
