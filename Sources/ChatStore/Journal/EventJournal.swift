internal import ChatAPI
internal import Logging
package import SQLCipher
import Synchronization

/// The durable list of all events of one store, in the order in which they were committed.
///
/// An entry gets its number in the transaction of its change. After the commit, each entry is published once, in the
/// order of the numbers. The newest entries are kept in memory, so that a reader at the end of the journal does not use
/// the database.
package final class EventJournal: Sendable {
    /// The id of this journal. It is random and is created with the store. Each copy of the store gets a new id.
    package let epoch: String
    /// The journal from which this journal was copied; nil if the store is not a copy.
    package let originJournal: JournalOrigin?

    private let database: Database
    private let retention: JournalRetention
    /// A function that waits for a missing entry. After the wait, the missing entry is read from the database.
    private let waitForMissingEntry: @Sendable () async -> Void
    private let state: Mutex<State>
    private let inactiveHiddenUserIds = Mutex<Set<Int64>>([])
    private let logger = Logger(label: "chat.simplex.core")
    /// The handlers of publications. The lock is held while handlers run, so that publications stay in order.
    private let publishHandlers = Mutex<[@Sendable ([JournalEntry]) -> Void]>([])

    fileprivate struct State {
        /// The number of the last published entry.
        var latestSeq: UInt64
        /// The number of the oldest entry kept; `latestSeq + 1` for an empty journal.
        var oldestSeq: UInt64
        /// Committed entries that are not published yet, by their numbers. These entries wait until all entries with
        /// lower numbers are passed to ``publish(_:)``.
        var waitingEntries: [UInt64: JournalEntry] = [:]
        /// Whether a task watches for missing entries.
        var isResolvingGaps = false
        /// The newest published entries, without gaps. The last of them has the number `latestSeq`.
        var recentEntries: [JournalEntry] = []
        var recentEntryBytes = 0
        var entriesSinceTrim: UInt64 = 0
        var bytesSinceTrim: UInt64 = 0
        var entriesSincePacking = 0
        var isPacking = false
        /// The number of the first entry that may still have rows in the table `event_subjects`; 0 if this number is
        /// unknown.
        var oldestSubjectSeq: UInt64 = 0
        /// Entries up to this number are not kept in memory, since some of them were changed after the publication.
        var changedUpToSeq: UInt64 = 0
    }

    /// Limits of the entries in memory. When a limit is exceeded, the older half is removed.
    fileprivate static let maxRecentEntries = (count: 4096, bytes: 8 << 20)

    /// Opens the journal of a store.
    package static func open(
        on database: Database,
        retention: JournalRetention,
        gapPatience: @escaping @Sendable () async -> Void = CommitGap.waitForMissingRow
    ) async throws -> EventJournal {
        let (epoch, origin, latest, oldest) = try await database.read { db in
            let meta = try db.firstRow("SELECT epoch, origin, origin_end FROM journal_meta")
            let epoch = try meta?.string("epoch") ?? ""
            let origin = try meta?.stringOrNil("origin").map {
                JournalOrigin(epoch: $0, end: UInt64(clamping: try meta?.int64OrNil("origin_end") ?? 0))
            }
            // SQLite keeps the last number of the sequence even after the entry with this number was deleted. So the
            // number is read from the sequence, not from the entries.
            let last = try db.firstRow("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
            let latest: UInt64 = try last?.readCount("seq") ?? 0
            let oldest: UInt64? = try db.firstRow("SELECT min(seq) AS seq FROM events")?.readCountOrNil("seq")
            return (epoch, origin, latest, oldest ?? latest + 1)
        }
        return EventJournal(
            epoch: epoch,
            origin: origin,
            database: database,
            retention: retention,
            gapPatience: gapPatience,
            latest: latest,
            oldest: oldest
        )
    }

    /// Sets a new random epoch for the journal, and records the former epoch as the origin. Later entries of a copy and
    /// of the original have the same numbers, but different contents. The new epoch makes old cursors invalid.
    package static func renewEpoch(_ db: StoreConnection) throws {
        try db.execute(
            """
            UPDATE journal_meta SET origin = epoch, origin_end = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0),
            epoch = lower(hex(randomblob(6)))
            """
        )
    }

    private init(
        epoch: String,
        origin: JournalOrigin?,
        database: Database,
        retention: JournalRetention,
        gapPatience: @escaping @Sendable () async -> Void,
        latest: UInt64,
        oldest: UInt64
    ) {
        self.waitForMissingEntry = gapPatience
        self.epoch = epoch
        self.originJournal = origin
        self.database = database
        self.retention = retention
        state = Mutex(State(latestSeq: latest, oldestSeq: oldest))
    }

    /// The number of the newest entry; 0 in a new journal.
    package var latestSeq: UInt64 { state.withLock { $0.latestSeq } }

    /// The number of the oldest entry that is kept; `latestSeq + 1` for an empty journal.
    package var oldestSeq: UInt64 { state.withLock { $0.oldestSeq } }

    /// The hidden users that are not active. Only keys that are bound to a hidden user receive the events of this user.
    package var inactiveHiddenUsers: Set<Int64> { inactiveHiddenUserIds.withLock { $0 } }

    /// Sets the inactive hidden users. Call this function after the commit that has changed them, and before publishing
    /// the events of the commit.
    func setInactiveHiddenUsers(_ users: Set<Int64>) { inactiveHiddenUserIds.withLock { $0 = users } }

    /// Returns up to `limit` entries after `seq`, the oldest first. The result is empty at the end of the journal. It
    /// is also empty if all entries between `seq` and the end were deleted together with a user.
    ///
    /// If `seq` is less than `oldestSeq - 1`, the retention has deleted entries that follow `seq`. The caller compares
    /// the numbers, and reports the loss to its reader.
    /// - Throws: `DatabaseError` if the entries are not in memory and cannot be read.
    package func readEntries(after seq: UInt64, limit: Int) async throws -> [JournalEntry] {
        let (latest, held): (UInt64, [JournalEntry]?) = state.withLock { state in
            guard seq < state.latestSeq else { return (state.latestSeq, []) }
            guard let first = state.recentEntries.first, seq &+ 1 >= first.cursor.seq else {
                return (state.latestSeq, nil)
            }
            let start = Int(seq &+ 1 &- first.cursor.seq)
            return (state.latestSeq, Array(state.recentEntries[start...].prefix(max(0, limit))))
        }
        if let held { return held }
        return try await readStoredEntries(after: seq, upTo: latest, limit: limit)
    }

    private func readStoredEntries(after seq: UInt64, upTo last: UInt64, limit: Int) async throws -> [JournalEntry] {
        let epoch = epoch
        return try await database.read { db in
            var texts = EventTexts(db)
            return try db.query(
                """
                SELECT seq, event_ts, user_id, audience, event FROM events
                WHERE seq > :after AND seq <= :last ORDER BY seq LIMIT :limit
                """,
                ["after": Int64(clamping: seq), "last": Int64(clamping: last), "limit": Int64(max(0, limit))]
            ).map { row in
                let seq = try row.int64("seq")
                return JournalEntry(
                    cursor: EventCursor(epoch: epoch, seq: UInt64(clamping: seq)),
                    time: Timestamp(nanoseconds: try row.int64("event_ts")),
                    userId: try row.int64OrNil("user_id"),
                    audience: try row.int64OrNil("user_id") == nil
                        ? EventAudience(stored: row.int64OrNil("audience")) : nil,
                    event: try texts.readText(of: seq, stored: row.blob("event"))
                )
            }
        }
    }

    /// Registers a handler for every later publication. The handler gets each entry once, in order, after the commit of
    /// the entry.
    ///
    /// The handler runs on the committing thread, so it must be fast and must not wait.
    package func onPublish(_ handler: @escaping @Sendable ([JournalEntry]) -> Void) {
        publishHandlers.withLock { $0.append(handler) }
    }

    /// Writes an entry in the transaction of `db`.
    /// - Parameter audience: the audience of an entry without a user.
    func append(
        _ event: [UInt8],
        userId: Int64?,
        audience: EventAudience = .keysWithoutUser,
        subjects: Set<EventSubject> = [],
        time: Timestamp,
        in db: StoreConnection
    ) throws -> JournalEntry {
        let stored = StoredEvent.encode(event)
        try db.execute(
            """
            INSERT INTO events (event_ts, user_id, event, audience, stored_end)
            VALUES (:event_ts, :user_id, :event, :audience,
              :size + coalesce((SELECT stored_end FROM events ORDER BY seq DESC LIMIT 1), 0))
            """,
            [
                "event_ts": time.nanoseconds, "user_id": userId, "event": stored,
                "audience": userId == nil ? audience.storedNumber : nil, "size": Int64(stored.count),
            ]
        )
        let seq = db.lastInsertRowID
        if let userId {
            for subject in subjects where !subject.chatText.isEmpty {
                try db.insert(
                    into: "event_subjects",
                    or: .ignore,
                    [
                        "user_id": userId, "chat": subject.chatText, "chat_item_id": subject.itemId, "seq": seq,
                        "says_more": subjects.hasMixedSubjects,
                    ]
                )
            }
        }
        return JournalEntry(
            cursor: EventCursor(epoch: epoch, seq: UInt64(clamping: seq)),
            time: time,
            userId: userId,
            audience: userId == nil ? audience : nil,
            event: event
        )
    }

    /// Publishes entries whose transaction is committed.
    ///
    /// The tasks that have committed may call this function in any order. The numbers have no gaps, so the journal can
    /// restore the order: an entry waits for all earlier entries.
    package func publish(_ entries: [JournalEntry]) {
        guard !entries.isEmpty else { return }
        let isToBeWatched = publish(entries, passing: 0)
        if isToBeWatched { resolveGaps() }
    }

    /// Publishes entries in the order of their numbers. Entries after a missing entry wait for it.
    /// - Parameter absent: the number up to which the database was searched. A missing entry up to this number does not
    ///   exist, so other entries do not wait for this entry.
    /// - Returns: whether entries wait for missing entries, and no task watches for the missing entries yet.
    private func publish(_ entries: [JournalEntry], passing absent: UInt64) -> Bool {
        publishHandlers.withLock { handlers in
            let (ready, isToBeWatched) = state.withLock { state -> ([JournalEntry], Bool) in
                for entry in entries where entry.cursor.seq > state.latestSeq {
                    state.waitingEntries[entry.cursor.seq] = entry
                }
                var ready: [JournalEntry] = []
                while true {
                    if let next = state.waitingEntries.removeValue(forKey: state.latestSeq &+ 1) {
                        ready.append(next)
                    } else if state.latestSeq >= absent {
                        break
                    }
                    state.latestSeq &+= 1
                }
                state.recordPublishedEntries(ready)
                let isToBeWatched = !state.waitingEntries.isEmpty && !state.isResolvingGaps
                if isToBeWatched { state.isResolvingGaps = true }
                return (ready, isToBeWatched)
            }
            if !ready.isEmpty { for handler in handlers { handler(ready) } }
            return isToBeWatched
        }
    }

    // MARK: Gaps

    /// Starts a task that reads missing entries from the database while later entries wait for them.
    private func resolveGaps() {
        Task { [weak self, waitForMissingEntry] in
            while let missing = self?.findMissingSeq() {
                await waitForMissingEntry()
                do { try await self?.resolveGap(at: missing) } catch DatabaseError.closed { return } catch {
                    self?.logger.error(
                        "missing events not read: later events wait for them",
                        metadata: ["error": "\(error)"]
                    )
                }
            }
        }
    }

    private func findMissingSeq() -> UInt64? {
        state.withLock { state in
            state.isResolvingGaps = !state.waitingEntries.isEmpty
            return state.isResolvingGaps ? state.latestSeq &+ 1 : nil
        }
    }

    /// Reads the missing entries from the number `missing` on, and publishes them with the entries that wait for them.
    /// Missing entries were committed before an entry that waits, or were never committed. So the database contains all
    /// missing entries that exist.
    private func resolveGap(at missing: UInt64) async throws {
        let last = state.withLock { state in
            state.latestSeq &+ 1 == missing ? state.waitingEntries.keys.min().map { $0 &- 1 } : nil
        }
        guard let last else { return }
        logger.error("events were committed but not reported", metadata: ["from": "\(missing)", "to": "\(last)"])
        let entries = try await readStoredEntries(after: missing &- 1, upTo: last, limit: .max)
        // The entries in memory must have no gaps, so the entries before the gap are removed.
        dropFromMemory(upTo: last)
        _ = publish(entries, passing: last)
    }

    /// Removes the entries up to this number from memory, because some of them were changed or deleted. Readers then
    /// read the entries from the database. Entries up to this number that are published later are not kept in memory
    /// either.
    func dropFromMemory(upTo seq: UInt64) {
        state.withLock { state in
            state.changedUpToSeq = max(state.changedUpToSeq, seq)
            state.dropOldestRecentEntries(state.recentEntries.prefix { $0.cursor.seq <= seq }.count)
        }
    }

    /// Deletes entries that exceed the retention. The call is fast if there are no such entries.
    func trimEntries(now: Timestamp) async throws {
        let latest = latestSeq
        let byCount = latest > retention.maxEntries ? latest - retention.maxEntries : 0
        let byAge = now.adding(seconds: -retention.maxAgeSeconds)
        let bytes = Int64(clamping: retention.maxBytes)
        let cleaned = state.withLock { $0.oldestSubjectSeq }
        let subjectSlack = max(1024, retention.maxEntries / 4)
        let (oldest, oldestSubject) = try await database.write { db in
            let bySize = try Self.findLastSeqToDelete(before: bytes, db)
            try db.execute(
                """
                DELETE FROM events WHERE seq <= max(:by_count, :by_size,
                  coalesce((SELECT seq - 1 FROM events WHERE event_ts >= :by_age ORDER BY seq LIMIT 1), :latest))
                """,
                [
                    "by_count": Int64(clamping: byCount), "by_size": bySize, "by_age": byAge.nanoseconds,
                    "latest": Int64(clamping: latest),
                ]
            )
            let oldest = try db.firstRow("SELECT min(seq) AS seq FROM events")?.int64OrNil("seq").map {
                UInt64(clamping: $0)
            }
            let first = oldest ?? latest &+ 1
            try EventBlock.deleteTexts(before: Int64(clamping: first), db)
            // The table `event_subjects` has no index by `seq`, since every event would have to update the index. So
            // the deletion reads the whole table, but it runs rarely.
            guard first >= cleaned &+ subjectSlack || cleaned == 0 else { return (oldest, cleaned) }
            try db.execute("DELETE FROM event_subjects WHERE seq < ?", [Int64(clamping: first)])
            return (oldest, first)
        }
        state.withLock { state in
            state.oldestSeq = max(state.oldestSeq, oldest ?? latest &+ 1)
            state.oldestSubjectSeq = oldestSubject
            if let first = state.recentEntries.first, first.cursor.seq < state.oldestSeq {
                state.dropOldestRecentEntries(Int(clamping: state.oldestSeq - first.cursor.seq))
            }
        }
    }

    /// Returns the number of the last entry to delete, so that the later entries have at most `bytes` bytes in total; 0
    /// if all entries can be kept. A binary search finds this entry, since the column `stored_end` grows from entry to
    /// entry.
    private static func findLastSeqToDelete(before bytes: Int64, _ db: StoreConnection) throws -> Int64 {
        func findEntry(from seq: Int64) throws -> Row? {
            try db.queryFirst(
                "SELECT seq, stored_end, length(event) AS size FROM events WHERE seq >= ? ORDER BY seq LIMIT 1",
                [seq]
            )
        }
        guard let last = try db.firstRow("SELECT seq, stored_end FROM events ORDER BY seq DESC LIMIT 1"),
            let first = try findEntry(from: 0)
        else { return 0 }
        let begin = try last.readCount("stored_end") - bytes
        var (low, high): (Int64, Int64) = (try first.readCount("seq"), try last.readCount("seq"))
        while low < high {
            let middle = low + (high - low) / 2
            guard let found = try findEntry(from: middle), try found.readCount("stored_end") < begin else {
                high = middle
                continue
            }
            low = try found.readCount("seq") + 1
        }
        guard let found = try findEntry(from: low) else { return 0 }
        let (seq, size): (Int64, Int64) = (try found.readCount("seq"), try found.readCount("size"))
        return try found.readCount("stored_end") - size < begin ? seq : seq - 1
    }

    /// Returns the total size of all kept entries in bytes, as measured when they were written. The oldest entry does
    /// not count if it is in a block.
    package static func countKeptBytes(_ db: StoreConnection) throws -> Int64 {
        guard let first = try db.firstRow("SELECT stored_end, length(event) AS size FROM events ORDER BY seq LIMIT 1"),
            let last = try db.firstRow("SELECT stored_end FROM events ORDER BY seq DESC LIMIT 1")
        else { return 0 }
        let before: Int64 = try first.readCount("stored_end") - first.readCount("size")
        return max(0, try last.readCount("stored_end") - before)
    }

    /// Returns whether there are enough entries for a new block. If the result is true, the caller must call
    /// ``packEntries()``.
    func beginPackingIfNeeded() -> Bool {
        state.withLock { state in
            guard !state.isPacking, state.entriesSincePacking >= EventBlock.maxEntries else { return false }
            state.entriesSincePacking = 0
            state.isPacking = true
            return true
        }
    }

    /// Joins the oldest separate entries into at most two blocks. New entries fill one block between two calls, so the
    /// second block serves entries that earlier versions of this program have left. The newest entries stay separate,
    /// since most deletions concern new entries.
    package func packEntries() async throws {
        defer { state.withLock { $0.isPacking = false } }
        let end = Int64(clamping: latestSeq) - Int64(EventBlock.maxEntries)
        for _ in 0..<2 {
            // The texts are compressed before the write transaction, so that commits do not wait.
            guard let draft = try await database.read({ db in try EventBlock.Draft(upTo: end, db) }) else { return }
            guard try await database.write({ db in try draft.store(db) }) else { return }
        }
    }

    /// Returns whether many entries were published since the last call of ``trimEntries(now:)``, so that another call
    /// is due. If the result is true, the caller must make this call.
    func beginTrimIfNeeded() -> Bool {
        state.withLock { state in
            guard
                state.entriesSinceTrim >= max(1024, retention.maxEntries / 64)
                    || state.bytesSinceTrim >= max(1 << 16, retention.maxBytes / 64)
            else { return false }
            state.entriesSinceTrim = 0
            state.bytesSinceTrim = 0
            return true
        }
    }
}

extension Set<EventSubject> {
    /// Whether the subjects belong to several chats, or include both a chat itself and its items. An entry with such
    /// subjects is examined when one of them is deleted.
    fileprivate var hasMixedSubjects: Bool {
        guard let first else { return false }
        return contains { $0.chatText != first.chatText }
            || (contains { $0.itemId == 0 } && contains { $0.itemId != 0 })
    }
}

extension EventJournal.State {
    fileprivate mutating func recordPublishedEntries(_ entries: [JournalEntry]) {
        entriesSinceTrim &+= UInt64(entries.count)
        entriesSincePacking += entries.count
        bytesSinceTrim &+= entries.reduce(0) { $0 &+ UInt64($1.eventJSON.count) }
        let unchanged = entries.drop { $0.cursor.seq <= changedUpToSeq }
        recentEntries.append(contentsOf: unchanged)
        recentEntryBytes += unchanged.reduce(0) { $0 + $1.eventJSON.count }
        if recentEntries.count > EventJournal.maxRecentEntries.count
            || recentEntryBytes > EventJournal.maxRecentEntries.bytes
        {
            dropOldestRecentEntries(recentEntries.count / 2)
        }
    }

    fileprivate mutating func dropOldestRecentEntries(_ count: Int) {
        let dropped = recentEntries.prefix(count)
        recentEntryBytes -= dropped.reduce(0) { $0 + $1.eventJSON.count }
        recentEntries.removeFirst(dropped.count)
    }
}
