import Concurrency
public import Files
public import SimpleXCrypto
import Synchronization

/// A SQLCipher database: one writer, several readers, each on a thread of its own.
///
/// - `open`: opens or creates the file and migrates it.
/// - `write`: one transaction; durable when it returns. Writes that wait together share one commit, and one that is in no hurry can wait for
///   another.
/// - `read`: a snapshot, which does not wait for writers.
/// - `backup`, `rekey`, `checkpoint`, `close`.
///
/// - Warning: a body may run a second time when the transaction that it shared with others could not be committed. It must have no effects
///   outside the database, and must not change the schema.
public final class Database: Sendable {
    /// The storage that a commit waits for (`PRAGMA synchronous`).
    public enum Synchronous: String, Sendable {
        /// On disk: nothing that was acknowledged is lost, even when the power fails.
        case full = "FULL"
        /// The operating system: the last commits may be lost when the power fails, not when the process dies.
        case normal = "NORMAL"
    }

    public var path: String { file.path }
    /// Whether the last write was refused because the file is not in its place (`DatabaseError.replaced`).
    public var isReplaced: Bool { file.isReplaced.load(ordering: .relaxed) }
    /// Number of transactions that were committed since the database was opened, each with one sync of the log.
    /// Transactions without changes do not count.
    public var commits: Int { file.commits.load(ordering: .relaxed) }
    let file: DatabaseFile
    let slots: [ReaderSlot]
    private let writer = WorkQueue<WriteJob>(batch: 64)
    private let readers = WorkQueue<ReadJob>(batch: 1)

    private init(file: DatabaseFile, readers count: Int) {
        self.file = file
        slots = (0..<max(1, count)).map { _ in ReaderSlot() }
    }

    deinit {
        writer.close()
        readers.close()
    }

    /// Opens the database at `path`, made by this version of SQLCipher or by version 3, creating it (for its owner's eyes only) when there is no file and `create` says so.
    ///
    /// With `upgrade: false` a file of an older version is refused (`.olderSchema`) instead of migrated.
    ///
    /// Throws `DatabaseError.wrongKey` for a file with another key (which is left as it is), `.missing`, `.newerSchema`, or what a
    /// migration threw; the file then has the schema that it had, and one that was not there is not there.
    /// With a `fence`, nothing is committed once another process has taken the file over (`.fenced`).
    /// With `migrates` false it is opened as it is, whatever its schema. A statement that takes longer than `limit` allows
    /// fails (`.interrupted`).
    public static func open(
        at path: String, key: DatabaseKey, migrations: [Migration] = [], readers: Int = 2,
        synchronous: Synchronous = .full, create: Bool = true, migrates: Bool = true, upgrade: Bool = true,
        fence: WriteFence? = nil, limit: StatementLimit = StatementLimit()
    ) async throws -> Database {
        let database = Database(
            file: try DatabaseFile(path: path, key: key, synchronous: synchronous, fence: fence, limit: limit),
            readers: readers)
        try await database.startWriter(migrates ? Migrator(migrations: migrations, upgrades: upgrade) : nil, create: create)
        do { try database.startReaders() } catch {
            await database.close()
            throw error
        }
        return database
    }

    /// Reads a database that nobody uses, whatever its schema. It and its log stay as they are. Errors are those of ``open(at:key:migrations:readers:synchronous:create:migrates:upgrade:fence:limit:)``
    /// and of `body`; a file of no bytes is missing.
    public static func read<T: Sendable>(at path: String, key: DatabaseKey, _ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        let file = try DatabaseFile(path: path, key: key, synchronous: .full, limit: StatementLimit(longStatementLimit))
        return try await blocking {
            guard DiskFiles.hasBytes(path) else { throw DatabaseError.missing }
            // SQLite makes them for its own use, and leaves them when it may not write.
            let made = [path + "-wal", path + "-shm"].filter { !DiskFiles.exists($0) }
            defer { for file in made { DiskFiles.removeFile(file) } }
            return try snapshot(on: file.onlyReader(), body)
        }
    }

