internal import Concurrency
internal import Files
internal import JSON
internal import Logging
internal import SimpleXCrypto
internal import Synchronization

/// All long operations of the gateway. Each operation has a file in the folder `operations` of the data folder, from
/// its beginning until a day after its end.
///
/// The work of an operation belongs to no connection, so the work continues when the client disconnects. The work ends
/// with the process. After the next start, an operation that was running is shown as failed. Its work cannot continue,
/// because the folder has no passphrases and no keys.
final class LongOperations: Sendable {
    /// The path of the list of operations. The paths of single operations begin with this path.
    static let path = "/v1/operations"
    /// Seconds for which a request for long work waits for the result by default. After this time, the answer is an
    /// operation.
    static let defaultWaitSeconds: Int64 = 10
    /// Maximal numbers of operations: of all keys, of one key, and of all keys of a store other than the first store.
    static let (maxOperations, maxOperationsPerKey, maxOperationsPerStore) = (1_000, 100, 250)

    /// Maximal number of bytes of a kept answer.
    private static let maxAnswerBoxBytes = 1 << 19

    private struct Entry {
        var operation: LongOperation
        /// The progress of the running operation; nil after its end.
        var progress: WorkProgress?
        /// The identity of the POST request that began the operation; nil for a request without an idempotency key, for
        /// another method, and for an operation of an earlier process.
        var request: RequestIdentity?
        /// The encrypted answer, if it could not be written to the file.
        var box: [UInt8]?

        var tracked: TrackedOperation { (operation: operation, progress: progress) }
    }

    /// An operation, with its progress while it runs.
    typealias TrackedOperation = (operation: LongOperation, progress: WorkProgress?)

    private let state = Mutex([String: Entry]())
    private let runningWork = RunningWork()
    /// The folder with the files of operations; nil to write no files.
    private let folder: String?
    let clock: GatewayClock
    private let log: Logger?

    /// The name of the folder with the files of operations, in the data folder. Backups leave out this folder, since no
    /// work continues in a copy.
    static let folderName = "/operations"

    /// Reads the operations of earlier processes. Blocks the thread.
    /// - Parameter data: the data folder; nil for operations that only this process knows.
    init(in data: String? = nil, clock: GatewayClock = .system, log: Logger? = nil) {
        (folder, self.clock, self.log) = (data.map { $0 + Self.folderName }, clock, log)
        guard let folder else { return }
        for name in DiskFiles.listEntries(folder) {
            let path = folder + "/" + name
            let content: [UInt8]?
            do { content = try DiskFiles.readFile(path) } catch {
                // The file stays, because the next start may be able to read it.
                log?.error("The file of an operation could not be read.", metadata: ["error": "\(error)"])
                continue
            }
            guard name.hasPrefix(Self.idPrefix), var stored = content.flatMap({ StoredOperation(id: name, $0) }),
                stored.operation.expiresAtSeconds ?? .max > clock.seconds()
            else {
                DiskFiles.removeFile(path)
                continue
            }
            if stored.operation.state == .running {
                stored.operation.recordInterruption(at: clock.seconds())
                do { try writeOperation(stored) } catch { logFailedWrite(error) }
            }
            let operation = stored.operation
            state.withLock { $0[name] = Entry(operation: operation) }
        }
    }

    /// Reads the operations of earlier processes, on a thread that may block.
    /// - Parameter data: the data folder.
    static func readOperations(in data: String, clock: GatewayClock, log: Logger) async -> LongOperations {
        let read = try? await runBlocking { LongOperations(in: data, clock: clock, log: log) }
        return read ?? LongOperations(clock: clock, log: log)
    }

    private static let idPrefix = "op-"

    // MARK: Files

    private func writeOperation(_ stored: StoredOperation) throws {
        guard let folder else { return }
        try DiskFiles.makeFolder(folder)
        try DiskFiles.replaceFile(folder + "/" + stored.operation.id, with: stored.encodedJSON)
    }

    private func logFailedWrite(_ error: any Error) {
        log?.error("The state of an operation could not be written.", metadata: ["error": "\(error)"])
    }

    private func removeExpiredOperations() async {
        let now = clock.seconds()
        await removeOperations { $0.expiresAtSeconds.map { $0 <= now } ?? false }
    }

    /// Removes the operations of a deleted store. A later store may have the same id.
    func removeOperationsOfStore(store: String) async { await removeOperations { $0.storeID == store } }

    private func removeOperations(where isRemoved: (LongOperation) -> Bool) async {
        let removed = state.withLock { entries in
            let removed = entries.values.map(\.operation).filter(isRemoved).map(\.id)
            for id in removed { entries[id] = nil }
            return removed
        }
        guard let folder, !removed.isEmpty else { return }
        await runCleanup { for id in removed { DiskFiles.removeFile(folder + "/" + id) } }
    }

    // MARK: Reading

    func listOperations() async -> [TrackedOperation] {
        await removeExpiredOperations()
        return state.withLock { $0.values.map(\.tracked) }
    }

    func findOperation(_ id: String) async -> TrackedOperation? {
        await removeExpiredOperations()
        return state.withLock { $0[id]?.tracked }
    }

