package import Agent
internal import DequeModule
internal import SQLCipher
import Synchronization

/// The sizes of uploads on the disk in bytes.
package protocol UploadSizes: Sendable {
    /// Returns the size of a complete upload; nil before the upload was moved to its path.
    /// - Parameter path: the path in the database.
    func size(ofUpload path: String) -> Int64?

    func sizesOfIncompleteUploads() -> [Int64]
}

/// Keeps a store within its limits.
///
/// Before the commit of a transaction, the use of the limited resources is counted. If the limit is exceeded, the
/// transaction is rolled back. So concurrent commands cannot exceed the limit together. The command that exceeded the
/// limit fails. Received data is not acknowledged. It waits at its relay and in the outbox of its sender until the
/// store is no longer full, and blocks its connection.
///
/// The use of a store without limits is not counted, and the use of a store far below its limits is counted rarely. The
/// rows of a table are numbered in the order of their creation. So the number of rows is at most the last count plus
/// the quantity of numbers assigned since then.
package final class StoreQuota: Sendable {
    /// The purpose of a write. It decides which limits apply to the write.
    package enum Purpose: Sendable {
        /// Work that no limit prevents. It deletes or changes existing data, or continues earlier work.
        case upkeep
        case command(QuotaNeeds)
        /// Data that peers have sent.
        case receivedData

        package var needs: QuotaNeeds? {
            switch self {
            case .upkeep: nil
            case .command(let needs): needs
            case .receivedData: [.items, .connections]
            }
        }
    }

    /// The number of rows, and the highest row number that was assigned at the time of the count.
    struct Count: Sendable {
        package var rowCount: Int64
        package var lastRowNumber: Int64
    }

    private struct State {
        var limits = StoreLimits()
        /// The last committed count of each resource.
        var counts: [StoreLimits.Resource: Count] = [:]
        /// The size of the agent's database in bytes. It was read at the time `agentBytesReadAt`.
        var agentDatabaseBytes: Int64 = 0
        var agentBytesReadAt: ContinuousClock.Instant?
        var uploadSizes: (any UploadSizes)?
        /// The callers that wait for space, by their numbers. `waiterOrder` contains the numbers in the order of
        /// arrival, and may also contain numbers of callers that no longer wait.
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var waiterOrder: Deque<UInt64> = []
        var lastWaiterNumber: UInt64 = 0
        var refusalCount = 0
        var lastWakeTime: ContinuousClock.Instant?
        /// The sizes of complete uploads in bytes, by their paths.
        var uploadBytes: [String: Int64] = [:]

        /// Removes and returns the callers that have waited longest.
        mutating func takeWaiters(_ count: Int) -> [CheckedContinuation<Void, Never>] {
            var taken: [CheckedContinuation<Void, Never>] = []
            while taken.count < count, let number = waiterOrder.popFirst() {
                if let waiter = waiters.removeValue(forKey: number) { taken.append(waiter) }
            }
            return taken
        }
    }

    private let state = Mutex(State())

    package var limits: StoreLimits { state.withLock { $0.limits } }
    package var waiterCount: Int { state.withLock { $0.waiters.count } }
    package var refusalCount: Int { state.withLock { $0.refusalCount } }

    package func setLimits(_ limits: StoreLimits) {
        state.withLock { $0.limits = limits }
        wakeSomeWaiters()
    }

    package func setUploadFolders(_ folders: any UploadSizes) { state.withLock { $0.uploadSizes = folders } }
    package func countRefusal() { state.withLock { $0.refusalCount += 1 } }

    /// Counts an error as a refusal, if it is an exceeded limit.
    /// - Returns: whether the error is an exceeded limit.
    package func countIfExceeded(_ error: any Error) -> Bool {
        guard error is QuotaExceeded else { return false }
        countRefusal()
        return true
    }

    // MARK: In a transaction

    /// The use of limited resources before a transaction, with the limits to check at its end.
    struct InitialState {
        fileprivate let limits: StoreLimits
        fileprivate let needs: QuotaNeeds
        fileprivate let lastRowNumbers: [StoreLimits.Resource: Int64]
        fileprivate let usedBytes: Int64
    }

    /// Reads the state before a transaction. Returns nil if nothing has to be checked: the store has no limits, or no
    /// limit applies to the purpose.
    func readInitialState(_ purpose: Purpose, _ db: StoreConnection) throws -> InitialState? {
        guard let needs = purpose.needs else { return nil }
        let limits = limits
        guard !limits.isEmpty else { return nil }
        return InitialState(
            limits: limits,
            needs: needs,
            lastRowNumbers: try Self.readLastRowNumbers(db),
            usedBytes: try db.computeUsedBytes()
        )
    }

    /// Checks the limits before the commit of a transaction.
    /// - Returns: the new counts, which are valid after the commit.
    /// - Throws: `QuotaExceeded`.
    func checkLimits(since before: InitialState?, _ db: StoreConnection) throws -> [StoreLimits.Resource: Count] {
        guard let before else { return [:] }
        if let limit = before.limits[.databaseBytes] {
            let bytes = try db.computeUsedBytes()
            if bytes > before.usedBytes, bytes + state.withLock({ $0.agentDatabaseBytes }) > limit {
                throw QuotaExceeded(resource: .databaseBytes, limit: limit)
            }
        }
        var counted: [StoreLimits.Resource: Count] = [:]
        let numbers = try Self.readLastRowNumbers(db)
        for resource in before.needs.resources {
            guard let limit = before.limits[resource], let last = numbers[resource],
                last > before.lastRowNumbers[resource] ?? 0
            else { continue }
            if let known = lastCount(resource), known.rowCount + (last - known.lastRowNumber) <= limit { continue }
            let rows = try Self.countRows(resource, db)
            guard rows <= limit else { throw QuotaExceeded(resource: resource, limit: limit) }
            counted[resource] = Count(rowCount: rows, lastRowNumber: last)
        }
        if before.needs.contains(.files), before.limits.limitsFiles {
            let files = try countFiles(db)
            for (resource, used) in [(StoreLimits.Resource.files, files.count), (.fileBytes, files.bytes)] {
                if let limit = before.limits[resource], used > limit {
                    throw QuotaExceeded(resource: resource, limit: limit)
                }
            }
        }
        return counted
    }

    /// Records the counts of a committed transaction.
    func setCounts(_ counted: [StoreLimits.Resource: Count]) {
        guard !counted.isEmpty else { return }
        state.withLock { $0.counts.merge(counted) { _, new in new } }
    }

    private func lastCount(_ resource: StoreLimits.Resource) -> Count? { state.withLock { $0.counts[resource] } }

    // MARK: Looking ahead

    /// Checks that no needed resource is full.
    /// - Throws: `QuotaExceeded`.
    package func checkCapacity(
        for needs: QuotaNeeds,
        _ agent: Agent,
        _ read: (@escaping @Sendable (StoreConnection) throws -> Void) async throws -> Void
    ) async throws {
        let limits = limits
        guard !limits.isEmpty else { return }
        await refreshAgentBytesIfLimited(agent)
        try await read { [self] db in
            for resource in needs.resources {
                guard let limit = limits[resource] else { continue }
                if try countUse(resource, upTo: limit, db) >= limit {
                    throw QuotaExceeded(resource: resource, limit: limit)
                }
            }
        }
    }

    /// Returns the number of files and bytes that may still be added; nil for a resource without a limit.
    package func readSpaceForFiles(_ db: StoreConnection) throws -> (count: Int64?, bytes: Int64?) {
        let limits = limits
        guard limits.limitsFiles else { return (nil, nil) }
        let used = try countFiles(db)
        return (limits[.files].map { $0 - used.count }, limits[.fileBytes].map { $0 - used.bytes })
    }

    /// Checks that a file of `size` bytes does not exceed the limits.
    /// - Throws: `QuotaExceeded`.
    package func checkFile(of size: Int64, _ db: StoreConnection) throws {
        let (limits, room) = (limits, try readSpaceForFiles(db))
        if let count = room.count, count < 1 { throw QuotaExceeded(resource: .files, limit: limits[.files] ?? 0) }
        if let bytes = room.bytes, bytes < size {
            throw QuotaExceeded(resource: .fileBytes, limit: limits[.fileBytes] ?? 0)
        }
    }

    /// Counts the use of a resource.
    /// - Parameter limit: if the use may reach this limit, the function counts exactly. Otherwise the result is below
    ///   the limit, and the use is at most the result.
    private func countUse(_ resource: StoreLimits.Resource, upTo limit: Int64, _ db: StoreConnection) throws -> Int64 {
        switch resource {
        case .databaseBytes: return try db.computeUsedBytes() + state.withLock { $0.agentDatabaseBytes }
        case .files: return try countFiles(db).count
        case .fileBytes: return try countFiles(db).bytes
        case .items, .connections:
            if let known = lastCount(resource), let last = try Self.readLastRowNumbers(db)[resource],
                known.rowCount + (last - known.lastRowNumber) < limit
            {
                return known.rowCount + (last - known.lastRowNumber)
            }
            return try Self.countRows(resource, db)
        }
    }

    /// Counts the use of all resources.
    package func countAllUse(_ agent: Agent, _ db: StoreConnection) throws -> StoreUse {
        let files = try countFiles(db)
        return StoreUse([
            .databaseBytes: try db.computeUsedBytes() + state.withLock { $0.agentDatabaseBytes },
            .items: try Self.countRows(.items, db),
            .connections: try Self.countRows(.connections, db), .files: files.count, .fileBytes: files.bytes,
        ])
    }

    /// Updates the known size of the agent's database if the size of databases is limited.
    package func refreshAgentBytesIfLimited(_ agent: Agent) async {
        if limits[.databaseBytes] != nil { await refreshAgentBytes(agent) }
    }

    /// Reads the size of the agent's database, unless the size was read in the last two seconds.
    package func refreshAgentBytes(_ agent: Agent) async {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            guard state.agentBytesReadAt.map({ now - $0 > .seconds(2) }) ?? true else { return false }
            state.agentBytesReadAt = now
            return true
        }
        guard isDue, let bytes = try? await agent.measureDatabaseBytes() else { return }
        state.withLock { $0.agentDatabaseBytes = bytes }
    }

    // MARK: Waiting

    /// Waits until the use of a resource may be below its limit again, or until `time` is over.
    package func waitForSpace(_ time: Duration) async {
        await withCheckedContinuation { continuation in
            let number = state.withLock { state in
                state.lastWaiterNumber += 1
                state.waiters[state.lastWaiterNumber] = continuation
                state.waiterOrder.append(state.lastWaiterNumber)
                // A caller that has stopped waiting leaves its number in `waiterOrder`. The numbers are cleaned up when
                // most of them belong to such callers.
                if state.waiterOrder.count > 2 * state.waiters.count + 64 {
                    state.waiterOrder.removeAll { [waiting = state.waiters] in waiting[$0] == nil }
                }
                return state.lastWaiterNumber
            }
            Task { [weak self] in
                try? await Task.sleep(for: time)
                self?.state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
            }
        }
    }

    /// Returns whether the use of a resource has reached its limit.
    package func isFull(_ resource: StoreLimits.Resource, _ db: StoreConnection) throws -> Bool {
        guard let limit = limits[resource] else { return false }
        return try countUse(resource, upTo: limit, db) >= limit
    }

    /// Wakes waiting callers after a write that did not store received data, since the write may have deleted data.
    func wakeAfterWrite() {
        let now = ContinuousClock.now
        let wakes = state.withLock { state in
            guard !state.waiters.isEmpty, state.lastWakeTime.map({ now - $0 > .milliseconds(500) }) ?? true else {
                return false
            }
            state.lastWakeTime = now
            return true
        }
        if wakes { wakeSomeWaiters() }
    }

    /// Wakes up to 8 waiting callers, which check the limit again. A woken caller that can continue wakes further
    /// callers.
    package func wakeSomeWaiters() { for waiter in state.withLock({ $0.takeWaiters(8) }) { waiter.resume() } }

    /// Wakes all waiting callers, which check the limit again.
    package func wakeAllWaiters() { for waiter in state.withLock({ $0.takeWaiters(.max) }) { waiter.resume() } }

    // MARK: Counting

    private static func readLastRowNumbers(_ db: StoreConnection) throws -> [StoreLimits.Resource: Int64] {
        var numbers: [StoreLimits.Resource: Int64] = [:]
        for row in try db.query("SELECT name, seq FROM sqlite_sequence WHERE name IN ('chat_items', 'connections')") {
            numbers[try row.string("name") == "connections" ? .connections : .items] = try row.readCount("seq")
        }
        return numbers
    }

    private static func countRows(_ resource: StoreLimits.Resource, _ db: StoreConnection) throws -> Int64 {
        let query =
            resource == .connections
            ? "SELECT count(*) AS n FROM connections WHERE conn_status <> 'deleted'"
            : "SELECT coalesce(sum(items), 0) AS n FROM chat_item_days"
        return try db.firstRow(query)?.readClampedCount("n", upTo: Row.maxCount) ?? 0
    }

    /// Counts the files of messages, files without a message, and incomplete uploads.
    private func countFiles(_ db: StoreConnection) throws -> (count: Int64, bytes: Int64) {
        let row = try db.firstRow("SELECT files, bytes FROM file_totals")
        var count: Int64 = try row?.readClampedCount("files") ?? 0
        var bytes: Int64 = try row?.readClampedCount("bytes", upTo: Row.maxCount) ?? 0
        guard let folders = state.withLock({ $0.uploadSizes }) else { return (count, bytes) }
        // A complete upload no longer changes, so its size is read only once.
        let known = state.withLock { $0.uploadBytes }
        var uploads: [String: Int64] = [:]
        for row in try db.query("SELECT file_path FROM uploads") {
            let path = try row.string("file_path")
            count += 1
            // The size is nil while the upload is not moved to this path yet.
            uploads[path] = known[path] ?? folders.size(ofUpload: path)
        }
        if uploads != known { state.withLock { [uploads] in $0.uploadBytes = uploads } }
        for size in uploads.values { bytes += size }
        // Each user has a limited number of incomplete uploads, so reading all sizes is fast.
        for size in folders.sizesOfIncompleteUploads() {
            count += 1
            bytes += size
        }
        return (count, bytes)
    }
}
