import CSQLCipher
import Clocks
import Glibc
import Synchronization

/// The time limit for statements of one or more databases. Migrations, and statements that copy a whole database, have
/// a longer limit.
package final class StatementLimit: Sendable {
    private final class EndFlag: Sendable {
        let isOver = Atomic(false)
    }

    private let nanoseconds: Int64
    private let endFlag: EndFlag

    package convenience init(_ limit: Duration = Database.statementLimit) { self.init(limit, EndFlag()) }

    private init(_ limit: Duration, _ ending: EndFlag) {
        nanoseconds = limit.nanoseconds
        self.endFlag = ending
    }

    /// A longer limit for reading or writing whole databases. Calling ``endStatements()`` on this limit or on the
    /// longer one ends the statements of both limits.
    package var longLimit: StatementLimit { StatementLimit(Database.longStatementLimit, endFlag) }

    /// Ends running and later statements with `DatabaseError.interrupted`. Short statements, which end before the first
    /// check of the clock, still succeed. This function is called while databases are opened or closed.
    package func endStatements() { endFlag.isOver.store(true, ordering: .relaxed) }

    /// Allows statements again after ``endStatements()``.
    package func allowStatements() { endFlag.isOver.store(false, ordering: .relaxed) }

    /// Whether statements, and other long work for the databases, must end.
    package var isOver: Bool { endFlag.isOver.load(ordering: .relaxed) }

    fileprivate func allowsTime(_ spent: Int64, _ allowance: Int64) -> Bool {
        !isOver && spent <= max(nanoseconds, allowance)
    }
}

/// Measures the time of the running statement of a connection. Only the connection's thread uses this object.
final class StatementClock {
    /// Number of steps of SQLite's virtual machine between two checks of the clock. These steps take less than a
    /// millisecond.
    private static let stepsBetweenChecks: Int32 = 20_000
    private let limit: StatementLimit
    private var startNanoseconds: Int64 = 0
    private var allowanceNanoseconds: Int64 = 0
    /// The time at which the body of ``runLentRead(within:_:)`` must end; nil while no such body runs.
    private var lendingEndNanoseconds: Int64?
    /// Whether a statement was ended at ``lendingEndNanoseconds``.
    private var hasLentReadOverrun = false

    init(_ limit: StatementLimit) { self.limit = limit }

    /// Makes SQLite check the time limit while a statement runs. The clock must live as long as the connection.
    func installCheck(_ handle: OpaquePointer) {
        sqlite3_progress_handler(
            handle,
            Self.stepsBetweenChecks,
            { context in
                context.map { Unmanaged<StatementClock>.fromOpaque($0).takeUnretainedValue().isLimitExceeded } == true
                    ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    func startMeasuring() { startNanoseconds = MonotonicClock.nanoseconds() }

    /// Nanoseconds since the start of the running statement.
    var elapsedNanoseconds: Int64 { MonotonicClock.nanoseconds() &- startNanoseconds }

    /// Runs `body`, whose statements may take the long time limit.
    func withLongLimit<T, E>(_ body: () throws(E) -> T) throws(E) -> T {
        allowanceNanoseconds = Database.longStatementLimit.nanoseconds
        defer { allowanceNanoseconds = 0 }
        return try body()
    }

    /// Runs a read (`body`) on the writer's connection. After `time`, statements of the read end with
    /// `DatabaseError.interrupted`.
    /// - Returns: the result of `body`; nil if a statement was ended or refused, even if `body` ignored the error.
    func runLentRead<T>(within time: Duration, _ body: () -> T) -> T? {
        (lendingEndNanoseconds, hasLentReadOverrun) = (MonotonicClock.nanoseconds() &+ time.nanoseconds, false)
        defer { lendingEndNanoseconds = nil }
        let value = body()
        return hasLentReadOverrun ? nil : value
    }

    /// Returns whether the time of a read on the writer's connection is over. In that case the read is marked as ended,
    /// and must run again on another connection.
    func endLentReadIfOver() -> Bool {
        guard let lendingEndNanoseconds, MonotonicClock.nanoseconds() > lendingEndNanoseconds else { return false }
        hasLentReadOverrun = true
        return true
    }

    private var isLimitExceeded: Bool {
        if endLentReadIfOver() { return true }
        let now = MonotonicClock.nanoseconds()
        return !limit.allowsTime(now &- startNanoseconds, allowanceNanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds; the maximum on overflow.
    fileprivate var nanoseconds: Int64 {
        let (seconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : seconds &+ components.attoseconds / 1_000_000_000
    }
}

extension Database {
    /// The default time limit of a statement.
    package static let statementLimit = Duration.seconds(120)
    /// The time limit of a migration, and of reading or writing the whole database.
    package static let longStatementLimit = Duration.seconds(1_800)
}