    /// Returns the box (the encrypted answer) of an operation; nil if there is no box.
    func readAnswerBox(of id: String) async throws -> [UInt8]? {
        guard let entry = state.withLock({ $0[id] }) else { return nil }
        if let box = entry.box { return box }
        guard let folder else { return nil }
        return try await runBlocking {
            try DiskFiles.readFile(folder + "/" + id).flatMap { StoredOperation(id: id, $0)?.box }
        }
    }

    /// Returns the operation of an earlier request that had the API key and the idempotency key of this request.
    /// - Parameter isDone: whether an operation that has succeeded is returned too. An operation that has failed had no
    ///   effect, so its request may run again.
    /// - Throws: `idempotencyKeyReused` if the contents of the earlier request were different.
    func findOperation(
        _ request: RequestIdentity,
        of principal: Principal,
        orDone isDone: Bool
    ) throws(ProblemDetails) -> TrackedOperation? {
        let found = state.withLock { entries in
            entries.values.filter { $0.request?.keyHash == request.keyHash && $0.operation.isOwnedBy(principal) }
                .first { $0.operation.state == .running || isDone && $0.operation.state == .done }
        }
        guard let found else { return nil }
        guard found.request?.fingerprint == request.fingerprint else { throw ProblemDetails(.idempotencyKeyReused) }
        return found.tracked
    }

    // MARK: Life of an operation

    /// Begins an operation. Its file is written before this function returns.
    /// - Throws: `tooManyRequests` when too many operations are kept, or another problem when the file cannot be
    ///   written.
    func beginOperation(
        _ operationID: String,
        _ parameters: [String: String],
        of principal: Principal,
        requestID: String,
        _ request: RequestIdentity?,
        _ progress: WorkProgress
    ) async throws(ProblemDetails) -> LongOperation {
        await removeExpiredOperations()
        let operation = LongOperation(
            id: Self.idPrefix + Base64URL.encode(RandomBytes.make(count: 18), padding: false),
            route: operationID,
            parameters: parameters,
            keyID: principal.keyID,
            storeID: principal.storeID,
            requestID: requestID,
            startedAtSeconds: clock.seconds()
        )
        let hasRoom = state.withLock { entries in
            let own = entries.values.count { $0.operation.isOwnedBy(principal) }
            let ofStore = principal.storeID.map { store in entries.values.count { $0.operation.storeID == store } } ?? 0
            guard entries.count < Self.maxOperations, own < Self.maxOperationsPerKey,
                ofStore < Self.maxOperationsPerStore
            else {
                return false
            }
            entries[operation.id] = Entry(operation: operation, progress: progress, request: request)
            return true
        }
        guard hasRoom else { throw ProblemDetails(.tooManyRequests, "Too many operations are kept.") }
        do { try await runBlocking { [self] in try writeOperation(StoredOperation(operation)) } } catch {
            state.withLock { $0[operation.id] = nil }
            throw ProblemDetails(error, "The operation could not be noted.")
        }
        runningWork.beginWork()
        return operation
    }

    /// Ends an operation with the response of its work, and writes the file of the operation.
    /// - Parameter sealed: encrypts the answer in a box; nil if the answer cannot be kept.
    func endOperation(_ id: String, _ response: HTTPResponse, _ sealed: SealedAnswerRequest?) async {
        defer { runningWork.endWork() }
        guard let entry = state.withLock({ $0[id] }) else { return }
        var stored = StoredOperation(entry.operation)
        stored.operation.recordEnd(response, entry.progress, at: clock.seconds())
        if stored.operation.state == .done, let box = try? sealed?.sealAnswer(response),
            box.count <= Self.maxAnswerBoxBytes
        {
            stored.box = box
        }
        let ended = stored
        var kept: [UInt8]?
        // The file is written in a task of its own, because it must be written even if the process is stopping.
        let written = Task { try await runBlocking { [self] in try writeOperation(ended) } }
        do { try await written.value } catch {
            logFailedWrite(error)
            kept = ended.box
        }
        if folder == nil { kept = ended.box }
        let box = kept
        state.withLock { entries in
            entries[id]?.operation = ended.operation
            entries[id]?.progress = nil
            entries[id]?.box = box
        }
    }

    /// Waits until no operation runs. An operation that still runs at `limit` is shown as failed after the next start.
    func waitForEnd(until limit: ContinuousClock.Instant) async { await runningWork.waitUntilIdle(until: limit) }
}

extension LongOperation {
    func isOwnedBy(_ principal: Principal) -> Bool { keyID == principal.keyID && storeID == principal.storeID }

    fileprivate mutating func recordEnd(_ response: HTTPResponse, _ progress: WorkProgress?, at now: Int64) {
        (endedAtSeconds, lastProgress) = (now, progress?.amount)
        // The cancellation may have come after the effect of the work. Then the operation has succeeded.
        if (200...299).contains(response.status) {
            (state, status) = (.done, response.status)
            return
        }
        guard progress?.isCancelled != true else {
            state = .cancelled
            return
        }
        (state, status) = (.failed, response.status)
        if case .bytes(let body) = response.content { problem = try? JSONValue(parsing: body) }
    }

    fileprivate mutating func recordInterruption(at now: Int64) {
        var reason = ProblemDetails(
            .operationInterrupted,
            "The gateway ended while the operation was running. Look at its effect, then send the request again."
        )
        reason.requestId = requestID
        (state, endedAtSeconds, status, problem) = (.failed, now, reason.status, reason.json)
    }
}
