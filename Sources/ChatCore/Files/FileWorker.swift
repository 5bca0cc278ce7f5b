internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import Logging
internal import SimpleXCrypto
internal import SQLCipher
import Synchronization
internal import XFTP

/// Passes files to the agent, and removes the remains of deleted files.
///
/// The transaction that requires a task writes the task to the database. A file gets its id in the agent before the
/// file is passed to the agent. If the process ends before the passing is recorded, the file is passed again, and the
/// agent recognizes the id.
final class FileWorker: Worker {
    let followUpWork = FollowUp.files
    let store: ChatStore
    let agent: Agent
    let folders: LocalFolders
    private let objects: FileObjects
    let uploads: UploadsUnderway
    private let logger: Logger
    let signal = WakeSignal()
    /// The number of seconds until the worker tries again to fetch a file from the object storage; nil if no file waits
    /// for a fetch.
    private let retrySeconds = Mutex<Int64?>(nil)

    /// The maximum time between two rounds of the worker. Each round also deletes uploads that have expired before a
    /// message used them.
    private static let maxRoundPause = Duration.seconds(1800)

    init(
        store: ChatStore,
        agent: Agent,
        folders: LocalFolders,
        objects: FileObjects,
        uploads: UploadsUnderway,
        logger: Logger
    ) {
        self.store = store
        self.agent = agent
        self.folders = folders
        self.objects = objects
        self.uploads = uploads
        self.logger = logger
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        let hasWork =
            try db.hasRow("SELECT 1 FROM files WHERE task <> 0") || ReceivedFiles.haveFilesMarkedToReceive(in: db)
            || Self.haveLeftoverFiles(in: folders.paths, db)
        return hasWork ? .zero : Self.maxRoundPause
    }

    func run(from start: WorkerStart) async {
        // Marked files are accepted only when the chat starts, so a file that is marked later waits for the next start.
        if start.pause == .zero { await acceptFilesMarkedToReceive() }
        await signal.run(logger, after: start.pause, whenFailed: "files not handed over to the agent") {
            var last: Int64? = 0
            var failure: FileSystemError?
            while let id = last {
                let pass = try await performTasks(after: id)
                (last, failure) = (pass.last, failure ?? pass.failure)
            }
            try await removeLeftoverFiles()
            if let failure { throw failure }
            let seconds = retrySeconds.withLock { retry in
                defer { retry = nil }
                return retry
            }
            return seconds.map { .seconds($0) } ?? Self.maxRoundPause
        }
    }

    private func acceptFilesMarkedToReceive() async {
        do {
            let paths = folders.paths
            try await store.write { tx in try ReceivedFiles.acceptFilesMarkedToReceive(paths, tx) }
        } catch is CancellationError where Task.isCancelled {
            return
        } catch {
            logger.error(
                "files that are marked to be received not accepted",
                metadata: ["error": "\(error.descriptionWithoutPath)"]
            )
        }
    }

    // MARK: Tasks

    private static let filesPerPass: Int64 = 8

    /// Performs the tasks of the next files. The failure of one file does not stop the other files.
    /// - Returns: `last` is the id of the last file of this batch, or nil after the last batch. `failure` is the error
    ///   of a file whose task must be tried again later.
    private func performTasks(after last: Int64) async throws -> (last: Int64?, failure: FileSystemError?) {
        let works = try await store.read { db in
            try db.query(
                """
                SELECT \(FileRecord.columns) FROM files f
                WHERE f.task <> 0 AND f.file_id > :file_id ORDER BY f.file_id LIMIT :limit
                """,
                ["file_id": last, "limit": Self.filesPerPass]
            )
            .map { try FileWork(FileRecord($0), db) }
        }
        let failure = try await withThrowingTaskGroup(of: FileSystemError?.self) { group in
            for work in works { group.addTask { try await self.performTask(work) } }
            return try await group.reduce(nil) { $0 ?? $1 }
        }
        return (Int64(works.count) == Self.filesPerPass ? works.last?.file.fileId : nil, failure)
    }

