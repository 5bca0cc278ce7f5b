import Files
import SimpleXCrypto
import Synchronization

/// The path and key of a database, and all other values that a connection needs.
final class DatabaseFile: Sendable {
    let path: String
    private let synchronous: Database.Synchronous
    /// The check before each write; nil if no other process can take the file over.
    private let fence: WriteFence?
    let statementLimit: StatementLimit
    let slowStatements = SlowStatements()
    private let fileKey: Mutex<FileKey>
    /// Whether the last check found no file at the path, or a file other than the one that the writer has open.
    let isReplaced = Atomic(false)
    let commitCount = Atomic(0)
    /// Number of writes that wait for the writer, or that are not committed yet.
    let unfinishedWriteCount = Atomic(0)
    /// Number of times that the database has closed its unused connections (``Database/idleCloseCount``).
    let idleCloseCount = Atomic(0)
    /// A function that is called on the writer's thread before and after each commit, before any caller learns of the
    /// commit. Tests copy the file at these moments.
    let onCommit = Mutex<(@Sendable (CommitMoment) -> Void)?>(nil)

    enum CommitMoment: Sendable { case before, after }

    init(
        path: String,
        key: DatabaseKey,
        synchronous: Database.Synchronous,
        fence: WriteFence? = nil,
        limit: StatementLimit = StatementLimit()
    ) throws(DatabaseError) {
        self.path = path
        self.fence = fence
        self.synchronous = synchronous
        self.statementLimit = limit
        fileKey = Mutex(FileKey(material: try KeyMaterial.make(key)))
    }

    var key: FileKey {
        get { fileKey.withLock { $0 } }
        set { fileKey.withLock { $0 = newValue } }
    }

    /// Whether other processes may take the file over.
    var isShared: Bool { fence != nil }

    /// Runs a permanent change of the file, if the fence allows it. The fence refuses changes after another process has
    /// taken the file over.
    /// - Throws: `.refusedByFence`, and the errors of `body`.
    func runIfFenceAllows(_ body: () throws -> Void) throws {
        guard let fence else { return try body() }
        do { try fence.runIfValid(body) } catch is WriteFence.Refusal { throw DatabaseError.refusedByFence } catch let
            error
            as FileSystemError
        {
            throw DatabaseError(error)
        }
    }

    /// The path at which `rekey` writes the new file. Opening the database removes a file that a crash left there.
    var rekeyPath: String { path + ".rekey" }

    /// Opens the writer's connection, which is the first connection to the file.
    func openWriter() throws(DatabaseError) -> DatabaseConnection { try openFirstConnection(.writing) }

    /// Opens a connection to a database that has no writer.
    func openOnlyReader() throws(DatabaseError) -> DatabaseConnection { try openFirstConnection(.reading) }

    /// Opens the first connection, and detects which version of SQLCipher has written the file.
    private func openFirstConnection(_ access: DatabaseConnection.Access) throws(DatabaseError) -> DatabaseConnection {
        do { return try openConnection(key, access) } catch .wrongKey
            where key.material.isEncrypting && !key.usesSQLCipher3
        {
            let older = FileKey(material: key.material, usesSQLCipher3: true)
            let connection = try openConnection(older, access)
            key = older
            return connection
        }
    }

    private func openConnection(
        _ key: FileKey,
        _ access: DatabaseConnection.Access
    ) throws(DatabaseError) -> DatabaseConnection {
        try DatabaseConnection(
            path: path,
            key: key.deriveKey(for: path),
            access: access,
            synchronous: synchronous,
            cacheKiB: 2048,
            limit: statementLimit,
            slow: slowStatements
        )
    }

    /// Opens a further connection to the database, for reads.
    /// - Throws: `.fileReplaced` if the file was deleted while the database was open.
    func openReader() throws(DatabaseError) -> DatabaseConnection {
        do {
            return try DatabaseConnection(
                path: path,
                key: key.deriveKey(for: path),
                access: .reading,
                synchronous: synchronous,
                cacheKiB: 1024,
                limit: statementLimit,
                slow: slowStatements
            )
        } catch .fileMissing {
            isReplaced.store(true, ordering: .relaxed)
            throw .fileReplaced
        }
    }
}

