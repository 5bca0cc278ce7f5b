internal import Concurrency
internal import Synchronization

/// The last use of a database.
struct DatabaseUse {
    private(set) var last = ContinuousClock.now
    /// Whether the database has released its resources since its last use, or is about to do so.
    private var isReleased = false

    mutating func recordUse() {
        last = .now
        isReleased = false
    }

    /// Whether the database was not used after `end`, and has to release its resources. True once after each use.
    mutating func beginsRelease(_ end: ContinuousClock.Instant) -> Bool {
        guard !isReleased, last <= end else { return false }
        isReleased = true
        return true
    }
}

/// All open databases of the process. A database that nobody has used for a while releases its memory, its files and
/// the disk space of its log: see ``Database/releaseResources()``.
final class IdleDatabases: Sendable {
    static let shared = IdleDatabases()

    /// The time without a use after which a database releases its resources.
    static let idleTime = Duration.seconds(30)
    private static let interval = Duration.seconds(5)
    /// Maximal number of databases that begin to release resources in one interval. They write their logs into their
    /// files, on threads that the databases in use also need.
    static let most = 64
    /// See ``Database/resourceReleases``.
    static let releases = Atomic(0)

    private struct Reference: Sendable { weak var database: Database? }

    private struct State {
        var references: [Reference] = []
        var isWatching = false
    }

    private let state = Mutex(State())

    func add(_ database: Database) {
        let begins = state.withLock { state in
            state.references.append(Reference(database: database))
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if begins { Task(priority: .low) { await watch() } }
    }

    /// Looks for idle databases until none is open.
    private func watch() async {
        while true {
            try? await Task.sleep(for: Self.interval)
            let isOver = state.withLock { state in
                state.references.removeAll { $0.database == nil }
                state.isWatching = !state.references.isEmpty
                return !state.isWatching
            }
            if isOver { return }
            // A disk that does not answer holds up only its own databases.
            for database in take(unusedSince: .now - Self.idleTime) { Task { await database.releaseResources() } }
        }
    }

    /// Returns the databases that were not used after `end` and have to release their resources.
    func take(unusedSince end: ContinuousClock.Instant) -> [Database] {
        let open = state.withLock { $0.references.compactMap(\.database) }
        var idle: [Database] = []
        for database in open where idle.count < Self.most {
            if database.use.withLock({ $0.beginsRelease(end) }) { idle.append(database) }
        }
        return idle
    }
}

extension Database {
    /// Number of times that a database of this process has released its resources.
    public static var resourceReleases: Int { IdleDatabases.releases.load(ordering: .relaxed) }

    /// Closes the connections of readers, moves the write-ahead log into the file, and closes the connection of the
    /// writer. The next use opens the connections that it needs. If a long read needs the log, or after an error, the
    /// database stays open, and tries again after the next time without a use.
    package func releaseResources() async {
        _ = try? await blocking { [slots] in for slot in slots { slot.closeUnused() } }
        let isReleased = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let job = WriteJob(
                work: .alone { try $0.rest() },
                finish: { continuation.resume(returning: $0 == nil) }
            )
            if !submitWithoutUse(job) { continuation.resume(returning: true) }
        }
        if !isReleased { use.withLock { $0.recordUse() } }
        IdleDatabases.releases.wrappingAdd(1, ordering: .relaxed)
    }
}