    /// Performs the task of a file, and then each next task that this task requires. An error that only concerns the
    /// file is stored in the record of the file. If the file cannot be fetched from the object storage now, the task
    /// stays for a later round.
    /// - Returns: the error after which the task is tried again later, for example on a full disk.
    /// - Throws: an error of the store. The whole round then fails.
    private func performTask(_ work: FileWork) async throws -> FileSystemError? {
        guard let user = work.user else { return nil }
        let file = work.file
        do {
            guard let next = try await executeTask(work, user) else { return nil }
            return try await performTask(next)
        } catch let away as FileFetchError {
            if case .retryAfter(let seconds) = away.reason {
                retrySeconds.withLock { $0 = min($0 ?? .max, seconds) }
            } else {
                try await store.write { tx in
                    try SentFiles.recordFailure(file, .other(fileError: "\(away)"), "\(away)", user, tx)
                }
            }
        } catch let error as DatabaseError {
            throw error
        } catch let error as FileSystemError {
            return error
        } catch let error as ChatFailure {
            try await store.write { tx in try Self.recordRefusal(file, error, user, tx) }
        } catch let error as AgentError {
            try await store.write { tx in
                if file.isSent {
                    try SentFiles.recordFailure(file, error, user, tx)
                } else {
                    try ReceivedFiles.recordFailure(file, error, user, tx)
                }
            }
        }
        return nil
    }

    /// Executes one task of a file.
    /// - Returns: the next task that must follow immediately; nil if there is none.
    private func executeTask(_ work: FileWork, _ user: UserRecord) async throws -> FileWork? {
        let file = work.file
        let paths = folders.paths
        switch file.task {
        case .none: break
        case .accept: try await store.write { tx in try ReceivedFiles.acceptWithoutRequest(file, paths, tx) }
        case .checkAndReceive:
            guard let parsed = try work.parseDescription(expected: file.size) else { return nil }
            if !file.approvesRelays {
                try await FileChecks.requireApprovedServers(parsed, of: file.fileId, user, agent)
            }
            let started = try await store.write { tx -> FileRecord? in
                guard var now = try FileRecord.find(file.fileId, in: tx.db), now.task == .checkAndReceive else {
                    return nil
                }
                try now.startReceiving(user, tx)
                return now
            }
            return started.map { FileWork($0, user, description: parsed) }
        case .send:
            guard let id = file.agentID, let path = file.path else { return nil }
            let use = try await objects.fetchAndHold(path.text)
            defer { withExtendedLifetime(use) {} }
            try await agent.sendFile(
                user: user.agentUserId,
                LocalFile(path: path, arguments: file.cryptoArgs.map { try CryptoFileArguments($0) }),
                id: id,
                name: file.name,
                recipients: Int(clamping: file.recipientCount)
            )
            try await recordFilePassedToAgent(file)
        case .uploadDescription:
            guard let id = file.agentID, let description = try work.parseDescription(expected: FileRecord.maxSize)
            else { return nil }
            try await agent.sendDescription(
                user: user.agentUserId,
                description,
                id: id,
                recipients: Int(clamping: file.recipientCount)
            )
            try await recordFilePassedToAgent(file)
        case .receive:
            guard let id = file.agentID, let path = file.path,
                let description = try work.parseDescription(expected: FileRecord.maxSize)
            else { return nil }
            try await agent.receiveFile(
                user: user.agentUserId,
                description,
                into: LocalFile(path: path, arguments: file.cryptoArgs.map { try CryptoFileArguments($0) }),
                id: id,
                approvedRelays: file.approvesRelays
            )
            try await recordFilePassedToAgent(file)
        case .assemble:
            let contents = try await store.read { try InlineFiles.readContents(of: file, $0) }
            try await runBlocking { try InlineFiles.writeContents(contents, of: file, paths) }
            try await store.write { tx in try Self.recordAssembledFile(file, paths, user, tx) }
        }
        return nil
    }