    private func startWriter(_ migrator: Migrator?, create: Bool) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do throws(NoThread) {
                try writer.startThread(waiting: { [file, writer] next in
                    let connected = Writer(file)
                    do { try connected.prepare(migrator, create: create) } catch {
                        writer.close()
                        return continuation.resume(throwing: error)
                    }
                    continuation.resume()
                    while let jobs = next(connected.open?.deadline) { commit(jobs, on: connected) }
                    commitOpen(on: connected)
                })
            } catch { continuation.resume(throwing: DatabaseError(error)) }
        }
    }

    private func startReaders() throws {
        for slot in slots {
            do throws(NoThread) {
                try readers.startThread { [file] next in
                    while let jobs = next() {
                        for job in jobs { slot.run(job, file) }
                    }
                    slot.close()
                }
            } catch {
                throw DatabaseError(error)
            }
        }
    }

    /// Runs `body` in a transaction and returns after the commit. An error rolls back its changes.
    /// - Parameter delay: how long the commit may wait for that of another write, so that both are one. The body is run at once; nobody sees its
    ///   changes before the commit, and a process that ends meanwhile leaves nothing of them. Zero for a write that somebody waits for.
    public func write<T: Sendable>(within delay: Duration = .zero, _ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        try await write(body, within: { _ in delay })
    }

    /// Like ``write(within:_:)``.
    /// - Parameters:
    ///   - delay: asked after each run of the body, with what it has returned, on the writer's thread.
    ///   - committed: called in the order of the commits, on the writer's thread, before the next transaction. It must be quick, and must not wait.
    public func write<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T, within delay: @escaping @Sendable (T) -> Duration = { _ in .zero },
        committed: @escaping @Sendable (T) -> Void = { _ in }
    ) async throws -> T {
        try await onWriter(
            { outcome in
                .transaction(.init(run: { outcome.value = try body($0) }, delay: { outcome.value.map(delay) ?? .zero }))
            }, committed: committed)
    }

    /// Like ``write(within:_:)``, but `body` is run right before the commit, after the writes that it has waited for. `delay` is asked when it
    /// begins to wait.
    public func writeLast<T: Sendable>(
        within delay: @escaping @Sendable () -> Duration, _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await onWriter { outcome in .transaction(.init(run: { outcome.value = try body($0) }, delay: delay, isLast: true)) }
    }

    /// Runs `body` on a snapshot of the committed content.
    public func read<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        try await onReader { connection in try snapshot(on: connection, body) }
    }

    /// Moves the write-ahead log into the database file. `.busy` when a long read is in the way.
    public func checkpoint() async throws {
        try await onWriter { outcome in .alone { outcome.value = try $0.connected().checkpoint() } }
    }

    /// Does the work that is already queued, moves the write-ahead log into the file and returns when no file is open any more.
    /// Later calls throw `.closed`.
    public func close() async {
        await readers.closeAndWait()
        // SQLite does the checkpoint when the last connection closes.
        await writer.closeAndWait()
    }

    func submit(_ job: WriteJob) -> Bool { writer.submit(job) }

    func onReader<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let job = ReadJob(
                run: { connection in continuation.resume(with: Result { try body(connection) }) },
                fail: { continuation.resume(throwing: $0) })
            if !readers.submit(job) { continuation.resume(throwing: DatabaseError.closed) }
        }
    }

    func onWriter<T: Sendable>(
        _ work: (Outcome<T>) -> WriteJob.Work, committed: @escaping @Sendable (T) -> Void = { _ in }
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = Outcome<T>()
            let job = WriteJob(
                work: work(outcome),
                finish: { error in
                    if let error { continuation.resume(throwing: error) }
                    else if let value = outcome.value {
                        committed(value)
                        continuation.resume(returning: value)
                    }
                    else { continuation.resume(throwing: DatabaseError.closed) }
                })
            if !writer.submit(job) { continuation.resume(throwing: DatabaseError.closed) }
        }
    }
}

/// Set and read on the writer's thread only, by the one job that owns it.
final class Outcome<T>: @unchecked Sendable {
    var value: T?
}

extension Writer {
    /// Opens and migrates the database. If that fails, a newly created file is removed.
    fileprivate func prepare(_ migrator: Migrator?, create: Bool) throws {
        DatabaseFiles.remove(file.rekeyPath)
        let isNew = create ? try DatabaseFiles.create(file.path) : false
        // SQLite takes a file of one byte for an empty one, and would make a database of it.
        guard DiskFiles.size(file.path) != 1 else { throw DatabaseError.wrongKey }
        do {
            let connection = try connected()
            if let migrator { try migrator.run(on: connection) }
        } catch {
            disconnect()
            if isNew { DatabaseFiles.remove(file.path) }
            throw error
        }
    }
}

extension DatabaseError {
    fileprivate init(_ error: NoThread) { self = .other(code: error.code, message: "the system has no thread to give") }
}
