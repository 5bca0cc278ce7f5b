import Clocks
import Concurrency
import Files
import Logging
import SMP
import SQLCipher
import Synchronization
import Transport
import XFTP

/// Sends and receives files. Each file has a separate task, which continues after a restart. The database contains the
/// progress, and the work folder contains the bytes.
final class FileTransfers: Sendable {
    /// Maximal number of chunks of one file that are transferred at the same time.
    static let maxChunksPerFile = 4
    /// Maximal number of recipients that one command creates. More recipients do not fit into a block.
    static let maxRecipientsPerCommand = 200

    private struct State {
        var tasks: [FileID: Task<Void, Never>] = [:]
        /// The state of each task: its kind, and its wait after an error.
        var workers: [FileID: WorkerState] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    let database: Database
    let clients: RelayClients
    let sessions: FileSessions
    let networkGate: NetworkGate
    let configuration: AgentConfiguration
    let logger: Logger
    let emitFileEvent: @Sendable (FileID, FileEvent) -> Void
    let deletionSignal = WakeSignal()

    init(
        database: Database,
        clients: RelayClients,
        gate: NetworkGate,
        configuration: AgentConfiguration,
        logger: Logger,
        emit: @escaping @Sendable (FileID, FileEvent) -> Void
    ) {
        self.database = database
        self.clients = clients
        sessions = FileSessions(clients: clients)
        self.networkGate = gate
        self.configuration = configuration
        self.logger = logger
        self.emitFileEvent = emit
    }

    // MARK: Start and stop

    /// Continues the transfers of an earlier run, and emits again the final events that the caller has not confirmed
    /// with `forgetFile`.
    func resumeTransfers() async throws {
        let (sent, received) = try await database.read { db in (try SentFile.readAll(db), try ReceivedFile.readAll(db))
        }
        let known = Set(sent.map { sentPath($0.id) } + received.flatMap { [receivedPath($0.id), redirectPath($0.id)] })
        try await runBlocking { [folder = configuration.filesFolder] in
            for name in DiskFiles.listEntries(folder) where !known.contains(folder + "/" + name) {
                DiskFiles.removeTree(folder + "/" + name)
            }
        }
        for file in sent { try await resumeSending(file) }
        for file in received { try await resumeReceiving(file) }
    }

    private func resumeSending(_ file: SentFile) async throws {
        switch file.status {
        case .new, .encrypted: startSendTask(file.id)
        case .complete: emitFileEvent(file.id, try await database.read { db in try file.makeSentEvent(db) })
        case .error: emitFileEvent(file.id, .sendError(file.error ?? .internal("file not sent")))
        }
    }

    private func resumeReceiving(_ file: ReceivedFile) async throws {
        switch file.status {
        case .receiving: startReceiveTask(file.id)
        case .complete: emitFileEvent(file.id, .received(file.target))
        case .error: emitFileEvent(file.id, .receiveError(file.error ?? .internal("file not received")))
        }
    }

    func startSendTask(_ id: FileID) { startTask(id, .fileSending) { [weak self] in await self?.runSending(id) } }

    /// Starts the task that receives a file, unless a task of the file is running.
    /// - Parameter file: the record of the file, if it was stored just now; nil to read the record.
    func startReceiveTask(_ id: FileID, of file: ReceivedFile? = nil) {
        startTask(id, .fileReceiving) { [weak self] in await self?.runReceiving(id, file) }
    }

    private func startTask(_ id: FileID, _ kind: WorkerState.Kind, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isClosed, state.tasks[id] == nil else { return }
            state.workers[id] = WorkerState(kind: kind, file: id, activity: .running)
            // The task is detached, so that it inherits neither priority nor task-local values of the caller.
            state.tasks[id] = Task.detached { [weak self] in
                await body()
                self?.state.withLock { state in
                    state.tasks[id] = nil
                    state.workers[id] = nil
                }
            }
        }
    }

    /// Ends the transfer of a file, and returns when it has ended.
    func cancelTransfer(_ id: FileID) async {
        let task = state.withLock { $0.tasks[id] }
        task?.cancel()
        await task?.value
    }

    /// The state of each transfer. Some chunks of a file may be in transfer while other chunks of this file wait.
    var workerStates: [WorkerState] { state.withLock { Array($0.workers.values) } }

    /// Sleeps before the next attempt of a transfer.
    private func sleepBeforeRetry(_ id: FileID, _ delay: Duration, _ error: String) async throws {
        changeWorker(id) { worker in
            worker.activity = .waitingToRetry
            worker.nextAttemptAtSeconds = WallClock.seconds() + delay.components.seconds
            worker.lastError = error
        }
        defer {
            changeWorker(id) { worker in
                worker.activity = .running
                worker.nextAttemptAtSeconds = nil
            }
        }
        try await Task.sleep(for: delay)
    }

    private func changeWorker(_ id: FileID, _ change: (inout WorkerState) -> Void) {
        state.withLock { state in
            guard var worker = state.workers[id] else { return }
            change(&worker)
            state.workers[id] = worker
        }
    }

    /// Ends all transfers. Their progress stays stored.
    func endTransfers() async {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        sessions.close()
    }

    // MARK: Paths

    func sentPath(_ id: FileID) -> String { configuration.sentPath(id) }
    func receivedPath(_ id: FileID) -> String { configuration.receivedPath(id) }
    func redirectPath(_ id: FileID) -> String { configuration.redirectPath(id) }

    /// Removes files from the work folder.
    /// - Parameter file: a received file whose partial file in the target folder is removed too.
    func removeFiles(_ paths: [String], with file: ReceivedFile? = nil) async {
        await runCleanup { [roots = configuration.fileRoots()] in
            for path in paths { DiskFiles.removeFile(path) }
            file?.removePartialFile(in: roots)
        }
    }

