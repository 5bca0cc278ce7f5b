internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Logging
import Synchronization

/// Sends scheduled messages and broadcasts, and deletes their old results.
///
/// The transaction that writes the items of a chat also writes the result of the receiver. So a receiver gets the
/// messages exactly once, even if the process ends at any moment.
final class PlannedMessageWorker: Worker {
    let followUpWork = FollowUp.plannedMessages
    let store: ChatStore
    let folders: LocalFolders
    private let clock: @Sendable () -> Timestamp
    let logger: Logger
    let signal = WakeSignal()
    private let rights = Mutex(RightsState())

    private struct RightsState {
        var lookUp: (@Sendable (String) -> PlannedRights)?
        /// Whether the last round of the worker ended early, because `lookUp` was not set yet.
        var isAwaited = false
    }

    /// The maximum time between two rounds of the worker while messages wait. The time is short, because a change of
    /// the system clock can make messages due earlier.
    private static let maxRoundPause = Duration.seconds(60)
    /// The maximum time between two rounds of the worker when no message waits, but results must be deleted later.
    private static let maxResultRoundPause = Duration.seconds(3600)

    init(store: ChatStore, folders: LocalFolders, clock: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.store = store
        self.folders = folders
        self.clock = clock
        self.logger = logger
    }

    /// Sets the function that returns the rights of an API key. The worker sends nothing before this call.
    func setRightsLookup(_ lookUp: @escaping @Sendable (String) -> PlannedRights) {
        let isAwaited = rights.withLock { state in
            defer { state = RightsState(lookUp: lookUp) }
            return state.isAwaited
        }
        if isAwaited { wake() }
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        try db.hasRow("SELECT 1 FROM planned_messages") ? .zero : nil
    }

    func run(from start: WorkerStart) async {
        await signal.run(logger, after: start.pause, whenFailed: "scheduled messages and broadcasts not sent") {
            try await runRound()
        }
    }

    /// Deletes old results, and sends the messages that are due.
    /// - Returns: the time until the next round. It is nil if nothing waits and no results are kept, or if the function
    ///   for the rights of keys is not set yet.
    func runRound() async throws -> Duration? {
        // A broadcast can have many results, so each broadcast is deleted in a separate transaction.
        while !Task.isCancelled, try await deleteOldestResults() {}
        let mayLookUp = rights.withLock { state in
            state.isAwaited = state.lookUp == nil
            return !state.isAwaited
        }
        guard mayLookUp else { return nil }
        let ready = try await store.read { try Self.findReadyMessageIds($0) }
        if !ready.isEmpty {
            let now = clock()
            try await store.write { tx in
                for id in ready {
                    try tx.db.execute(
                        """
                        UPDATE planned_messages SET next_at = max(coalesce(send_at, 0), :now)
                        WHERE planned_id = :planned_id AND finished_at IS NULL AND next_at IS NULL
                        """,
                        ["now": now.nanoseconds, "planned_id": id]
                    )
                }
            }
        }
        while !Task.isCancelled {
            let now = clock()
            guard let id = try await store.read({ try Self.findDueMessageId(at: now, $0) }) else { break }
            try await sendMessage(id, at: now)
        }
        let now = clock()
        return try await store.read { db in
            let row = try db.firstRow(
                "SELECT count(*) AS n, min(next_at) AS next FROM planned_messages WHERE finished_at IS NULL"
            )
            let waiting: Int = try row?.readCount("n") ?? 0
            guard let row, waiting > 0 else {
                return try db.hasRow("SELECT 1 FROM planned_messages") ? Self.maxResultRoundPause : nil
            }
            guard let next = try row.int64OrNil("next") else { return Self.maxRoundPause }
            return min(Self.maxRoundPause, max(.zero, Timestamp(nanoseconds: next).duration(since: now)))
        }
    }

    private func deleteOldestResults() async throws -> Bool {
        let limit = clock().adding(seconds: -PlannedLimits.resultLifetimeSeconds).nanoseconds
        // The worker first only reads, because most rounds find no old results, and need no write transaction.
        let isFound = try await store.read { db in
            try db.hasRow("SELECT 1 FROM planned_messages WHERE finished_at < ?", limit)
        }
        guard isFound else { return false }
        let now = clock()
        return try await store.write { try PlannedMessages.deleteOldestResults(at: now, $0) }
    }

    private static func findDueMessageId(at now: Timestamp, _ db: StoreConnection) throws -> Int64? {
        try db.queryFirst(
            "SELECT planned_id FROM planned_messages WHERE next_at <= ? ORDER BY next_at, planned_id LIMIT 1",
            [now.nanoseconds]
        )?.int64("planned_id")
    }

    /// Finds the scheduled messages that waited for a connection which is now ready.
    private static func findReadyMessageIds(_ db: StoreConnection) throws -> [Int64] {
        let rows = try db.query(
            """
            SELECT r.*, m.user_id AS owner FROM planned_messages m JOIN planned_receivers r ON r.planned_id = m.planned_id
            WHERE m.finished_at IS NULL AND m.next_at IS NULL AND m.broadcasts = 0 AND r.state = 'waiting'
            """
        )
        return try rows.compactMap { row in
            guard let user = try UserRecord.find(row.int64("owner"), in: db) else { return nil }
            do {
                if case .notConnected = try PlannedChat.find(PlannedReceiver(row).chat, for: .scheduled, user, db) {
                    return nil
                }
            } catch {
                // The error must not stop the other messages. It occurs again when this message is sent, and is handled
                // then.
            }
            return try row.int64("planned_id")
        }
    }

    /// Returns the rights of an API key at this moment.
    func lookUpRights(ofKey id: String) -> PlannedRights { rights.withLock { $0.lookUp }?(id) ?? .unknown }
}
