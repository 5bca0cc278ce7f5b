/// A SQLCipher database: one writer, several readers, each on a thread of its own.
///
/// - `open`: opens or creates the file and migrates it.
/// - `write`: one transaction; durable when it returns. Writes that wait together share one commit.
/// - `read`: a snapshot, which does not wait for writers.
/// - `backup`, `checkpoint`, `close`.
///
/// - Warning: a body may run a second time when a commit that it shared with others failed for their sake. It must
///   have no effects outside the database.
public final class Database: Sendable {
    /// What SQLite waits for at a commit (`PRAGMA synchronous`).
    public enum Synchronous: String, Sendable {
        /// The disk: nothing that was acknowledged is lost, also when the power fails.
        case full = "FULL"
        /// The operating system: the last commits may be lost when the power fails, not when the process dies.
        case normal = "NORMAL"
    }

    public let path: String
    private let writer: WorkQueue<WriteJob>
    private let readers: WorkQueue<ReadJob>

    private init(path: String, writer: WorkQueue<WriteJob>, readers: WorkQueue<ReadJob>) {
        self.path = path
        self.writer = writer
        self.readers = readers
    }

    deinit {
        writer.close()
        readers.close()
    }

    /// Opens the database at `path`, creating it when there is no file and `create` says so.
    ///
    /// Throws `DatabaseError.wrongKey` for a file with another key (which is left as it is), `.missing`, `.newerSchema`, or what a
    /// migration threw; the file then has the schema that it had.
    public static func open(
        at path: String, key: DatabaseKey, migrations: [Migration] = [], readers readerCount: Int = 2,
        synchronous: Synchronous = .full, create: Bool = true
    ) async throws -> Database {
        let writer = WorkQueue<WriteJob>(batch: 64)
        let readers = WorkQueue<ReadJob>(batch: 1)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            writer.startThread { next in
                let connection: Connection
                do {
                    connection = try Connection(
                        path: path, key: key, access: create ? .creating : .writing, synchronous: synchronous, cacheKiB: 2048)
                    try Migrator(migrations: migrations).run(on: connection)
                } catch {
                    writer.close()
                    return continuation.resume(throwing: error)
                }
                continuation.resume()
                while let jobs = next() { commit(jobs, on: connection) }
            }
        }
        for _ in 0..<max(1, readerCount) {
            readers.startThread { next in
                // Opened at the first read: a program that only writes does not pay for readers.
                var connection: Connection?
                while let jobs = next() {
                    for job in jobs {
                        do {
                            let ready = try connection ?? Connection(path: path, key: key, access: .reading, synchronous: synchronous, cacheKiB: 1024)
                            connection = ready
                            job.run(ready)
                        } catch { job.fail(error) }
                    }
                }
            }
        }
        return Database(path: path, writer: writer, readers: readers)
    }

    /// Runs `body` in a transaction of its own and returns when it is committed. A throw rolls back what the body did.
    public func write<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = Outcome<T>()
            let job = WriteJob(
                run: { outcome.value = try body($0) },
                finish: { error in
                    if let error { continuation.resume(throwing: error) }
                    else if let value = outcome.value { continuation.resume(returning: value) }
                    else { continuation.resume(throwing: DatabaseError.closed) }
                })
            if !writer.submit(job) { continuation.resume(throwing: DatabaseError.closed) }
        }
    }

    /// Runs `body` on a snapshot of what is committed.
    public func read<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let job = ReadJob(
                run: { connection in continuation.resume(with: Result { try snapshot(on: connection, body) }) },
                fail: { continuation.resume(throwing: $0) })
            if !readers.submit(job) { continuation.resume(throwing: DatabaseError.closed) }
        }
    }

    /// Copies what is committed into a new file with the given key, which must be of the same kind as the database's own.
    public func backup(to path: String, key: DatabaseKey) async throws {
        try await read { source in
            let target = try Connection(path: path, key: key, access: .creating, synchronous: .full, cacheKiB: 1024)
            try source.execute("COMMIT")
            defer { try? source.execute("BEGIN") }
            try source.copy(to: target)
        }
    }

    /// Moves the write-ahead log into the database file.
    public func checkpoint() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let job = WriteJob(isAlone: true, run: { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }, finish: { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            })
            if !writer.submit(job) { continuation.resume(throwing: DatabaseError.closed) }
        }
    }

    /// Ends the threads after the work that is already queued, with a checkpoint. Later calls throw `.closed`.
    public func close() async {
        try? await checkpoint()
        writer.close()
        readers.close()
    }
}

/// Set and read on the writer's thread only, by the one job that owns it.
private final class Outcome<T>: @unchecked Sendable {
    var value: T?
}

struct WriteJob: Sendable {
    /// Runs outside a transaction.
    var isAlone = false
    var run: @Sendable (Connection) throws -> Void
    var finish: @Sendable ((any Error)?) -> Void
}

struct ReadJob: Sendable {
    var run: @Sendable (Connection) -> Void
    var fail: @Sendable (any Error) -> Void
}
