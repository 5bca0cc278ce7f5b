import Concurrency

/// The connections of a database's readers. A lane, which is a worker that runs one read at a time, takes a connection
/// for each read and gives it back.
///
/// Opening a connection takes about 2 ms of processor time, mostly for the schema, and most reads take less than 0.1
/// ms. So a lane first waits for a connection that another lane uses.
///
/// Many databases are opened, or used again after a pause, for a few short reads and writes. Their reads use the
/// connection of the writer. A connection for reads is opened in three cases: the reads on the writer's connection have
/// used up ``writerLendingTime``, a read has waited too long for writes, or a read may not use the writer's connection.
final class ReaderConnections: @unchecked Sendable {
    // The class is `@unchecked Sendable`: its values are used only while `lock` is held. A connection is used only by
    // the lane (the worker) that has taken it.

    /// The time that a lane (a worker) waits for a connection that another lane uses, before it opens a further
    /// connection.
    let openingDelay: Duration
    private var freeConnections: [DatabaseConnection] = []
    /// Number of lanes (workers) that use or open a connection.
    private var laneCount = 0
    /// Whether ``withAllClosed(_:)`` runs, so that all connections must stay closed.
    private var isHeldClosed = false
    private let lock = ThreadLock()
    private let connectionsChangedCondition = ThreadCondition()
    /// The time limit of each read on the writer's connection. When these reads together have taken this time, further
    /// reads use a connection for reads.
    let writerLendingTime: Duration
    private var writerLentTime = Duration.zero

    init(openingDelay: Duration = .milliseconds(5), writerLendingTime: Duration = .zero) {
        self.openingDelay = openingDelay
        self.writerLendingTime = writerLendingTime
    }

    /// Whether a read should use the connection of the writer instead of opening a connection.
    var shouldUseWriter: Bool {
        lock.withLock {
            writerLentTime < writerLendingTime && !isHeldClosed && laneCount == 0 && freeConnections.isEmpty
        }
    }

    /// Adds `time` to the total time of the reads that ran on the writer's connection. ``closeFreeConnections()``
    /// resets the total to zero.
    func countLentTime(_ time: Duration) { lock.withLock { writerLentTime += time } }

    /// Runs a read on a free connection, or on a new connection if none becomes free soon. No connection is opened
    /// before the first read, because a program that only writes needs none.
    func runJob(_ job: ReadJob, _ file: DatabaseFile) {
        var connection = takeFreeConnection()
        do {
            let used = try connection ?? file.openReader()
            connection = used
            job.run(used)
        } catch { job.reportFailure(error) }
        lock.withLock {
            laneCount -= 1
            // This function keeps no reference to the connection. Otherwise the connection would stay open for a moment
            // after `closeFreeConnections()` or `withAllClosed(_:)` has released it.
            if let used = connection.take() { freeConnections.append(used) }
            connectionsChangedCondition.wakeAll()
        }
    }

    /// Returns a free connection; nil if the caller has to open one.
    private func takeFreeConnection() -> DatabaseConnection? {
        let deadline = ContinuousClock.now + openingDelay
        return lock.withLock {
            var isLate = false
            while true {
                if isHeldClosed {
                    _ = connectionsChangedCondition.waitForSignal(lock, until: nil)
                } else if let connection = freeConnections.popLast() {
                    laneCount += 1
                    return connection
                } else if laneCount == 0 || isLate {
                    laneCount += 1
                    return nil
                } else {
                    isLate = connectionsChangedCondition.waitForSignal(lock, until: deadline)
                }
            }
        }
    }

    /// Closes the connections that no job uses.
    func closeFreeConnections() {
        // The connections are closed while the lock is held, so that ``withAllClosed(_:)`` on another thread waits
        // until they are closed.
        lock.withLock {
            freeConnections = []
            writerLentTime = .zero
        }
    }

    /// Waits until no job uses a connection, closes all connections, and runs `body`. Further jobs wait until `body`
    /// has ended.
    func withAllClosed(_ body: () throws -> Void) rethrows {
        lock.withLock {
            while isHeldClosed { _ = connectionsChangedCondition.waitForSignal(lock, until: nil) }
            isHeldClosed = true
            while laneCount > 0 { _ = connectionsChangedCondition.waitForSignal(lock, until: nil) }
        }
        defer {
            lock.withLock {
                isHeldClosed = false
                connectionsChangedCondition.wakeAll()
            }
        }
        closeFreeConnections()
        try body()
    }
}
