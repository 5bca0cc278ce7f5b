internal import SQLCipher
import Synchronization

/// How much of the journal is kept. The oldest entries go first; whatever limit is met first counts.
public struct JournalRetention: Sendable, Hashable {
    /// The most entries.
    public var count: UInt64
    /// The greatest age in seconds.
    public var age: Int64

    public init(count: UInt64 = 100_000, age: Int64 = 30 * 86400) {
        self.count = count
        self.age = age
    }
}

/// The durable list of all events of one store, in the order in which they were committed.
///
/// An entry gets its number inside the transaction that changes what it tells of, and is published after the commit, in order, once.
/// The newest entries are held in memory, so that a reader who keeps up never touches the database.
public final class EventJournal: Sendable {
    /// Which journal this is; made at random with the store.
    public let epoch: String

    private let database: Database
    private let retention: JournalRetention
    private let state: Mutex<State>
    private let unseen = Mutex<Set<Int64>>([])
    /// Held while handlers run, so that publications cannot overtake each other.
    private let publishing = Mutex<[@Sendable ([JournalEntry]) -> Void]>([])

    fileprivate struct State {
        /// The last published number.
        var latest: UInt64
        /// The number of the oldest entry kept; `latest + 1` when none is.
        var oldest: UInt64
        /// Committed, but waiting for an earlier one to be reported.
        var early: [UInt64: JournalEntry] = [:]
        /// The newest published entries, without gaps, the last being `latest`.
        var tail: [JournalEntry] = []
        var tailBytes = 0
        var publishedSinceTrim: UInt64 = 0
    }

    /// Bounds of the entries in memory; the oldest half goes when one is passed.
    fileprivate static let tailLimit = (count: 4096, bytes: 8 << 20)