    func countFileOperations(
        _ user: AgentUserID,
        _ server: ProtocolServer,
        _ change: (inout FileServerStatistics) -> Void
    ) {
        clients.statistics.countFileOperations(user, server, change)
    }

    // MARK: Attempts

    /// Repeats `body` after temporary errors and while a server is full, until the deadline.
    /// - Parameters:
    ///   - warning: a function that makes the event for a server that is full, or unreachable with the present
    ///     settings.
    ///   - repeats: whether `body` is also repeated after another error.
    func retryUntilDeadline<T>(
        _ id: FileID,
        until deadline: Int64,
        warning: (AgentError) -> FileEvent,
        repeats: (AgentError) -> Bool = { _ in false },
        _ body: () async throws -> T
    ) async throws -> T {
        var attempt = 0
        while true {
            try Task.checkCancellation()
            await networkGate.waitForNetwork()
            let reason: String
            do { return try await body() } catch let error as AgentError
                where (error.isTemporaryForFiles || error.isServerFull || repeats(error))
                && WallClock.seconds() < deadline
            {
                logger.debug("file transfer waits for its next attempt", metadata: ["error": "\(error)"])
                if error.isHostFault || error.isServerFull { emitFileEvent(id, warning(error)) }
                reason = "\(error)"
            }
            try await sleepBeforeRetry(id, configuration.sendRetry.computeDelay(attempt: attempt), reason)
            attempt += 1
        }
    }

    /// Disk space for which a transfer waits, with a deadline.
    struct DiskShortage {
        /// Needed space in bytes.
        let neededBytes: Int64
        /// Time at which the transfer is given up, in seconds since 1970.
        let deadlineSeconds: Int64
    }

    /// Free bytes that must stay for other uses when a transfer starts again.
    private static let diskReserveBytes: Int64 = 64 << 20

    /// Runs a transfer, and repeats it after waiting for disk space on this machine. A waiting transfer uses no disk
    /// space, so that other uses have the remaining space.
    /// - Parameter body: runs the transfer. Returns the missing disk space, or nil at the end of the transfer, also
    ///   when the transfer has failed.
    func runWithDiskSpace(of id: FileID, _ body: () async throws -> DiskShortage?) async throws {
        var attempt = 0
        while let shortage = try await body() {
            logger.warning(
                "a file waits for room on the disk",
                metadata: ["file": "\(id.text)", "bytes": "\(shortage.neededBytes)"]
            )
            repeat {
                // The free space is checked periodically, because no system call waits for it.
                try await sleepBeforeRetry(
                    id,
                    configuration.sendRetry.computeDelay(attempt: attempt),
                    "no room on the disk"
                )
                attempt += 1
            } while try await !canRetryTransfer(shortage)
        }
    }

    /// Whether the transfer can be tried again. The result is also true after the deadline. Then the next attempt
    /// fails, and reports the failure.
    private func canRetryTransfer(_ shortage: DiskShortage) async throws -> Bool {
        if WallClock.seconds() >= shortage.deadlineSeconds { return true }
        let room = try await runBlocking { [folder = configuration.filesFolder] in DiskFiles.readFreeBytes(at: folder) }
        return room >= UInt64(clamping: shortage.neededBytes + Self.diskReserveBytes)
    }

    func isDiskFull(_ error: any Error) -> Bool { (error as? any StorageError)?.isStorageFull ?? false }

    /// Whether an error only results from the end of the agent's run, or from the cancellation of the transfer.
    func isCausedByEndOfTransfer(_ error: any Error) -> Bool {
        if error is CancellationError || Task.isCancelled { return true }
        if let error = error as? AgentError, error == .inactive { return true }
        return error as? DatabaseError == .closed
    }

    /// Writes to the database, and repeats the write after temporary errors, such as a full disk.
    func storeWithRetry<T: Sendable>(_ body: @escaping @Sendable (DatabaseConnection) throws -> T) async throws -> T {
        var attempt = 0
        while true {
            do { return try await database.write(body) } catch let error as DatabaseError where error.isTemporary {
                try await Task.sleep(for: configuration.sendRetry.computeDelay(attempt: attempt))
                attempt += 1
            }
        }
    }
}

extension AgentConfiguration {
    fileprivate func sentPath(_ id: FileID) -> String { "\(filesFolder)/\(id.text).snd" }
    fileprivate func receivedPath(_ id: FileID) -> String { "\(filesFolder)/\(id.text).rcv" }
    fileprivate func redirectPath(_ id: FileID) -> String { "\(filesFolder)/\(id.text).redirect" }

    /// Returns the paths of all files that the work folder may contain for this transfer.
    func workPaths(of id: FileID) -> [String] { [sentPath(id), receivedPath(id), redirectPath(id)] }
}

/// Progress of the transfer of a file, with the time of the last progress event.
final class TransferProgress: Sendable {
    private struct State {
        var doneBytes: Int64
        var reportedAt: ContinuousClock.Instant?
    }

    /// Shortest time between two events of a file.
    private static let reportInterval = Duration.milliseconds(100)
    private let state: Mutex<State>
    let totalBytes: Int64

    init(done: Int64, total: Int64) {
        state = Mutex(State(doneBytes: done))
        self.totalBytes = total
    }

    /// Adds transferred bytes.
    /// - Returns: the transferred bytes in total if an event is due now; otherwise nil.
    func addBytes(_ count: Int) -> Int64? {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.doneBytes += Int64(count)
            if let last = state.reportedAt, now - last < Self.reportInterval, state.doneBytes < totalBytes {
                return nil
            }
            state.reportedAt = now
            return state.doneBytes
        }
    }
}