    /// Records that the worker has written a file to the disk. Removes the file if it is no longer wanted.
    static func recordAssembledFile(
        _ file: FileRecord,
        _ paths: LocalFolders.Paths,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard var now = try FileRecord.find(file.fileId, in: tx.db), now.task == .assemble, now.path == file.path else {
            return try removeUnwantedFile(file, paths, tx)
        }
        (now.receivingStatus, now.status, now.hasAgentFinished, now.task) = (.complete, .rcvComplete, true, .none)
        try now.store(tx)
        try InlineFiles.deleteChunks(now, tx)
        if let item = try now.apiItem(user, tx) {
            try tx.emit(.rcvFileComplete(user: user.api, chatItem: item), user: user.userId)
        }
    }

    /// Removes a file that is no longer wanted. The file was cancelled, or its message was deleted, while the worker
    /// was writing the file.
    private static func removeUnwantedFile(_ file: FileRecord, _ paths: LocalFolders.Paths, _ tx: Transaction) throws {
        guard let path = file.path?.text else { return }
        let taken =
            "SELECT 1 AS n FROM files WHERE file_path = ?1 AND (file_id <> ?2 OR transfer_status IN ('accepted', 'connected', 'complete'))"
        guard try tx.db.queryFirst(taken, [path, file.fileId]) == nil,
            try tx.db.queryFirst("SELECT 1 AS n FROM uploads WHERE file_path = ?", [path]) == nil
        else { return }
        deleteFile(path, paths)
    }

    /// Records that the file was passed to the agent, so its task is done.
    private func recordFilePassedToAgent(_ file: FileRecord) async throws {
        try await store.write { tx in
            try tx.db.execute(
                """
                UPDATE OR FAIL files SET task = 0
                WHERE file_id = :file_id AND task = :task AND agent_file_id = :agent_file_id
                """,
                ["file_id": file.fileId, "task": file.task.rawValue, "agent_file_id": file.agentFileId]
            )
        }
    }

    /// Resets a file that cannot be received, for example because its description is wrong, and reports the error. The
    /// user can accept the file again.
    private static func recordRefusal(
        _ file: FileRecord,
        _ failure: ChatFailure,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard var now = try FileRecord.find(file.fileId, in: tx.db), now.task == file.task else { return }
        if file.task == .assemble {
            // The chunks from messages are kept, so that the user can receive the file at another path.
            (now.status, now.receivingStatus, now.task) = (.rcvInvitation, .new, .none)
            try now.store(tx)
        } else {
            try now.resetTransfer(to: .rcvInvitation, tx)
        }
        if let item = try now.apiItem(user, tx) {
            try tx.emit(.chatItemUpdated(user: user.api, chatItem: item), user: user.userId)
        }
        try tx.emit(.chatError(chatError: failure.error), user: user.userId)
    }
}

extension FileRecord {
    fileprivate var agentID: FileID? { agentFileId.flatMap { FileID(text: $0) } }
}

/// The task of a file, with the data that the task needs.
private struct FileWork: Sendable {
    let file: FileRecord
    /// The owner of the file; nil for a deleted user.
    let user: UserRecord?
    private let descriptionText: String?
    private let parsedDescription: FileDescription?

    /// Reads the data for the present task of a file.
    init(_ file: FileRecord, _ db: StoreConnection) throws {
        self.file = file
        user = try UserRecord.find(file.userId, in: db)
        descriptionText =
            switch file.task {
            case .checkAndReceive, .uploadDescription, .receive: try file.findDescription(db)?.text
            case .none, .send, .accept, .assemble: nil
            }
        parsedDescription = nil
    }

    /// Creates the task of a file whose description was already parsed and checked.
    init(_ file: FileRecord, _ user: UserRecord, description: FileDescription) {
        self.file = file
        self.user = user
        descriptionText = nil
        parsedDescription = description
    }

    /// Parses, checks and returns the description of the file; nil for a file without a description.
    /// - Throws: the errors of ``FileChecks/parseDescription(_:expected:)``.
    func parseDescription(expected: Int64) throws -> FileDescription? {
        if let parsedDescription { return parsedDescription }
        return try descriptionText.map { try FileChecks.parseDescription($0, expected: expected) }
    }
}