    static func open(on database: Database, retention: JournalRetention) async throws -> EventJournal {
        let (epoch, latest, oldest) = try await database.read { db in
            let epoch = try db.first("SELECT epoch FROM journal_meta")?.string("epoch") ?? ""
            // The sequence outlives the entries that retention removes.
            let latest = try db.first("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.int64("seq") ?? 0
            let oldest = try db.first("SELECT min(seq) AS seq FROM events")?.int64OrNil("seq")
            return (epoch, latest, oldest ?? latest + 1)
        }
        return EventJournal(epoch: epoch, database: database, retention: retention, latest: UInt64(latest), oldest: UInt64(oldest))
    }

    private init(epoch: String, database: Database, retention: JournalRetention, latest: UInt64, oldest: UInt64) {
        self.epoch = epoch
        self.database = database
        self.retention = retention
        state = Mutex(State(latest: latest, oldest: oldest))
    }

    /// The number of the newest entry, 0 when there never was one.
    public var latest: UInt64 { state.withLock { $0.latest } }

    /// The number of the oldest entry that is kept, `latest + 1` when none is.
    public var oldest: UInt64 { state.withLock { $0.oldest } }

    /// The users that are hidden and not active. What the journal has of them is for nobody but those who know of them.
    public var unseenUsers: Set<Int64> { unseen.withLock { $0 } }

    /// Said after the commit of what has changed it, before anything of that is told.
    func setUnseen(_ users: Set<Int64>) { unseen.withLock { $0 = users } }

    /// The place after the newest entry.
    public var end: EventCursor { EventCursor(epoch: epoch, seq: latest) }

    /// Up to `limit` entries after `seq`, oldest first; none at the end, and where all up to the number that was `latest` before are gone
    /// with a user that was deleted.
    ///
    /// A `seq` before `oldest - 1` has lost entries to retention: the caller compares and says so to its reader.
    /// - Throws: `DatabaseError` when they are not in memory and cannot be read.
    public func entries(after seq: UInt64, limit: Int) async throws -> [JournalEntry] {
        let (latest, held): (UInt64, [JournalEntry]?) = state.withLock { state in
            guard seq < state.latest else { return (state.latest, []) }
            guard let first = state.tail.first, seq &+ 1 >= first.cursor.seq else { return (state.latest, nil) }
            let start = Int(seq &+ 1 &- first.cursor.seq)
            return (state.latest, Array(state.tail[start...].prefix(max(0, limit))))
        }
        if let held { return held }
        let epoch = epoch
        return try await database.read { db in
            try db.query(
                "SELECT seq, event_ts, user_id, event FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
                [Int64(clamping: seq), Int64(clamping: latest), Int64(max(0, limit))]
            ).map { row in
                JournalEntry(
                    cursor: EventCursor(epoch: epoch, seq: UInt64(clamping: try row.int64("seq"))),
                    time: Timestamp(nanoseconds: try row.int64("event_ts")), userId: try row.int64OrNil("user_id"),
                    event: try StoredEvent.text(of: row.blob("event")))
            }
        }
    }

    /// Registers what is called with every publication from now on: in order, each entry once, after its commit.
    ///
    /// The handler runs on the thread of whoever committed: it must be quick, and must not wait.
    public func onPublish(_ handler: @escaping @Sendable ([JournalEntry]) -> Void) {
        publishing.withLock { $0.append(handler) }
    }

    /// Writes an entry inside the transaction of `db`.
    func append(_ event: [UInt8], userId: Int64?, time: Timestamp, in db: StoreConnection) throws -> JournalEntry {
        try db.execute("INSERT INTO events (event_ts, user_id, event) VALUES (?, ?, ?)", [time.nanoseconds, userId, StoredEvent.stored(event)])
        return JournalEntry(
            cursor: EventCursor(epoch: epoch, seq: UInt64(clamping: db.lastInsertRowID)), time: time, userId: userId, event: event)
    }

    /// Tells the world of entries whose transaction is committed.
    ///
    /// Committers are resumed in any order; numbers without gaps let the journal put them right: an entry waits for those before it.
    func publish(_ entries: [JournalEntry]) {
        guard !entries.isEmpty else { return }
        publishing.withLock { handlers in
            let ready = state.withLock { state -> [JournalEntry] in
                for entry in entries { state.early[entry.cursor.seq] = entry }
                var ready: [JournalEntry] = []
                while let next = state.early.removeValue(forKey: state.latest &+ 1) {
                    state.latest &+= 1
                    ready.append(next)
                }
                state.remember(ready)
                return ready
            }
            guard !ready.isEmpty else { return }
            for handler in handlers { handler(ready) }
        }
    }

    /// Lets go of the entries in memory, of which some were deleted: they are read from the database again.
    func forgetHeld() {
        state.withLock { $0.dropTail($0.tail.count) }
    }

    /// Removes what retention no longer keeps. Cheap when there is nothing to do.
    func trim(now: Timestamp) async throws {
        let latest = latest
        let byCount = latest > retention.count ? latest - retention.count : 0
        let byAge = now.adding(seconds: -retention.age)
        let oldest = try await database.write { db in
            try db.execute(
                """
                DELETE FROM events WHERE seq <= max(?, coalesce((SELECT seq - 1 FROM events WHERE event_ts >= ? ORDER BY seq LIMIT 1), ?))
                """, [Int64(clamping: byCount), byAge.nanoseconds, Int64(clamping: latest)])
            return try db.first("SELECT min(seq) AS seq FROM events")?.int64OrNil("seq")
        }
        state.withLock { state in
            state.oldest = max(state.oldest, oldest.map { UInt64(clamping: $0) } ?? latest &+ 1)
            if let first = state.tail.first, first.cursor.seq < state.oldest {
                state.dropTail(Int(clamping: state.oldest - first.cursor.seq))
            }
        }
    }

    /// Whether enough was published since the last trim to make another worth its transaction.
    func takesTrim() -> Bool {
        state.withLock { state in
            guard state.publishedSinceTrim >= max(1024, retention.count / 64) else { return false }
            state.publishedSinceTrim = 0
            return true
        }
    }
}

extension EventJournal.State {
    fileprivate mutating func remember(_ entries: [JournalEntry]) {
        tail.append(contentsOf: entries)
        tailBytes += entries.reduce(0) { $0 + $1.event.count }
        publishedSinceTrim &+= UInt64(entries.count)
        if tail.count > EventJournal.tailLimit.count || tailBytes > EventJournal.tailLimit.bytes {
            dropTail(tail.count / 2)
        }
    }

    fileprivate mutating func dropTail(_ count: Int) {
        let dropped = tail.prefix(count)
        tailBytes -= dropped.reduce(0) { $0 + $1.event.count }
        tail.removeFirst(dropped.count)
    }
}