/// The only connection that writes to a database, with its open transaction. It may be closed while it is not used.
final class WriterConnection: @unchecked Sendable {
    // The class is `@unchecked Sendable`: only the writer's lane (its worker) uses it, on one thread at a time.
    let file: DatabaseFile
    private var connection: DatabaseConnection?
    /// The uncommitted transaction that stays open to include further changes; nil if there is none.
    var openTransaction: OpenTransaction?
    /// The identity of the file that the writer's connection has open, or had open before
    /// ``checkpointAndDisconnect()``.
    private var fileIdentity: FileIdentity?
    /// The database file, held open from ``checkpointAndDisconnect()`` to the next connection; nil at other times.
    /// While it is held open, no other file can get its identity (device and inode number).
    private var fileKeptOpen: OpenFile?

    init(_ file: DatabaseFile) { self.file = file }

    /// Returns the connection, and opens it again after ``disconnect()`` and ``checkpointAndDisconnect()``.
    /// - Throws: `.fileReplaced` if another file has come to the path since ``checkpointAndDisconnect()``, and the
    ///   errors of opening the file.
    func connectIfNeeded() throws(DatabaseError) -> DatabaseConnection {
        if let connection { return connection }
        let made = try file.openWriter()
        let present = FileIdentity.identify(file.path)
        if let fileIdentity, let present, present != fileIdentity { throw .fileReplaced }
        connection = made
        fileIdentity = present
        fileKeptOpen = nil
        return made
    }

    /// Checks that the file was not replaced or deleted while it was open. Data written to such a file would be lost
    /// when the process ends.
    /// - Throws: `.fileReplaced`.
    func checkFileIdentity() throws(DatabaseError) {
        guard let fileIdentity, let present = FileIdentity.identify(file.path) else { return }
        file.isReplaced.store(present != fileIdentity, ordering: .relaxed)
        guard present == fileIdentity else { throw .fileReplaced }
    }

    /// Runs a read on the writer's connection, between transactions.
    /// - Returns: nil if a statement was ended or refused because the time was over.
    /// - Throws: `.busy` while a transaction is open, because the read would see its changes; the errors of opening the
    ///   connection.
    func runLentRead<T>(
        within time: Duration,
        _ body: (DatabaseConnection) throws -> T
    ) throws(DatabaseError) -> Result<T, any Error>? {
        guard openTransaction == nil else { throw .busy }
        return try connectIfNeeded().runLentRead(within: time, body)
    }

    func disconnect() {
        connection = nil
        fileIdentity = nil
        fileKeptOpen = nil
    }

    /// Moves the write-ahead log into the file, and closes the connection. The log stays if a reader needs it, if the
    /// disk is full, or if an operation on a file fails. Then the log keeps all its commits, and the next connection
    /// reads them.
    /// - Throws: `.refusedByFence`, `.fileReplaced`, `.interrupted`, or `FileSystemError`. In that case the connection
    ///   stays open, but releases its memory.
    func checkpointAndDisconnect() throws {
        guard connection != nil else { return }
        do {
            try file.runIfFenceAllows {
                fileKeptOpen = try OpenFile(holding: file.path)
                try checkFileIdentity()
                do throws(DatabaseError) { try connection?.checkpoint() } catch {
                    guard error.keepsWriteAheadLog else { throw error }
                }
                // When the last connection closes, SQLite tries once more to move the log.
                connection = nil
            }
            file.idleCloseCount.wrappingAdd(1, ordering: .relaxed)
        } catch {
            fileKeptOpen = nil
            connection?.releaseMemory()
            throw error
        }
    }

    /// Moves the write-ahead log into the file. Does nothing if no connection is open: the next connection moves a log
    /// that is still there.
    func checkpoint() throws(DatabaseError) { try connection?.checkpoint() }

    func takeOpenTransaction() -> OpenTransaction? {
        defer { openTransaction = nil }
        return openTransaction
    }

    /// The number of batches that use savepoints after a change has written something and then failed. With a savepoint
    /// for each change, a batch need not be repeated when one of its changes fails in this way.
    static let batchesWithSavepoints = 64
    private var remainingSavepointBatches = 0

    func startUsingSavepoints() { remainingSavepointBatches = Self.batchesWithSavepoints }

    /// Returns whether the next batch of changes uses savepoints, and counts this batch.
    func consumeSavepointBatch() -> Bool {
        guard remainingSavepointBatches > 0 else { return false }
        remainingSavepointBatches -= 1
        return true
    }
}

extension DatabaseError {
    /// Whether the write-ahead log still has all its commits after a checkpoint has failed with this error.
    fileprivate var keepsWriteAheadLog: Bool {
        switch self {
        case .busy, .diskFull, .inputOutput: true
        default: false
        }
    }
}
